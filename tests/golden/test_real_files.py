"""The real files of each kind: their counts, and what they hold read and written again."""

import gzip
from collections import Counter
from pathlib import Path

import pytest

from judge.corpora import InlineCorpus, open_corpora
from judge.formats import (
    expand,
    pool,
    ranking,
    read_all_answers,
    read_answers,
    read_assignments,
    read_nugget_scores,
    read_nuggets,
    read_qrels,
    read_run,
    read_topics,
    write_assignments,
    write_nuggets,
    write_qrels,
    write_topics,
)
from judge.types import Answer

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not there")


def citations(answers: list[Answer]) -> Counter[bool]:
    """Count the citations, True for those that point at a reference."""
    return Counter(
        citation.docid is not None
        for answer in answers
        for sentence in answer.sentences
        for citation in sentence.citations
    )


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("rag25/topics.jsonl", 105),
        ("rag25/narratives.json", 102),
        ("rag24/topics.tsv", 301),
        ("neuclir24/requests.jsonl", 19),
        ("kiddie/topics.jsonl", 5),
        ("spotcheck/queries.jsonl", 1),
    ],
)
def test_topics(name: str, count: int, caplog: pytest.LogCaptureFixture) -> None:
    topics = read_topics(DATA / name)
    assert len(topics) == count
    assert all(not topic.narrative.endswith("\r") for topic in topics)
    assert not caplog.records


@pytest.mark.parametrize("name", ["rag25/narratives.json", "kiddie/topics.jsonl"])
def test_topics_round_trip(name: str, tmp_path: Path) -> None:
    topics = read_topics(DATA / name)
    write_topics(tmp_path / "again.jsonl", topics)
    assert read_topics(tmp_path / "again.jsonl") == topics


def test_narratives() -> None:
    parts = [
        p for topic in read_topics(DATA / "rag25/narratives.json") for p in topic.sub_narratives
    ]
    assert Counter(part.importance for part in parts) == {"vital": 491, "okay": 265}


def test_requests() -> None:
    assert all(t.title and t.background for t in read_topics(DATA / "neuclir24/requests.jsonl"))
    assert all(t.title and t.background for t in read_topics(DATA / "kiddie/topics.jsonl"))


def test_nuggets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    nuggets = read_nuggets(DATA / "rag25/nuggets.jsonl")
    assert not caplog.records
    assert len(nuggets) == 1255
    assert len({(n.topic_id, n.nugget_id) for n in nuggets}) == 1255
    assert len({n.topic_id for n in nuggets}) == 22
    assert Counter(n.importance for n in nuggets) == {"vital": 925, "okay": 330}
    write_nuggets(tmp_path / "again.jsonl", nuggets, {})
    assert read_nuggets(tmp_path / "again.jsonl") == nuggets


def test_sub_narratives_of_nuggets_are_those_of_the_topics() -> None:
    topics = {t.topic_id: t for t in read_topics(DATA / "rag25/narratives.json")}
    official = {(t, part.text) for t, topic in topics.items() for part in topic.sub_narratives}
    nuggets = read_nuggets(DATA / "rag25/nuggets.jsonl")
    kinds = Counter(
        "official"
        if (n.topic_id, n.sub_narrative) in official
        else str(n.sub_narrative).startswith("New: ") and "new"
        for n in nuggets
    )
    # the other 20 differ from every official wording in a comma or by a rewording
    assert kinds == {"official": 1088, "new": 147, False: 20}


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("rag25/qrels.nist.txt", 10_284),
        ("rag25/qrels.umbrela2.txt", 10_284),
        ("rag25/qrels.climbmix-codex.txt", 26_341),
        ("rag24/qrels.nist.txt", 20_429),
        ("wikivideo/qrels.txt", 572),
    ],
)
def test_qrels(name: str, count: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    qrels = read_qrels(DATA / name)
    assert len(qrels) == len({(q.topic_id, q.docid) for q in qrels}) == count
    assert not caplog.records
    write_qrels(tmp_path / "again.txt", qrels)
    assert read_qrels(tmp_path / "again.txt") == qrels


def test_both_judges_of_rag25_judged_the_same_pairs() -> None:
    first, second = (
        {(q.topic_id, q.docid) for q in read_qrels(DATA / f"rag25/qrels.{name}.txt")}
        for name in ("nist", "umbrela2")
    )
    assert first == second


@pytest.mark.parametrize(
    ("name", "rows", "topics"),
    [
        ("neuclir24/run.bm25.txt", 1900, 19),
        ("neuclir24/run.lsr-milco.txt", 1900, 19),
        ("neuclir24/run.plaidx.txt", 1900, 19),
        ("rag25/run.climbmix-listwise.txt", 2200, 22),
    ],
)
def test_runs(name: str, rows: int, topics: int) -> None:
    run = read_run(DATA / name)
    assert len(run) == rows
    assert len(ranking(run)) == topics
    assert len(pool([run], 5)) == 5 * topics


def test_ranking_without_ties_is_that_of_the_file() -> None:
    run = read_run(DATA / "neuclir24/run.bm25.txt")
    in_file: dict[str, list[str]] = {}
    for row in sorted(run, key=lambda row: row.rank):
        in_file.setdefault(row.topic_id, []).append(row.docid)
    assert ranking(run) == in_file


def test_rag24_answers(caplog: pytest.LogCaptureFixture) -> None:
    answers = read_answers(DATA / "rag24/answers.gpt-4o.jsonl")
    assert len(answers) == len({a.topic_id for a in answers}) == 60
    assert all("#" in docid for a in answers for docid in a.references)
    assert citations(answers)[False] == 0
    assert citations(answers)[True] > 0
    assert not caplog.records


@pytest.mark.parametrize(
    ("name", "answers", "cited"),
    [("reports.irlab-fas.jsonl", 59, 466), ("dev_reports.jsonl", 7, 67)],
)
def test_neuclir_reports(name: str, answers: int, cited: int) -> None:
    reports = read_answers(DATA / "neuclir24" / name)
    assert len(reports) == answers
    assert citations(reports) == {True: cited}


def test_kiddie_reports(caplog: pytest.LogCaptureFixture) -> None:
    answers = read_all_answers(expand([DATA / "kiddie" / "runs"]))
    topics = {t.topic_id for t in read_topics(DATA / "kiddie/topics.jsonl")}
    pairs = {(a.run_id, a.topic_id) for a in answers}
    assert len(answers) == 20
    assert pairs == {(f"run{i}", topic) for i in (1, 2, 3, 4) for topic in topics}
    assert citations(answers)[False] == 0
    assert not caplog.records
    inline = InlineCorpus(answers)
    assert len(inline) == 94
    inline.warn()
    assert [r.getMessage().split(" docids")[0] for r in caplog.records] == ["16"]
    for answer in answers:
        assert [inline.cited(answer, d.docid) for d in answer.documents] == list(answer.documents)
        texts = {document.text for document in inline.documents_of(answer.topic_id)}
        assert texts >= {document.text for document in answer.documents}


def test_spotcheck() -> None:
    answers = read_all_answers(expand([DATA / "spotcheck" / "runs"]))
    cited = {
        a.run_id: [(c.mention, c.docid) for s in a.sentences for c in s.citations] for a in answers
    }
    assert cited == {
        "my_best_run_01": [("224", None)],  # its list of references is empty
        "my_best_run_02": [("279", "279")],
        "my_best_run_02_citations": [("279", "279")],
    }
    with open_corpora([DATA / "spotcheck/corpus.jsonl.gz"]) as corpora:
        found = [corpora.get(str(i)) for i in range(1, 1401)]
        assert all(found)
        assert corpora.get("0") is corpora.get("1401") is None


def test_plain_corpus_reads_as_the_packed_one(tmp_path: Path) -> None:
    packed = DATA / "spotcheck/corpus.jsonl.gz"
    plain = tmp_path / "corpus.jsonl"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    with open_corpora([packed]) as first, open_corpora([plain]) as second:
        for i in range(1, 1401, 50):
            assert first.get(str(i)) == second.get(str(i)) is not None


def test_assignments(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    answers = read_assignments(DATA / "rag24/nugget_assignment.nist-sample.jsonl")
    assert [len(answer.nuggets) for answer in answers] == [16] * 4
    assert len({tuple(n.nugget_id for n in a.nuggets) for a in answers}) == 1
    assert all(n.label for a in answers for n in a.nuggets)
    assert not caplog.records
    write_assignments(tmp_path / "again.jsonl", answers)
    assert read_assignments(tmp_path / "again.jsonl") == answers


def test_nugget_scores_are_those_of_the_assignments() -> None:
    scores = read_nugget_scores(DATA / "rag24/nugget_scores.nist-sample.jsonl")
    answers = read_assignments(DATA / "rag24/nugget_assignment.nist-sample.jsonl")
    for answer in answers:
        full = sum(nugget.label == "full" for nugget in answer.nuggets)
        strict_all = scores[answer.run_id, answer.topic_id]["strict_all_recall"]
        assert strict_all == pytest.approx(full / len(answer.nuggets), abs=1e-12)
