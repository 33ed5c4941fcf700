"""Measures of diversity: how much of what a topic asks for its ranking shows early.

They take the subtopics (nuggets, aspects) that each judged document holds. A document that is not
judged holds none. Undefined where no judged document holds any.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import e, log2

from judge.metrics.measure import param
from judge.metrics.rankings.base import Held, RankingMeasure, Scorer, dcg


class SubtopicMeasure(RankingMeasure[Held]):
    """Base of the measures that take subtopics."""

    kind = "subtopics"
    empty = "no subtopic with a positive judgment"


@dataclass(frozen=True)
class AlphaNDCG(SubtopicMeasure):
    """DCG / ideal DCG, DCG = sum over ranks r to k of gain(r) / log2(r + 1).

    The gain of a document is the sum over its subtopics of (1 - alpha)^(how many documents above
    it hold that subtopic). Clarke et al., "Novelty and diversity in information retrieval
    evaluation", SIGIR 2008, computed as ndeval does, to which it is equal up to ndeval's greatest
    cutoff of 20; here there is none. Without a cutoff, the whole ranking and the whole ideal.

    The ideal ranking is found greedily among all judged documents: at each rank the one with the
    greatest gain, of equal ones that with the greater docid. To find the true ideal is
    NP-complete; a ranking may be a little better than the greedy one and come out above 1, though
    never above e / (e - 1). The gains of a document's subtopics are added up one after the other
    in ascending order of their numbers, since rounding decides between gains that are equal on
    paper.

    alpha=0 counts every subtopic of every document in full, alpha=1 only the first time.
    """

    name = "alpha_nDCG"
    range = (0.0, e / (e - 1))
    alpha: float = param(
        0.5, "how much less a subtopic is worth each time it was seen", low=0.0, high=1.0
    )

    def scorer(self, judged: Held) -> Scorer | None:
        """Return alpha-nDCG for the rankings of a topic."""
        ideal = dcg(islice(self._ideal_gains(judged), self.cutoff))
        if not ideal:
            return None
        return lambda ranking: dcg(self._gains(judged, ranking[: self.cutoff])) / ideal

    def _gains(self, judged: Held, ranking: Sequence[str]) -> Iterator[float]:
        worth: dict[int, float] = {}
        for docid in ranking:
            subtopics = judged.get(docid, ())
            yield sum((worth.get(subtopic, 1.0) for subtopic in subtopics), 0.0)
            for subtopic in subtopics:
                worth[subtopic] = worth.get(subtopic, 1.0) * (1 - self.alpha)

    def _ideal_gains(self, judged: Held) -> Iterator[float]:
        """Yield the gains of the greedy ranking, until there is nothing more to gain."""
        import numpy as np

        docids = sorted((d for d, subtopics in judged.items() if subtopics), reverse=True)
        subtopics = sorted({subtopic for docid in docids for subtopic in judged[docid]})
        row_of = {subtopic: row for row, subtopic in enumerate(subtopics)}
        rows = [row_of[subtopic] for docid in docids for subtopic in judged[docid]]
        columns = [column for column, docid in enumerate(docids) for _ in judged[docid]]
        holds = np.zeros((len(subtopics), len(docids)))
        holds[rows, columns] = 1.0
        worth = np.ones((len(subtopics), 1))
        for _ in docids:
            gains = np.add.reduce(holds * worth, axis=0)  # row by row: the order of rounding
            best = gains.argmax()  # the first of equal ones, and so the greater docid
            if not gains[best]:
                return
            yield float(gains[best])
            worth[holds[:, best] > 0] *= 1 - self.alpha
            holds[:, best] = 0.0


@dataclass(frozen=True)
class StRecall(SubtopicMeasure):
    """Distinct subtopics in the top k / subtopics with at least one positive judgment.

    Subtopic recall (S-recall), Zhai et al., SIGIR 2003; ndeval's strec. In [0, 1].
    """

    name = "StRecall"

    def scorer(self, judged: Held) -> Scorer | None:
        """Return subtopic recall for the rankings of a topic."""
        total = _n_distinct(judged, judged)
        if not total:
            return None
        return lambda ranking: _n_distinct(judged, ranking[: self.cutoff]) / total


@dataclass(frozen=True)
class AlphaNDCGRecipe(SubtopicMeasure):
    """(sum over ranks r to k of new(r) / log2(r + 1)) / (#subtopics / log2(k + 1)).

    new(r) is the number of subtopics that the document at rank r is the first to hold.

    Warning: this is not alpha-nDCG, and no measure to choose. It is a short recipe in
    circulation under that name, here for those who must reproduce its numbers. Its denominator is
    the gain of no ranking: values pass 1, grow with k where nothing more is found, and order
    systems differently. Use alpha_nDCG.
    """

    name = "alpha_nDCG_recipe"
    range = (0.0, None)
    needs_cutoff = True

    def scorer(self, judged: Held) -> Scorer | None:
        """Return the recipe's value for the rankings of a topic."""
        total, cutoff = _n_distinct(judged, judged), self.cutoff
        if not total or cutoff is None:
            return None
        return lambda ranking: dcg(_new(judged, ranking[:cutoff])) / (total / log2(cutoff + 1))


MEASURES = (AlphaNDCG, StRecall, AlphaNDCGRecipe)


def _n_distinct(judged: Held, docids: Sequence[str] | Held) -> int:
    return len({subtopic for docid in docids for subtopic in judged.get(docid, ())})


def _new(judged: Held, ranking: Sequence[str]) -> Iterator[float]:
    seen: set[int] = set()
    for docid in ranking:
        new = set(judged.get(docid, ())) - seen
        seen |= new
        yield float(len(new))
