"""Patterns that are looked for only in text that can hold them.

Nearly every text holds none of what is looked for, and a plain search for a few letters says so
many times faster than a pattern does.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Form(NamedTuple):
    """A pattern, and what each of its matches contains one of: `needs`, in lower case."""

    pattern: re.Pattern[str]
    needs: tuple[str, ...]

    def finditer(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        """Return the matches in `text`, of which `lowered` is the lower case."""
        return self.pattern.finditer(text) if self._can_match(lowered) else iter(())

    def found(self, text: str, lowered: str) -> bool:
        """Tell whether there is a match in `text`, of which `lowered` is the lower case."""
        return self._can_match(lowered) and self.pattern.search(text) is not None

    def _can_match(self, lowered: str) -> bool:
        for need in self.needs:  # noqa: SIM110  any() takes twice as long
            if need in lowered:
                return True
        return False


def form(needs: tuple[str, ...], pattern: str, flags: int = 0) -> Form:
    """Return the form of a pattern whose matches contain one of `needs`."""
    return Form(re.compile(pattern, flags), needs)
