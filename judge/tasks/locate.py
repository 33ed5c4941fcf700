"""Locate: which nuggets of a topic a document holds, fully, in part or not.

The labels are subtopic judgments of the documents, and the half of nugget coverage that says
whether a cited document holds what it is cited for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from judge.errors import ReadError
from judge.parsing import SUPPORT_LABELS, batch, label
from judge.parsing.likelihood import in_batch
from judge.tasks.base import (
    Lookup,
    Topics,
    flags_of,
    item_ids,
    reply_tokens,
    texts_of,
    without_document,
    without_text,
)
from judge.tasks.batches import chunks, labels_schema
from judge.tasks.questions import parts, parts_by_id
from judge.templates import Template
from judge.types import SUPPORTS, Call, Document, Judgment, Nugget, Unit, Verdict

Asked = Mapping[tuple[str, str], Sequence[Nugget]]
"""(topic_id, docid) -> the nuggets that the document is asked about."""

_LABEL = {"type": "string", "enum": list(SUPPORTS)}


class Locate:
    """Label each nugget asked for each document, at most `batch_size` of one in a call."""

    name = "locate"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        asked: Asked,
        documents: Lookup,
        batch_size: int = 10,
    ) -> None:
        self.template = template
        self._topics, self._asked, self._documents = topics, asked, documents
        self._batch_size = batch_size
        self._by_id = parts_by_id({id(n): n for listed in asked.values() for n in listed}.values())

    def units(self) -> Iterator[Unit]:
        """One unit a (nugget, document)."""
        for (_, docid), nuggets in self._asked.items():
            for nugget in nuggets:
                for part in parts(nugget):
                    yield unit_of(part, docid)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """One call for up to `batch_size` nuggets of one document."""
        for (_, docid), group in groupby(units, key=lambda unit: (unit.topic_id, unit.docid)):
            document = self._documents(docid or "")
            if document is None:
                yield from map(without_document, group)
            elif not self.template.shows(document):
                yield from (without_text(unit, document) for unit in group)
            else:
                for part in chunks(group, self._batch_size):
                    yield self._call(part, document)

    def _call(self, units: tuple[Unit, ...], document: Document) -> Call:
        topic_id = units[0].topic_id
        prompt = self.template.render(
            topic=self._topics[topic_id],
            document=document,
            nuggets=[self._by_id[topic_id, unit.nugget_id or ""] for unit in units],
        )
        return Call(
            units=units,
            prompt=prompt,
            reply_schema=labels_schema(len(units), _LABEL),
            max_tokens=reply_tokens(self.template, len(units)),
            flags=flags_of(*texts_of(document)),
            labels=SUPPORTS[::-1],
        )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """A label for every nugget asked."""
        items = batch(text, item_ids(call))
        return {
            unit.unit_id: Verdict(label=_label(number, items[number]), marks=in_batch(number))
            for number, unit in zip(item_ids(call), call.units, strict=True)
        }


def unit_of(nugget: Nugget, docid: str) -> Unit:
    """The locate unit of a nugget (a part, see `judge.tasks.questions`) for a document."""
    return Unit(task=Locate.name, topic_id=nugget.topic_id, nugget_id=nugget.nugget_id, docid=docid)


def _label(number: str, item: Any) -> str:
    if not isinstance(item, str):
        raise ReadError(f"the value of {number} must be a string")
    return label(item, SUPPORTS, SUPPORT_LABELS)
