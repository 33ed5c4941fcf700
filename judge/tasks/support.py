"""Support: how far a cited document supports the sentence that cites it (arXiv:2603.09891)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from judge.parsing import SUPPORT_LABELS, label_line
from judge.tasks.base import Topics, flags_of, reply_tokens, without_document
from judge.templates import Template
from judge.types import SUPPORTS, Answer, Call, Document, Judgment, Sentence, Unit, Verdict

Citations = Literal["first", "all"] | int


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
        cited: Callable[[Answer, str], Document | None],
        citations: Citations = "first",
    ) -> None:
        self.template = template
        self._topics, self._answers = topics, answers
        self._cited, self._citations = cited, citations
        self._by_id = {(answer.run_id, answer.topic_id): answer for answer in answers}

    def units(self) -> Iterator[Unit]:
        """One unit a (sentence, cited document)."""
        for answer in self._answers:
            for index, sentence in enumerate(answer.sentences):
                for docid in judged_citations(sentence, self._citations):
                    yield unit_of(answer, index, docid)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """One call a unit."""
        for unit in units:
            answer = self._by_id[unit.run_id or "", unit.topic_id]
            document = self._cited(answer, unit.docid or "")
            if document is None:
                yield without_document(unit)
            else:
                yield self._call(unit, answer, document)

    def _call(self, unit: Unit, answer: Answer, document: Document) -> Call:
        prompt = self.template.render(
            topic=self._topics[unit.topic_id],
            sentences=answer.sentences,
            index=unit.sentence,
            document=document,
        )
        texts = (document.title, document.text, *(s.text for s in answer.sentences))
        return Call(
            units=(unit,),
            prompt=prompt,
            max_tokens=reply_tokens(self.template, 1),
            flags=flags_of(*texts),
        )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """The label of the label line."""
        return {call.units[0].unit_id: Verdict(label=label_line(text, SUPPORTS, SUPPORT_LABELS))}


def unit_of(answer: Answer, index: int, docid: str) -> Unit:
    """The support unit of the citation of `docid` by sentence `index` (0-based)."""
    return Unit(
        task=SupportTask.name,
        topic_id=answer.topic_id,
        run_id=answer.run_id,
        sentence=index,
        docid=docid,
    )
