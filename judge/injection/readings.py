"""A text as it may be seen: by a tokenizer, by a reader, by something that decodes it.

Each reading folds more of what tells two spellings of one thing apart. A reading knows for each of
its characters the place in the text that it comes from, so that the text itself can be changed
there and nowhere else.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

from judge.parsing import nfkc

_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Characters outside of category Cf that show as nothing: joiners, fillers, inherent vowels."""

_LOOKALIKES = dict(
    zip(
        # Cyrillic, Greek, Armenian, small capitals and others, slashes and bars
        "авсенһіјкӏмопрԛѕтуԝхАВСЕНІЈКМОРЅТУХ"
        "αβειοκνρτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
        "ոսօհց"
        "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ"
        "ıɡɑ⁄∕⧸ǀ∣│",
        "abcehhijklmonpqstywxABCEHIJKMOPSTYX"
        "abeiokvptuxABEZHIKMNOPTYX"
        "nuohg"
        "abcdefghijklmnoprstuvwyz"
        "iga///|||",
        strict=True,
    )
)
"""Characters that pass for a Latin letter, a slash or a bar, with what they pass for."""

_ENTITY = (
    r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}"
    r"|(?:[lg]t|[LG]T|num|sol|bsol|vert|verbar|quot|apos|colon|[lr]sqb|[lr]brack|lowbar));"
)
_HAS_ENTITY = re.compile(_ENTITY)
_WORD, _WORD_OR_END = re.compile(r"[^\W_]++"), re.compile(r"[^\W_]++|[.!?]")
_SPACED = bytes(code if chr(code).isalnum() else 32 for code in range(128)).ljust(256)
_UNITS = re.compile(f"{_ENTITY}|.", re.DOTALL)


class Reading:
    """A text seen in one way: the `text` that is seen, and `lowered`, the same in lower case.

    Args:
        units: the text, cut into what is seen as one character each.
        fold: what each unit is seen as, if not as itself; it learns those it does not hold yet.
    """

    def __init__(self, units: Sequence[str], fold: dict[str, str] | None = None) -> None:
        self._units = units
        self._seen = units if fold is None else [fold[unit] for unit in units]
        self.text = self._seen if isinstance(self._seen, str) else "".join(self._seen)
        self.lowered = self.text.lower()

    def words(self) -> list[str]:
        """Return the words in lower case."""
        if not self.lowered.isascii():
            return _WORD.findall(self.lowered)
        # the same, and several times as fast
        return self.lowered.encode().translate(_SPACED).decode().split()

    @cached_property
    def spoken(self) -> str:
        """The words in lower case and the sentence ends among them, joined by single spaces."""
        return " ".join(_WORD_OR_END.findall(self.lowered))

    @cached_property
    def at(self) -> list[int]:
        """For each character of `text`, the place in the original that it comes from."""
        starts = accumulate(map(len, self._units), initial=0)
        return [start for start, seen in zip(starts, self._seen, strict=False) for _ in seen]


class _Shown(dict[str, str]):
    """Compatibility forms folded, what shows as nothing gone."""

    def __missing__(self, unit: str) -> str:
        return self.setdefault(unit, "" if _is_invisible(unit) else nfkc(unit))


class _Skeleton(dict[str, str]):
    """Besides that: entities decoded, marks dropped, look-alikes and Unicode tags as Latin."""

    def __missing__(self, unit: str) -> str:
        return self.setdefault(unit, "".join(map(_bare, html.unescape(unit))))


_SHOWN, _SKELETON = _Shown(), _Skeleton()


def readings(text: str) -> Iterator[Reading]:
    """Yield the text as it stands and, where it can differ from that, as shown and its skeleton."""
    yield Reading(text)
    if not text.isascii():
        yield Reading(text, _SHOWN)
    if not text.isascii() or _HAS_ENTITY.search(text):
        yield Reading(_UNITS.findall(text) if "&" in text else text, _SKELETON)


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) == "Cf" or char in _BLANKS or _is_variation(char)


def _is_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _bare(char: str) -> str:
    if char.isascii():
        return char
    if "\U000e0020" <= char <= "\U000e007e":
        return chr(ord(char) - 0xE0000)
    if _is_invisible(char):
        return ""
    return "".join(map(_base, nfkc(char)))


def _base(char: str) -> str:
    """A letter without its marks, as the Latin one that it passes for; no mark on its own."""
    parts = unicodedata.normalize("NFD", char)
    if unicodedata.category(parts[0]) == "Mn":
        return ""
    if char.isalpha() and all(unicodedata.category(mark) == "Mn" for mark in parts[1:]):
        char = parts[0]
    return _LOOKALIKES.get(char, char)
