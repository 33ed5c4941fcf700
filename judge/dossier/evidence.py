"""What a label rests on: the prompt and the reply from the store, and the document judged."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.corpora import InlineCorpus
from judge.types import Answer, Document
from judge_cache import Store

LONGEST = 20_000
"""Characters of a reply that are shown; replies of judges are far shorter."""


@dataclass(frozen=True)
class Asked:
    """What was asked, as (role, text) of each message, and what was replied."""

    messages: tuple[tuple[str, str], ...]
    reply: str


Lookup = Callable[[str], Document | None]
"""docid -> the document, if it is held here."""

Recall = Callable[[str], Asked | None]
"""key -> what was asked under it; None: not in the store."""


def recall_from(store: Store | None) -> Recall:
    """Return what finds prompts and replies in `store`; without one nothing is found."""

    def recall(key: str) -> Asked | None:
        entry = None if store is None else store.get(key)
        reply = (entry or {}).get("reply")
        if entry is None or not isinstance(reply, dict):
            return None
        messages = entry["request"].get("messages", ())
        return Asked(
            tuple((str(m.get("role", "")), _text(m.get("content"))) for m in messages),
            shortened(str(reply.get("text", ""))),
        )

    return recall


def shortened(text: str) -> str:
    """Return `text`; an overlong one is cut, and says so."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[… {len(text) - LONGEST:,} more characters]"


class Documents:
    """The documents of a run, wherever they are held.

    Args:
        lookups: collections, asked in this order.
        answers: what was judged; documents that they carry are asked last.
    """

    def __init__(self, lookups: Sequence[Lookup], answers: Iterable[Answer]) -> None:
        self._answers: dict[str, list[Answer]] = {}
        for answer in answers:
            self._answers.setdefault(answer.topic_id, []).append(answer)
        self._inline = InlineCorpus(a for listed in self._answers.values() for a in listed)
        self._lookups = (*lookups, self._inline.get)

    def answers(self, topic_id: str) -> Sequence[Answer]:
        """The answers to a topic, as they were judged."""
        return self._answers.get(topic_id, ())

    def get(self, docid: str) -> Document | None:
        """Return a document, or None where its text is not at hand."""
        return next((d for look in self._lookups if (d := look(docid)) is not None), None)

    def cited(self, answer: Answer | None, docid: str) -> str:
        """Return the id by which `get` finds what an answer cites as `docid`.

        It is another one where answers carry different texts under the same docid.
        """
        own = None if answer is None else self._inline.cited(answer, docid)
        if own is None or answer is None or self._inline.get(docid) is not None:
            return docid
        carried = self._inline.documents_of(answer.topic_id)
        named = (d.docid for d in carried if d.docid.startswith(f"{docid}@") and d.text == own.text)
        return next(named, docid)


def _text(content: Any) -> str:
    """The text of a message; images and other parts are named in brackets."""
    if isinstance(content, list):
        return "\n".join(_part(part) for part in content)
    return "" if content is None else str(content)


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return str(part)
    return str(part["text"]) if "text" in part else f"[{part.get('type', 'part')}]"
