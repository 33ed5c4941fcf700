"""How many more human labels an interval of a wanted width takes, and of which units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from judge.agreement.prediction_powered import (
    FEWEST,
    Estimate,
    Sample,
    mean_estimate,
    prediction_powered,
    quantile,
)
from judge.agreement.ratings import Rater, Rating
from judge.agreement.scale import Floats

SEED = 20070906
_LEVELS = 3


@dataclass(frozen=True)
class Plan:
    """What it takes to estimate a mean by PPI++ with an interval of a wanted width.

    Attributes:
        width: the wanted width, from low to high.
        width_now: the width with the human labels there are, None where there are too few.
        width_all: the width if people labelled every unit, as far as can be told.
        n_now: units that people have labelled.
        n_units: units there are.
        n_more: further labels that are needed; all that are left where even those do not do.
        reachable: whether the wanted width is reached with all units labelled.
        correlation: of the judge's labels with people's, in [0, 1]; 0 where it is not known.
    """

    width: float
    width_now: float | None
    width_all: float
    n_now: int
    n_units: int
    n_more: int
    reachable: bool
    correlation: float


def plan(sample: Sample, width: float) -> Plan:
    """Return how many more labels an interval of `width` takes.

    With n of T units labelled the variance is taken as v + c (1 / n - 1 / T): v is what is left
    when all are labelled, and c = (1 - r^2) s^2 what a label takes off, where s^2 is the variance
    of human labels and r their correlation with the judge's. For independent units this is the
    variance of PPI++, with v = s^2 / T. Where topics are given, v is what the variance now has
    above the part that labels take off: topics differ, however many labels they have. With
    fewer than two human labels, s^2 and how topics differ are taken from the judge, and r is 0.

    Raises:
        ValueError: the width is not above 0.
    """
    if width <= 0:
        raise ValueError("the width of an interval is above 0")
    n_now, total = len(sample.human), len(sample.everything)
    topics = None if sample.topics is None else np.concatenate(sample.topics)
    reach = 2 * quantile(topics)
    now = prediction_powered(sample)
    gain = (1 - _correlation(sample) ** 2) * _spread(sample)
    allowed, left = (width / reach) ** 2, _variance_of_all(sample, gain, now)
    needed = total + 1
    if allowed >= left:
        needed = ceil(gain / (allowed - left + gain / total)) if gain else 0
    if now is not None and now.width <= width:
        needed = n_now
    return Plan(
        width=width,
        width_now=None if now is None else now.width,
        width_all=reach * sqrt(left),
        n_now=n_now,
        n_units=total,
        n_more=min(max(needed - n_now, 0), total - n_now),
        reachable=needed <= total,
        correlation=_correlation(sample),
    )


def choose(ratings: Sequence[Rating], n: int, uncertainty: Mapping[str, float]) -> list[Rating]:
    """Choose `n` units to label, each with the same chance, spread over strata.

    Units are put in order by the judge's label, by how uncertain it is (in thirds), and by topic,
    at random within these; then every so-many-th is taken from a random start. So each stratum has
    its share, and the sample, being even, needs no weights in what is estimated from it.

    Args:
        ratings: the judge's labels of the units that may be chosen.
        n: how many; all of them where there are fewer.
        uncertainty: unit_id -> how uncertain the judge is; 0 where it is not known.
    """
    if n >= len(ratings):
        return list(ratings)
    rng = np.random.default_rng(SEED)
    levels = _levels(np.array([uncertainty.get(r.unit_id, 0.0) for r in ratings]))
    chance = rng.random(len(ratings))
    order = sorted(
        range(len(ratings)),
        key=lambda i: (str(ratings[i].label), levels[i], ratings[i].topic_id, chance[i]),
    )
    step = len(ratings) / max(n, 1)
    start = float(rng.random()) * step
    return [ratings[order[int(start + i * step)]] for i in range(n)]


def uncertainties(judges: Sequence[Rater]) -> dict[str, float]:
    """Return how uncertain the first judge is of each unit, in [0, 1].

    1 - the highest probability, where it gives probabilities; else the share of the other
    judges who say otherwise; else 0.
    """
    first, others = judges[0], judges[1:]
    return {key: _doubt(rating, others) for key, rating in first.ratings.items()}


def _doubt(rating: Rating, others: Sequence[Rater]) -> float:
    if rating.probabilities:
        return 1.0 - max(rating.probabilities.values())
    said = [other.labels.get(rating.unit_id) for other in others]
    differing = [label != rating.label for label in said if label is not None]
    return sum(differing) / len(differing) if differing else 0.0


def _levels(values: Floats) -> list[int]:
    """The third that each value falls in; equal values fall in the same."""
    cuts = np.quantile(values, [i / _LEVELS for i in range(1, _LEVELS)])
    return [int(level) for level in np.searchsorted(cuts, values, side="left")]


def _spread(sample: Sample) -> float:
    """The variance of human labels; the judge's where there are not two."""
    return float(np.var(sample.human if len(sample.human) >= FEWEST else sample.everything))


def _variance_of_all(sample: Sample, gain: float, now: Estimate | None) -> float:
    """The variance of the mean if people labelled every unit: v of `plan`."""
    total = len(sample.everything)
    plain = _spread(sample) / total
    if sample.topics is None:
        return plain
    if now is not None:
        return max(plain, now.se**2 - gain * (1 / len(sample.human) - 1 / total))
    clustered = mean_estimate(sample.everything, np.concatenate(sample.topics))
    independent = mean_estimate(sample.everything)
    if clustered is None or independent is None or independent.se == 0:
        return plain
    return plain * max(1.0, (clustered.se / independent.se) ** 2)


def _correlation(sample: Sample) -> float:
    """The correlation of both sides' labels, 0 where it is negative or not known."""
    if len(sample.human) < FEWEST:
        return 0.0
    ours, theirs = sample.human - sample.human.mean(), sample.judge - sample.judge.mean()
    norm = sqrt(float(ours @ ours) * float(theirs @ theirs))
    return min(1.0, max(0.0, float(ours @ theirs) / norm)) if norm > 0 else 0.0
