"""Agreement of rankings: scipy as oracle, tau_AP by its definition, and what is undefined."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from judge.agreement.rankings import (
    decisions,
    kendall,
    pearson,
    rank_agreement,
    ranks,
    rmse,
    spearman,
    tau_ap,
    topic_rankings,
)
from judge.agreement.systems import paired_tests, system_agreement, winners
from judge.metrics.inference import randomisation_test

scores = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=6)


def sides(points: list[tuple[int, int]]) -> tuple[list[float], list[float]]:
    human, judge = zip(*points, strict=True)
    assume(len({*human}) > 1)
    assume(len({*judge}) > 1)
    return [float(x) for x in human], [float(x) for x in judge]


def credit(human: list[float], judge: list[float], a: int, b: int) -> float:
    """How right it is to put a above b."""
    if human[a] == human[b]:
        return 1.0 if judge[a] == judge[b] else 0.5
    return float(human[a] > human[b])


def tau_ap_of_an_order(human: list[float], judge: list[float], order: tuple[int, ...]) -> float:
    """Equation 5 of Yilmaz et al. (2008), for one order of what the judge ties."""
    total = 0.0
    for place in range(1, len(order)):
        total += sum(credit(human, judge, i, order[place]) for i in order[:place]) / place
    return 2 / (len(order) - 1) * total - 1


@given(scores)
@settings(max_examples=80, deadline=None)
def test_correlations_are_those_of_scipy(points: list[tuple[int, int]]) -> None:
    human, judge = sides(points)
    x, y = np.array(human), np.array(judge)
    assert kendall(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert ranks(x).tolist() == stats.rankdata(-x).tolist()


@given(scores)
@settings(max_examples=60, deadline=None)
def test_tau_ap_is_the_mean_over_all_orders_of_what_the_judge_ties(
    points: list[tuple[int, int]],
) -> None:
    human, judge = sides(points)
    orders = [
        order
        for order in permutations(range(len(judge)))
        if all(judge[a] >= judge[b] for a, b in pairwise(order))
    ]
    expected = np.mean([tau_ap_of_an_order(human, judge, order) for order in orders])
    assert tau_ap(np.array(human), np.array(judge)) == pytest.approx(expected, abs=1e-12)


def test_tau_ap_by_hand_weighs_the_top() -> None:
    """C(2)/1 + C(3)/2 + C(4)/3, with the first two swapped, and with the last two."""
    human = np.array([4.0, 3, 2, 1])
    assert tau_ap(human, np.array([3.0, 4, 2, 1])) == pytest.approx(2 / 3 * (0 + 1 + 1) - 1)
    assert tau_ap(human, np.array([4.0, 3, 1, 2])) == pytest.approx(2 / 3 * (1 + 1 + 2 / 3) - 1)
    assert tau_ap(human, human) == pytest.approx(1.0)
    assert tau_ap(human, -human) == pytest.approx(-1.0)
    tied = np.array([1.0, 1.0, 1.0, 0.0])
    assert tau_ap(tied, tied) == pytest.approx(1.0)


def test_the_largest_swap_and_the_error() -> None:
    found = rank_agreement({"a": 4, "b": 3, "c": 2, "d": 1}, {"a": 1, "b": 4, "c": 3, "d": 2})
    assert found.largest_swap is not None
    assert (found.largest_swap.run_id, found.largest_swap.human_rank) == ("a", 1.0)
    assert found.largest_swap.judge_rank == 4.0
    assert found.rmse == pytest.approx(np.sqrt((9 + 1 + 1 + 1) / 4))
    assert rmse(np.array([1.0]), np.array([3.0])) == 2.0


def test_two_systems_are_too_few_and_it_is_said() -> None:
    found = rank_agreement({"a": 1, "b": 2, "only": 3}, {"a": 1, "b": 2})
    assert (found.n, found.kendall, found.rmse, found.largest_swap) == (2, None, None, None)
    assert found.reason == "2 systems, and a ranking takes at least 3"


def test_equal_scores_have_no_order_and_it_is_said() -> None:
    same = {"a": 0.3, "b": 0.1 + 0.2, "c": 0.3}
    found = rank_agreement(same, {"a": 1, "b": 2, "c": 3})
    assert (found.kendall, found.tau_ap, found.spearman, found.pearson) == (None,) * 4
    assert found.reason == "no order: the human scores are equal for all systems"
    other = rank_agreement({"a": 1, "b": 2, "c": 3}, same)
    assert other.tau_ap is None
    assert other.reason == "no order: the judge's scores are equal for all systems"
    assert other.rmse is not None


def test_topics_are_ranked_by_themselves_and_undefined_ones_counted() -> None:
    human = {"t1": {"a": 1.0, "b": 2.0, "c": 3.0}, "t2": {"a": 1.0, "b": 1.0, "c": 1.0}}
    judge = {"t1": {"a": 1.0, "b": 3.0, "c": 2.0}, "t2": {"a": 1.0, "b": 2.0, "c": 3.0}}
    found = topic_rankings(human, judge)
    assert (found.n_topics, found.n_undefined) == (2, 1)
    assert found.mean_kendall == pytest.approx(1 / 3)
    assert topic_rankings({}, judge).mean_kendall is None


def test_decisions_count_what_both_sides_conclude() -> None:
    human = {"ab": 1, "ac": 1, "ad": 0, "bc": 0, "bd": -1}
    judge = {"ab": 1, "ac": -1, "ad": 0, "bc": 1, "bd": 0}
    found = decisions(human, judge)
    assert (found.pairs, found.same, found.opposite) == (5, 1, 1)
    assert (found.only_human, found.only_judge, found.neither) == (1, 1, 1)
    assert found.agreement == pytest.approx(2 / 5)
    assert decisions({}, {}).agreement is None


def by_topic(**values: float) -> dict[str, dict[str, float]]:
    return {
        f"t{i}": {run: value + (i % 3) / 100 for run, value in values.items()} for i in range(12)
    }


def test_winners_are_significant_by_the_paired_test() -> None:
    clear = by_topic(a=0.9, b=0.5)
    assert winners(clear, ["a", "b"]) == {"a b": 1}
    assert winners(clear, ["b", "a"]) == {"b a": -1}
    mixed = {f"t{i}": {"a": float(i % 2), "b": float((i + 1) % 2)} for i in range(12)}
    assert winners(mixed, ["a", "b"]) == {"a b": 0}


@pytest.mark.parametrize(("topics", "tolerance"), [(2, 1e-12), (7, 1e-12), (16, 1e-12), (25, 0.01)])
def test_many_tests_at_once_are_those_of_one_at_a_time(topics: int, tolerance: float) -> None:
    differences = np.random.default_rng(topics).normal(0.05, 0.15, (topics, 6)).round(2)
    differences[0] = 0.0
    found = paired_tests(differences)
    for column, p in zip(differences.T, found, strict=True):
        assert p == pytest.approx(randomisation_test(column.tolist()), abs=tolerance)


def test_what_is_not_tested_says_why() -> None:
    one_topic = {"t": {"a": 1.0, "b": 2.0, "c": 3.0}}
    found = system_agreement("m", one_topic, one_topic)
    assert (found.decisions, found.decisions_reason) == (
        None,
        "a test takes two systems, and two topics",
    )
    crowd = {f"t{i}": {f"r{j}": float(i * j) for j in range(26)} for i in range(2)}
    found = system_agreement("m", crowd, crowd)
    assert found.decisions_reason == "325 pairs of systems, more than 300"


def test_systems_are_compared_over_the_topics_that_all_have_by_both_sides() -> None:
    human, judge = by_topic(a=0.9, b=0.5, c=0.1), by_topic(a=0.8, b=0.6, c=0.2)
    del judge["t0"]["b"]
    del human["t1"]["c"]
    found = system_agreement("m", human, judge)
    assert found.n_topics == 10
    assert found.over_all.kendall == pytest.approx(1.0)
    assert found.decisions is not None
    assert (found.decisions.pairs, found.decisions.same) == (3, 3)
    assert set(found.human) == {"a", "b", "c"}


def test_no_topic_in_common_gives_no_ranking() -> None:
    found = system_agreement("m", {}, {})
    assert (found.n_topics, found.over_all.n, found.decisions) == (0, 0, None)
