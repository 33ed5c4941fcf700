"""Is a judge any better than counting shared words?

On a human sample, the judge's labels and the share of a claim's words that its reference has are
both set against what people said, at each cut of the scale. The share takes a threshold, which is
fitted on other topics than those it is tried on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judge.agreement.intervals import percentile
from judge.agreement.labels import confusion, group_codes, kappa, number
from judge.agreement.rankings import ranks
from judge.agreement.scale import Bools, Floats, Ints, Scale
from judge.metrics.inference import Interval, counts_of

FOLDS = 10
_CANDIDATES = 101
_TWO = np.array([0.0, 1.0])

Finding = Literal["above", "not clearly above", "not above"]


@dataclass(frozen=True)
class Cut:
    """Both at one cut of the scale; kappa in [-1, 1], AUC in [0, 1], None where undefined."""

    name: str
    judge_kappa: float | None
    overlap_kappa: float | None
    judge_auc: float | None
    overlap_auc: float | None


@dataclass(frozen=True)
class Lexical:
    """A judge against word overlap.

    Attributes:
        n: units with labels of both sides and texts.
        n_without: units with labels of both, but without texts or content words.
        cuts: both at each cut.
        judge_kappa: mean over the cuts where both are defined.
        overlap_kappa: likewise.
        difference: the interval of judge - overlap over topics, None for fewer than two.
        finding: whether the judge is above word overlap; None where it cannot be told.
        reason: why it cannot.
    """

    n: int
    n_without: int
    cuts: tuple[Cut, ...] = ()
    judge_kappa: float | None = None
    overlap_kappa: float | None = None
    difference: Interval | None = None
    finding: Finding | None = None
    reason: str | None = None


def lexical_baseline(
    overlaps: Sequence[float | None],
    human: Ints,
    judge: Ints,
    topics: Sequence[str],
    scale: Scale,
) -> Lexical:
    """Set a judge against word overlap.

    Args:
        overlaps: the share of shared words of each unit, None where it is not known.
        human: codes of the human labels of the same units; every unit has one.
        judge: codes of the judge's; likewise.
        topics: the topic of each unit.
        scale: the labels.
    """
    known = np.array([value is not None for value in overlaps], dtype=bool)
    shares = np.array([value for value in overlaps if value is not None], dtype=np.float64)
    n, n_without = len(shares), len(known) - len(shares)
    if not n:
        return Lexical(n, n_without, reason="no unit has texts to compare words of")
    names, groups = group_codes([t for t, is_known in zip(topics, known, strict=True) if is_known])
    if len(names) < 2:
        return Lexical(n, n_without, reason="all units are of one topic: thresholds need another")
    tables, cuts = [], []
    for code, name in enumerate(scale.thresholds, start=1):
        truth, claimed = human[known] >= code, judge[known] >= code
        predicted = cross_validated(shares, truth, groups)
        pair = np.stack([_counts(truth, p, groups) for p in (claimed, predicted)])
        tables.append(pair)
        cuts.append(_cut(name, pair, truth, judge[known], shares))
    return _found(n, n_without, cuts, np.stack(tables) if tables else np.empty((0, 2, 0, 2, 2)))


def cross_validated(shares: Floats, truth: Bools, groups: Ints) -> Bools:
    """Return for each unit whether its share reaches the threshold of the other folds.

    Topics are dealt into at most 10 folds; the threshold of the best kappa is taken, the lowest
    of equals.
    """
    folds = groups % min(FOLDS, int(groups.max()) + 1)
    predicted = np.zeros(len(shares), dtype=bool)
    for fold in np.unique(folds):
        inside = folds == fold
        predicted[inside] = shares[inside] >= best_threshold(shares[~inside], truth[~inside])
    return predicted


def best_threshold(shares: Floats, truth: Bools) -> float:
    """Return the threshold from which on a share counts as true, of the best kappa."""
    candidates = np.unique(shares)
    if len(candidates) > _CANDIDATES:
        candidates = np.unique(np.quantile(candidates, np.linspace(0, 1, _CANDIDATES)))
    claimed = shares >= candidates[:, None]
    cells = [np.sum(claimed == j, axis=1, where=truth == i) for i in (False, True) for j in (0, 1)]
    counts = np.stack(cells, axis=-1).reshape(len(candidates), 2, 2).astype(np.float64)
    values = np.nan_to_num(kappa(counts, _TWO), nan=-1.0)
    return float(candidates[int(np.argmax(values))])


def auc(scores: Floats, truth: Bools) -> float | None:
    """Return the area under the ROC curve, ties counting half; None for one class alone."""
    positive = int(np.sum(truth))
    negative = len(truth) - positive
    if not positive or not negative:
        return None
    rising = len(scores) + 1 - ranks(scores)
    wins = float(rising[truth].sum()) - positive * (positive + 1) / 2
    return wins / (positive * negative)


def _counts(truth: Bools, claimed: Bools, groups: Ints) -> Floats:
    return confusion(truth.astype(np.int64), claimed.astype(np.int64), 2, groups)


def _cut(name: str, pair: Floats, truth: Bools, judge: Ints, shares: Floats) -> Cut:
    values = kappa(pair.sum(axis=1), _TWO)
    return Cut(
        name=name,
        judge_kappa=number(values[0]),
        overlap_kappa=number(values[1]),
        judge_auc=auc(judge.astype(np.float64), truth),
        overlap_auc=auc(shares, truth),
    )


def _found(n: int, n_without: int, cuts: list[Cut], tables: Floats) -> Lexical:
    """Sum up; `tables` has shape (cuts, 2, topics, 2, 2), the judge first of the two."""
    used = [
        i for i, c in enumerate(cuts) if None not in (c.judge_kappa, c.overlap_kappa, c.overlap_auc)
    ]
    if not used:
        return Lexical(n, n_without, tuple(cuts), reason="people gave one label alone")
    values = kappa(tables[used].sum(axis=2), _TWO).mean(axis=0)
    weights = counts_of(tables.shape[2])
    samples = np.tensordot(weights, tables[used], axes=(1, 2))  # (samples, cuts, 2, 2, 2)
    differences = -np.diff(kappa(samples, _TWO).mean(axis=1), axis=1)[:, 0]
    interval = percentile(differences)
    return Lexical(
        n=n,
        n_without=n_without,
        cuts=tuple(cuts),
        judge_kappa=float(values[0]),
        overlap_kappa=float(values[1]),
        difference=interval,
        finding=_finding(float(values[0] - values[1]), interval),
    )


def _finding(difference: float, interval: Interval | None) -> Finding:
    if difference <= 0:
        return "not above"
    return "above" if interval is not None and interval.low > 0 else "not clearly above"
