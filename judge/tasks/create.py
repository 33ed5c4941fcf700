"""Create: the nuggets of a topic, from its relevant documents (arXiv:2603.09891).

The judge keeps one list and returns it updated after each window of documents, the best first.
A task covers one window of every topic; the next window's task takes the lists that came back.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from judge.errors import ReadError
from judge.parsing import json_object
from judge.tasks.base import Topics, flags_of, reply_tokens, without_document
from judge.templates import Template
from judge.types import Call, Document, Judgment, Unit, Verdict

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
                reply_schema=_SCHEMA,
                max_tokens=reply_tokens(self.template, 1),
                flags=flags_of(*(text for d in documents for text in (d.title, d.text))),
            )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """The list; repeated statements are dropped, over-long ones kept and flagged."""
        listed = json_object(text).get("nuggets")
        if not isinstance(listed, list) or not all(isinstance(entry, str) for entry in listed):
            raise ReadError('the reply must be {"nuggets": [...]} with a list of strings')
        nuggets = distinct(listed)
        if not nuggets and (listed or self._lists.get(call.units[0].topic_id)):
            raise ReadError("the list of nuggets must not be blank, nor lose all it had")
        if len(nuggets) > MOST_NUGGETS:
            raise ReadError(
                f"the list has {len(nuggets)} nuggets; at most {MOST_NUGGETS} may stand"
            )
        flags = ("long_nugget",) if any(len(n.split()) > MOST_WORDS for n in nuggets) else ()
        unit_id = call.units[0].unit_id
        return {unit_id: Verdict(label=len(nuggets), flags=flags, detail={"nuggets": nuggets})}


def distinct(texts: Iterable[str]) -> list[str]:
    """Texts with white space folded, the empty ones and repetitions (case-folded) left out."""
    kept: dict[str, str] = {}
    for text in texts:
        clean = " ".join(unicodedata.normalize("NFC", text).split())
        key = clean.casefold().rstrip(".")
        if key:
            kept.setdefault(key, clean)
    return list(kept.values())


_SCHEMA = {
    "type": "object",
    "properties": {
        "nuggets": {"type": "array", "items": {"type": "string"}, "maxItems": MOST_NUGGETS}
    },
    "required": ["nuggets"],
    "additionalProperties": False,
}
