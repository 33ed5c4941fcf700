"""Bootstrap intervals of agreement, clustered by topic.

Units of one topic are graded together and err together, so that topics, not units, are drawn
with replacement (Davison and Hinkley 1997, 3.8). Drawing topics is weighting their counts, so
that all samples are one matrix product. The draws are those of `judge.metrics.inference`: fixed,
and the same on every machine.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from judge.agreement.labels import statistics
from judge.agreement.scale import Floats, Scale
from judge.metrics.inference import Interval, counts_of, percentiles

_MOST_UNDEFINED = 0.05

Statistics = Callable[[Floats, Scale], dict[str, Floats]]


class Intervals(NamedTuple):
    """95% intervals by the name of the statistic, None where there is none, and why."""

    by_name: dict[str, Interval | None]
    reason: str | None


def intervals(by_topic: Floats, scale: Scale, compute: Statistics = statistics) -> Intervals:
    """Return percentile bootstrap intervals of statistics of counts.

    Args:
        by_topic: counts of each topic, shape (topics, k, k).
        scale: the labels that are counted.
        compute: the statistics of counts of shape (samples, k, k).
    """
    given = by_topic[by_topic.sum(axis=(-2, -1)) > 0]
    if len(given) < 2:
        return Intervals({}, "no interval: it takes at least two topics with labels of both sides")
    samples = np.tensordot(counts_of(len(given)), given, axes=1)
    found = {name: percentile(value) for name, value in compute(samples, scale).items()}
    lacking = [name for name, interval in found.items() if interval is None]
    reason = f"no interval for {', '.join(lacking)}: undefined for many draws of topics"
    return Intervals(found, reason if lacking else None)


def percentile(samples: Floats) -> Interval | None:
    """Return the percentile interval of bootstrap samples.

    None where more than 5% of them are NaN (a statistic undefined on the topics drawn): what
    is left would be a choice of samples, and not a sample.
    """
    defined = samples[~np.isnan(samples)]
    if len(defined) < (1 - _MOST_UNDEFINED) * len(samples):
        return None
    return percentiles(defined)
