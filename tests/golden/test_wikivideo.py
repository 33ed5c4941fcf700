"""WikiVideo as it is: qrels by `query_id`, claims and answers by the topics' names, joined."""

from pathlib import Path

import pytest

from judge.formats.answers import read_all_answers
from judge.formats.nuggets import read_nuggets
from judge.formats.qrels import read_qrels
from judge.loading import load_inputs
from judge.retrieving import evaluate

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "wikivideo"
CLAIMS = DATA / "reference_claims.json"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/wikivideo is absent")


def test_judged_videos_belong_to_the_topics_of_answers_and_claims() -> None:
    told: list[str] = []
    rows = load_inputs(str(CLAIMS), notice=told.append).graded(DATA / "qrels.txt", told.append)
    judged = {(row.topic_id, row.docid) for row in rows}
    topics = {topic_id for topic_id, _ in judged}
    assert len(topics) == 6
    answers = read_all_answers(sorted(DATA.glob("answers.*_rag.json")))
    assert topics < {answer.topic_id for answer in answers}
    held = {(n.topic_id, docid) for n in read_nuggets(CLAIMS) for docid in n.docids}
    assert {pair for pair in held if pair[0] in topics} <= judged
    assert told[0].startswith("qrels: 46 topics are not in the topics file")


def test_a_run_by_query_id_is_scored_by_topic(tmp_path: Path) -> None:
    rows = read_qrels(DATA / "qrels.txt")
    run = tmp_path / "run.txt"
    lines = (f"{row.topic_id} Q0 {row.docid} {n} {-n} r\n" for n, row in enumerate(rows, start=1))
    run.write_text("".join(lines), encoding="utf-8")
    scores = evaluate(DATA / "qrels.txt", [run], measures="RR", topics=CLAIMS)
    (mean,) = [score for score in scores if score.topic_id == "all"]
    assert (mean.value, mean.n_topics, mean.n_undefined) == (1.0, 10, 4)
    assert "Hurricane_Irma" in {score.topic_id for score in scores}
