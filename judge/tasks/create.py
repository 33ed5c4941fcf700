"""Create: the nuggets of a topic, from its relevant documents (arXiv:2603.09891).

The judge keeps one list and returns it updated after each window of documents, the best first,
each nugget with the numbers of the passages that state it.
A task covers one window of every topic; the next window's task takes the lists that came back.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from judge.errors import ReadError
from judge.likeness import folded
from judge.parsing import json_object
from judge.tasks.base import Topics, flags_of, reply_tokens, texts_of, without_document
from judge.templates import Template
from judge.types import Call, Document, Judgment, Unit, Verdict

Passages = list[int] | None

MOST_NUGGETS = 30
MOST_WORDS = 12


class Create:
    """Update each topic's nugget list from one window of its documents.

    Args:
        window: 0-based number of the window.
        documents: the documents of this window, by topic.
        lists: the nugget texts so far, by topic, best first.
        missing: docids that belong into it, but whose documents are nowhere, by topic.
    """

    name = "create"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        window: int,
        documents: Mapping[str, Sequence[Document]],
        lists: Mapping[str, Sequence[str]],
        missing: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self.template = template
        self._topics, self._window = topics, window
        self._documents, self._lists, self._missing = documents, lists, missing

    def units(self) -> Iterator[Unit]:
        """One unit a topic that has documents in this window, and one a missing document."""
        for topic_id, docids in self._missing.items():
            for docid in docids:
                yield Unit(task=self.name, topic_id=topic_id, docid=docid)
        for topic_id, documents in self._documents.items():
            if documents:
                yield Unit(task=self.name, topic_id=topic_id, window=self._name_of(topic_id))

    def _name_of(self, topic_id: str) -> str:
        """The window by all that is shown in it, so that another one is asked anew."""
        documents = [(document.docid, document.text) for document in self._documents[topic_id]]
        shown = json.dumps([documents, list(self._lists.get(topic_id, ()))])
        return f"{self._window}-{hashlib.sha256(shown.encode()).hexdigest()[:8]}"

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """One call a unit."""
        for unit in units:
            if unit.docid is not None:
                yield without_document(unit)
                continue
            documents = self._documents[unit.topic_id]
            prompt = self.template.render(
                topic=self._topics[unit.topic_id],
                documents=documents,
                nuggets=self._lists.get(unit.topic_id, ()),
                most=MOST_NUGGETS,
            )
            yield Call(
                units=(unit,),
                prompt=prompt,
                reply_schema=_schema(len(documents)),
                max_tokens=reply_tokens(self.template, 1),
                flags=flags_of(*(text for d in documents for text in texts_of(d))),
            )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """The list, and for each nugget the 0-based passages of this window that state it.

        Repeated statements are one; over-long ones are kept and flagged. A nugget without a list
        of passages, as a template of the user's own may ask for it, has None.
        """
        topic_id = call.units[0].topic_id
        listed = json_object(text).get("nuggets")
        if not isinstance(listed, list):
            raise ReadError('the reply must be {"nuggets": [...]} with a list')
        size = len(self._documents[topic_id])
        nuggets = distinct(_entry(entry, size) for entry in listed)
        if not nuggets and (listed or self._lists.get(topic_id)):
            raise ReadError("the list of nuggets must not be blank, nor lose all it had")
        if len(nuggets) > MOST_NUGGETS:
            raise ReadError(
                f"the list has {len(nuggets)} nuggets; at most {MOST_NUGGETS} may stand"
            )
        detail = {"nuggets": list(nuggets), "passages": list(nuggets.values())}
        verdict = Verdict(label=len(nuggets), flags=self._flags(topic_id, nuggets), detail=detail)
        return {call.units[0].unit_id: verdict}

    def _flags(self, topic_id: str, nuggets: Mapping[str, Passages]) -> tuple[str, ...]:
        before = {folded(text) for text in self._lists.get(topic_id, ())}
        new = [text for text in nuggets if folded(text) not in before]
        found = {
            "long_nugget": any(len(text.split()) > MOST_WORDS for text in nuggets),
            "no_passage_named": any(not nuggets[text] for text in new),
        }
        return tuple(flag for flag, holds in found.items() if holds)


def distinct(entries: Iterable[tuple[str, Passages]]) -> dict[str, Passages]:
    """Texts with white space folded and their passages; the empty ones are left out.

    Texts that are the same once folded (`judge.likeness.folded`) are one, with the passages of
    all.
    """
    kept: dict[str, tuple[str, Passages]] = {}
    for text, passages in entries:
        clean = " ".join(unicodedata.normalize("NFC", text).split())
        if key := folded(clean):
            first, earlier = kept.get(key, (clean, None))
            both = {*(earlier or ()), *(passages or ())}
            known = passages is not None or earlier is not None
            kept[key] = first, sorted(both) if known else None
    return dict(kept.values())


def _entry(entry: Any, size: int) -> tuple[str, Passages]:
    """The text and the 0-based passages of an entry, which is a text or an object."""
    if isinstance(entry, str):
        return entry, None
    if not isinstance(entry, dict) or not isinstance(entry.get("nugget"), str):
        raise ReadError('each nugget must be an object with "nugget", a text, and "passages"')
    passages = entry.get("passages")
    if not isinstance(passages, list) or any(type(number) is not int for number in passages):
        raise ReadError('"passages" of a nugget must be a list of passage numbers')
    if outside := [number for number in passages if not 1 <= number <= size]:
        raise ReadError(f"a nugget names passage {outside[0]}, but there are 1 to {size}")
    return entry["nugget"], [number - 1 for number in passages]


def _schema(documents: int) -> dict[str, Any]:
    numbers = {"type": "integer", "enum": list(range(1, documents + 1))}
    nugget = {
        "type": "object",
        "properties": {
            "nugget": {"type": "string"},
            "passages": {"type": "array", "items": numbers, "maxItems": documents},
        },
        "required": ["nugget", "passages"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"nuggets": {"type": "array", "items": nugget, "maxItems": MOST_NUGGETS}},
        "required": ["nuggets"],
        "additionalProperties": False,
    }
