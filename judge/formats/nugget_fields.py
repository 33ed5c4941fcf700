"""The fields of a nugget that several formats share: its id, importance and sub-narrative."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from judge.formats.fields import Fields
from judge.formats.lines import Unique
from judge.types import Importance, Nugget

_IMPORTANCE: dict[str, Importance | None] = {
    "vital": "vital",
    "okay": "okay",
    "failed": None,  # nuggetizer, where its judge gave none
}


def nugget_id(text: str) -> str:
    """Return the id of a nugget by its text: "n_" and 8 hex digits of the text's sha256."""
    return f"n_{hashlib.sha256(text.encode()).hexdigest()[:8]}"


class NuggetIds:
    """Gives the nuggets of one topic their ids.

    A nugget whose file names no id gets that of its text, so that it is the same in every
    file; the second one with that text "-2" after it, and so on.
    """

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()
        self._unique = Unique("the nugget id")

    def of(self, record: Fields, text: str, field: str = "id") -> str:
        """Return the id of the nugget in `record`, whose text is `text`, by its field `field`.

        Raises:
            InputError: another nugget of the topic has this id.
        """
        given = record.ident(field) if record.has(field) else self.next(nugget_id(text))
        self._unique.add(given, record.place, record.full(field))
        return given

    def next(self, base: str) -> str:
        """Return `base` the first time, "-2" after it the second time, and so on."""
        self._given[base] += 1
        return base if self._given[base] == 1 else f"{base}-{self._given[base]}"


class NuggetGroup(NamedTuple):
    """All nuggets of a topic, as one record of a file has them."""

    topic_id: str
    nuggets: tuple[Nugget, ...]


def grouped(nuggets: Iterable[Nugget]) -> dict[str, list[Nugget]]:
    """Return the nuggets by topic, in the order the topics first appear."""
    topics: dict[str, list[Nugget]] = {}
    for nugget in nuggets:
        topics.setdefault(nugget.topic_id, []).append(nugget)
    return topics


def importance(record: Fields) -> Importance | None:
    """Return the importance in `record`, None where it is missing or null, or was not had.

    Raises:
        InputError: it is neither vital nor okay.
    """
    return record.choice("importance", _IMPORTANCE) if record.has("importance") else None


def sub_narrative(record: Fields) -> str | None:
    """Return the sub-narrative a nugget belongs to, without the literal quotes around it.

    "New: ..." is kept as it is; None where the field is missing, null or empty.
    """
    text = record.optional_text("mapped_sub_narrative")
    return (text[1:-1] if _quoted(text) else text) or None


def write_sub_narrative(text: str | None) -> str | None:
    """Return what `sub_narrative` reads back as `text`: quoted again only where it must be."""
    return f'"{text}"' if text and _quoted(text) else text


def _quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] == '"'
