"""Scores over runs and topics: the official list, what is missing, undefined or withheld."""

import logging
from math import sqrt
from typing import Any

import pytest

from judge.errors import InputError, UsageError
from judge.metrics import parse_measures, score
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    Importance,
    NuggetLabel,
    Score,
    SubNarrative,
    Support,
    SupportedAnswer,
    SupportedSentence,
    Topic,
)

LABELS: dict[str, Support | None] = {"f": "full", "p": "partial", "n": "none", "x": None}


def assigned(run_id: str, topic_id: str, labels: str) -> AssignedAnswer:
    """Make an answer from letters: upper case for vital nuggets, lower case for okay ones."""
    importance: dict[bool, Importance] = {True: "vital", False: "okay"}
    nuggets = tuple(
        NuggetLabel(
            nugget_id=str(i),
            text=f"nugget {i}",
            importance=importance[letter.isupper()],
            label=LABELS[letter.lower()],
            sub_narrative="a",
        )
        for i, letter in enumerate(labels)
    )
    return AssignedAnswer(run_id=run_id, topic_id=topic_id, nuggets=nuggets)


def supported(run_id: str, topic_id: str, letters: str) -> SupportedAnswer:
    """Make an answer from letters: a sentence each, with one citation, or "-" for none."""
    sentences = []
    for letter in letters:
        label = LABELS.get(letter)
        status: Any = "failed" if letter == "x" else "ok"
        cited = CitationLabel(mention="d", docid="d", status=status, label=label)
        citations = () if letter == "-" else (cited,)
        sentences.append(SupportedSentence(text="A sentence.", citations=citations))
    return SupportedAnswer(run_id=run_id, topic_id=topic_id, sentences=tuple(sentences))


def scores(measures: str, **given: Any) -> dict[tuple[str, str], Score]:
    """Return the rows of one measure by run and topic."""
    rows = score(parse_measures(measures), **given)
    found = {(row.run_id, row.topic_id): row for row in rows}
    assert len(found) == len(rows)
    return found


# --- the official list ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["strict_vital_recall", "sub_narrative_coverage", "all_recall"])
def test_the_mean_is_over_thirty_topics_when_twenty_are_answered(name: str) -> None:
    topics = [f"t{i}" for i in range(30)]
    rows = scores(name, assigned=[assigned("r", t, "F") for t in topics[:20]], topics=topics)
    mean = rows["r", "all"]
    assert mean.value == pytest.approx(20 / 30)
    assert (mean.low, mean.high) == (mean.value, mean.value)
    assert (mean.n_topics, mean.n_missing, mean.n_undefined) == (30, 10, 0)
    assert (mean.n_judged, mean.n_failed) == (20, 0)
    assert len(rows) == 31
    assert rows["r", "t29"] == Score(
        run_id="r",
        topic_id="t29",
        measure=name,
        value=0.0,
        low=0.0,
        high=0.0,
        n_judged=0,
        n_failed=0,
        reason="no answer",
    )


@pytest.mark.parametrize("name", ["support_precision", "support_recall"])
def test_missing_and_empty_answers_count_zero_for_support(name: str) -> None:
    given = [supported("r", "t1", "ff"), supported("r", "t2", "")]
    rows = scores(name, supported=given, topics=["t1", "t2", "t3"])
    mean = rows["r", "all"]
    assert mean.value == pytest.approx(1 / 3)
    assert (mean.n_topics, mean.n_missing, mean.n_undefined) == (3, 1, 0)
    assert (rows["r", "t2"].value, rows["r", "t2"].reason) == (0.0, "no sentences")
    assert (rows["r", "t3"].value, rows["r", "t3"].reason) == (0.0, "no answer")


def test_without_a_list_the_topics_of_all_runs_are_official() -> None:
    given = [assigned("a", "t1", "F"), assigned("b", "t2", "F"), assigned("b", "t1", "N")]
    rows = scores("strict_vital_recall", assigned=given)
    for run_id, missing in (("a", 1), ("b", 0)):
        assert rows[run_id, "all"].value == 0.5
        assert rows[run_id, "all"].n_topics == 2
        assert rows[run_id, "all"].n_missing == missing


def test_a_repeated_topic_or_measure_counts_once() -> None:
    [measure] = parse_measures("all_recall")
    answers = [assigned("r", "t1", "F"), assigned("r", "t2", "N")]
    rows = score([measure, measure], assigned=answers, topics=["t1", "t2", "t1"])
    assert [row.topic_id for row in rows] == ["t1", "t2", "all"]
    assert rows[-1].value == 0.5


def test_topics_outside_the_list_are_left_out_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answers = [assigned("r", f"t{i}", "F") for i in range(5)]
    with caplog.at_level(logging.WARNING):
        rows = scores("strict_vital_recall", assigned=answers, topics=["t4", "t9"])
    assert {topic for _, topic in rows} == {"t4", "t9", "all"}
    assert rows["r", "all"].value == 0.5
    [record] = caplog.records
    assert record.getMessage() == (
        "4 topics of the nugget labels are not in the topic list and are left out: "
        "'t0', 't1', 't2', ..."
    )


def test_several_measures_tell_of_topics_outside_once(caplog: pytest.LogCaptureFixture) -> None:
    answers = [assigned("r", "t1", "F"), assigned("r", "t2", "F")]
    score(parse_measures("all_recall vital_recall"), assigned=answers, topics=["t1"])
    assert len(caplog.records) == 1


def test_ids_that_do_not_meet_are_an_error_with_three_of_each_side() -> None:
    answers = [assigned("r", f"2024-{i}", "F") for i in range(5)]
    with pytest.raises(InputError) as caught:
        scores("all_recall", assigned=answers, topics=["2024-1.0", "2024-2.0"])
    assert str(caught.value) == (
        "no topic of the nugget labels is in the topic list: the labels have "
        "'2024-0', '2024-1', '2024-2', ...; the list has '2024-1.0', '2024-2.0'"
    )
    with pytest.raises(InputError, match="the list has none"):
        scores("all_recall", assigned=answers, topics=[])


def test_a_second_answer_to_a_topic_is_refused() -> None:
    twice = [assigned("r", "t", "F"), assigned("r", "t", "N")]
    with pytest.raises(InputError, match="run 'r' has two labelled answers to topic 't'"):
        scores("all_recall", assigned=twice)
    with pytest.raises(InputError, match="two labelled answers"):
        scores("support_recall", supported=[supported("r", "t", "f")] * 2)


def test_a_topic_named_as_the_mean_is_refused() -> None:
    with pytest.raises(InputError, match="topic 'all', the name of the mean"):
        scores("all_recall", assigned=[assigned("r", "all", "F")])


# --- empty gold ----------------------------------------------------------------------------------


def test_a_topic_with_only_okay_nuggets_is_left_out_and_counted() -> None:
    answers = [assigned("r", "t1", "FN"), assigned("r", "t2", "ff")]
    rows = scores("strict_vital_recall", assigned=answers)
    row, mean = rows["r", "t2"], rows["r", "all"]
    assert (row.value, row.low, row.high, row.reason) == (None, None, None, "no vital nuggets")
    assert (mean.value, mean.low, mean.high) == (0.5, 0.5, 0.5)
    assert (mean.n_topics, mean.n_missing, mean.n_undefined) == (2, 0, 1)


def test_empty_as_zero_counts_it_as_nuggetizer_does() -> None:
    answers = [assigned("r", "t1", "FN"), assigned("r", "t2", "ff")]
    rows = scores("strict_vital_recall", assigned=answers, empty_as_zero=True)
    row, mean = rows["r", "t2"], rows["r", "all"]
    assert (row.value, row.low, row.high) == (0.0, 0.0, 0.0)
    assert row.reason == "no vital nuggets (counted 0)"
    assert mean.value == 0.25
    assert (mean.n_topics, mean.n_undefined) == (2, 0)


def test_a_run_without_an_answer_is_not_punished_for_empty_gold() -> None:
    answers = [
        assigned("a", "t1", "F"),
        assigned("a", "t2", "ff"),
        assigned("b", "t1", "F"),
    ]
    rows = scores("strict_vital_recall", assigned=answers, topics=["t1", "t2", "t3"])
    row, mean = rows["b", "t2"], rows["b", "all"]
    assert (row.value, row.reason) == (None, "no answer; no vital nuggets")
    assert (mean.value, mean.n_missing, mean.n_undefined) == (0.5, 1, 1)
    assert rows["b", "t3"].value == 0.0
    as_zero = scores("strict_vital_recall", assigned=answers, empty_as_zero=True)["b", "all"]
    assert (as_zero.value, as_zero.n_missing, as_zero.n_undefined) == (0.5, 1, 0)


def test_a_run_without_an_answer_counts_zero_where_any_other_shows_gold() -> None:
    answers = [assigned("a", "t", "ff"), assigned("b", "t", "N"), assigned("c", "u", "F")]
    row = scores("strict_vital_recall", assigned=answers)["c", "t"]
    assert (row.value, row.reason) == (0.0, "no answer")


def test_gold_empty_everywhere_says_so() -> None:
    mean = scores("strict_vital_recall", assigned=[assigned("r", "t", "f")])["r", "all"]
    assert (mean.value, mean.low, mean.high, mean.se) == (None, None, None, None)
    assert mean.reason == "undefined for every topic: no vital nuggets"
    assert (mean.n_topics, mean.n_undefined) == (1, 1)


def test_an_answer_that_cites_nothing_has_no_precision_but_recall_zero() -> None:
    answers = [supported("r", "t1", "fn"), supported("r", "t2", "--")]
    precision = scores("support_precision", supported=answers)["r", "all"]
    assert (precision.value, precision.n_undefined) == (0.5, 1)
    recall = scores("support_recall", supported=answers)["r", "all"]
    assert (recall.value, recall.n_undefined) == (0.25, 0)


# --- failures ------------------------------------------------------------------------------------


def test_one_failed_unit_of_two_withholds_the_value() -> None:
    for row in scores("strict_vital_recall", assigned=[assigned("r", "t", "FX")]).values():
        assert row.value is None
        assert (row.low, row.high) == (0.5, 1.0)
        assert (row.n_judged, row.n_failed) == (1, 1)
        assert row.reason == "1 of 2 judgments failed (50%, allowed 5%)"


def test_allow_incomplete_gives_the_estimate() -> None:
    rows = scores("all_recall", assigned=[assigned("r", "t", "FX")], allow_incomplete=True)
    for row in rows.values():
        assert (row.value, row.low, row.high, row.reason) == (1.0, 0.5, 1.0, None)


@pytest.mark.parametrize(
    ("labels", "max_failed", "withheld"),
    [
        ("F" * 19 + "X", 0.05, False),
        ("F" * 18 + "X", 0.05, True),
        ("F" * 71 + "X" * 29, 0.29, False),
        ("F", 0.0, False),
        ("F" * 999 + "X", 0.0, True),
        ("FX", 1.0, False),
    ],
)
def test_more_than_the_allowed_share_is_too_many(
    labels: str, max_failed: float, withheld: bool
) -> None:
    rows = scores("all_recall", assigned=[assigned("r", "t", labels)], max_failed=max_failed)
    for row in rows.values():
        assert (row.value is None) is withheld
        assert row.low is not None


@pytest.mark.parametrize("share", [-0.1, 1.1, 5, float("nan")])
def test_a_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match=r"in 0\.\.1"):
        scores("all_recall", assigned=[assigned("r", "t", "F")], max_failed=share)


def test_a_topic_above_the_limit_still_enters_the_mean() -> None:
    answers = [assigned("r", "t1", "F" * 38), assigned("r", "t2", "NX")]
    rows = scores("strict_vital_recall", assigned=answers)
    assert rows["r", "t2"].value is None
    mean = rows["r", "all"]
    assert (mean.value, mean.low, mean.high, mean.reason) == (0.5, 0.5, 0.75, None)
    assert (mean.n_judged, mean.n_failed) == (39, 1)


def test_a_topic_without_any_label_enters_the_bounds_alone() -> None:
    answers = [assigned("r", "t1", "F" * 38), assigned("r", "t2", "X"), assigned("r", "t3", "N")]
    rows = scores("strict_vital_recall", assigned=answers)
    mean = rows["r", "all"]
    assert mean.value == 0.5
    assert mean.low == pytest.approx(1 / 3)
    assert mean.high == pytest.approx(2 / 3)
    assert mean.se == pytest.approx(0.5)
    assert mean.reason == "topics in the bounds alone, all their judgments failed: 1"
    assert (mean.n_topics, mean.n_undefined) == (3, 0)


def test_all_failed_has_no_value_even_when_incomplete_is_allowed() -> None:
    rows = scores("all_recall", assigned=[assigned("r", "t", "XX")], allow_incomplete=True)
    row, mean = rows["r", "t"], rows["r", "all"]
    assert (row.value, row.low, row.high) == (None, 0.0, 1.0)
    assert row.reason == "all 2 judgments failed"
    assert (mean.value, mean.low, mean.high, mean.se) == (None, 0.0, 1.0, None)
    assert mean.reason == "topics in the bounds alone, all their judgments failed: 1"


def test_empty_as_zero_does_not_touch_failures() -> None:
    rows = scores("all_recall", assigned=[assigned("r", "t", "XX")], empty_as_zero=True)
    assert rows["r", "t"].value is None
    assert rows["r", "all"].value is None


# --- the mean, and the two kinds of labels -------------------------------------------------------


def test_the_standard_error_of_the_mean() -> None:
    answers = [assigned("r", f"t{i}", labels) for i, labels in enumerate(["F", "N", "FN", "FNNN"])]
    mean = scores("all_recall", assigned=answers)["r", "all"]
    values = [1.0, 0.0, 0.5, 0.25]
    center = sum(values) / 4
    assert mean.value == pytest.approx(center)
    assert mean.se == pytest.approx(sqrt(sum((v - center) ** 2 for v in values) / 3) / sqrt(4))
    assert scores("all_recall", assigned=answers[:1])["r", "all"].se is None


def test_rows_stand_by_measure_then_run_then_topic() -> None:
    answers = [assigned("b", "t2", "F"), assigned("a", "t1", "F")]
    rows = score(parse_measures("all_recall vital_recall"), assigned=answers, topics=["t1", "t2"])
    expected = [
        (measure, run, topic)
        for measure in ("all_recall", "vital_recall")
        for run in ("b", "a")
        for topic in ("t1", "t2", "all")
    ]
    assert [(row.measure, row.run_id, row.topic_id) for row in rows] == expected


def test_a_run_has_rows_for_the_labels_it_has() -> None:
    rows = score(
        parse_measures("all_recall support_recall"),
        assigned=[assigned("a", "t", "F")],
        supported=[supported("b", "t", "f")],
    )
    assert {(row.measure, row.run_id) for row in rows} == {
        ("all_recall", "a"),
        ("support_recall", "b"),
    }


def test_an_answer_known_from_the_other_labels_is_not_missing() -> None:
    rows = scores(
        "support_recall",
        assigned=[assigned("r", "t1", "F"), assigned("r", "t2", "F")],
        supported=[supported("r", "t1", "f")],
        topics=["t1", "t2", "t3"],
        empty_as_zero=True,
    )
    row, mean = rows["r", "t2"], rows["r", "all"]
    assert (row.value, row.reason) == (None, "the answer has no support labels")
    assert (mean.value, mean.n_missing, mean.n_undefined) == (0.5, 1, 1)


@pytest.mark.parametrize(
    ("name", "lacks"), [("all_recall", "nugget"), ("support_recall", "support")]
)
def test_a_measure_without_labels_to_work_on_is_an_error(name: str, lacks: str) -> None:
    with pytest.raises(UsageError, match=f"{name} needs {lacks} labels, and none were given"):
        scores(name)


def test_official_sub_narratives_come_from_the_topics() -> None:
    subs = tuple(SubNarrative(sub_id=str(i), text=text) for i, text in enumerate("abcd", start=1))
    topic = Topic(topic_id="t", narrative="All of it.", sub_narratives=subs)
    name = "sub_narrative_coverage(denominator=official)"
    rows = scores(name, assigned=[assigned("r", "t", "F")], topic_records={"t": topic})
    assert rows["r", "t"].value == 0.25
    assert rows["r", "t"].measure == name
    with pytest.raises(InputError, match="topics file"):
        scores(name, assigned=[assigned("r", "t", "F")])


def test_no_measures_no_rows() -> None:
    assert score([]) == []


def test_a_topic_that_no_run_has_nuggets_for_is_left_out_for_all_runs_alike() -> None:
    rows = scores(
        "strict_vital_recall",
        assigned=[assigned("a", "t1", "F"), assigned("b", "t1", "F")],
        supported=[supported("b", "t1", "f"), supported("b", "t2", "f")],
        topics=["t1", "t2"],
    )
    assert [rows[run, "all"].value for run in "ab"] == [1.0, 1.0]
    assert [rows[run, "all"].n_undefined for run in "ab"] == [1, 1]
    assert [rows[run, "all"].n_missing for run in "ab"] == [0, 0]


def test_an_answered_topic_without_support_labels_is_undefined_for_all_runs_alike() -> None:
    rows = scores(
        "support_recall",
        assigned=[assigned("a", "t2", "F")],
        supported=[supported("a", "t1", "f"), supported("b", "t1", "f")],
        topics=["t1", "t2"],
    )
    assert [rows[run, "all"].value for run in "ab"] == [1.0, 1.0]
