"""The store that a judging run reads from and writes to; it outlives faults of its disk."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from judge_cache.cache import ReplyCache
from judge_cache.codec import Entry, encode
from judge_cache.errors import FAULTS, StoreError, UnreadableError, is_damage, reason
from judge_cache.exports import Line, Verify, read_export, write_export
from judge_cache.opening import Notice, open_cache

T = TypeVar("T")

BATCH = 200
"""Entries imported at a time; other processes may write in between."""

_warn = logging.getLogger("judge_cache").warning


class Store:
    """An open reply store; a context manager, safe to use from several threads.

    An entry is a JSON object with a "request" object, and beside it whatever the caller keeps
    (its "reply"); "key" and "tag" are reserved. After a fork the child may go on with the store,
    so long as no other thread was using it at that moment.

    Args:
        path: the folder of the store.
        on_notice: told, in one line and once for each kind, what went wrong without stopping
            the run. Called from whichever thread noticed.

    Raises:
        StoreError: the folder cannot be made or written, or another program uses it.
    """

    def __init__(self, path: Path, on_notice: Notice) -> None:
        self.path = path.absolute()
        self._on_notice = on_notice
        self._told: set[str] = set()
        self._lock = threading.RLock()
        self._renewed = False
        self._open: ReplyCache | None = open_cache(self.path, on_notice)

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store for every thread; a second call does nothing."""
        with self._lock:
            if self._open is not None:
                self._open.close_all()
                self._open = None

    def get(self, key: str) -> Entry | None:
        """Return the entry of `key`, or None where there is none that can be read.

        Raises:
            TypeError: `key` is not a str.
            StoreError: the store is closed.
        """
        found = self._find(key)
        return None if found is None else found[0]

    def put(self, key: str, entry: Entry, *, tag: str) -> bool:
        """Keep `entry` under `key`, in place of what is there; return whether it was kept.

        A full or read-only disk is told once, and the run goes on without keeping replies.

        Args:
            key: the key of the entry's request.
            entry: a JSON object that holds its "request".
            tag: a word that groups entries, such as the model's name.

        Raises:
            TypeError: `key` or `tag` is not a str, or something in `entry` is not JSON.
            ValueError: `entry` has no request, or a number in it is not finite.
            StoreError: the store is closed.
        """
        if type(tag) is not str:
            raise TypeError(f"a tag is a str, not {type(tag).__name__}")
        data = encode(entry)
        return bool(self._attempt("written", lambda cache: cache.set(key, data, tag=tag)))

    def remove(self, keys: Iterable[str]) -> int:
        """Drop the entries of `keys`; return how many there were.

        Raises:
            StoreError: the store cannot be written.
        """
        return self._do(partial(_drop, keys=keys))

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a row for `key`; its value is not read."""
        return isinstance(key, str) and self._do(lambda cache: cache.holds(key))

    def __len__(self) -> int:
        """Count the keys."""
        return self._do(ReplyCache.count)

    def tags(self) -> dict[str, int]:
        """Return how many entries each tag has; no value is read."""
        return self._do(ReplyCache.tags)

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted; the store may be written meanwhile."""
        if foreign := self._do(ReplyCache.count_foreign):
            self._tell("foreign", f"{foreign} rows are not of this tool and are not read")
        last = None
        while page := self._do(partial(ReplyCache.keys_after, key=last)):
            yield from page
            last = page[-1]

    def export(self, path: Path, keys: Iterable[str] | None = None) -> int:
        """Write entries to one portable file; return how many.

        Each line is an entry with its key and tag, sorted by key; the same entries give the same
        bytes. The file is there whole or not at all.

        Args:
            path: the file; by convention its name ends in `.jsonl.zst`.
            keys: which entries; None for all. Those not in the store are left out and told.

        Raises:
            StoreError: the store cannot be read or the file cannot be written.
        """
        wanted = self.keys() if keys is None else iter(sorted(set(keys)))
        return write_export(path, self._export_lines(wanted))

    def import_file(self, path: Path, *, verify: Verify) -> int:
        """Add the entries of an exported file; return how many are new.

        The whole file is checked before anything is added. An entry whose key is in the store
        already stays as it is.

        Args:
            path: the file.
            verify: returns the key of a request.

        Raises:
            StoreError: a line is not what was exported (then nothing is added), or the store
                cannot be written (then what was added so far stays).
        """
        for _ in read_export(path, verify):
            pass
        lines = read_export(path, verify)
        added = 0
        while batch := list(islice(lines, BATCH)):
            added += self._do(partial(_add, lines=batch))
        return added

    def _find(self, key: str) -> tuple[Entry, str] | None:
        return self._attempt("read", lambda cache: cache.find(key))

    def _export_lines(self, keys: Iterator[str]) -> Iterator[Line]:
        missing = 0
        for key in keys:
            if (found := self._find(key)) is None:
                missing += 1
            else:
                yield Line(key, found[1], found[0])
        if missing:
            self._on_notice(
                f"{missing} of the entries to export are not in the reply store {self.path}, "
                "or cannot be read: they are left out; judge them again to have them"
            )

    def _cache(self) -> ReplyCache:
        cache = self._open
        if cache is None:
            raise StoreError(f"the reply store {self.path} is closed; open it again")
        return cache

    def _do(self, act: Callable[[ReplyCache], T]) -> T:
        """Return what `act` gives; a fault is an error."""
        cache = self._cache()
        try:
            return act(cache)
        except FAULTS as error:
            cache.close()
            raise StoreError(
                f"the reply store {self.path} failed: {reason(error)}; "
                "look at its disk and at who else uses it, then run the command again"
            ) from error

    def _attempt(self, task: str, act: Callable[[ReplyCache], T]) -> T | None:
        """Return what `act` gives; after a fault, which is told, return None."""
        cache = self._cache()
        try:
            return act(cache)
        except UnreadableError as error:
            self._tell("unreadable", f"a stored reply cannot be read: {error}; it is asked again")
        except FAULTS as error:
            cache.close()  # a failed statement can leave a transaction open
            if is_damage(error) and self._renew(cache):
                return self._attempt(task, act)
            self._tell(
                task,
                f"it could not be {task}: {reason(error)}; judging goes on, but replies may be "
                "paid for again: look at its disk (full? read-only?) and at who else uses it",
            )
        return None

    def _renew(self, worn: ReplyCache) -> bool:
        """Replace a database found damaged in use, once; return whether there is another."""
        with self._lock:
            if self._open is not worn:
                return self._open is not None
            if self._renewed:
                return False
            self._renewed = True
            try:
                self._open = open_cache(self.path, self._on_notice, thorough=True)
            except StoreError as error:
                self._on_notice(str(error))
                return False
        return True

    def _tell(self, kind: str, message: str) -> None:
        with self._lock:
            first = kind not in self._told
            self._told.add(kind)
        if first:
            self._on_notice(f"reply store {self.path}: {message} (told once)")


def open_store(path: Path, *, on_notice: Notice = _warn) -> Store:
    """Open the store in folder `path`; make it, for its owner alone, where there is none.

    Nothing is ever evicted, whatever the folder's own settings say. A damaged database is moved
    to `damaged-<time in UTC>/` within the folder, told, and replaced by a new one.

    Args:
        path: the folder.
        on_notice: told, in one line, what went wrong without stopping the run.

    Raises:
        StoreError: the folder cannot be made or written, or another program uses it.
    """
    return Store(path, on_notice)


def _add(cache: ReplyCache, lines: list[Line]) -> int:
    with cache.transact():
        return sum(cache.add(line.key, encode(line.entry), tag=line.tag) for line in lines)


def _drop(cache: ReplyCache, keys: Iterable[str]) -> int:
    with cache.transact():
        return sum(cache.delete(key) for key in keys)
