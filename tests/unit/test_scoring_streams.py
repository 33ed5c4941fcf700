"""Scoring without keeping what is scored, and what is said and left out where it is not wanted."""

from pathlib import Path

import pytest

from judge.errors import InputError
from judge.formats.assignments import write_assignments
from judge.formats.support import write_support
from judge.metrics import parse_measures
from judge.scoring import Streamed, compute, read_labels, values, withheld
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    NuggetLabel,
    Support,
    SupportedAnswer,
    SupportedSentence,
)

MEASURES = parse_measures("support_precision support_recall")


def supported(run_id: str, topic_id: str, *labels: Support | None) -> SupportedAnswer:
    citations = [
        CitationLabel(mention="d", docid="d", status="ok" if label else "failed", label=label)
        for label in labels
    ]
    sentences = [SupportedSentence(text="One.", citations=(citation,)) for citation in citations]
    return SupportedAnswer(run_id=run_id, topic_id=topic_id, sentences=tuple(sentences))


def file_of(path: Path, *answers: SupportedAnswer) -> Path:
    write_support(path, answers)
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """Two systems, one of which lacks a topic."""
    a = [supported("a", "t1", "full", "none"), supported("a", "t2", "partial")]
    return file_of(tmp_path / "support", *a, supported("b", "t1", "none", "full", "full"))


def test_what_is_not_kept_scores_the_same(labelled: Path) -> None:
    kept, streamed = (read_labels(support=[labelled], keep=keep) for keep in (True, False))
    assert isinstance(streamed.supported, Streamed)
    assert [*streamed.supported] == kept.supported
    assert compute(streamed) == compute(streamed) == compute(kept)


def test_what_is_wrong_further_down_is_raised_when_it_is_scored(labelled: Path) -> None:
    with labelled.open("a", encoding="utf-8") as file:
        file.write('{"run_id": "b", "topic_id": "t2", "sentences": 5}\n')
    labels = read_labels(support=[labelled], keep=False)
    with pytest.raises(InputError, match="4: field 'sentences'"):
        compute(labels)


def test_a_file_without_answers_is_refused_as_it_is_opened(tmp_path: Path) -> None:
    empty = file_of(tmp_path / "support")
    with pytest.raises(InputError, match="holds no labelled answer"):
        read_labels(support=[empty], keep=False)


def test_equal_labels_of_a_nugget_are_one_object(tmp_path: Path) -> None:
    nuggets = tuple(
        NuggetLabel(nugget_id=f"n{n}", text=f"fact {n}", importance="vital", label="full")
        for n in range(2)
    )
    answers = [AssignedAnswer(run_id=run, topic_id="t", nuggets=nuggets) for run in "abc"]
    write_assignments(tmp_path / "assignments", answers)
    found = read_labels(assignments=[tmp_path / "assignments"]).assigned
    assert [answer.nuggets for answer in found] == [nuggets] * 3
    assert len({id(nugget) for answer in found for nugget in answer.nuggets}) == 2


def test_means_go_without_intervals_where_they_are_not_wanted(labelled: Path) -> None:
    labels = read_labels(support=[labelled])
    without = compute(labels, MEASURES, intervals=False)
    none = {"ci_low": None, "ci_high": None}
    assert without == [row.model_copy(update=none) for row in compute(labels, MEASURES)]
    assert {row.se is None for row in without if row.topic_id == "all"} == {False}


def test_values_are_those_of_the_rows(labelled: Path) -> None:
    labels = read_labels(support=[labelled])
    rows = compute(labels, MEASURES, allow_incomplete=True)
    expected = {(r.measure, r.run_id, r.topic_id): r.value for r in rows if r.topic_id != "all"}
    found = {
        (measure, run_id, topic_id): value
        for measure, run_id, by_topic in values(labels, MEASURES)
        for topic_id, value in by_topic.items()
    }
    assert found == expected


def test_failed_judgments_that_withhold_scores_are_told(tmp_path: Path) -> None:
    failed, fine = supported("a", "t1", None, None), supported("b", "t1", "full")
    every = compute(read_labels(support=[file_of(tmp_path / "every", failed)]), MEASURES)
    assert (withheld(every) or "").startswith("WARNING: no score has a value, too many judgments")
    some = compute(read_labels(support=[file_of(tmp_path / "some", failed, fine)]), MEASURES)
    assert (withheld(some) or "").startswith("WARNING: 2 of 4 scores have no value")
    assert withheld(compute(read_labels(support=[file_of(tmp_path / "fine", fine)]))) is None
