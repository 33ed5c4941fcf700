"""Support by contrast: what the four answers say together."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.tasks.contrast import LEAST_GAIN, QUESTIONS, composed, log_odds
from judge.types import Verdict


def answer(yes: float | None, label: str = "no") -> Verdict:
    """An answer that is a yes as likely as that."""
    probabilities = None if yes is None else {"no": 1 - yes, "yes": yes}
    return Verdict(label=label, probabilities=probabilities)


def with_gains(full: float, some: float, before: float = 0.0) -> Verdict:
    """What is said where the passage adds so much to log-odds that were `before` without it."""
    odds = [before + full, before + some, before, before]
    return composed([answer(1 / (1 + math.exp(-value))) for value in odds])


def test_each_extent_is_asked_with_the_passage_and_without() -> None:
    assert len(set(QUESTIONS)) == 4
    assert [question.with_passage for question in QUESTIONS] == [True, True, False, False]


@pytest.mark.parametrize(
    ("full", "some", "label"),
    [
        (LEAST_GAIN["all"] + 0.01, 0.0, "full"),
        (LEAST_GAIN["all"] - 0.01, LEAST_GAIN["any"] + 0.01, "partial"),
        (LEAST_GAIN["all"] - 0.01, LEAST_GAIN["any"] - 0.01, "none"),
        (-3.0, -3.0, "none"),
        (5.0, 5.0, "full"),
    ],
)
def test_the_label_follows_what_the_passage_adds(full: float, some: float, label: str) -> None:
    assert with_gains(full, some).label == label


def test_a_yes_that_is_given_without_the_passage_too_counts_for_nothing() -> None:
    believed = composed([answer(0.97, "yes"), answer(0.98, "yes"), answer(0.97), answer(0.98)])
    assert believed.label == "none"
    doubted = composed([answer(0.4), answer(0.6), answer(0.05), answer(0.1)])
    assert doubted.label == "full"


def test_what_is_believed_beforehand_cancels_out() -> None:
    low, high = with_gains(1.0, 1.5, before=-2.0), with_gains(1.0, 1.5, before=1.0)
    assert low.probabilities is not None
    assert high.probabilities is not None
    for label, probability in low.probabilities.items():
        assert high.probabilities[label] == pytest.approx(probability)


def test_the_reason_and_the_detail_show_all_four_probabilities() -> None:
    verdict = composed([answer(0.7), answer(0.9), answer(0.2), answer(0.6)])
    assert verdict.detail["yes"] == {"all": [0.7, 0.2], "any": [0.9, 0.6]}
    assert verdict.detail["gain"]["all"] == pytest.approx(math.log(0.7 / 0.3 / (0.2 / 0.8)))
    assert verdict.reason == (
        "all of it backed: 0.70 with the passage, 0.20 without; "
        "any of it backed: 0.90 with the passage, 0.60 without"
    )


def test_an_answer_without_probabilities_is_not_composed() -> None:
    with pytest.raises(ValueError, match="without probabilities"):
        composed([answer(0.7), answer(None, "yes"), answer(0.2), answer(0.6)])


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_probabilities_add_up_and_the_label_is_the_median_one(yes: list[float]) -> None:
    verdict = composed([answer(value) for value in yes])
    assert verdict.probabilities is not None
    assert sum(verdict.probabilities.values()) == pytest.approx(1)
    assert min(verdict.probabilities.values()) >= 0
    above = 0.0
    for label in ("full", "partial", "none"):
        above += verdict.probabilities[label]
        if verdict.label == label:
            assert above >= 0.5 - 1e-9
            break


@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=20))
def test_log_odds_rise_with_the_probability(values: list[float]) -> None:
    for low, high in pairwise(sorted(values)):
        assert log_odds(low) <= log_odds(high)


def test_log_odds_are_finite_at_the_ends() -> None:
    assert log_odds(0.0) == pytest.approx(math.log(1e-4 / (1 - 1e-4)))
    assert log_odds(1.0) == pytest.approx(-log_odds(0.0))
