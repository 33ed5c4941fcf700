"""Correlations: scipy's values, intervals over what was sampled, and reasons for what is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from judge.metrics import correlation
from judge.metrics.correlation import Coefficient, Correlated, Point, correlate, mean_over_topics
from judge.metrics.inference import counts_of

NAMES = ("pearson", "spearman", "kendall")
RANDOM = np.random.default_rng(3)
X = RANDOM.random(30)
POINTS: list[Point] = [
    (x, y) for x, y in zip(X.tolist(), (X + RANDOM.random(30)).tolist(), strict=True)
]


def alone(points: list[Point]) -> list[list[Point]]:
    """Each point as a group of its own."""
    return [[point] for point in points]


def values(found: Correlated) -> tuple[float | None, ...]:
    return tuple(getattr(found, name).value for name in NAMES)


def theirs(points: list[Point]) -> tuple[float, ...]:
    x, y = zip(*points, strict=True)
    return (
        float(stats.pearsonr(x, y).statistic),
        float(stats.spearmanr(x, y).statistic),
        float(stats.kendalltau(x, y, variant="b").statistic),
    )


def varied(points: list[Point]) -> bool:
    return all(len(set(side)) > 1 for side in zip(*points, strict=True))


eighths = st.integers(-8, 8).map(lambda n: n / 8)
clouds = st.lists(st.tuples(eighths, eighths), min_size=3, max_size=12).filter(varied)


@given(clouds)
@settings(max_examples=60, deadline=None)
def test_scipy_gives_the_same_values_ties_included(points: list[Point]) -> None:
    assert values(correlate(alone(points))) == pytest.approx(theirs(points), abs=1e-12)


@given(clouds, st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_groups_change_the_interval_and_not_the_value(points: list[Point], size: int) -> None:
    groups = [points[i : i + size] for i in range(0, len(points), size)]
    found = correlate(groups)
    assert found.n == len(points)
    assert values(found) == pytest.approx(theirs(points), abs=1e-12)


def test_values_in_general_position() -> None:
    assert values(correlate(alone(POINTS))) == pytest.approx(theirs(POINTS), abs=1e-12)


def test_a_shift_of_the_scale_changes_nothing() -> None:
    shifted = [(x + 2**20, y - 2**20) for x, y in POINTS]
    here, there = correlate(alone(POINTS)), correlate(alone(shifted))
    assert values(there) == pytest.approx(values(here), abs=1e-8)
    assert there.pearson.ci_low == pytest.approx(here.pearson.ci_low, abs=1e-8)


def test_means_that_rounding_alone_sets_apart_are_tied() -> None:
    points = [(0.1 + 0.2, 1.0), (0.3, 2.0), (0.4, 3.0), (0.5, 3.0)]
    clean = [(0.3, 1.0), (0.3, 2.0), (0.4, 3.0), (0.5, 3.0)]
    assert values(correlate(alone(points)))[1:] == pytest.approx(theirs(clean)[1:], abs=1e-12)
    for step, equal in ((4e-13, True), (2e-12, False)):
        near = correlate(alone([(0.5, 1.0), (0.5 + step, 2.0), (0.5, 3.0)])).kendall
        assert (near.reason == "all retrieval values are equal") == equal
    level = [(0.1 + 0.2, 1.0), (0.3, 2.0), (0.3, 3.0)]
    assert correlate(alone(level)).pearson.reason == "all retrieval values are equal"


# --- intervals -----------------------------------------------------------------------------------


def test_the_interval_of_pearson_is_that_of_scipy_up_to_its_draws() -> None:
    x, y = zip(*POINTS, strict=True)
    low, high = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=2000,
        random_state=np.random.default_rng(1),
    ).confidence_interval
    found = correlate(alone(POINTS)).pearson
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), abs=0.03)


@pytest.mark.parametrize("size", [1, 5])
def test_each_interval_is_that_of_the_coefficient_on_resampled_groups(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted the slow way, with scipy, on the same draws; ties and weights included."""
    points = [(round(x, 1), round(y, 1)) for x, y in POINTS]
    groups = [points[i : i + size] for i in range(0, len(points), size)]
    ordered = sorted(sorted(group) for group in groups)
    counts = counts_of(len(groups))[:200]
    samples = [
        [p for group, n in zip(ordered, row, strict=True) for p in group * int(n)]
        for row in counts.tolist()
    ]
    expected = np.asarray([theirs(sample) for sample in samples])
    once = np.ones((1, len(groups)))
    monkeypatch.setattr(correlation, "_CELLS", 7 * len(points))  # several steps
    for column, of in ((1, correlation._spearman), (2, correlation._kendall)):
        assert of(ordered)(counts) == pytest.approx(expected[:, column], abs=1e-12)
        assert of(ordered)(once).shape == (1,)
    sums = correlation._sums(ordered)
    assert correlation._pearson(counts @ sums) == pytest.approx(expected[:, 0], abs=1e-12)


def test_the_numbers_are_the_same_on_every_machine_and_in_any_order() -> None:
    points = [(i / 8, (i * 5 % 8) / 8) for i in range(8)]
    found, turned = correlate(alone(points)), correlate(alone(points[::-1]))
    assert found == turned
    assert (found.kendall.ci_low, found.kendall.ci_high) == (-13 / 21, 0.75)


def test_points_of_a_topic_are_drawn_together() -> None:
    """Ten copies of a topic's points say no more than one: the interval must not shrink."""
    topics = [[point] * 10 for point in POINTS[:10]]
    found, single = correlate(topics), correlate(alone(POINTS[:10]))
    for name in NAMES:
        mine, once = getattr(found, name), getattr(single, name)
        assert (mine.ci_low, mine.ci_high) == pytest.approx((once.ci_low, once.ci_high), abs=1e-9)
    assert correlate(alone([p for topic in topics for p in topic])).pearson.ci_low != once.ci_low


def test_one_topic_has_no_interval_over_topics() -> None:
    found = correlate([POINTS])
    assert found.pearson.value is not None
    assert found.pearson.ci_low is found.pearson.ci_high is None
    assert found.pearson.reason == "no interval: the points are of one topic"


def test_too_few_points_have_a_value_and_no_interval() -> None:
    found = correlate(alone([(0.0, 0.0), (1.0, 2.0), (2.0, 3.0)])).pearson
    assert found.value == pytest.approx(0.981980506061966)
    assert (found.ci_low, found.ci_high) == (None, None)
    assert found.reason == "no interval: 220 of 1999 resamples are constant"
    four = correlate(alone([(0.0, 0.0), (1.0, 2.0), (2.0, 3.0), (3.0, 1.0)])).pearson
    assert four.reason is None
    assert (four.ci_low, four.ci_high) == (-1.0, 1.0)


# --- not defined ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([], "0 points, and a correlation takes 3"),
        ([(0.0, 1.0), (1.0, 0.0)], "2 points, and a correlation takes 3"),
        ([(0.5, 0.0), (0.5, 0.5), (0.5, 1.0)], "all retrieval values are equal"),
        ([(0.0, 0.5), (0.5, 0.5), (1.0, 0.5)], "all RAG values are equal"),
    ],
)
def test_what_is_not_defined_has_a_reason(points: list[Point], reason: str) -> None:
    found = correlate(alone(points))
    assert found.n == len(points)
    assert {getattr(found, name) for name in NAMES} == {Coefficient(reason=reason)}


# --- over topics ---------------------------------------------------------------------------------


def of(value: float | None) -> Correlated:
    coefficient = Coefficient(value=value)
    return Correlated(n=9, pearson=coefficient, spearman=coefficient, kendall=coefficient)


def test_the_mean_over_topics_is_over_those_that_have_one() -> None:
    found = mean_over_topics([of(0.5), of(None), of(-0.25), of(0.5)])
    assert found.n == 3
    for name in NAMES:
        mean = getattr(found, name)
        assert mean.value == 0.25
        assert (mean.ci_low, mean.ci_high, mean.reason) == (-0.25, 0.5, None)


def test_the_mean_over_one_topic_or_none() -> None:
    one = mean_over_topics([of(0.5), of(None)])
    assert (one.n, one.kendall.value, one.kendall.ci_low) == (1, 0.5, None)
    assert one.kendall.reason == "no interval: defined for 1 topic alone"
    none = mean_over_topics([of(None)])
    assert (none.n, none.kendall) == (0, Coefficient(reason="not defined for any topic"))
