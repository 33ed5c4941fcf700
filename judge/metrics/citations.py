"""ALCE's citation quality: whether what an answer cites supports it, and whether all of it helps.

T. Gao, H. Yen, J. Yu and D. Chen, "Enabling large language models to generate text with
citations", EMNLP 2023. A passage or set of passages supports a sentence, or does not: full is
support, none is not; partial=true takes partial support for support, too. The measures take
sentences with the labels of what they cite: of all documents together, of each alone, of all the
others without it. Where that does not matter, a label need not be there.

A citation that points at no document is passed over, as in the support measures; ALCE's own code
gives its sentence 0 and passes over all that the sentence cites. An answer without sentences counts
0, and so does the precision of one that cites nothing, as in ALCE's code.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from judge.cited import WeighedAnswer, WeighedCitation, WeighedSentence
from judge.metrics.measure import Measure, param
from judge.metrics.outcome import Outcome, Part, fixed, weighted_mean, zero
from judge.types import Support, Topic


@dataclass(frozen=True)
class CitationMeasure(Measure[WeighedAnswer]):
    """Base of the measures that take weighed citations."""

    kind = "citations"
    partial: bool = param(False, "whether partial support counts as support")

    def supports(self, label: Support | None) -> bool | None:
        """Return whether a label says that the sentence is supported, None where it failed."""
        return None if label is None else label == "full" or (self.partial and label == "partial")

    def recall(self, answer: WeighedAnswer) -> Outcome:
        """Return the share of the sentences that are supported."""
        if not answer.sentences:
            return zero("no sentences")
        return weighted_mean(map(self._recalled, answer.sentences))

    def precision(self, answer: WeighedAnswer) -> Outcome:
        """Return the share of the citations that are precise."""
        parts = [part for sentence in answer.sentences for part in self._precise(sentence)]
        return weighted_mean(parts) if parts else zero("no citations")

    def _recalled(self, sentence: WeighedSentence) -> Part:
        if not _cited(sentence):
            return fixed(0.0)
        return _part(_either(self.supports(sentence.together)))

    def _precise(self, sentence: WeighedSentence) -> Iterable[Part]:
        """Return a part for each citation: 1 if it is precise, over all that a failure may be."""
        cited = _cited(sentence)
        together = _either(self.supports(sentence.together))
        for citation in cited:
            alone = _either(self.supports(citation.alone)) if len(cited) > 1 else {True}
            without = _either(self.supports(citation.without)) if len(cited) > 1 else {False}
            yield _part({t and (a or not w) for t in together for a in alone for w in without})


@dataclass(frozen=True)
class CitationRecall(CitationMeasure):
    """sentences that all they cite together supports / sentences: ALCE's citation recall.

    A sentence that cites nothing counts 0. The units are the sentences that cite something.
    """

    name = "citation_recall"

    def evaluate(self, answer: WeighedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the sentences that are supported."""
        del topic
        return self.recall(answer)


@dataclass(frozen=True)
class CitationPrecision(CitationMeasure):
    """precise citations / citations, over the whole answer: ALCE's citation precision.

    A citation is precise if its sentence is recalled, and it is not irrelevant: irrelevant is one
    that alone does not support the sentence, where the others without it do. The only citation of
    a sentence is precise whenever the sentence is recalled. Of a sentence that is not recalled,
    no citation is. Two documents that say the same are both precise, since each alone supports.

    The units are the citations; one whose labels failed is counted as failed where they decide.
    An answer that cites nothing counts 0.
    """

    name = "citation_precision"

    def evaluate(self, answer: WeighedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the citations that are precise."""
        del topic
        return self.precision(answer)


@dataclass(frozen=True)
class CitationF1(CitationMeasure):
    """2 P R / (P + R) of citation_precision P and citation_recall R of the same answer.

    0 where both are 0. The bounds are those of P and R taken together, and 0 and 1 where either has
    no value. The units are those of both.
    """

    name = "citation_f1"

    def evaluate(self, answer: WeighedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the harmonic mean of precision and recall."""
        del topic
        p, r = self.precision(answer), self.recall(answer)
        value = _harmonic(p.value, r.value)
        return Outcome(
            value=value,
            low=0.0 if value is None else _harmonic(p.low, r.low),
            high=1.0 if value is None else _harmonic(p.high, r.high),
            n_judged=p.n_judged + r.n_judged,
            n_failed=p.n_failed + r.n_failed,
            reason=r.reason or p.reason,
        )


MEASURES = (CitationRecall, CitationPrecision, CitationF1)


def _cited(sentence: WeighedSentence) -> list[WeighedCitation]:
    return [citation for citation in sentence.citations if citation.docid is not None]


def _either(known: bool | None) -> set[bool]:
    return {False, True} if known is None else {known}


def _part(outcomes: set[bool]) -> Part:
    """Return the part whose credit is 1 or 0, one of `outcomes`."""
    low, high = float(min(outcomes)), float(max(outcomes))
    if low == high:
        return Part(low, low, high, n_judged=1)
    return Part(None, low, high, n_failed=1)


def _harmonic(p: float | None, r: float | None) -> float | None:
    if p is None or r is None:
        return None
    return 2 * p * r / (p + r) if p + r > 0 else 0.0
