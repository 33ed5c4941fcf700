"""Measures of relevance: how early a ranking shows the documents that are relevant.

They take the grades of the judged documents; a document that is not judged is not relevant, and a
grade below 0 is one of 0. Undefined where no judged document is relevant; trec_eval says 0 there,
as `--empty-as-zero` does. With trec_eval's `-c`, and `--empty-as-zero`, the means are its own.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from judge.metrics.measure import param
from judge.metrics.rankings.base import Grades, RankingMeasure, Scorer, dcg


class GradeMeasure(RankingMeasure[Grades]):
    """Base of the measures that take grades."""

    kind = "grades"
    empty = "no relevant document"


@dataclass(frozen=True)
class NDCG(GradeMeasure):
    """DCG / ideal DCG, DCG = sum over ranks r to k of gain(r) / log2(r + 1).

    Järvelin and Kekäläinen, TOIS 2002. The gain of a document is its grade (gain=linear, as
    trec_eval's ndcg and ndcg_cut, to which it is equal), 2^grade - 1 (gain=exp, Burges et al.,
    ICML 2005), or 1 for any grade above 0 (gain=binary). The ideal ranks all judged documents by
    gain, those that the ranking lacks too; without a cutoff, all of them.

    With qrels by subtopic the grade of a document is the number of subtopics (nuggets) it holds.
    """

    name = "nDCG"
    gain: Literal["linear", "exp", "binary"] = param(
        "linear", "what a grade is worth: grade, 2^grade - 1, or 1"
    )

    def scorer(self, judged: Grades) -> Scorer | None:
        """Return nDCG for the rankings of a topic."""
        top = max(judged.values(), default=0)
        gains = {docid: self._gain(grade, top) for docid, grade in judged.items() if grade > 0}
        if not gains:
            return None
        ideal = dcg(sorted(gains.values(), reverse=True)[: self.cutoff])
        return lambda ranking: dcg(gains.get(d, 0.0) for d in ranking[: self.cutoff]) / ideal

    def _gain(self, grade: int, top: int) -> float:
        if self.gain == "exp":  # in units of 2^top, which cancel: no grade is too great then
            return 2.0 ** (grade - top) - 2.0**-top
        return float(grade) if self.gain == "linear" else 1.0


@dataclass(frozen=True)
class BinaryMeasure(GradeMeasure):
    """Base of the measures to which a document is relevant or not; trec_eval computes them."""

    rel: int = param(1, "the least grade that is relevant", low=1)

    def scorer(self, judged: Grades) -> Scorer | None:
        """Return the measure for the rankings of a topic."""
        import pytrec_eval

        # these alone, as 1: pytrec_eval hangs on grades below 0, and on those of millions
        relevant = {docid: 1 for docid, grade in judged.items() if grade >= self.rel}
        if not relevant:
            return None
        name = self._trec_name()
        evaluator = pytrec_eval.RelevanceEvaluator({_TOPIC: relevant}, {name})

        def score(ranking: Sequence[str]) -> float:
            places = range(len(ranking), 0, -1)  # scores that rank the documents as they stand
            run = dict(zip(ranking[: self.cutoff], places, strict=False))
            return float(evaluator.evaluate({_TOPIC: run})[_TOPIC][name])

        return score

    @abstractmethod
    def _trec_name(self) -> str:
        """Return trec_eval's name of the measure for the documents above the cutoff alone."""


@dataclass(frozen=True)
class RR(BinaryMeasure):
    """1 / rank of the first relevant document, 0 if there is none to k: trec_eval's recip_rank."""

    name = "RR"

    def _trec_name(self) -> str:
        return "recip_rank"


@dataclass(frozen=True)
class AP(BinaryMeasure):
    """Sum over the relevant documents to k of precision at their rank / all relevant documents.

    Average precision: trec_eval's map and map_cut.
    """

    name = "AP"

    def _trec_name(self) -> str:
        return "map"


@dataclass(frozen=True)
class R(BinaryMeasure):
    """Relevant documents to k / all relevant documents: trec_eval's recall and set_recall."""

    name = "R"

    def _trec_name(self) -> str:
        return "set_recall"


@dataclass(frozen=True)
class P(BinaryMeasure):
    """Relevant documents to k / k, even if fewer were retrieved: trec_eval's P.

    Without a cutoff, relevant documents / documents retrieved: trec_eval's set_P.
    """

    name = "P"

    def _trec_name(self) -> str:
        return "set_P" if self.cutoff is None else f"P_{self.cutoff}"


@dataclass(frozen=True)
class Judged(GradeMeasure):
    """Documents to k that were judged at all / documents to k: how far the other measures reach.

    As ir-measures' Judged: where fewer than k were retrieved, these are the denominator. Defined
    for every topic with a judgment, relevant documents or not.
    """

    name = "judged"
    empty = "no judged document"

    def scorer(self, judged: Grades) -> Scorer | None:
        """Return the share of judged documents for the rankings of a topic."""
        if not judged:
            return None
        return lambda ranking: fmean(docid in judged for docid in ranking[: self.cutoff])


MEASURES = (NDCG, RR, AP, R, P, Judged)

_TOPIC = "topic"
