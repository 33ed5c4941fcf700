"""Support: how far a cited document supports the sentence that cites it (arXiv:2603.09891).

The same sentence with the same document is judged once for a topic, however many answers have it:
one call labels all of them, as the sentence stands in the first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from judge.parsing import SUPPORT_LABELS, YES_NO, LabelLine, label_line, yes_no
from judge.tasks.base import (
    KNOWN,
    Topics,
    flags_of,
    reply_tokens,
    require_form,
    texts_of,
    without_document,
    without_text,
)
from judge.tasks.contrast import QUESTIONS, Question, composed
from judge.templates import Template
from judge.types import (
    SUPPORTS,
    Answer,
    Call,
    Document,
    Judgment,
    Label,
    Parts,
    Sentence,
    Unit,
    Verdict,
)

Citations = Literal["first", "all"] | int
Cited = Callable[[Answer, str], Document | None]
"""Finds the document that an answer cites under a docid."""


def judged_citations(sentence: Sentence, citations: Citations) -> list[str]:
    """The docids of a sentence's citations that are judged: the first N mentions, if valid."""
    limit = {"first": 1, "all": None}.get(str(citations), citations)
    mentions = sentence.citations[: int(limit) if limit is not None else None]
    return [citation.docid for citation in mentions if citation.docid is not None]


class SupportTask:
    """Label each judged citation of each sentence.

    Args:
        cited: finds the document that an answer cites under a docid.
        citations: how many citations of a sentence are judged, the strongest first.
    """

    name = "support"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        answers: Sequence[Answer],
        cited: Cited,
        citations: Citations = "first",
    ) -> None:
        require_form(template, SupportTask.name, "label-line", "yes-no")
        self.template = template
        self._contrasting = template.head.output == "yes-no"
        self._topics = topics
        self._answers = sorted(answers, key=lambda answer: answer.topic_id)
        self._cited, self._citations = cited, citations
        self._by_id = {(answer.run_id, answer.topic_id): answer for answer in answers}

    def units(self) -> Iterator[Unit]:
        """One unit a (sentence, cited document)."""
        for answer in self._answers:
            for index, sentence in enumerate(answer.sentences):
                for docid in judged_citations(sentence, self._citations):
                    yield unit_of(answer, index, docid)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """One call for all units of the same sentence and document, the first one's prompt."""
        for _, of_topic in groupby(units, key=lambda unit: unit.topic_id):
            yield from self._of_topic(of_topic)

    def _of_topic(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        groups: dict[tuple[str, ...], list[Unit]] = {}
        for unit in units:
            groups.setdefault(self._what_is_judged(unit), []).append(unit)
        for group in groups.values():
            answer = self._answer(group[0])
            found = {docid: self._cited(answer, docid) for docid in self.shown(answer, group[0])}
            documents = [document for document in found.values() if document is not None]
            if len(documents) == len(found) and all(map(self.template.shows, documents)):
                yield self._call(tuple(group), joined(documents))
            else:
                yield from (self._unasked(unit, found) for unit in group)

    def shown(self, answer: Answer, unit: Unit) -> Sequence[str]:
        """The docids of what a unit shows."""
        del answer
        return [unit.docid or ""]

    def _what_is_judged(self, unit: Unit) -> tuple[str, ...]:
        """What makes two units the same: topic, sentence, and documents with the texts carried."""
        answer = self._answer(unit)
        own = {document.docid: document.text for document in answer.documents}
        shown = [text for docid in self.shown(answer, unit) for text in (docid, own.get(docid, ""))]
        return (unit.topic_id, answer.sentences[unit.sentence or 0].text, *shown)

    def _unasked(self, unit: Unit, found: Mapping[str, Document | None]) -> Judgment:
        """The failed judgment of a unit for which a document is missing, or shows nothing."""
        absent = next((docid for docid, document in found.items() if document is None), None)
        if absent is not None:
            return without_document(unit, absent)
        return without_text(
            unit, next(d for d in found.values() if d is not None and not self.template.shows(d))
        )

    def _answer(self, unit: Unit) -> Answer:
        return self._by_id[unit.run_id or "", unit.topic_id]

    def _call(self, units: tuple[Unit, ...], document: Document) -> Call:
        if self._contrasting:
            asked = tuple(self._question(units, document, question) for question in QUESTIONS)
            return asked[0]._replace(labels=SUPPORTS[::-1], parts=Parts(asked, composed))
        return self._asking(units, document, SUPPORTS[::-1], document=document)

    def _question(self, units: tuple[Unit, ...], document: Document, asked: Question) -> Call:
        given = document if asked.with_passage else None
        return self._asking(units, document, YES_NO, document=given, question=asked.extent)

    def _asking(
        self, units: tuple[Unit, ...], judged: Document, labels: tuple[Label, ...], **values: Any
    ) -> Call:
        """A call that shows `values`, on what is judged."""
        answer = self._answer(units[0])
        prompt = self.template.render(
            topic=self._topics[units[0].topic_id],
            sentences=answer.sentences,
            index=units[0].sentence,
            **values,
        )
        return Call(
            units=units,
            prompt=prompt,
            max_tokens=reply_tokens(self.template, 1),
            flags=flags_of(*texts_of(judged), *(s.text for s in answer.sentences)),
            labels=labels,
            weighed=self.template.head.probabilities,
        )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """The label of the label line, for each unit; the others say as which one they were.

        Of a template that contrasts, it is a yes or a no.
        """
        verdict = _answered(text) if self._contrasting else _labelled(text)
        first, *others = [unit.unit_id for unit in call.units]
        verdicts = {first: verdict}
        same = verdict._replace(detail={"judged_as": first})
        return verdicts | dict.fromkeys(others, same)


@lru_cache(maxsize=KNOWN)
def _labelled(text: str) -> Verdict:
    return _verdict(label_line(text, SUPPORTS, SUPPORT_LABELS), "label", text)


@lru_cache(maxsize=KNOWN)
def _answered(text: str) -> Verdict:
    return _verdict(yes_no(text), "answer", text)


def _verdict(line: LabelLine, field: str, text: str) -> Verdict:
    return Verdict(
        label=line.label,
        flags=("conflicting_markers",) if line.conflicting else (),
        marks=(field,) if field in text.casefold() else (),
    )


def joined(documents: Sequence[Document]) -> Document:
    """One document that has the titles, texts and images of all, one after the other."""
    if len(documents) == 1:
        return documents[0]
    texts = ["\n".join(filter(None, (d.title, d.text))) for d in documents]
    return Document(
        docid=" ".join(document.docid for document in documents),
        text="\n\n".join(texts),
        images=tuple(image for document in documents for image in document.images),
    )


def unit_of(answer: Answer, index: int, docid: str) -> Unit:
    """The support unit of the citation of `docid` by sentence `index` (0-based)."""
    return Unit(
        task=SupportTask.name,
        topic_id=answer.topic_id,
        run_id=answer.run_id,
        sentence=index,
        docid=docid,
    )
