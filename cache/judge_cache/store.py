"""The store that a judging run reads from and writes to; it outlives faults of its disk."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from diskcache.core import DBNAME

from judge_cache.access import Access
from judge_cache.cache import ReplyCache, now
from judge_cache.codec import Entry, decode, decode_answer, encode
from judge_cache.errors import UnreadableError
from judge_cache.exports import Check, Line, read_export, write_export
from judge_cache.imports import BATCH, Imported, Merge, Same
from judge_cache.opening import Notice
from judge_cache.rows import Group, Row, Rows, Selection, checked

_warn = logging.getLogger("judge_cache").warning


class Store(Access):
    """An open reply store; a context manager, safe to use from several threads.

    What judging needs (`get`, `recall`, `put`) tells a fault of the disk and goes on; all else
    raises it. An entry is a JSON object with a "request" object, and beside it whatever the
    caller keeps (its "reply"); "key", "tag" and "stored" are reserved. After a fork the child may
    go on with the store, so long as no other thread was using it at that moment.
    """

    # --- judging: a fault is told, and the run goes on -------------------------------------

    def get(self, key: str) -> Entry | None:
        """Return the entry of `key`, or None where there is none that can be read.

        Raises:
            TypeError: `key` is not a str.
            StoreError: the store is closed.
        """
        return self._attempt("read", partial(_entry, key=_text(key, "key"), read=decode))

    def recall(self, key: str) -> Entry | None:
        """Return the entry of `key` without its request, or None; several times as fast as `get`.

        Raises:
            TypeError: `key` is not a str.
            StoreError: the store is closed.
        """
        return self._attempt("read", partial(_entry, key=_text(key, "key"), read=decode_answer))

    def put(self, key: str, entry: Entry, *, tag: str) -> bool:
        """Keep `entry` under `key`, in place of what is there; return whether it was kept.

        Once it was kept, the end of the process does not lose it. A full or read-only disk is
        told once, and the run goes on without keeping replies.

        Args:
            key: the key of the entry's request.
            entry: a JSON object that holds its "request".
            tag: a word that groups entries, such as the model's name.

        Raises:
            TypeError: `key` or `tag` is not a str, or something in `entry` is not JSON.
            ValueError: `entry` has no request, or a number in it is not finite.
            StoreError: the store is closed.
        """
        row = Row(_text(key, "key"), _text(tag, "tag"), now(), encode(entry))
        kept = bool(self._attempt("written", partial(_keep, row=row)))
        if not kept:
            self._count_unkept()
        return kept

    # --- looking after the store: a fault is an error --------------------------------------

    def remove(self, keys: Iterable[str]) -> int:
        """Drop the entries of `keys`; return how many there were.

        Raises:
            StoreError: the store cannot be written.
        """
        return self._change(partial(ReplyCache.drop_all, keys=keys))

    def prune(self, selection: Selection) -> int:
        """Drop the entries of `selection`; return how many there were.

        Raises:
            StoreError: the store cannot be written (then what was dropped so far is gone).
        """
        return self._change(partial(ReplyCache.drop, selection=selection))

    def remove_foreign(self) -> int:
        """Drop the rows that `foreign` counts; return how many there were.

        Raises:
            StoreError: the store cannot be written.
        """
        return self._change(ReplyCache.drop_foreign)

    def reclaim(self) -> None:
        """Give the space of dropped entries back to the disk.

        Raises:
            StoreError: the store cannot be written.
        """
        self._change(ReplyCache.reclaim)

    def __contains__(self, key: object) -> bool:
        """Tell whether there is a row for `key`; its value is not read."""
        return isinstance(key, str) and self._do(lambda cache: cache.holds(key))

    def __len__(self) -> int:
        """Count the keys."""
        return self._do(Rows.count)

    def foreign(self) -> int:
        """Count the rows whose key is not text: this package writes none and reads none."""
        return self._do(Rows.count_foreign)

    def tags(self) -> dict[str, int]:
        """Return how many entries each tag has; no value is read."""
        return self._do(Rows.tags)

    def groups(self) -> list[Group]:
        """Return how many entries each tag has from each day; no value is read."""
        return self._do(Rows.groups)

    def measure(self, selection: Selection) -> tuple[int, int]:
        """Return the number of entries of `selection`, and their bytes; no value is read."""
        return self._do(lambda cache: cache.measure(selection))

    def size_of(self, keys: Iterable[str]) -> int:
        """Return the bytes of the entries of `keys`."""
        return self._do(lambda cache: sum(map(cache.size_of, keys)))

    def file_size(self) -> int:
        """Return the bytes that the files of the database take."""
        return sum(file.stat().st_size for file in self.path.glob(f"{DBNAME}*"))

    def damage(self) -> str | None:
        """Read the whole database; return the first damage found, in words."""
        return self._do(Rows.damage)

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted; the store may be written meanwhile."""
        self._tell_foreign()
        last = None
        while page := self._do(partial(Rows.keys_after, key=last)):
            yield from page
            last = page[-1]

    def read_all(
        self, tags: Collection[str] | None = None
    ) -> Iterator[tuple[str, Line | UnreadableError]]:
        """Yield every entry under its key, sorted by key, or why it cannot be read.

        Args:
            tags: only entries of these; None for all. A row whose tag is none is of every tag.
        """
        last = None
        while page := self._do(partial(Rows.page_after, key=last)):
            for columns in page:
                if tags is None or type(columns[1]) is not str or columns[1] in tags:
                    yield columns[0], _line(columns)
            last = page[-1][0]

    def export(
        self,
        path: Path,
        keys: Iterable[str] | None = None,
        *,
        tags: Collection[str] | None = None,
    ) -> int:
        """Write entries to one portable file; return how many.

        Each line is an entry with its key, tag and time, sorted by key; the same entries give
        the same bytes. The file is there whole or not at all. What is missing or cannot be read
        is left out and told.

        Args:
            path: the file; by convention its name ends in `.jsonl.zst`.
            keys: which entries; None for all.
            tags: which entries, where no keys are given; None for all.

        Raises:
            StoreError: the store cannot be read or the file cannot be written.
        """
        if keys is None:
            self._tell_foreign()
            found: Iterable[Line | UnreadableError | None] = (
                line for _, line in self.read_all(tags)
            )
        else:
            found = map(self._find, sorted(set(keys)))
        return write_export(path, self._readable(found))

    def import_file(
        self, path: Path, *, check: Check, same: Same | None = None, replace: bool = False
    ) -> Imported:
        """Add the entries of an exported file; return how many were new.

        The whole file is checked before anything is added. Then it is added batch by batch: if
        that is interrupted, what was added is whole, and the same import goes on from there.

        Args:
            path: the file.
            check: says what is wrong with an entry, in words, or None.
            same: tells whether two entries of one key say the same; by default, if they are equal.
            replace: take the file's entry where the store has another one of the same key.

        Raises:
            StoreError: a line is not what was exported (then nothing is added), or the store
                cannot be written (then what was added so far stays).
        """
        self._change(ReplyCache.version)  # before the file is read
        for _ in read_export(path, check):
            pass
        merge = Merge(same or (lambda ours, theirs: ours == theirs), replace=replace)
        lines = read_export(path, check)
        while batch := list(islice(lines, BATCH)):
            self._change(partial(merge.add, lines=batch))
        return merge.imported

    # --- inside ----------------------------------------------------------------------------

    def _find(self, key: str) -> Line | UnreadableError | None:
        try:
            row = self._do(lambda cache: cache.find(key))
            return None if row is None else Line(key, row.tag, row.stored, decode(row.data))
        except UnreadableError as error:
            return error

    def _readable(self, found: Iterable[Line | UnreadableError | None]) -> Iterator[Line]:
        left_out = 0
        for line in found:
            if isinstance(line, Line):
                yield line
            else:
                left_out += 1
        if left_out:
            self._on_notice(
                f"{left_out} of the entries to export are not in the reply store {self.path}, "
                "or cannot be read: they are left out; judge them again to have them"
            )

    def _tell_foreign(self) -> None:
        if foreign := self.foreign():
            self._tell("foreign", f"{foreign} rows are not of this tool and are not read")


def open_store(path: Path, *, on_notice: Notice = _warn, existing: bool = False) -> Store:
    """Open the store in folder `path`; make it, for its owner alone, where there is none.

    Nothing is ever evicted, whatever the folder's own settings say. A damaged database is moved
    to `damaged-<time in UTC>/` within the folder, told, and replaced by a new one. Where nothing
    can be written, that is told, and the store answers with what it holds and keeps nothing.

    Args:
        path: the folder.
        on_notice: told, in one line, what went wrong without stopping the run.
        existing: open what is there as it is: nothing is made or set aside.

    Raises:
        StoreError: the folder cannot be one of a store, or another program uses it, or a newer
            version made it; `existing`, and there is none or it is damaged.
    """
    return Store(path, on_notice, existing=existing)


def _text(value: str, name: str) -> str:
    if type(value) is not str:
        raise TypeError(f"a {name} is a str, not {type(value).__name__}")
    return value


def _entry(cache: Rows, key: str, read: Callable[[bytes], Entry]) -> Entry | None:
    data = cache.value(key)
    return None if data is None else read(data)


def _keep(cache: Rows, row: Row) -> bool:
    if not isinstance(cache, ReplyCache):
        return False  # told when it was opened
    cache.keep(row)
    return True


def _line(columns: tuple[object, ...]) -> Line | UnreadableError:
    try:
        row = checked(columns)
        return Line(row.key, row.tag, row.stored, decode(row.data))
    except UnreadableError as error:
        return error
