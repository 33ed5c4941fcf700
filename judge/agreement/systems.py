"""Whether people and a judge conclude the same of systems, by one measure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from judge.agreement.rankings import (
    Decisions,
    RankAgreement,
    TopicRankings,
    decisions,
    rank_agreement,
    topic_rankings,
)
from judge.agreement.scale import Floats
from judge.metrics.inference import ENUMERATED, FLIPS, holm

SIGNIFICANT = 0.05
_SEED, _BLOCK, _SLACK = 20070906, 8192, 1e-12
MOST_PAIRS = 300
"""Pairs of systems up to which each is tested."""

ByTopic = Mapping[str, Mapping[str, float]]
"""topic_id -> run_id -> value."""


@dataclass(frozen=True)
class SystemAgreement:
    """How far both sides agree on systems.

    Attributes:
        measure: the measure's name.
        n_topics: topics that the means run over, the same for all systems.
        human: run_id -> mean by human labels.
        judge: run_id -> mean by the judge's.
        over_all: agreement of the rankings by these means.
        by_topic: agreement of the rankings of each topic.
        decisions: which pairs differ significantly, None where that was not tested.
        decisions_reason: why it was not.
    """

    measure: str
    n_topics: int
    human: dict[str, float]
    judge: dict[str, float]
    over_all: RankAgreement
    by_topic: TopicRankings
    decisions: Decisions | None
    decisions_reason: str | None


def system_agreement(measure: str, human: ByTopic, judge: ByTopic) -> SystemAgreement:
    """Compare what both sides say of the systems that have a value on every topic of both.

    Topics on which the measure is undefined for a system, by either side, are left out.
    """
    runs = list(dict.fromkeys(run for values in human.values() for run in values))
    topics = [t for t in human if all(run in human[t] and run in judge.get(t, {}) for run in runs)]
    ours, theirs = ({t: side[t] for t in topics} for side in (human, judge))
    why = _why_untested(len(topics), len(runs))
    means = [_means(side, runs) for side in (ours, theirs)]
    return SystemAgreement(
        measure=measure,
        n_topics=len(topics),
        human=means[0],
        judge=means[1],
        over_all=rank_agreement(*means),
        by_topic=topic_rankings(ours, theirs),
        decisions=None if why else decisions(winners(ours, runs), winners(theirs, runs)),
        decisions_reason=why,
    )


def winners(by_topic: ByTopic, runs: Sequence[str]) -> dict[str, int]:
    """Return for each pair of systems which is significantly better: 1, -1, or 0 for neither.

    By the paired randomisation test, two-sided, adjusted by Holm over all pairs, at 0.05.
    """
    pairs = list(combinations(runs, 2))
    differences = np.array([[v[a] - v[b] for a, b in pairs] for v in by_topic.values()])
    adjusted = holm(paired_tests(differences))
    means = differences.mean(axis=0)
    return {
        f"{a} {b}": int(np.sign(mean)) if p <= SIGNIFICANT else 0
        for (a, b), mean, p in zip(pairs, means, adjusted, strict=True)
    }


def paired_tests(differences: Floats) -> list[float]:
    """Return the p of `judge.metrics.inference.randomisation_test` for many pairs at once.

    All pairs are flipped by the same signs, which makes one matrix product of them: all 2^n signs
    of n topics up to 16, else as many random ones as there.

    Args:
        differences: of shape (topics, pairs).
    """
    n = len(differences)
    least = np.abs(differences.sum(axis=0)) - _SLACK * np.abs(differences).sum(axis=0)
    extreme, total = np.zeros(differences.shape[1]), 0
    for signs in _signs(n):
        extreme += np.count_nonzero(np.abs(signs @ differences) >= least, axis=0)
        total += len(signs)
    observed = 0 if n <= ENUMERATED else 1
    return [float(p) for p in (extreme + observed) / (total + observed)]


def _signs(n: int) -> Iterator[Floats]:
    """Blocks of sign flips, of shape (flips, n)."""
    if n <= ENUMERATED:
        numbers = np.arange(2**n)[:, None] >> np.arange(n)
        yield np.where(numbers & 1, -1.0, 1.0)
        return
    rng = np.random.PCG64(_SEED)
    for start in range(0, FLIPS, _BLOCK):
        flips = min(_BLOCK, FLIPS - start)
        words = rng.random_raw(-(-flips * n // 64)).astype("<u8")
        bits = np.unpackbits(words.view(np.uint8))[: flips * n]
        yield np.where(bits.reshape(flips, n), -1.0, 1.0)


def _why_untested(n_topics: int, n_runs: int) -> str | None:
    pairs = n_runs * (n_runs - 1) // 2
    if n_topics < 2 or not pairs:
        return "a test takes two systems, and two topics"
    return f"{pairs} pairs of systems, more than {MOST_PAIRS}" if pairs > MOST_PAIRS else None


def _means(by_topic: ByTopic, runs: Sequence[str]) -> dict[str, float]:
    if not by_topic:
        return {}
    return {run: fmean(values[run] for values in by_topic.values()) for run in runs}
