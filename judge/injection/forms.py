"""Patterns that are looked for only in text that can hold them.

Nearly every text holds none of what is looked for, and a plain search for a few letters or words
says so many times faster than a pattern does.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from judge.injection.readings import Reading


def has_one(words: tuple[str, ...], text: str) -> bool:
    """Tell whether a text contains any of these."""
    for word in words:  # noqa: SIM110  any() takes twice as long
        if word in text:
            return True
    return False


class Form(NamedTuple):
    """A pattern of characters, and what each of its matches contains one of, in lower case."""

    pattern: re.Pattern[str]
    needs: tuple[str, ...]

    def finditer(self, reading: Reading) -> Iterator[re.Match[str]]:
        """Return the matches in a reading."""
        if has_one(self.needs, reading.lowered):
            return self.pattern.finditer(reading.text)
        return iter(())

    def found(self, reading: Reading) -> bool:
        """Tell whether there is a match in a reading."""
        found = has_one(self.needs, reading.lowered)
        return found and self.pattern.search(reading.text) is not None


class Phrase(NamedTuple):
    """A pattern of lower-case words joined by single spaces, and what each match contains.

    That is a whole word of each of the sets of `needs`, and one of `stems`, if there are any.
    """

    pattern: re.Pattern[str]
    needs: tuple[frozenset[str], ...]
    stems: tuple[str, ...] = ()

    def found(self, reading: Reading, known: frozenset[str]) -> bool:
        """Tell whether there is a match in a reading, of whose words `known` are in some need."""
        for need in self.needs:
            if need.isdisjoint(known):
                return False
        if self.stems and not has_one(self.stems, reading.lowered):
            return False
        return self.pattern.search(reading.spoken) is not None


def form(needs: tuple[str, ...], pattern: str, flags: int = 0) -> Form:
    """Return the form of a pattern whose matches contain one of `needs`."""
    return Form(re.compile(pattern, flags), needs)


def phrase(*patterns: str, needs: tuple[str, ...] = (), stems: tuple[str, ...] = ()) -> Phrase:
    """Return the phrase of patterns with needs in common, each given as words set off by spaces."""
    sets = tuple(frozenset(words.split()) for words in needs)
    return Phrase(re.compile(rf"\b(?:{'|'.join(patterns)})\b"), sets, stems)
