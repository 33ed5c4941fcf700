"""Retrieval runs scored from files: topics, names of runs, and what does not belong together."""

from pathlib import Path
from typing import Any

import pytest

import judge
from judge import retrieving
from judge.errors import InputError, UsageError
from judge.types import Score

GRADED = "2024-1 0 a 2\n2024-1 0 b 0\n2024-2 0 c 1\n2024-3 0 d 0\n"
DIVERSE = "2024-1 s1 a 1\n2024-1 s2 a 1\n2024-1 s2 b 1\n2024-2 s1 c 1\n2024-2 s2 c 0\n"
FIRST = "2024-1 Q0 b 1 2.0 first\n2024-1 Q0 a 2 1.0 first\n2024-2 Q0 c 1 1.0 first\n"
SECOND = "2024-1 Q0 a 1 2.0 second\n"


class At:
    """A folder with qrels and runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in (("graded", GRADED), ("diverse", DIVERSE)):
            self.write(name, text)
        self.write("runs/first.txt", FIRST)
        self.write("runs/second.txt", SECOND)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def scores(self, qrels: str, **choices: Any) -> dict[tuple[str, str, str], Score]:
        runs = choices.pop("runs", [self.folder / "runs"])
        rows = retrieving.evaluate(self.folder / qrels, runs, **choices)
        return {(row.measure, row.run_id, row.topic_id): row for row in rows}


@pytest.fixture
def at(tmp_path: Path) -> At:
    return At(tmp_path)


def test_runs_are_scored_over_all_topics_of_the_qrels(at: At) -> None:
    got = at.scores("graded", measures="RR P@1")
    assert got["RR", "first", "2024-1"].value == 0.5
    assert got["RR", "first", "2024-3"].value is None
    assert got["RR", "second", "2024-2"].value == 0.0
    assert got["RR", "second", "all"].value == 0.5
    assert got["RR", "second", "all"].n_missing == 1
    assert got["P@1", "first", "all"].value == 0.5
    assert at.scores("graded", measures="RR", empty_as_zero=True)["RR", "first", "all"].value == 0.5
    assert len(got) == 2 * 2 * 4


def test_the_verb_in_python_gives_the_same(at: At) -> None:
    rows = judge.retrieval(at.folder / "graded", [at.folder / "runs"], measures="RR P@1")
    assert rows == list(at.scores("graded", measures="RR P@1").values())


def test_the_topics_file_is_the_official_list(at: At, caplog: pytest.LogCaptureFixture) -> None:
    topics = at.write("topics.tsv", "2024-1\tone\n2024-9\tnine\n")
    got = at.scores("graded", measures="RR", topics=topics)
    assert [topic for _, run, topic in got if run == "first"] == ["2024-1", "2024-9", "all"]
    assert got["RR", "first", "2024-9"].reason == "the topic has no judgments"
    assert got["RR", "first", "all"].value == 0.5
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        (
            f"2 topics of the qrels {at.folder / 'graded'} are not official and are left out: "
            "'2024-2', '2024-3'"
        ),
        (
            f"1 topics of the run {at.folder / 'runs' / 'first.txt'} are not official and are left "
            "out: '2024-2'"
        ),
    ]


def test_diversity_and_relevance_from_one_file(at: At, caplog: pytest.LogCaptureFixture) -> None:
    got = at.scores("diverse", measures="alpha_nDCG@20 StRecall@1 nDCG@1")
    assert got["StRecall@1", "first", "2024-1"].value == 0.5
    assert got["nDCG@1", "first", "2024-1"].value == 0.5
    assert [record.getMessage() for record in caplog.records] == [
        f"{at.folder / 'diverse'}: the grade of a document is the number of subtopics it holds"
    ]


@pytest.mark.parametrize(
    ("qrels", "usual"),
    [
        ("graded", ["nDCG@20", "RR", "AP", "R@100", "judged@20"]),
        ("diverse", ["alpha_nDCG@20", "StRecall@20", "nDCG@20", "judged@20"]),
    ],
)
def test_without_measures_the_qrels_decide(at: At, qrels: str, usual: list[str]) -> None:
    assert list(dict.fromkeys(measure for measure, _, _ in at.scores(qrels))) == usual


def test_ordinary_qrels_have_no_subtopics_unless_it_is_said(at: At) -> None:
    with pytest.raises(InputError, match="graded: they have no subtopics, which a measure needs"):
        at.scores("graded", measures="StRecall@20")
    got = at.scores("graded", measures="StRecall@20", subtopics=True)
    assert got["StRecall@20", "first", "all"].value == 1.0
    with pytest.raises(UsageError, match="StRecall@20 needs judgments by subtopic"):
        at.scores("graded", measures="StRecall@20", subtopics=False)
    ambiguous = at.write("ambiguous", "2024-1 s1 a 3\n2024-1 s2 b 1\n")
    with pytest.raises(InputError, match="it cannot be told"):
        at.scores("ambiguous", measures="nDCG")
    for subtopics, grade in ((True, 1), (False, 3)):
        got = at.scores(ambiguous.name, measures="nDCG@1", subtopics=subtopics)
        assert got["nDCG@1", "first", "2024-1"].value == pytest.approx(1 / grade)


def test_topics_that_do_not_overlap_are_shown_on_both_sides(at: At) -> None:
    run = at.write("run", "".join(f"2024-{i}.0 Q0 a 1 1.0 r\n" for i in range(1, 5)))
    with pytest.raises(InputError) as caught:
        at.scores("graded", measures="RR", runs=[run])
    assert str(caught.value) == (
        f"no topic of the run {run} is an official one: it has '2024-1.0', '2024-2.0', "
        "'2024-3.0', ...; the official topics are '2024-1', '2024-2', '2024-3'"
    )


def test_a_topics_file_of_other_topics_is_an_error(at: At) -> None:
    topics = at.write("topics.tsv", "7\tseven\n")
    with pytest.raises(InputError, match=r"no topic of the qrels .* is an official one"):
        at.scores("graded", measures="RR", topics=topics)


def test_two_files_of_one_run_name_are_both_named(at: At) -> None:
    again = at.write("runs/third.txt", FIRST)
    with pytest.raises(InputError) as caught:
        at.scores("graded", measures="RR")
    first = at.folder / "runs" / "first.txt"
    assert str(caught.value).startswith(f"{first} and {again} both hold a run 'first'; change")


def test_a_run_of_another_corpus_is_told(at: At, caplog: pytest.LogCaptureFixture) -> None:
    run = at.write("run", "".join(f"2024-1 Q0 shard_{i} {i} {-i} r\n" for i in range(1, 5)))
    got = at.scores("graded", measures="judged@20", runs=[run])
    assert got["judged@20", "r", "2024-1"].value == 0.0
    assert [record.getMessage() for record in caplog.records] == [
        (
            "no document of the run r is judged: it has 'shard_1', 'shard_2', 'shard_3', ...; "
            "the qrels have 'a', 'b'"
        )
    ]


def test_by_rank_and_dedup_reach_the_reader(at: At) -> None:
    run = at.write("run", "2024-1 Q0 a 1 0.1 r\n2024-1 Q0 b 2 0.2 r\n2024-1 Q0 b 3 0.3 r\n")
    with pytest.raises(InputError, match=":3: field 'docid'"):
        at.scores("graded", measures="RR", runs=[run])
    for by_rank, value in ((True, 1.0), (False, 0.5)):
        got = at.scores("graded", measures="RR", runs=[run], by_rank=by_rank, dedup=True)
        assert got["RR", "r", "2024-1"].value == value


def test_qrels_without_rows_are_an_error(at: At) -> None:
    empty = at.write("empty", "\n")
    with pytest.raises(InputError, match="empty: there are no judgments"):
        at.scores(empty.name)
