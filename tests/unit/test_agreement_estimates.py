"""Means corrected by human labels: ppi-python as oracle, coverage, and plans for more labels."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

from judge.agreement.planning import choose, plan, uncertainties
from judge.agreement.prediction_powered import (
    Sample,
    estimates,
    mean_estimate,
    prediction_powered,
    tuned_weight,
)
from judge.agreement.ratings import Rater, Rating


def drawn(seed: int, n: int = 40, rest: int = 160) -> Sample:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n + rest) / 2
    judged = np.clip(truth + rng.normal(0, 0.4, n + rest), 0, 1)
    return Sample(truth[:n], judged[:n], judged[n:])


@given(st.integers(0, 10_000), st.integers(3, 60), st.integers(2, 200))
@settings(max_examples=60, deadline=None)
def test_without_topics_it_is_what_ppi_python_gives(seed: int, n: int, rest: int) -> None:
    sample = drawn(seed, n, rest)
    theirs = (sample.human, sample.judge, sample.rest)
    for lam in (1.0, 0.3, 0.0, None):
        ours = prediction_powered(sample, lam)
        assert ours is not None
        low, high = ppi_mean_ci(*theirs, alpha=0.05, lam=lam)
        point = ppi_mean_pointestimate(*theirs, lam=ours.lam)
        values = [float(np.ravel(x)[0]) for x in (point, low, high)]
        assert [ours.value, ours.low, ours.high] == pytest.approx(values, abs=1e-9)


def test_a_judge_that_is_right_narrows_the_interval_and_a_bad_one_is_ignored() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400).astype(float)
    good = estimates(Sample(truth[:50], truth[:50], truth[50:]))
    assert good.human is not None
    assert good.ppi_tuned is not None
    assert good.ppi_tuned.width < good.human.width / 2
    noise = rng.random(400)
    bad = estimates(Sample(truth[:50], noise[:50], noise[50:]))
    assert bad.human is not None
    assert bad.ppi_tuned is not None
    assert bad.ppi_tuned.lam is not None
    assert bad.ppi_tuned.lam < 0.3
    assert bad.ppi_tuned.width < bad.human.width * 1.05


def clustered(seed: int) -> tuple[Sample, float]:
    """Units in 30 topics of which the judge is too kind; people labelled a fifth at random."""
    rng = np.random.default_rng(seed)
    topics = np.repeat(np.arange(30), 20)
    truth = rng.normal(0, 0.3, 30)[topics] + rng.normal(0, 0.3, 600)
    judged = truth + rng.normal(0.2, 0.3, 600)
    chosen = rng.random(600) < 0.2
    parts = (topics[chosen], topics[~chosen])
    return Sample(truth[chosen], judged[chosen], judged[~chosen], parts), 0.0


def test_intervals_by_topic_cover_what_they_promise() -> None:
    hits: list[list[bool]] = []
    for seed in range(200):
        sample, truth = clustered(seed)
        found = estimates(sample)
        four = (found.human, found.judge, found.ppi, found.ppi_tuned)
        hits.append([e is not None and e.low <= truth <= e.high for e in four])
    human, judge, ppi, tuned = np.mean(hits, axis=0)
    assert min(human, ppi, tuned) > 0.9
    assert judge < 0.5


def test_units_of_one_topic_count_for_less_than_as_many_topics() -> None:
    values = np.repeat([0.0, 1.0, 0.0, 1.0], 25)
    alone = mean_estimate(values)
    together = mean_estimate(values, np.repeat(np.arange(4), 25))
    assert alone is not None
    assert together is not None
    assert together.width > 4 * alone.width


def test_the_weight_for_topics_has_the_least_variance() -> None:
    sample, _ = clustered(3)
    best = prediction_powered(sample)
    assert best is not None
    assert best.lam == pytest.approx(tuned_weight(sample))
    for lam in np.linspace(0, 1, 21):
        other = prediction_powered(sample, float(lam))
        assert other is not None
        assert other.se >= best.se - 1e-12


def test_what_is_too_little_is_none() -> None:
    one = Sample(np.array([1.0]), np.array([1.0]), np.array([0.0, 1.0]))
    assert prediction_powered(one) is None
    assert mean_estimate(np.array([1.0])) is None
    assert mean_estimate(np.array([1.0, 0.0]), np.array([0, 0])) is None
    labelled_one_topic = Sample(
        np.array([1.0, 0.0]),
        np.array([1.0, 0.0]),
        np.array([0.0, 1.0]),
        (np.array([0, 0]), np.array([1, 2])),
    )
    assert prediction_powered(labelled_one_topic) is None


def test_with_every_unit_labelled_people_alone_decide() -> None:
    sample = drawn(5, 40, 160)
    everything = Sample(sample.human, sample.judge, sample.rest[:0])
    found = estimates(everything)
    assert found.ppi_tuned == found.human
    assert found.ppi_tuned is not None
    assert found.ppi_tuned.lam is None


# --- plans ---------------------------------------------------------------------------------------


def test_a_plan_keeps_its_promise() -> None:
    """As many labels as it asks for give an interval of about the width that was wanted."""
    sample = drawn(11, 40, 1960)
    now = prediction_powered(sample)
    assert now is not None
    wanted = now.width / 2
    found = plan(sample, wanted)
    assert (found.reachable, found.n_now, found.n_units) == (True, 40, 2000)
    n = found.n_now + found.n_more
    again = prediction_powered(drawn(12, n, 2000 - n))
    assert again is not None
    assert again.width == pytest.approx(wanted, rel=0.15)


def test_a_width_that_is_there_already_needs_no_label() -> None:
    found = plan(drawn(2), 2.0)
    assert (found.n_more, found.reachable) == (0, True)


def test_a_width_out_of_reach_is_said_to_be() -> None:
    sample, _ = clustered(4)
    found = plan(sample, 0.05)
    assert not found.reachable
    assert found.n_more == found.n_units - found.n_now
    assert found.width_all > 0.05


def test_a_plan_without_human_labels_gives_the_judge_no_credit() -> None:
    judged = np.random.default_rng(0).random(500)
    nothing = np.array([])
    found = plan(Sample(nothing, nothing, judged), 0.1)
    assert (found.width_now, found.correlation, found.n_now) == (None, 0.0, 0)
    s2 = float(np.var(judged))
    assert found.n_more == int(np.ceil(s2 * (2 * 1.959963984540054 / 0.1) ** 2))


def test_a_narrower_interval_never_takes_fewer_labels() -> None:
    sample = drawn(7, 30, 470)
    needed = [plan(sample, width).n_more for width in (0.3, 0.2, 0.15, 0.1, 0.05)]
    assert needed == sorted(needed)
    with pytest.raises(ValueError, match="above 0"):
        plan(sample, 0.0)


def ratings(labels: dict[str, str], **more: Any) -> list[Rating]:
    return [
        Rating(f"support|t{i % 10}|r|{i}|d", f"t{i % 10}", "r", label, **more)
        for i, label in enumerate(labels.values())
    ]


def many() -> list[Rating]:
    words = ["full"] * 700 + ["partial"] * 200 + ["none"] * 100
    return ratings({str(i): word for i, word in enumerate(words)})


def test_units_are_chosen_in_proportion_and_the_same_again() -> None:
    chosen = choose(many(), 100, {})
    labels = [rating.label for rating in chosen]
    assert [labels.count(x) for x in ("full", "partial", "none")] == pytest.approx(
        [70, 20, 10], abs=1
    )
    topics = [rating.topic_id for rating in chosen]
    assert min(topics.count(t) for t in set(topics)) >= 5
    assert choose(many(), 100, {}) == chosen
    assert len({rating.unit_id for rating in chosen}) == 100


def test_uncertain_units_have_their_share_and_no_more() -> None:
    doubts = {rating.unit_id: float(i % 4 == 0) for i, rating in enumerate(many())}
    chosen = choose(many(), 200, doubts)
    assert sum(doubts[rating.unit_id] for rating in chosen) == pytest.approx(50, abs=4)


def test_no_more_units_are_chosen_than_there_are() -> None:
    few = many()[:5]
    assert choose(few, 9, {}) == few
    assert choose(few, 0, {}) == []


def test_uncertainty_is_that_of_probabilities_or_of_other_judges() -> None:
    unit = Rating("support|t|r|0|d", "t", "r", "full", probabilities={"full": 0.7, "none": 0.3})
    plain = Rating("support|t|r|1|d", "t", "r", "full")
    first = Rater("a", "judge", {unit.unit_id: unit, plain.unit_id: plain})
    assert uncertainties([first]) == {unit.unit_id: pytest.approx(0.3), plain.unit_id: 0.0}
    other = Rater("b", "judge", {plain.unit_id: plain._replace(label="none")})
    assert uncertainties([first, other])[plain.unit_id] == 1.0
