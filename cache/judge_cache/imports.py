"""Merging the entries of an exported file into a store, batch by batch."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from judge_cache.cache import ReplyCache
from judge_cache.codec import Entry, decode, encode
from judge_cache.errors import UnreadableError
from judge_cache.exports import Line
from judge_cache.rows import Row

BATCH = 200
"""Entries imported at a time; other processes may write in between."""

Same = Callable[[Entry, Entry], bool]
"""Tells whether two entries of one key say the same."""


class Imported(NamedTuple):
    """What an import did, in entries.

    `new` were added, `same` were there already, and for `differing` keys the store held another
    answer: which stayed, or was replaced, as the import was told.
    """

    new: int = 0
    same: int = 0
    differing: int = 0


class Merge:
    """Adds batches of entries, and counts what became of them.

    Args:
        same: tells whether two entries of one key say the same.
        replace: take the new entry where the store has another one.
    """

    def __init__(self, same: Same, *, replace: bool) -> None:
        self._same, self._replace = same, replace
        self.imported = Imported()

    def add(self, cache: ReplyCache, lines: Iterable[Line]) -> None:
        """Add all of `lines` or none."""
        new = same = differing = 0
        with cache.transaction():
            for line in lines:
                ours = _entry(cache, line.key)
                if ours is not None and self._same(ours, line.entry):
                    same += 1
                    continue
                new += ours is None
                differing += ours is not None
                if ours is None or self._replace:
                    cache.keep(Row(line.key, line.tag, line.stored, encode(line.entry)))
        done = self.imported
        self.imported = Imported(done.new + new, done.same + same, done.differing + differing)


def _entry(cache: ReplyCache, key: str) -> Entry | None:
    """Return the entry of `key`; None also for a row that cannot be read."""
    try:
        row = cache.find(key)
        return None if row is None else decode(row.data)
    except UnreadableError:
        return None
