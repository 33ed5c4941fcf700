"""Means estimated from a judge's labels of everything and people's labels of a part.

Prediction-powered inference (Angelopoulos et al., Science 382, 2023): the judge's mean over what
people did not label, corrected by how far it was off where they did. The interval is right
however bad the judge is; it is narrow where the judge is good. PPI++ (Angelopoulos, Duchi and
Zrnic 2023, arXiv:2311.01453) weights the judge by `lam` in [0, 1], chosen for the least variance:
0 is the human labels alone, 1 is plain PPI.

It holds if the units that people labelled are a random sample of all. Units of one topic are alike,
so that where topics are given, variances are those of sums over topics, and quantiles those of
Student's t with one degree of freedom less than there are topics that people labelled.
"""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from judge.agreement.scale import Floats, Ints
from judge.metrics.inference import LEVEL

FEWEST = 2


@dataclass(frozen=True)
class Estimate:
    """An estimate of a mean and its 95% interval; `n` units carry it.

    `se` is its standard error; `lam` the weight of the judge, None where it has no part.
    """

    value: float
    low: float
    high: float
    se: float
    n: int
    lam: float | None = None

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return self.high - self.low


@dataclass(frozen=True)
class Sample:
    """A judge's values of all units, and people's of some.

    Attributes:
        human: people's values, shape (n,).
        judge: the judge's of the same units, shape (n,).
        rest: the judge's of the units that people did not label, shape (N,).
        topics: the topic of each of the n, and of each of the N, by the same numbers; None where
            units are independent.
    """

    human: Floats
    judge: Floats
    rest: Floats
    topics: tuple[Ints, Ints] | None = None

    @property
    def everything(self) -> Floats:
        """The judge's values of all units."""
        return np.concatenate([self.judge, self.rest])


@dataclass(frozen=True)
class Estimates:
    """The same mean by people alone, by the judge alone, and by both.

    What takes at least two units, or two topics, is None where there are not as many.
    """

    n_human: int
    n_rest: int
    human: Estimate | None
    judge: Estimate | None
    ppi: Estimate | None
    ppi_tuned: Estimate | None


def estimates(sample: Sample) -> Estimates:
    """Return all estimates of the mean over the units of a sample."""
    both = None if sample.topics is None else np.concatenate(sample.topics)
    first = None if sample.topics is None else sample.topics[0]
    return Estimates(
        n_human=len(sample.human),
        n_rest=len(sample.rest),
        human=mean_estimate(sample.human, first),
        judge=mean_estimate(sample.everything, both),
        ppi=prediction_powered(sample, 1.0),
        ppi_tuned=prediction_powered(sample),
    )


def mean_estimate(values: Floats, topics: Ints | None = None) -> Estimate | None:
    """Return the mean of values and its interval, None for fewer than 2 values or topics."""
    size = len(values)
    if size < FEWEST:
        return None
    centred = (values - values.mean()) / size
    return _estimate(float(values.mean()), _variance(centred, topics), topics, size)


def prediction_powered(sample: Sample, lam: float | None = None) -> Estimate | None:
    """Return the prediction-powered estimate of the mean.

    Without units that only the judge labelled it is the mean of the human labels.

    Args:
        sample: the values of both.
        lam: the weight of the judge; None for that of the least variance (PPI++).

    Returns:
        The estimate; None where people labelled fewer than 2 units or topics.
    """
    n, size = len(sample.human), len(sample.rest)
    if not size:
        return mean_estimate(sample.human, None if sample.topics is None else sample.topics[0])
    if n < FEWEST or size < FEWEST:
        return None
    weight = tuned_weight(sample) if lam is None else lam
    rectified = sample.human - weight * sample.judge
    value = weight * float(sample.rest.mean()) + float(rectified.mean())
    parts = [
        (rectified - rectified.mean()) / n,
        weight * (sample.rest - sample.rest.mean()) / size,
    ]
    if sample.topics is None:
        return _estimate(value, _variance(np.concatenate(parts), None), None, n, weight)
    variance = _variance(np.concatenate(parts), np.concatenate(sample.topics))
    return _estimate(value, variance, sample.topics[0], n, weight)


def tuned_weight(sample: Sample) -> float:
    """Return the weight of the judge in [0, 1] that makes the variance least.

    For independent units it is that of PPI++ (section 6): the covariance of both over the
    variance of the judge, over (1 + n / N). For topics it is the least of the quadratic that
    their sums give.
    """
    n, size = len(sample.human), len(sample.rest)
    ours, theirs = sample.human - sample.human.mean(), sample.judge - sample.judge.mean()
    if sample.topics is None:
        spread = float(np.var(sample.everything, ddof=1)) * (1 + n / size)
        return _clipped(float(np.mean(ours * theirs)), spread)
    others = (sample.rest - sample.rest.mean()) / size
    labelled, rest = sample.topics
    people = _sums(np.concatenate([ours / n, np.zeros(size)]), np.concatenate([labelled, rest]))
    judge = _sums(np.concatenate([-theirs / n, others]), np.concatenate([labelled, rest]))
    return _clipped(-float(people @ judge), float(judge @ judge))


def quantile(topics: Ints | None) -> float:
    """Return how many standard errors an interval reaches to either side.

    `topics` are those that the estimate rests on, at least two.
    """
    if topics is None:
        return NormalDist().inv_cdf((1 + LEVEL) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(len(np.unique(topics)) - 1, (1 + LEVEL) / 2))


def _variance(terms: Floats, topics: Ints | None) -> float | None:
    """The variance of a sum of centred terms, by topics if given; None for a single topic."""
    if topics is None:
        return float(terms @ terms)
    sums = _sums(terms, topics)
    if len(sums) < FEWEST:
        return None
    return float(sums @ sums) * len(sums) / (len(sums) - 1)


def _sums(terms: Floats, topics: Ints) -> Floats:
    places = np.unique(topics, return_inverse=True)[1]
    return np.asarray(np.bincount(places, weights=terms), dtype=np.float64)


def _clipped(part: float, whole: float) -> float:
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


def _estimate(
    value: float, variance: float | None, topics: Ints | None, n: int, lam: float | None = None
) -> Estimate | None:
    if variance is None or (topics is not None and len(np.unique(topics)) < FEWEST):
        return None
    se = sqrt(variance)
    reach = quantile(topics) * se
    return Estimate(value, value - reach, value + reach, se, n, lam)
