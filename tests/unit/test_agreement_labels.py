"""Agreement of labels: the oracles scikit-learn and krippendorff, and what is undefined."""

import warnings
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from judge.agreement.annotators import coincidences, pairs, pooled, reliability
from judge.agreement.groups import by_group, counts_by
from judge.agreement.intervals import intervals, percentile
from judge.agreement.labels import (
    alpha,
    binarised,
    confusion,
    group_codes,
    statistics,
    summary,
)
from judge.agreement.ratings import Rater, Rating, consensus, match, table_of
from judge.agreement.scale import UNRATED, Scale, scale_of
from judge.errors import InputError
from judge.types import Label

GRADES = Scale((0, 1, 2, 3, 4))
SUPPORT = Scale(("none", "partial", "full"))

two_raters = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=60)


def rater(name: str, labels: dict[str, Label | None], source: Any = "human") -> Rater:
    return Rater(name, source, {k: Rating(k, k.split("|")[1], None, x) for k, x in labels.items()})


def counts(human: Any, judge: Any, scale: Scale = GRADES) -> Any:
    first, second = (np.array(side, dtype=np.int64) for side in (human, judge))
    return confusion(first, second, len(scale))


# --- oracles -------------------------------------------------------------------------------------


@given(two_raters)
@settings(max_examples=40, deadline=None)
def test_kappa_and_errors_are_those_of_scikit_learn(given_pairs: list[tuple[int, int]]) -> None:
    human, judge = map(list, zip(*given_pairs, strict=True))
    found = summary(counts(human, judge), GRADES)
    if len({*human, *judge}) == 1:
        assert (found.kappa, found.kappa_linear, found.exact) == (None, None, 1.0)
        return
    for name, weights in (
        ("kappa", None),
        ("kappa_linear", "linear"),
        ("kappa_quadratic", "quadratic"),
    ):
        labels = [0, 1, 2, 3, 4]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = metrics.cohen_kappa_score(human, judge, labels=labels, weights=weights)
        assert getattr(found, name) == pytest.approx(theirs, abs=1e-12)
    assert found.exact == pytest.approx(metrics.accuracy_score(human, judge))
    assert found.mae == pytest.approx(metrics.mean_absolute_error(human, judge))
    assert found.bias == pytest.approx(float(np.mean(np.subtract(judge, human))))


@given(two_raters, st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_a_scale_cut_in_two_is_scored_as_scikit_learn_scores_it(
    given_pairs: list[tuple[int, int]], cut: int
) -> None:
    human, judge = (np.array(side) for side in zip(*given_pairs, strict=True))
    found = summary(counts(human, judge), GRADES).binary[f">={cut}"]
    truth, claimed = human >= cut, judge >= cut
    if claimed.any():
        assert found.precision == pytest.approx(metrics.precision_score(truth, claimed))
    else:
        assert found.precision is None
    if truth.any():
        assert found.recall == pytest.approx(metrics.recall_score(truth, claimed))
    else:
        assert found.recall is None
    if len({*truth, *claimed}) > 1:
        assert found.kappa == pytest.approx(metrics.cohen_kappa_score(truth, claimed), abs=1e-12)


@given(st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3), min_size=2, max_size=30))
@settings(max_examples=40, deadline=None)
def test_alpha_of_several_raters_with_gaps_is_that_of_krippendorff(rows: list[list[int]]) -> None:
    codes = np.array(rows)
    matrix = coincidences(codes, 4)
    rated = codes[(codes != UNRATED).sum(axis=1) >= 2]
    if len(np.unique(rated[rated != UNRATED])) < 2:
        assert np.isnan(alpha(matrix, "nominal"))
        assert np.isnan(alpha(matrix, "ordinal"))
        return
    data = np.where(codes == UNRATED, np.nan, codes).T
    for level in ("nominal", "ordinal"):
        theirs = krippendorff.alpha(
            reliability_data=data, level_of_measurement=level, value_domain=[0, 1, 2, 3]
        )
        assert alpha(matrix, level) == pytest.approx(theirs, abs=1e-12)


@given(two_raters)
@settings(max_examples=20, deadline=None)
def test_precision_recall_and_f1_of_each_label(given_pairs: list[tuple[int, int]]) -> None:
    human, judge = map(list, zip(*given_pairs, strict=True))
    theirs = metrics.precision_recall_fscore_support(
        human, judge, labels=[0, 1, 2, 3, 4], zero_division=np.nan
    )
    for label, (precision, recall, f1, n) in enumerate(zip(*theirs, strict=True)):
        ours = summary(counts(human, judge), GRADES).per_label[str(label)]
        assert (ours.n_human, ours.n_judge) == (n, judge.count(label))
        for mine, its in ((ours.precision, precision), (ours.recall, recall), (ours.f1, f1)):
            assert (mine is None) == np.isnan(its)
            assert mine is None or mine == pytest.approx(its)


# --- values by hand ------------------------------------------------------------------------------


def test_labels_of_a_published_support_study() -> None:
    published = np.array([[559, 1460, 319], [56, 1162, 434], [45, 847, 1860]], dtype=float)
    found = summary(published, SUPPORT)
    assert found.exact == pytest.approx(0.53115, abs=5e-6)
    assert (found.n, found.labels) == (6742, ("none", "partial", "full"))
    assert list(found.binary) == [">=partial", ">=full"]
    assert found.per_label["full"].precision == pytest.approx(1860 / (319 + 434 + 1860))


def test_confusion_has_human_labels_in_its_rows() -> None:
    assert summary(counts([4, 4, 0], [0, 0, 0]), GRADES).confusion[4][0] == 2


def test_bias_is_above_zero_for_the_more_lenient_judge() -> None:
    found = summary(counts([0, 1], [2, 2]), GRADES)
    assert (found.bias, found.mae) == (1.5, 1.5)


def test_distances_are_those_of_the_grades_and_not_of_their_places() -> None:
    scale = scale_of([0, 1, 3])
    close = summary(confusion(scale.codes([0, 1, 3, 3]), scale.codes([0, 1, 3, 1]), 3), scale)
    assert close.mae == 0.5
    theirs = metrics.cohen_kappa_score(
        [0, 1, 3, 3], [0, 1, 3, 1], labels=[0, 1, 2, 3], weights="linear"
    )
    assert close.kappa_linear == pytest.approx(theirs)


# --- undefined -----------------------------------------------------------------------------------


def test_one_label_everywhere_is_null_with_the_reason_and_exact_stays() -> None:
    scale = scale_of([0, 0])
    found = summary(counts([0, 0], [0, 0], scale), scale)
    assert (found.exact, found.mae, found.bias) == (1.0, 0.0, 0.0)
    assert (found.kappa, found.kappa_linear, found.alpha_nominal, found.alpha_ordinal) == (
        None,
    ) * 4
    assert found.reason == "kappa and alpha are undefined: both sides give 0 everywhere"
    assert (found.binary, found.labels, found.confusion) == ({}, (0,), ((2,),))


def test_one_constant_rater_has_a_kappa_of_zero() -> None:
    found = summary(counts([0, 1, 2], [1, 1, 1]), GRADES)
    assert (found.kappa, found.reason) == (0.0, None)


def test_no_unit_of_both_sides_leaves_everything_undefined() -> None:
    found = summary(counts([], []), GRADES)
    assert (found.n, found.exact, found.kappa, found.mae) == (0, None, None, None)
    assert found.reason == "no unit has a label of both sides"


def test_units_that_one_side_did_not_label_are_left_out() -> None:
    assert summary(counts([0, UNRATED, 2], [0, 1, UNRATED]), GRADES).n == 1


# --- scales --------------------------------------------------------------------------------------


def test_labels_stand_in_their_order_whatever_order_they_come_in() -> None:
    assert scale_of(["full", None, "none"]).labels == ("none", "full")
    assert scale_of([3, -1, 0]).labels == (-1, 0, 3)
    assert scale_of([10, 9]).labels == (9, 10)
    assert scale_of([]).labels == ()
    assert list(scale_of(["full", "none"]).values) == [0.0, 2.0]


def test_labels_that_are_no_scale_are_refused() -> None:
    with pytest.raises(InputError, match="different kinds"):
        scale_of([1, "full"])
    with pytest.raises(InputError, match="'maybe'"):
        scale_of(["full", "maybe"])
    with pytest.raises(InputError, match="51 different grades"):
        scale_of(list(range(51)))


# --- groups and intervals ------------------------------------------------------------------------


def test_groups_are_counted_by_themselves_and_sum_up_to_the_whole() -> None:
    human, judge = np.array([0, 1, 2, UNRATED]), np.array([0, 2, 2, 1])
    names = ["a", "b", "b", "c"]
    by_topic = counts_by(names, human, judge, GRADES)
    assert by_topic.shape == (3, 5, 5)
    assert (by_topic.sum(axis=0) == confusion(human, judge, 5)).all()
    found = by_group(names, human, judge, GRADES)
    assert list(found) == ["a", "b"]
    assert (found["a"].n, found["a"].exact, found["a"].kappa) == (1, 1.0, None)
    assert (found["b"].n, found["b"].exact, found["b"].bias) == (2, 0.5, 0.5)


def test_intervals_hold_the_value_and_are_the_same_again() -> None:
    rng = np.random.default_rng(3)
    human = rng.integers(0, 5, 400)
    judge = np.where(rng.random(400) < 0.5, human, rng.integers(0, 5, 400))
    by_topic = counts_by([f"t{i % 20}" for i in range(400)], human, judge, GRADES)
    first, again = (intervals(by_topic, GRADES) for _ in range(2))
    assert first == again
    assert first.reason is None
    for name, value in statistics(by_topic.sum(axis=0), GRADES).items():
        interval = first.by_name[name]
        assert interval is not None
        assert interval.low < value < interval.high


def test_topics_and_not_units_are_drawn() -> None:
    """Topics that are each of one mind leave no doubt by unit, and much by topic."""
    right, wrong = np.zeros((5, 5)), np.zeros((5, 5))
    right[1, 1], wrong[1, 2] = 100, 100
    interval = intervals(np.stack([right, wrong] * 3), GRADES).by_name["exact"]
    assert interval is not None
    assert interval.high - interval.low > 0.5


def test_one_topic_gives_no_interval_and_says_why() -> None:
    found = intervals(
        counts_by(["t"] * 3, np.array([0, 1, 2]), np.array([0, 1, 1]), GRADES), GRADES
    )
    assert found.by_name == {}
    assert found.reason is not None
    assert "two topics" in found.reason


def test_a_statistic_that_many_draws_leave_undefined_has_no_interval() -> None:
    same, other = np.zeros((5, 5)), np.zeros((5, 5))
    same[0, 0], other[1, 2] = 5, 5
    found = intervals(np.stack([same, same, other]), GRADES)
    assert found.by_name["kappa"] is None
    assert found.by_name["exact"] is not None
    assert "kappa" in (found.reason or "")
    assert percentile(np.array([np.nan] * 6 + [0.5] * 94)) is None


# --- several raters ------------------------------------------------------------------------------


def test_pairs_and_alpha_of_three_annotators() -> None:
    raters = [
        rater("a", {"r|1|x": 0, "r|1|y": 1, "r|2|z": 2}),
        rater("b", {"r|1|x": 0, "r|1|y": 2, "r|2|z": 2}),
        rater("c", {"r|1|x": 1, "r|1|y": None}),
    ]
    table = table_of(raters)
    assert [(p.first, p.second, p.summary.n) for p in pairs(table)] == [
        ("a", "b", 3),
        ("a", "c", 1),
        ("b", "c", 1),
    ]
    assert pooled(table).sum() == 5
    found = reliability(table)
    data = np.array([[0, 1, 2], [0, 2, 2], [1, np.nan, np.nan]])
    assert found.n == 3
    for level in ("nominal", "ordinal"):
        theirs = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
        assert getattr(found, f"alpha_{level}") == pytest.approx(theirs)


def test_what_most_annotators_say_and_where_they_are_divided() -> None:
    raters = [
        rater("a", {"r|1|x": 0, "r|1|y": 1, "r|1|z": None, "r|1|w": 3}),
        rater("b", {"r|1|x": 0, "r|1|y": 2}),
        rater("c", {"r|1|x": 4}),
    ]
    together, tied = consensus("3 annotators", raters)
    assert together.labels == {"r|1|x": 0, "r|1|w": 3}
    assert tied == ["r|1|y"]
    assert together.ratings["r|1|z"].label is None
    assert consensus("a", raters[:1]) == (raters[0], [])
    last_word = Rater("d", "human", rater("d", {"r|1|y": 2, "r|1|w": 0}).ratings, adjudicates=True)
    together, tied = consensus("4 annotators", [*raters, last_word])
    assert together.labels == {"r|1|x": 0, "r|1|y": 2, "r|1|w": 0}
    assert tied == []


def test_matching_tells_failed_units_from_those_never_asked_about() -> None:
    human = rater("h", {"r|1|a": 0, "r|1|b": 1, "r|1|c": 2, "r|1|d": None})
    judge = rater("j", {"r|1|a": 0, "r|1|b": None, "r|1|e": 2}, "judge")
    found = match(human, judge)
    assert (found.n_human, found.n_judge, found.n_both, found.n_failed) == (3, 2, 1, 1)
    assert (found.only_human, found.only_judge) == (("r|1|c",), ("r|1|e",))
    assert found.n_unmatched == 2


def test_group_codes_and_halves() -> None:
    names, codes = group_codes(["b", "a", "b"])
    assert (names, codes.tolist()) == (["b", "a"], [0, 1, 0])
    assert binarised(np.arange(9.0).reshape(3, 3), 1).tolist() == [[0, 3], [9, 24]]
