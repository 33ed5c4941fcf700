"""What a sample of topics lets us say: bootstrap intervals, paired randomisation tests, Holm.

Everything here is a function of its numbers alone. Random draws are the raw output of PCG64, whose
stream numpy guarantees, at a fixed seed; sums run along the topics one addition after another; and
values are sorted first. So the same numbers give the same result on every machine, in every run,
and in whatever order they come.

Sources: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979;
A. Davison and D. Hinkley, "Bootstrap Methods and their Application", 1997 (order statistics as
bounds; (k + 1) / (R + 1)); M. Smucker, J. Allan and B. Carterette, "A comparison of statistical
significance tests for information retrieval evaluation", CIKM 2007 (the randomisation test);
S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
Statistics 6, 1979.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
"""The level of every interval."""

RESAMPLES = 1999
"""Bootstrap resamples: (RESAMPLES + 1) * 0.025 is whole, so that both bounds are resamples."""

FLIPS = 99_999
"""Random sign flips of a randomisation test that is too large to be enumerated."""

ENUMERATED = 16
"""Differences other than 0 up to which all 2^n sign flips are enumerated."""

_SEED = 20070906
_BLOCK = 256
_BYTE = 8


class Interval(NamedTuple):
    """The bounds of an interval at `LEVEL`."""

    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the percentile bootstrap interval of a mean, None for fewer than 2 values.

    The values are drawn with replacement `RESAMPLES` times; the bounds are the 50th smallest and
    the 50th largest of the means. The percentile interval is taken, and not BCa, because it stays
    within the range of the values and is defined for every sample, constant ones included. With
    few topics it is too narrow: by about sqrt((n - 1) / n). It reaches from the mean
    (`fmean`) to within the values, whatever the order of addition does to a resample's last digit.

    For differences of two runs on the same topics this is the paired bootstrap.
    """
    import numpy as np

    n = len(values)
    if n < 2:
        return None
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    low, high = percentiles(resampled_sums(ordered) / n)
    mean, least, greatest = fmean(values), min(values), max(values)
    return Interval(min(max(low, least), mean), max(min(high, greatest), mean))


def percentiles(estimates: "NDArray[np.float64]") -> Interval:
    """Return the bounds that cut off (1 - LEVEL) / 2 of the estimates on each side.

    With R estimates these are the k-th smallest and the k-th largest, k = (R + 1)(1 - LEVEL) / 2
    rounded, and at least 1; for `RESAMPLES` of them k is 50.
    """
    ordered = sorted(estimates.tolist())
    tail = max(1, round((len(ordered) + 1) * (1 - LEVEL) / 2))
    return Interval(ordered[tail - 1], ordered[-tail])


def resampled_sums(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the sums of `RESAMPLES` samples of len(values), drawn with replacement.

    Args:
        values: of shape (n,) or (n, k); rows are drawn.

    Returns:
        Sums of shape (RESAMPLES,) or (RESAMPLES, k).
    """
    import numpy as np

    total = np.zeros((RESAMPLES, *values.shape[1:]))
    for draws in _blocks(len(values)):
        total += values[draws].sum(axis=0)
    return total


def counts_of(n: int) -> "NDArray[np.float64]":
    """Return how often each of n is in each of the same samples: shape (RESAMPLES, n)."""
    import numpy as np

    counts = np.zeros(RESAMPLES * n)
    first = np.arange(RESAMPLES) * n
    for draws in _blocks(n):
        counts += np.bincount((first + draws).ravel(), minlength=len(counts))
    return counts.reshape(RESAMPLES, n)


def _blocks(n: int) -> "Iterator[NDArray[np.intp]]":
    """Yield the draws of `RESAMPLES` samples of n, in blocks of shape (at most 256, RESAMPLES)."""
    for start in range(0, n, _BLOCK):
        yield _draws(n, start, min(_BLOCK, n - start))


@lru_cache(maxsize=4)
def _draws(n: int, start: int, rows: int) -> "NDArray[np.intp]":
    """Return the draws numbered from `start` on; every set of n values is drawn from alike."""
    import numpy as np

    stream = np.random.PCG64(_SEED).advance(start * RESAMPLES)
    high = stream.random_raw(rows * RESAMPLES) >> np.uint64(32)
    scaled = (high * np.uint64(n)) >> np.uint64(32)  # in 0..n-1, with a bias below n / 2^32
    return scaled.astype(np.intp).reshape(rows, RESAMPLES)


def randomisation_test(differences: Sequence[float]) -> float | None:
    """Return the two-sided p of the paired randomisation test, None for fewer than 2 differences.

    Were the two runs alike, each topic's difference would have either sign with the same chance.
    p is the share of all sign flips whose mean is at least as far from 0 as the mean observed. Up
    to `ENUMERATED` differences other than 0 all flips are counted, and p is exact. With more, p is
    (k + 1) / (FLIPS + 1), where k of `FLIPS` random flips are as far; the observed one is the 1.

    Where all differences are 0, p is 1. Sums that differ by rounding alone count as equal.
    """
    import numpy as np

    if len(differences) < 2:
        return None
    sizes = np.sort(np.abs(np.asarray([d for d in differences if d != 0], dtype=np.float64)))
    slack = 1e-12 * float(sizes.sum())
    least = abs(float(np.sum(np.sort(np.asarray(differences, dtype=np.float64))))) - slack
    if len(sizes) <= ENUMERATED:
        return float(np.mean(np.abs(_all_flips(sizes)) >= least))
    extreme = int(np.count_nonzero(np.abs(_random_flips(sizes)) >= least))
    return (extreme + 1) / (FLIPS + 1)


def _all_flips(sizes: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the sums under all 2^n signs."""
    import numpy as np

    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _random_flips(sizes: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the sums under `FLIPS` random signs.

    A byte of the stream chooses the signs of 8 sizes, all of whose sums are at hand.
    """
    import numpy as np

    stream = np.random.PCG64(_SEED)
    total = np.zeros(FLIPS)
    for start in range(0, len(sizes), _BYTE):
        sums = _all_flips(sizes[start : start + _BYTE])
        words = stream.random_raw(-(-FLIPS // _BYTE)).astype("<u8")
        total += sums[words.view(np.uint8)[:FLIPS] & (len(sums) - 1)]
    return total


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values adjusted by Holm's step-down procedure, in the order given.

    The i-th smallest of m is multiplied by m - i + 1; an adjusted p is never below that of a
    smaller one, and at most 1. Rejecting where it is at most a keeps the chance of any false
    rejection at a or below, whatever the dependence between the tests.
    """
    m = len(p_values)
    adjusted = [0.0] * m
    least = 0.0
    for rank, place in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        least = max(least, min(1.0, (m - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted
