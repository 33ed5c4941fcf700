"""How two measures go together: Pearson, Spearman and Kendall's tau-b, with bootstrap intervals.

Pearson is the headline, as in arXiv:2603.08819. All three are computed from points with whole
weights, so that a resample is but another weighting. Values that agree to 12 decimals are equal, so
that means of the same values, summed in another order, are tied.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from judge.metrics.inference import (
    RESAMPLES,
    counts_of,
    mean_interval,
    percentiles,
    resampled_sums,
)
from judge.types import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Estimator = Callable[[Floats], Floats]

LEAST_POINTS = 3

_DECIMALS = 12
_DEFINED = 0.95
_CELLS = 4_000_000
_NOTHING = 1e-12

Point = tuple[float, float]
Groups = Sequence[Sequence[Point]]


class Coefficient(Record):
    """A correlation in [-1, 1] with its bootstrap interval at 95%.

    What is None has a `reason`: the value is not defined, or the interval is not.
    """

    value: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    reason: str | None = None


class Correlated(Record):
    """The three coefficients of `n` points (or of `n` topics, for a mean over topics)."""

    n: int
    pearson: Coefficient
    spearman: Coefficient
    kendall: Coefficient


def correlate(groups: Groups) -> Correlated:
    """Return the coefficients over all points of `groups`.

    Pearson's r; Spearman's rho is r of the ranks, ties at their mean rank; Kendall's tau-b is
    (concordant - discordant) / sqrt(pairs not tied in x * pairs not tied in y).

    The interval is a percentile bootstrap in which whole groups are drawn with replacement: give
    each system as a group of one point, and for points of many topics each topic as a group, as
    the points of a topic hang together. Resamples in which a coefficient is undefined are left
    out; there is no interval if they are more than 5%.

    Args:
        groups: points (x, y), finite; no group is empty. The order plays no part.

    Returns:
        Coefficients without value, and the reason, for fewer than 3 points or where all x or all
        y are equal.
    """
    ordered = sorted(sorted(group) for group in groups)
    n = sum(map(len, ordered))
    if why := _undefined([point for group in ordered for point in group]):
        nothing = Coefficient(reason=why)
        return Correlated(n=n, pearson=nothing, spearman=nothing, kendall=nothing)
    sums, counts = _sums(ordered), counts_of(len(ordered))
    once = counts[:1] * 0 + 1
    spearman, kendall = _spearman(ordered), _kendall(ordered)
    resamples = {
        "pearson": (_pearson(sums.sum(axis=0)[None]), _pearson(resampled_sums(sums))),
        "spearman": (spearman(once), spearman(counts)),
        "kendall": (kendall(once), kendall(counts)),
    }
    one = "no interval: the points are of one topic" if len(ordered) == 1 else None
    return Correlated(n=n, **{name: _coefficient(*both, one) for name, both in resamples.items()})


def mean_over_topics(topics: Sequence[Correlated]) -> Correlated:
    """Return the mean of each coefficient over the topics where it is defined.

    The interval is the bootstrap interval of that mean over topics; `n` counts the topics.
    """
    n = sum(topic.pearson.value is not None for topic in topics)
    names = ("pearson", "spearman", "kendall")
    return Correlated(n=n, **{name: _mean([getattr(t, name) for t in topics]) for name in names})


def _mean(coefficients: Sequence[Coefficient]) -> Coefficient:
    values = [c.value for c in coefficients if c.value is not None]
    if not values:
        return Coefficient(reason="not defined for any topic")
    interval = mean_interval(values)
    if interval is None:
        return Coefficient(value=values[0], reason="no interval: defined for 1 topic alone")
    return Coefficient(
        value=sum(sorted(values)) / len(values), ci_low=interval.low, ci_high=interval.high
    )


def _undefined(points: Sequence[Point]) -> str | None:
    """Return why points have no correlation, None where they have."""
    if len(points) < LEAST_POINTS:
        return f"{len(points)} points, and a correlation takes {LEAST_POINTS}"
    for name, values in zip(("retrieval", "RAG"), zip(*points, strict=True), strict=True):
        if len({round(value, _DECIMALS) for value in values}) == 1:
            return f"all {name} values are equal"
    return None


def _coefficient(value: "Floats", resampled: "Floats", why_not: str | None) -> Coefficient:
    """Return a coefficient from its value, of shape (1,), and from those of its resamples."""
    import numpy as np

    defined = resampled[np.isfinite(resampled)]
    (estimate,) = value.tolist()
    if len(defined) < _DEFINED * RESAMPLES:
        share = f"{RESAMPLES - len(defined)} of {RESAMPLES} resamples are constant"
        why_not = f"no interval: {share}"
    if why_not is not None:
        return Coefficient(value=estimate, reason=why_not)
    low, high = percentiles(defined)
    return Coefficient(value=estimate, ci_low=low, ci_high=high)


def _ratio(top: "Floats", under: "Floats") -> "Floats":
    """Return top / sqrt(under) within [-1, 1], NaN where `under` is 0."""
    import numpy as np

    positive = under > 0
    root = np.sqrt(np.where(positive, under, 1.0))
    return np.where(positive, np.clip(top / root, -1.0, 1.0), np.nan)


def _sums(groups: Groups) -> "Floats":
    """Return the sums of 1, x, y, xx, yy, xy over each group, x and y centred: shape (T, 6)."""
    import numpy as np

    flat = np.asarray([point for group in groups for point in group])
    x, y = (flat - flat.mean(axis=0)).T
    columns = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)
    return np.add.reduceat(columns, _starts(groups), axis=0)


def _pearson(sums: "Floats") -> "Floats":
    """Return r from sums of shape (R, 6)."""
    import numpy as np

    n, x, y, xx, yy, xy = sums.T
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    constant = (spread_x <= _NOTHING * n * xx) | (spread_y <= _NOTHING * n * yy)
    return _ratio(n * xy - x * y, np.where(constant, 0.0, spread_x * spread_y))


def _spearman(groups: Groups) -> "Estimator":
    """Return the function from counts of the groups, of shape (R, T), to rho of the points."""
    import numpy as np

    x, y = _Axis(groups, 0), _Axis(groups, 1)
    owner = _owners(groups)

    def estimate(counts: "Floats") -> "Floats":
        (rank_x, weight_x), (rank_y, weight_y) = x.ranks(counts), y.ranks(counts)
        products = rank_x[:, x.place] * rank_y[:, y.place] * counts[:, owner]
        spread_x = (weight_x * rank_x**2).sum(axis=1)
        spread_y = (weight_y * rank_y**2).sum(axis=1)
        return _ratio(products.sum(axis=1), spread_x * spread_y)

    step = max(1, _CELLS // len(owner))
    return lambda counts: np.concatenate(
        [estimate(counts[start : start + step]) for start in range(0, len(counts), step)]
    )


class _Axis:
    """One coordinate of all points: its distinct values, and how often each group has them."""

    def __init__(self, groups: Groups, side: int) -> None:
        import numpy as np

        values = [round(point[side], _DECIMALS) for group in groups for point in group]
        distinct, self.place = np.unique(values, return_inverse=True)
        self._per_group = np.zeros((len(groups), len(distinct)))
        np.add.at(self._per_group, (_owners(groups), self.place), 1.0)

    def ranks(self, counts: "Floats") -> "tuple[Floats, Floats]":
        """Return each distinct value's mid-rank, less the mean rank, and how often it is there.

        Ranks are multiples of 1/2, so that sums of their products are exact.
        """
        weights = counts @ self._per_group
        total = weights.sum(axis=1, keepdims=True)
        return weights.cumsum(axis=1) - weights / 2 - total / 2, weights


def _kendall(groups: Groups) -> "Estimator":
    """Return the function from counts of the groups, of shape (R, T), to tau-b of the points."""
    import numpy as np

    x, y = np.asarray([point for group in groups for point in group]).round(_DECIMALS).T
    starts = _starts(groups)
    signs = np.zeros((3, len(groups), len(groups)))  # of x * y, of x, of y, for pairs of groups
    for t, (start, group) in enumerate(zip(starts, groups, strict=True)):
        mine = slice(start, start + len(group))
        dx, dy = (np.sign(v[mine, None] - v[None, :]) for v in (x, y))
        for which, pairs in enumerate((dx * dy, np.abs(dx), np.abs(dy))):
            signs[which, t] = np.add.reduceat(pairs.sum(axis=0), starts)

    def estimate(counts: "Floats") -> "Floats":
        agreed, untied_x, untied_y = ((counts @ of * counts).sum(axis=1) for of in signs)
        return _ratio(agreed, untied_x * untied_y)

    return estimate


def _owners(groups: Groups) -> "NDArray[np.intp]":
    """Return the group of each point."""
    import numpy as np

    return np.repeat(np.arange(len(groups)), [len(group) for group in groups])


def _starts(groups: Groups) -> "NDArray[np.intp]":
    """Return the place of the first point of each group."""
    import numpy as np

    return np.cumsum([0, *map(len, groups[:-1])])
