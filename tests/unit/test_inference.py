"""Intervals and tests over topics: exact where they can be, the same everywhere, and adjusted."""

from itertools import product
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from judge.metrics import inference
from judge.metrics.inference import (
    ENUMERATED,
    FLIPS,
    LEVEL,
    RESAMPLES,
    Interval,
    counts_of,
    holm,
    mean_interval,
    percentiles,
    randomisation_test,
    resampled_sums,
)

SKEWED = [0.0, 0.0, 0.1, 0.1, 0.2, 0.4, 0.9, 1.0]

# --- the bootstrap -------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    assert mean_interval(values) is None


def test_two_values_have_one() -> None:
    assert mean_interval([0.25, 0.75]) == (0.25, 0.75)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert mean_interval([0.25, 0.25, 0.25]) == (0.25, 0.25)


@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3, -0.1])
@pytest.mark.parametrize("n", [3, 6, 7, 10, 97])
def test_rounding_takes_no_bound_past_the_mean_or_out_of_the_values(value: float, n: int) -> None:
    """Equal values added one by one are not n times the value: 0.1 * 7 is not 0.1 + ... + 0.1."""
    mean = fmean([value] * n)
    low, high = mean_interval([value] * n) or (0.0, 0.0)
    assert min(value, mean) <= low <= mean <= high <= max(value, mean)


def test_the_numbers_are_the_same_on_every_machine() -> None:
    assert mean_interval(SKEWED) == Interval(0.1, 0.6125)
    assert mean_interval([i / 64 for i in range(64)]) == Interval(0.423828125, 0.562744140625)


def test_the_order_of_the_values_plays_no_part() -> None:
    assert mean_interval(SKEWED[::-1]) == mean_interval(SKEWED)


def test_a_shift_shifts_the_interval_and_a_change_of_sign_does_not_widen_it() -> None:
    low, high = mean_interval(SKEWED) or (0, 0)
    shifted = mean_interval([value + 8 for value in SKEWED])
    assert shifted == pytest.approx((low + 8, high + 8), abs=1e-12)
    turned = mean_interval([-value for value in SKEWED]) or (0, 0)
    assert turned == pytest.approx((-high, -low), abs=0.04)


def test_scipy_agrees_up_to_its_own_draws() -> None:
    random = np.random.default_rng(0)
    values = random.beta(1, 3, size=50)
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, random_state=random
    ).confidence_interval
    assert mean_interval(values.tolist()) == pytest.approx(tuple(theirs), abs=0.005)


def test_the_bounds_cut_off_a_fortieth_on_each_side() -> None:
    assert (LEVEL, RESAMPLES) == (0.95, 1999)
    assert percentiles(np.arange(1.0, 2000.0)[::-1]) == (50.0, 1950.0)
    assert percentiles(np.arange(1.0, 40.0)) == (1.0, 39.0)
    assert percentiles(np.arange(1.0, 60.0)) == (2.0, 58.0)
    assert percentiles(np.asarray([7.0])) == (7.0, 7.0)


def test_every_value_is_drawn_as_often_as_any_other() -> None:
    counts = counts_of(10)
    assert counts.shape == (RESAMPLES, 10)
    assert set(counts.sum(axis=1)) == {10.0}
    share = counts.mean(axis=0)
    assert share == pytest.approx(np.ones(10), abs=0.1)
    assert counts.var(axis=0) == pytest.approx(np.full(10, 0.9), abs=0.1)


@pytest.mark.parametrize("n", [2, 255, 256, 257, 600])
def test_sums_and_counts_are_of_the_same_samples_beyond_a_block_too(n: int) -> None:
    values = np.arange(float(n))
    counts = counts_of(n)
    assert resampled_sums(values) == pytest.approx(counts @ values)
    two = resampled_sums(np.stack([values, 2 * values], axis=1))
    assert two.shape == (RESAMPLES, 2)
    assert two[:, 1] == pytest.approx(counts @ (2 * values))


def test_blocks_are_drawn_from_different_parts_of_the_stream() -> None:
    first, second = (inference._draws(512, start, 256) for start in (0, 256))
    assert not np.array_equal(first, second)
    for draws in (first, second):
        assert (draws.min(), draws.max()) == (0, 511)


# --- the randomisation test ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1.0, 1.0], 2 / 4),
        ([1.0, 1.0, 1.0], 2 / 8),
        ([-1.0, -1.0, -1.0], 2 / 8),
        ([1.0, -1.0], 1.0),
        ([3.0, -1.0], 1.0),
        ([3.0, 1.0, 1.0], 2 / 8),
        ([3.0, 1.0, -1.0], 6 / 8),
        ([0.0, 0.0], 1.0),
        ([0.0, 1.0], 1.0),
        ([0.0, 0.0, 1.0, 1.0], 2 / 4),
        ([0.1, 0.2, -0.3], 1.0),  # 0 up to rounding
        ([0.1, 0.2, 0.3, -0.6], 1.0),
        ([0.3, 0.1, 0.2, 0.6], 2 / 16),
    ],
)
def test_p_by_hand(differences: list[float], p: float) -> None:
    assert randomisation_test(differences) == p


@pytest.mark.parametrize("differences", [[], [0.5]])
def test_fewer_than_two_differences_have_no_p(differences: list[float]) -> None:
    assert randomisation_test(differences) is None


def test_a_difference_that_rounding_alone_sets_apart_counts_as_equal() -> None:
    values = [0.1] * 3 + [0.3]
    flips = [abs(sum(s * v for s, v in zip(signs, values, strict=True))) for signs in _signs(4)]
    exact = sum(flip >= 0.6 - 1e-9 for flip in flips) / 16
    assert randomisation_test(values) == exact
    assert randomisation_test([*[0.1] * 3, -0.3]) == 1.0


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=n))


@pytest.mark.parametrize("seed", range(5))
def test_scipy_gives_the_same_exact_p(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 8, size=(2, 9)) / 8
    theirs = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert randomisation_test((a - b).tolist()) == pytest.approx(theirs, abs=1e-12)


def test_enumeration_ends_where_it_is_said_to() -> None:
    assert (ENUMERATED, FLIPS) == (16, 99_999)
    assert randomisation_test([1.0] * ENUMERATED) == 2 / 2**ENUMERATED
    assert randomisation_test([1.0] * ENUMERATED + [0.0] * 50) == 2 / 2**ENUMERATED
    drawn = randomisation_test([1.0] * (ENUMERATED + 1)) or 0.0
    assert drawn * (FLIPS + 1) == pytest.approx(round(drawn * (FLIPS + 1)), abs=1e-6)
    assert 1 / (FLIPS + 1) <= drawn < 10 / (FLIPS + 1)


def test_p_is_never_0_and_the_same_in_every_run() -> None:
    assert randomisation_test([1.0] * 100) == 1 / (FLIPS + 1)
    differences = [0.3, -0.1, 0.2] * 10
    assert randomisation_test(differences) == randomisation_test(differences[::-1]) == 0.00062


def test_drawn_p_is_near_the_exact_one() -> None:
    """Of n equal differences the sum is that of fair coins: binomial."""
    n, heads = 40, 27
    differences = [1.0] * heads + [-1.0] * (n - heads)
    exact = stats.binomtest(heads, n).pvalue
    assert randomisation_test(differences) == pytest.approx(exact, abs=0.003)


# --- Holm ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([0.04], [0.04]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),
        ([0.01, 0.011, 0.5], [0.03, 0.03, 0.5]),
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.001, 0.9, 0.4], [0.003, 0.9, 0.8]),
    ],
)
def test_holm_by_hand(p_values: list[float], adjusted: list[float]) -> None:
    assert holm(p_values) == pytest.approx(adjusted, abs=1e-12)
