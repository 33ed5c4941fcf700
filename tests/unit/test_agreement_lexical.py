"""The baseline of word overlap: words, shares, thresholds, and what it says of a judge."""

import numpy as np
import pytest
from sklearn import metrics

from judge.agreement.lexical import auc, best_threshold, cross_validated, lexical_baseline
from judge.agreement.scale import Scale
from judge.agreement.words import content_words, overlap

SUPPORT = Scale(("none", "partial", "full"))


def test_content_words_are_folded_and_stop_words_left_out() -> None:
    assert content_words("The Ｈeat-pumps of 2024, and it's 35 °C!") == {
        "heat",
        "pumps",
        "2024",
        "it's",
        "35",
        "c",
    }
    assert content_words("熱ポンプ") == {"熱", "ポ", "ン", "プ"}
    assert content_words("it is what it is") == frozenset()


def test_the_share_of_words_that_the_reference_has() -> None:
    assert overlap("Pumps move heat", "Heat is moved by pumps.") == pytest.approx(2 / 3)
    assert overlap("Pumps", "") == 0.0
    assert overlap("It is", "anything") is None


def test_auc_is_that_of_scikit_learn_ties_and_all() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, scores = rng.random(30) < 0.5, rng.integers(0, 5, 30).astype(float)
        assert auc(scores, truth) == pytest.approx(metrics.roc_auc_score(truth, scores))
    assert auc(np.array([1.0, 2.0]), np.array([True, True])) is None


def test_the_best_threshold_has_the_best_kappa() -> None:
    shares = np.array([0.1, 0.2, 0.6, 0.9])
    assert best_threshold(shares, np.array([False, False, True, True])) == 0.6
    assert best_threshold(np.linspace(0, 1, 500), np.linspace(0, 1, 500) > 0.5) == pytest.approx(
        0.5, abs=0.01
    )


def test_a_threshold_never_sees_the_topic_it_is_tried_on() -> None:
    """Each of two topics has a threshold of its own: the other's is wrong for it."""
    shares = np.array([0.2, 0.3, 0.7, 0.8])
    truth = np.array([False, True, False, True])
    assert cross_validated(shares, truth, np.array([0, 0, 1, 1])).tolist() == [
        False,
        False,
        True,
        True,
    ]


def sample(
    judge_right: float, overlap_right: float
) -> tuple[list[float], list[int], list[int], list[str]]:
    rng = np.random.default_rng(5)
    human = rng.integers(0, 3, 300)
    judge = np.where(rng.random(300) < judge_right, human, rng.integers(0, 3, 300))
    shares = np.where(rng.random(300) < overlap_right, human / 2, rng.random(300))
    topics = [f"t{i % 15}" for i in range(300)]
    return shares.tolist(), human.tolist(), judge.tolist(), topics


@pytest.mark.parametrize(
    ("judge_right", "overlap_right", "finding"),
    [(0.95, 0.2, "above"), (0.2, 0.95, "not above"), (0.615, 0.6, "not clearly above")],
)
def test_what_is_found(judge_right: float, overlap_right: float, finding: str) -> None:
    shares, human, judge, topics = sample(judge_right, overlap_right)
    found = lexical_baseline(shares, np.array(human), np.array(judge), topics, SUPPORT)
    assert found.finding == finding, found
    assert found.judge_kappa is not None
    assert found.overlap_kappa is not None
    assert [cut.name for cut in found.cuts] == [">=partial", ">=full"]
    assert found.difference is not None
    difference = found.judge_kappa - found.overlap_kappa
    assert found.difference.low < difference < found.difference.high
    truth = np.array(human) >= 1
    assert found.cuts[0].judge_kappa == pytest.approx(
        metrics.cohen_kappa_score(truth, np.array(judge) >= 1)
    )


def test_units_without_texts_are_left_out_and_counted() -> None:
    shares, human, judge, topics = sample(0.9, 0.5)
    some: list[float | None] = [None if i < 40 else share for i, share in enumerate(shares)]
    found = lexical_baseline(some, np.array(human), np.array(judge), topics, SUPPORT)
    assert (found.n, found.n_without) == (260, 40)


def test_what_cannot_be_told_is_not() -> None:
    codes = np.array([0, 1])
    none = lexical_baseline([None, None], codes, codes, ["a", "b"], SUPPORT)
    assert (none.n, none.finding) == (0, None)
    assert none.reason == "no unit has texts to compare words of"
    one = lexical_baseline([0.1, 0.2], codes, codes, ["a", "a"], SUPPORT)
    assert (one.finding, one.reason) == (
        None,
        "all units are of one topic: thresholds need another",
    )
    same = np.array([2, 2])
    alike = lexical_baseline([0.1, 0.2], same, same, ["a", "b"], Scale(("full",)))
    assert (alike.finding, alike.reason) == (None, "people gave one label alone")
