"""Agreement of labels, computed from counts alone.

Every statistic here takes an array of shape (..., k, k): how often a unit has human label i (row)
and judge label j (column). It works on all leading axes at once, so that a topic, the whole and
a thousand bootstrap samples are one computation. What is undefined is NaN inside of this
package; `summary` turns it into None with a reason, and NaN never leaves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judge.agreement.scale import UNRATED, Floats, Ints, Scale
from judge.types import Label

Level = Literal["nominal", "ordinal"]


@dataclass(frozen=True)
class Binary:
    """Two raters on a scale cut in two; None where there is nothing to divide by."""

    kappa: float | None
    precision: float | None
    recall: float | None


@dataclass(frozen=True)
class PerLabel:
    """How well the judge finds one label; counts and shares, None where undefined."""

    n_human: int
    n_judge: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class Summary:
    """Everything two raters' counts say; the fields are named as in the output of `agree`.

    exact, precision, recall and F1 lie in [0, 1], kappa and alpha in [-1, 1]; mae and bias
    (judge - human) are in label values. `reason` tells why some are None.
    """

    n: int
    exact: float | None
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    alpha_nominal: float | None
    alpha_ordinal: float | None
    mae: float | None
    bias: float | None
    binary: dict[str, Binary]
    per_label: dict[str, PerLabel]
    labels: tuple[Label, ...]
    confusion: tuple[tuple[int, ...], ...]
    reason: str | None


def confusion(human: Ints, judge: Ints, k: int, groups: Ints | None = None) -> Floats:
    """Count pairs of labels; rows where either side is UNRATED are left out.

    Args:
        human: codes of the human labels, shape (n,).
        judge: codes of the judge's, shape (n,).
        k: how many labels there are.
        groups: the group of each row, such as its topic, from 0 on.

    Returns:
        Counts of shape (k, k), or (groups, k, k).
    """
    both = (human != UNRATED) & (judge != UNRATED)
    cells = human[both] * k + judge[both]
    if groups is None:
        return np.bincount(cells, minlength=k * k).reshape(k, k).astype(np.float64)
    size = int(groups.max(initial=-1)) + 1
    cells = cells + groups[both] * k * k
    return np.bincount(cells, minlength=size * k * k).reshape(size, k, k).astype(np.float64)


def exact(counts: Floats) -> Floats:
    """Share of units with the same label."""
    return _over(np.trace(counts, axis1=-2, axis2=-1), _total(counts))


def mean_error(counts: Floats, values: Floats) -> Floats:
    """Mean absolute difference of the label values."""
    return _over(_sum(counts * np.abs(values[:, None] - values)), _total(counts))


def bias(counts: Floats, values: Floats) -> Floats:
    """Mean of judge - human; above 0 where the judge is the more lenient."""
    return _over(_sum(counts * (values - values[:, None])), _total(counts))


def kappa(counts: Floats, values: Floats, power: int = 0) -> Floats:
    """Cohen's kappa (1960), weighted (1968) by |difference| ** power; power 0 is unweighted.

    1 - observed disagreement / that expected of independent raters with the same marginals.
    NaN where none is expected: both give one and the same label everywhere.
    """
    weights = np.abs(values[:, None] - values) ** power if power else _unequal(len(values))
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    expected = _sum(rows[..., :, None] * columns[..., None, :] * weights)
    return 1.0 - _over(_sum(counts * weights) * _total(counts), expected)


def alpha(coincidences: Floats, level: Level) -> Floats:
    """Krippendorff's alpha (2004) from a symmetric matrix of coincidences.

    Two raters without gaps have the coincidences counts + counts.T; see
    `judge.agreement.annotators.coincidences` for more. The ordinal distance of two labels is the
    square of how many ratings stand between them, half of each of the two included.
    """
    marginal = coincidences.sum(axis=-1)
    distances = _unequal(marginal.shape[-1]) if level == "nominal" else _ordinal(marginal)
    total = marginal.sum(axis=-1)
    expected = _sum(marginal[..., :, None] * marginal[..., None, :] * distances)
    return 1.0 - _over(_sum(coincidences * distances) * (total - 1.0), expected)


def statistics(counts: Floats, scale: Scale) -> dict[str, Floats]:
    """Return every single-valued statistic by its name, over all leading axes of `counts`."""
    values = scale.values
    symmetric = counts + np.swapaxes(counts, -1, -2)
    return {
        "exact": exact(counts),
        "kappa": kappa(counts, values),
        "kappa_linear": kappa(counts, values, 1),
        "kappa_quadratic": kappa(counts, values, 2),
        "alpha_nominal": alpha(symmetric, "nominal"),
        "alpha_ordinal": alpha(symmetric, "ordinal"),
        "mae": mean_error(counts, values),
        "bias": bias(counts, values),
    }


def summary(counts: Floats, scale: Scale) -> Summary:
    """Return what `counts` of shape (k, k) say, None and a reason for what they cannot."""
    single = {name: number(value) for name, value in statistics(counts, scale).items()}
    return Summary(
        n=int(_total(counts)),
        **single,
        binary={name: _binary(counts, i) for i, name in enumerate(scale.thresholds, start=1)},
        per_label={str(label): _per_label(counts, i) for i, label in enumerate(scale.labels)},
        labels=scale.labels,
        confusion=tuple(tuple(int(cell) for cell in row) for row in counts),
        reason=undefined_reason(counts, scale),
    )


def undefined_reason(counts: Floats, scale: Scale) -> str | None:
    """Return why kappa and alpha are undefined for these counts, None where they are not."""
    used = np.flatnonzero(counts.sum(axis=0) + counts.sum(axis=1))
    if len(used) == 0:
        return "no unit has a label of both sides"
    if len(used) > 1:
        return None
    label = scale.labels[int(used[0])]
    return f"kappa and alpha are undefined: both sides give {label!r} everywhere"


def binarised(counts: Floats, cut: int) -> Floats:
    """Return counts of shape (..., 2, 2) for labels below the code `cut`, and from it on."""
    halves: list[Callable[[Floats, int], Floats]] = [
        lambda a, axis: np.take(a, range(cut), axis).sum(axis, keepdims=True),
        lambda a, axis: np.take(a, range(cut, a.shape[axis]), axis).sum(axis, keepdims=True),
    ]
    rows = np.concatenate([half(counts, -2) for half in halves], axis=-2)
    return np.concatenate([half(rows, -1) for half in halves], axis=-1)


def number(value: Floats | float) -> float | None:
    """Return a single value, None where it is NaN."""
    return None if np.isnan(value) else float(value)


def numbers(values: Floats) -> list[float | None]:
    """Return values, None where one is NaN."""
    return [number(value) for value in values]


def group_codes(names: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct names in their order, and for each name its place among them."""
    places = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return list(places), np.array([places[name] for name in names], dtype=np.int64)


def _binary(counts: Floats, cut: int) -> Binary:
    two = binarised(counts, cut)
    agreed, claimed, true = two[1, 1], two[:, 1].sum(), two[1, :].sum()
    return Binary(
        kappa=number(kappa(two, np.array([0.0, 1.0]))),
        precision=number(_over(agreed, claimed)),
        recall=number(_over(agreed, true)),
    )


def _per_label(counts: Floats, code: int) -> PerLabel:
    agreed, claimed, true = counts[code, code], counts[:, code].sum(), counts[code, :].sum()
    return PerLabel(
        n_human=int(true),
        n_judge=int(claimed),
        precision=number(_over(agreed, claimed)),
        recall=number(_over(agreed, true)),
        f1=number(_over(2 * agreed, claimed + true)),
    )


def _unequal(k: int) -> Floats:
    return 1.0 - np.eye(k)


def _ordinal(marginal: Floats) -> Floats:
    """The ordinal distances of labels, shape (..., k, k), by how often each was given."""
    up_to = np.cumsum(marginal, axis=-1) - marginal / 2
    return (up_to[..., :, None] - up_to[..., None, :]) ** 2


def _sum(matrices: Floats) -> Floats:
    return np.asarray(matrices.sum(axis=(-2, -1)))


def _total(counts: Floats) -> Floats:
    return _sum(counts)


def _over(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, NaN where whole is 0."""
    whole = np.asarray(whole, dtype=np.float64)
    empty = np.full(np.broadcast_shapes(np.shape(part), whole.shape), np.nan)
    return np.asarray(np.divide(part, whole, out=empty, where=whole != 0))
