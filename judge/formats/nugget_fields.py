"""The fields of a nugget that several formats share: its id, importance and sub-narrative."""

import hashlib
from collections import Counter

from judge.formats.fields import Fields
from judge.formats.lines import Unique
from judge.types import Importance

_IMPORTANCE: dict[str, Importance] = {"vital": "vital", "okay": "okay"}


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

    def of(self, record: Fields, text: str) -> str:
        """Return the id of the nugget in `record`, whose text is `text`.

        Raises:
            InputError: another nugget of the topic has this id.
        """
        given = record.ident("id") if record.has("id") else self._from(text)
        self._unique.add(given, record.place, record.full("id"))
        return given

    def _from(self, text: str) -> str:
        base = nugget_id(text)
        self._given[base] += 1
        return base if self._given[base] == 1 else f"{base}-{self._given[base]}"


def importance(record: Fields) -> Importance | None:
    """Return the importance in `record`, None where it is missing or null.

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
