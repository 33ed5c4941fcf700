"""Published values of the measures of rankings, reproduced from the real runs and ratings."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from judge import retrieving
from judge.formats.runs import read_run
from judge.formats.subtopics import write_subtopic_qrels
from judge.metrics.names import parse_ranking_measure
from judge.types import SubtopicQrel

NEUCLIR = Path(__file__).parents[2].parent / "shared" / "data" / "neuclir24"
RUNS = {"bm25": "bm25", "lsr-milco": "lsr-neuclir", "plaidx": "plaidx-neuclir"}  # file: tag
HOLDS = 3  # the least rating of a document that holds a nugget
DEPTH = 100  # documents of a topic that were rated

HELD = {"d1": (1, 2), "d2": (1,), "d3": (2, 3), "d4": (4,), "d5": ()}
RANKING = ["d2", "d1", "d5", "d3", "dX"]


@pytest.mark.parametrize(
    ("cutoff", "alpha_ndcg", "subtopic_recall", "recipe"),
    [
        (1, 0.5, 0.25, 0.25),
        (2, 0.6606, 0.5, 0.646),
        (3, 0.5648, 0.5, 0.815),
        (5, 0.7080, 0.75, 1.332),
        (10, 0.7080, 0.75, 1.783),
    ],
)
def test_five_documents(
    cutoff: int, alpha_ndcg: float, subtopic_recall: float, recipe: float
) -> None:
    expected = {
        "alpha_nDCG(alpha=0.5)": pytest.approx(alpha_ndcg, abs=5e-5),
        "StRecall": pytest.approx(subtopic_recall, abs=1e-9),
        "alpha_nDCG_recipe": pytest.approx(recipe, abs=5e-4),
    }
    for name, value in expected.items():
        scorer = parse_ranking_measure(f"{name}@{cutoff}").scorer(HELD)
        assert scorer is not None
        assert scorer(RANKING) == value


@pytest.fixture(scope="module")
def qrels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Qrels by nugget of the documents that were rated, the best of one run."""
    if not NEUCLIR.exists():
        pytest.skip("the shared data is not here: neuclir24")
    ratings = json.loads((NEUCLIR / "ratings.llm.json").read_text(encoding="utf-8"))
    rated = defaultdict(list)
    for row in sorted(read_run(NEUCLIR / "run.lsr-milco.txt"), key=lambda row: row.rank):
        rated[row.topic_id].append(row.docid)
    path = tmp_path_factory.mktemp("neuclir") / "qrels.txt"
    rows = (
        SubtopicQrel(topic_id, f"n{j}", docid, int(rating >= HOLDS))
        for topic_id, documents in ratings.items()
        for docid, row in zip(rated[topic_id][:DEPTH], documents, strict=True)
        for j, rating in enumerate(row)
    )
    write_subtopic_qrels(path, rows)
    return path


@pytest.mark.parametrize(
    ("file", "measure", "expected"),
    [
        ("bm25", "alpha_nDCG@20", 0.6494326130188655),
        ("bm25", "alpha_nDCG@10", 0.6115647014119784),
        ("bm25", "StRecall@20", 0.8795725005355117),
        ("bm25", "StRecall@10", 0.7606631658855871),
        ("lsr-milco", "alpha_nDCG@20", 0.7141419990440214),
        ("lsr-milco", "alpha_nDCG@10", 0.6811233644600335),
        ("lsr-milco", "StRecall@20", 0.9347366753428349),
        ("lsr-milco", "StRecall@10", 0.8805060852641106),
        ("plaidx", "alpha_nDCG@20", 0.5310848197438877),
        ("plaidx", "alpha_nDCG@10", 0.4937663947470259),
        ("plaidx", "StRecall@20", 0.7258788918068697),
        ("plaidx", "StRecall@10", 0.6314292310626023),
        ("bm25", "nDCG@20", 0.47114045974030662),
        ("lsr-milco", "nDCG@20", 0.620556561683998),
        ("bm25", "nDCG(gain=binary)@20", 0.6604913391493769),
        ("lsr-milco", "nDCG(gain=binary)@20", 0.8833196497943494),
    ],
)
def test_neuclir(qrels: Path, file: str, measure: str, expected: float) -> None:
    run = NEUCLIR / f"run.{file}.txt"
    *each, mean = retrieving.evaluate(qrels, [run], measures=measure)
    assert mean.value == pytest.approx(expected, abs=1e-9)
    assert (mean.run_id, mean.topic_id, mean.n_topics) == (RUNS[file], "all", 19)
    assert len(each) == 19
