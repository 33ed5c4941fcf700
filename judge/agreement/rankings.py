"""Agreement of the order in which people and a judge put systems.

All measures here take two sequences of scores of the same systems, the human side first, and
give None where they are undefined: scores that are equal everywhere have no order. Scores
that agree to 12 decimals are equal, so that means summed in another order are tied.
"""

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import comb, fsum, sqrt
from operator import itemgetter

import numpy as np

from judge.agreement.scale import Floats

FEWEST = 3
"""Systems that a ranking needs: of two, any measure is 1 or -1 and says nothing."""

_DECIMALS = 12


@dataclass(frozen=True)
class Swap:
    """The system that moves farthest; ranks from 1, the mean rank where systems are tied."""

    run_id: str
    human_rank: float
    judge_rank: float


@dataclass(frozen=True)
class RankAgreement:
    """How two sides rank `n` systems by a measure; correlations lie in [-1, 1].

    `reason` tells why values are None.
    """

    n: int
    kendall: float | None = None
    tau_ap: float | None = None
    spearman: float | None = None
    pearson: float | None = None
    rmse: float | None = None
    largest_swap: Swap | None = None
    reason: str | None = None


def rank_agreement(human: Mapping[str, float], judge: Mapping[str, float]) -> RankAgreement:
    """Compare the scores that two sides give the systems both have.

    Args:
        human: run_id -> score by human labels, higher being better.
        judge: run_id -> score by the judge's.
    """
    runs = [run for run in human if run in judge]
    if len(runs) < FEWEST:
        return RankAgreement(
            len(runs), reason=f"{len(runs)} systems, and a ranking takes at least {FEWEST}"
        )
    x, y = (np.array([scores[r] for r in runs]).round(_DECIMALS) for scores in (human, judge))
    return RankAgreement(
        n=len(runs),
        kendall=kendall(x, y),
        tau_ap=tau_ap(x, y),
        spearman=spearman(x, y),
        pearson=pearson(x, y),
        rmse=rmse(x, y),
        largest_swap=largest_swap(runs, x, y),
        reason=_constant(x, y),
    )


def kendall(human: Floats, judge: Floats) -> float | None:
    """Kendall's tau-b (1945): concordant less discordant pairs, ties of either side taken out.

    Pairs are counted in Knight's way (1966), by sorting, and not one by one.
    """
    x, y = human.tolist(), judge.tolist()
    pairs, tied_x, tied_y = comb(len(x), 2), _tied_pairs(x), _tied_pairs(y)
    norm = sqrt(float(pairs - tied_x) * float(pairs - tied_y))
    untied = pairs - tied_x - tied_y + _tied_pairs(zip(x, y, strict=True))
    discordant = _inversions(score for _, score in sorted(zip(x, y, strict=True)))
    return None if norm == 0 else (untied - 2 * discordant) / norm


def tau_ap(human: Floats, judge: Floats) -> float | None:
    """AP correlation of the judge's ranking with the human one (Yilmaz et al. 2008, eq. 5).

    2 / (n - 1) * sum over i = 2..n of C(i) / (i - 1), less 1: C(i) counts the systems above
    rank i of the judge's ranking that people put above the one at i too. Mistakes at the top
    cost the most; it is not symmetric.

    Ties, which the paper leaves open: a pair that both sides see as equal is right; one that
    people alone see as equal is half right. Where the judge has systems equal, the value is the
    mean over all their orders, worked out and not drawn. So the same scores on both sides give
    1, ties or not. None where either side has all systems equal.
    """
    if _constant(human, judge):
        return None
    shares: list[float] = []
    ahead: list[float] = []
    for group in _tied_groups(human, judge):
        shares += _expected_shares(ahead, group)
        for score in group:
            insort(ahead, score)
    return 2 / (len(human) - 1) * fsum(shares) - 1


def spearman(human: Floats, judge: Floats) -> float | None:
    """Pearson's correlation of the ranks, tied systems having their mean rank."""
    return pearson(ranks(human), ranks(judge))


def pearson(human: Floats, judge: Floats) -> float | None:
    """Pearson's correlation of the scores."""
    if _constant(human, judge):
        return None
    x, y = human - human.mean(), judge - judge.mean()
    value = float(x @ y) / sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, value))


def rmse(human: Floats, judge: Floats) -> float:
    """Root of the mean squared difference of the scores."""
    return sqrt(float(np.mean((human - judge) ** 2)))


def largest_swap(runs: Sequence[str], human: Floats, judge: Floats) -> Swap:
    """Return the system whose rank differs most; of several, the best by human rank."""
    x, y = ranks(human), ranks(judge)
    place = max(range(len(runs)), key=lambda i: (abs(x[i] - y[i]), -x[i]))
    return Swap(runs[place], float(x[place]), float(y[place]))


def ranks(scores: Floats) -> Floats:
    """Return the ranks of scores, the highest being 1, tied ones having their mean rank."""
    places, counts = np.unique(-scores, return_inverse=True, return_counts=True)[1:]
    return np.asarray(np.cumsum(counts)[places] - (counts[places] - 1) / 2)


@dataclass(frozen=True)
class TopicRankings:
    """Rank agreement by topic: the mean of tau-b over topics where it is defined, and each."""

    n_topics: int
    n_undefined: int
    mean_kendall: float | None
    by_topic: dict[str, RankAgreement]


def topic_rankings(
    human: Mapping[str, Mapping[str, float]], judge: Mapping[str, Mapping[str, float]]
) -> TopicRankings:
    """Compare the rankings of each topic.

    Args:
        human: topic_id -> run_id -> score.
        judge: the same by the judge's labels.
    """
    by_topic = {t: rank_agreement(human[t], judge[t]) for t in human if t in judge}
    taus = [found.kendall for found in by_topic.values() if found.kendall is not None]
    return TopicRankings(
        n_topics=len(by_topic),
        n_undefined=len(by_topic) - len(taus),
        mean_kendall=fsum(taus) / len(taus) if taus else None,
        by_topic=by_topic,
    )


@dataclass(frozen=True)
class Decisions:
    """What a reader would conclude of each pair of systems, by either side's paired test.

    A side decides a pair if the difference is significant; `same` and `opposite` count the pairs
    both sides decide, `neither` those none does. `agreement` is (same + neither) / pairs.
    """

    pairs: int
    same: int
    opposite: int
    only_human: int
    only_judge: int
    neither: int
    agreement: float | None


def decisions(human: Mapping[str, int], judge: Mapping[str, int]) -> Decisions:
    """Count the conclusions of both sides.

    Args:
        human: pair of systems -> 1 if the first wins, -1 if the second does, 0 if neither.
        judge: the same by the judge's labels.
    """
    both = [(human[pair], judge[pair]) for pair in human if pair in judge]
    same = sum(h == j != 0 for h, j in both)
    neither = sum(h == j == 0 for h, j in both)
    return Decisions(
        pairs=len(both),
        same=same,
        opposite=sum(h * j < 0 for h, j in both),
        only_human=sum(h != 0 and j == 0 for h, j in both),
        only_judge=sum(h == 0 and j != 0 for h, j in both),
        neither=neither,
        agreement=(same + neither) / len(both) if both else None,
    )


def _tied_pairs(scores: Iterable[Hashable]) -> int:
    """How many pairs are of equal scores."""
    return sum(comb(count, 2) for count in Counter(scores).values())


def _inversions(scores: Iterable[float]) -> int:
    """How many pairs stand in falling order."""
    seen: list[float] = []
    found = 0
    for score in scores:
        place = bisect_right(seen, score)
        found += len(seen) - place
        seen.insert(place, score)
    return found


def _constant(human: Floats, judge: Floats) -> str | None:
    for side, scores in (("human", human), ("judge's", judge)):
        if np.ptp(scores) == 0:
            return f"no order: the {side} scores are equal for all systems"
    return None


def _tied_groups(human: Floats, judge: Floats) -> Iterator[list[float]]:
    """The human scores of the systems in the order of the judge, those that it ties together."""
    order = np.argsort(-judge, kind="stable")
    pairs = zip(judge[order].tolist(), human[order].tolist(), strict=True)
    for _, group in groupby(pairs, key=itemgetter(0)):
        yield [score for _, score in group]


def _expected_shares(ahead: Sequence[float], group: Sequence[float]) -> list[float]:
    """C(i) / (i - 1) at each rank a tied group takes up, in the mean over the group's orders.

    At the rank after m members of the group, every system of `ahead` and m random other members
    stand above; each member is equally often the one at that rank. Of two members one order is
    right, and both are if people see them as equal.

    Args:
        ahead: human scores of the systems above the group, rising.
        group: human scores of its members.
    """
    size, n_ahead = len(group), len(ahead)
    from_ahead = fsum(_credit(ahead, score) for score in group) / size
    inside = (comb(size, 2) + _tied_pairs(group)) / size
    each = inside / (size - 1) if size > 1 else 0.0
    return [(from_ahead + m * each) / (n_ahead + m) for m in range(size) if n_ahead + m]


def _credit(ahead: Sequence[float], score: float) -> float:
    """How many of `ahead` people put above a score, those that are equal counted half."""
    return len(ahead) - (bisect_left(ahead, score) + bisect_right(ahead, score)) / 2
