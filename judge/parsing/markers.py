"""The lines of a reply that state a value after a marker, and which of them decides."""

import re
from collections.abc import Sequence
from functools import lru_cache

from judge.errors import shorten
from judge.parsing.folding import fold

BOLD = "[*_]{0,3}"


@lru_cache(maxsize=32)
def _pattern(marker: str) -> re.Pattern[str]:
    """Match a marker in a folded line: `lead` where it starts the line, `separator` after it."""
    words = fold(marker).lstrip("#")
    hashes = "#" * (len(fold(marker)) - len(words))
    return re.compile(
        rf"(?P<lead>^(?:[-*+•] )?{BOLD})?"
        rf"(?<![#a-z0-9]){hashes}{' ?' if hashes else ''}{re.escape(words.lstrip())}(?![a-z0-9])"
        rf"(?P<separator>{BOLD} ?(?::|- )(?:{BOLD} )?{BOLD})?",
        re.IGNORECASE | re.ASCII,
    )


def markers(lines: Sequence[str], marker: str) -> list[re.Match[str]]:
    """Return every place in the folded lines where the marker stands, in order."""
    pattern = _pattern(marker)
    return [match for line in lines for match in pattern.finditer(line)]


def deciding(found: Sequence[re.Match[str]], lines: Sequence[str]) -> re.Match[str] | None:
    """Return the marker that decides: the last that starts a line, else the only one of the reply.

    The only one counts where it stands on the last line; its value must then end that line.
    """
    leading = [marker for marker in found if marker["lead"] is not None]
    if leading:
        return leading[-1]
    return found[0] if len(found) == 1 and found[0].string == lines[-1] else None


def stated(marker: re.Match[str]) -> str:
    """Return what stands after a marker, to the end of its line."""
    return marker.string[marker.end() :].strip()


def complaint(marker: re.Match[str]) -> str:
    """Return what is wrong with a marker whose value cannot be read, for the judge."""
    if marker["separator"]:
        return f"it says {shorten(stated(marker))}"
    return f"{shorten(marker.string[marker.start() :])} has no ':' before its value"
