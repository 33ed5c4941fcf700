"""Measures of an answer's citations: whether the documents it cites support what it says.

They take the sentences of an answer, each with the labels of its citations. w is the credit of
a citation: full 1, partial 0.5, none 0. A citation that points at no document is an uncited
mention: as the first one it leaves its sentence uncited, among others it is passed over.
A sentence whose citations were never asked about leaves every denominator. The units are the
citations that were asked about. Two cases stand apart: an answer without sentences counts 0,
as a missing answer does; 0/0 is undefined, for precision also when the answer cites nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, Literal

from judge.errors import InputError
from judge.metrics.measure import Measure, param
from judge.metrics.outcome import (
    UNASKED,
    Notes,
    Outcome,
    Part,
    fixed,
    noted,
    part,
    undefined,
    weighted_mean,
    zero,
)
from judge.types import CitationLabel, SupportedAnswer, SupportedSentence, Topic


@dataclass(frozen=True)
class SupportMeasure(Measure[SupportedAnswer]):
    """Base of the measures that take support labels: a mean of w over sentences."""

    kind = "support"
    uncited_counts: ClassVar[bool]
    citations: Literal["first", "all"] = param(
        "first", "w of a sentence: that of its first citation, or the mean over all its judged ones"
    )
    hard: bool = param(False, "whether partial support counts 0 instead of 0.5")

    def evaluate(self, answer: SupportedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the mean of w over the sentences that count."""
        del topic
        if not answer.sentences:
            return zero("no sentences")
        parts = [p for sentence in answer.sentences if (p := self._part(sentence)) is not None]
        if not parts:
            return undefined("no judged citation")
        return weighted_mean(parts, self._notes(answer.sentences))

    def _notes(self, sentences: Sequence[SupportedSentence]) -> Notes:
        cited = [citation for sentence in sentences for citation in self._cited(sentence)]
        unjudged = sum(citation.status == "unjudged" for citation in cited)
        unasked = sum(not citation.asked for citation in cited)
        return noted(("citations that were never judged, left out", unjudged), (UNASKED, unasked))

    def _cited(self, sentence: SupportedSentence) -> Sequence[CitationLabel]:
        return sentence.citations[:1] if self.citations == "first" else sentence.citations

    def _part(self, sentence: SupportedSentence) -> Part | None:
        """Return the sentence's part in the mean, None where it leaves the denominator."""
        valid = [citation for citation in self._cited(sentence) if citation.status != "invalid"]
        if not valid:
            return fixed(0.0) if self.uncited_counts else None
        units = [self._credit(citation) for citation in valid if citation.status != "unjudged"]
        return part(units, fmean) if units else None

    def _credit(self, citation: CitationLabel) -> float | None:
        if citation.status == "failed":
            return None
        if citation.label is None:
            raise InputError(f"citation {citation.mention!r} has status ok and no label")
        partial = 0.0 if self.hard else 0.5
        return {"full": 1.0, "partial": partial, "none": 0.0}[citation.label]


@dataclass(frozen=True)
class SupportPrecision(SupportMeasure):
    """sum of w(first citation) / sentences whose first citation is judged.

    TREC 2024 RAG's weighted precision; uncited sentences stay out. With citations=all a sentence
    counts with the mean of w over its judged citations. An answer with sentences but no judged
    citation is undefined: it says nothing that could be wrong, and support_recall gives it 0.
    """

    name = "support_precision"
    uncited_counts = False


@dataclass(frozen=True)
class SupportRecall(SupportMeasure):
    """sum of w(first citation) / (sentences - sentences whose first citation is unjudged).

    TREC 2024 RAG's weighted recall; uncited sentences stay in, at 0. With citations=all a
    sentence counts with the mean of w over its judged citations.
    """

    name = "support_recall"
    uncited_counts = True


MEASURES = (SupportPrecision, SupportRecall)
