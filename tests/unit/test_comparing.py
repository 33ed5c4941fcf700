"""Two runs compared topic by topic: which topics count, what failed, and what is adjusted."""

from typing import Any

import pytest

from judge.errors import UsageError
from judge.metrics.comparing import Comparison, choose_pairs, compare
from judge.metrics.inference import mean_interval
from judge.metrics.rows import Rules
from judge.report.comparison import comparison_remarks
from judge.types import Score

RUNS = ["a", "b", "c"]


def row(run_id: str, topic_id: str, value: float | None, **more: Any) -> Score:
    start = {"low": value, "high": value, "n_judged": 4, "n_failed": 0, "measure": "recall"}
    data = {"run_id": run_id, "topic_id": topic_id, "value": value, **start, **more}
    return Score.model_validate(data)


def rows(run_id: str, *values: float | None, **more: Any) -> list[Score]:
    """Rows of topics t0, t1, ... and a mean that must play no part."""
    each = [row(run_id, f"t{i}", value, **more) for i, value in enumerate(values)]
    return [*each, row(run_id, "all", 99.0, **more)]


def one(scores: list[Score], **rules: Any) -> Comparison:
    (only,) = compare(scores, [("a", "b")], Rules(**rules))
    return only


# --- pairs ---------------------------------------------------------------------------------------


def test_pairs() -> None:
    assert choose_pairs(RUNS, pair=("c", "a")) == [("c", "a")]
    assert choose_pairs(["a", "b"], every=True) == choose_pairs(["a", "b"], pair=("a", "b"))
    assert choose_pairs(RUNS, baseline="b") == [("a", "b"), ("c", "b")]
    assert choose_pairs([*RUNS, "a"], every=True) == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({}, "choose one"),
        ({"pair": ("a", "b"), "every": True}, "choose one"),
        ({"pair": ("a", "b"), "baseline": "a"}, "choose one"),
        ({"baseline": "a", "every": True}, "choose one"),
        ({"pair": ("a", "d")}, "there is no run 'd'; runs: a, b, c"),
        ({"pair": ("d", "a")}, "there is no run 'd'; runs: a, b, c"),
        ({"baseline": "e"}, "there is no run 'e'; runs: a, b, c"),
        ({"pair": ("b", "b")}, "run 'b' cannot be compared with itself"),
    ],
)
def test_pairs_that_cannot_be(choice: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as refused:
        choose_pairs(RUNS, **choice)
    assert told in str(refused.value)


def test_a_near_miss_is_told() -> None:
    with pytest.raises(UsageError, match=r"no run 'alde' \(did you mean alder\?\)"):
        choose_pairs(["alder", "birch"], baseline="alde")


@pytest.mark.parametrize("choice", [{"baseline": "a"}, {"every": True}])
def test_one_run_cannot_be_compared(choice: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="nothing to compare run 'a' with"):
        choose_pairs(["a"], **choice)


# --- numbers -------------------------------------------------------------------------------------


def test_the_numbers_of_a_comparison() -> None:
    found = one([*rows("a", 0.75, 0.5, 1.0, 0.75), *rows("b", 0.5, 0.5, 0.25, 0.75)])
    interval = mean_interval([0.25, 0.0, 0.75, 0.0])
    assert interval is not None
    assert found == Comparison(
        measure="recall",
        run_a="a",
        run_b="b",
        mean_a=0.75,
        mean_b=0.5,
        difference=0.25,
        low=0.25,
        high=0.25,
        ci_low=interval.low,
        ci_high=interval.high,
        p=0.5,
        p_holm=0.5,
        n_topics=4,
        n_missing_a=0,
        n_missing_b=0,
        n_undefined=0,
        n_unlabelled=0,
        n_judged=32,
        n_failed=0,
    )


def test_the_other_way_round_everything_changes_its_sign() -> None:
    scores = [*rows("a", 0.75, 0.5, 1.0), *rows("b", 0.5, 0.625, 0.25)]
    there, back = compare(scores, [("a", "b"), ("b", "a")], Rules())
    assert there.difference == pytest.approx(-(back.difference or 0))
    assert (there.mean_a, there.p) == (back.mean_b, back.p)


def test_topics_are_paired_by_their_id() -> None:
    shuffled = [row("b", f"t{i}", value) for i, value in [(2, 0.25), (0, 0.5), (1, 0.5)]]
    found = one([*rows("a", 0.75, 0.5, 1.0), *shuffled])
    assert found.p == 0.5


def test_p_is_adjusted_over_the_pairs_of_each_measure_by_itself() -> None:
    other = {"measure": "other"}
    scores = [
        *(r for run, v in (("a", 1.0), ("b", 0.5), ("c", 0.25)) for r in rows(run, *[v] * 4)),
        *(r for run, v in (("a", 1.0), ("b", 0.5)) for r in rows(run, *[v] * 4, **other)),
    ]
    found = compare(scores, [("a", "b"), ("a", "c"), ("b", "c")], Rules())
    assert [(c.measure, c.p, c.p_holm) for c in found] == [
        ("recall", 0.125, 0.375),
        ("recall", 0.125, 0.375),
        ("recall", 0.125, 0.375),
        ("other", 0.125, 0.125),
        ("other", None, None),
        ("other", None, None),
    ]
    assert found[4].reason == "run 'c' has no labels for it"


# --- what is left out ----------------------------------------------------------------------------


def test_undefined_topics_are_left_out_and_counted() -> None:
    found = one([*rows("a", 1.0, None, 1.0, None), *rows("b", 0.5, 0.5, 0.5, None)])
    assert (found.n_topics, found.n_undefined, found.n_unlabelled) == (2, 2, 0)
    assert (found.difference, found.low, found.high) == (0.5, 0.5, 0.5)


def test_topics_without_any_label_are_left_out_and_stand_in_the_bounds() -> None:
    failed = row("b", "t2", None, low=0.0, high=1.0, n_judged=0, n_failed=4)
    scores = [*rows("a", 1.0, 1.0, 0.5), *rows("b", 0.5, 0.5)[:2], failed]
    found = one(scores, max_failed=0.5)
    assert (found.n_topics, found.n_undefined, found.n_unlabelled) == (2, 0, 1)
    assert found.difference == 0.5
    assert found.low == pytest.approx((0.5 + 0.5 - 0.5) / 3)
    assert found.high == pytest.approx((0.5 + 0.5 + 0.5) / 3)
    assert (found.n_judged, found.n_failed) == (20, 4)


def test_missing_answers_count_0_and_are_told() -> None:
    a, b = rows("a", 1.0, 1.0), rows("b", 0.5, 0.0, n_missing=1)
    there, back = compare([*a, *b], [("a", "b"), ("b", "a")], Rules())
    assert (there.n_missing_a, there.n_missing_b, there.difference) == (0, 1, 0.75)
    assert (back.n_missing_a, back.n_missing_b) == (1, 0)
    assert comparison_remarks([there]) == ["a - b, recall: no answer of b to 1 topics, counted 0"]


def test_remarks_say_what_was_left_out_and_why() -> None:
    found = one([*rows("a", 1.0, None, 1.0), *rows("b", 0.5, 0.5, 0.5)])
    assert comparison_remarks([found]) == [
        "a - b, recall: topics left out, undefined for one of the two: 1"
    ]
    assert comparison_remarks([one([*rows("a", 1.0, 1.0), *rows("b", 0.5, 0.5)])]) == []


def test_bounds_set_the_worst_of_one_against_the_best_of_the_other() -> None:
    a = [row("a", t, 0.5, low=0.25, high=0.75, n_failed=1) for t in ("t0", "t1")]
    b = [row("b", t, 0.5, low=0.375, high=0.5, n_failed=1) for t in ("t0", "t1")]
    found = one([*a, *b], allow_incomplete=True)
    assert (found.low, found.difference, found.high) == (-0.25, 0.0, 0.375)


@pytest.mark.parametrize("run", ["a", "b"])
def test_too_many_failures_of_either_withhold_the_numbers_and_leave_the_bounds(run: str) -> None:
    """20 of 24 units of one run would hide among both: each run is asked by itself."""
    clean = rows("b" if run == "a" else "a", 0.5, 0.5)
    torn = rows(run, 1.0, 1.0, low=0.25, high=1.0, n_judged=37, n_failed=3)
    found = one([*clean, *torn])
    assert found.reason == f"{run}: 6 of 80 judgments failed (7.5%, allowed 5%)"
    assert (found.difference, found.p, found.ci_low, found.mean_a) == (None, None, None, None)
    bounds = (found.low, found.high)
    assert bounds == ((-0.25, 0.5) if run == "a" else (-0.5, 0.25))
    assert one([*clean, *torn], max_failed=0.075).difference is not None
    assert one([*clean, *torn], allow_incomplete=True).p == 0.5


def test_fewer_than_two_common_topics_are_refused_with_the_reason() -> None:
    scores = [*rows("a", 1.0, None), *rows("b", 0.5, 0.5)]
    with pytest.raises(UsageError, match="cannot be compared: 1 topics with a value for both"):
        one(scores)
    with pytest.raises(UsageError, match="cannot be compared: run 'z' has no labels"):
        compare(scores, [("a", "z")], Rules())
    with pytest.raises(UsageError, match="there are no scores"):
        compare([], [("a", "b")], Rules())


def test_a_pair_that_cannot_be_compared_stands_beside_those_that_can() -> None:
    scores = [*rows("a", 1.0, 1.0), *rows("b", 0.5, 0.5), *rows("c", 0.5, None)]
    first, second = compare(scores, [("a", "b"), ("a", "c")], Rules())
    assert (first.p, first.p_holm, first.reason) == (0.5, 0.5, None)
    assert second.reason == ("1 topics with a value for both runs, and a comparison takes 2")
    assert (second.difference, second.p_holm, second.n_topics) == (None, None, 1)
    assert (second.low, second.high) == (0.5, 0.5)
