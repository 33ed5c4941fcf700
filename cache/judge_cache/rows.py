"""The rows of a store's database, read with statements of our own on diskcache's table.

The index `GROUPS` holds what groups rows, when they were stored and how long they are, so that a
store of any size is summed up without reading a value.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from judge_cache.errors import UnreadableError

PAGE = 200
"""Rows listed at a time; a query left open would keep this process from writing."""

VERSION = 1
"""Of the database, as its user_version. 0 has neither sizes nor the index of groups."""

GROUPS = "CREATE INDEX IF NOT EXISTS Cache_groups ON Cache (tag, store_time, size)"

_YEAR_9999 = 253_370_764_800.0
TEXT_KEY = "raw = 1 AND typeof(key) = 'text'"
_NO_TAG = "its tag is not text"
_COLUMNS = "key, tag, store_time, mode, filename, value"
_VALUE = "SELECT typeof(tag) = 'text', mode, filename, value FROM Cache WHERE key = ? AND raw = 1"
_FIND = f"SELECT {_COLUMNS} FROM Cache WHERE key = ? AND raw = 1"  # noqa: S608


class Row(NamedTuple):
    """One entry as it is stored; `stored` is the time in seconds since 1970 (UTC)."""

    key: str
    tag: str
    stored: float
    data: bytes


class Group(NamedTuple):
    """Entries of one tag that were stored on one day.

    `date` is the day in UTC, as 2026-01-31, or None where the row's time is none. `size` is their
    number of bytes as they are stored.
    """

    tag: str
    date: str | None
    entries: int
    size: int


class Selection(NamedTuple):
    """Which entries: of any of `tags`, stored `before` a time in seconds since 1970; None: all."""

    tags: Collection[str] | None = None
    before: float | None = None

    def where(self) -> tuple[str, list[str | float]]:
        """Return it as a condition of SQL, and the condition's values."""
        conditions, values = ["1"], list[str | float]()
        if self.tags is not None:
            conditions.append(f"tag IN ({', '.join('?' * len(self.tags))})")
            values += self.tags
        if self.before is not None:
            conditions.append("store_time < ?")
            values.append(self.before)
        return " AND ".join(conditions), values


class Rows(ABC):
    """An open database. Every method may raise sqlite3.Error."""

    unwritable: str | None = None
    """Why nothing can be written, in words."""

    @property
    @abstractmethod
    def _con(self) -> sqlite3.Connection:
        """The calling thread's connection."""

    @abstractmethod
    def close(self) -> None:
        """Close the calling thread's connection."""

    @abstractmethod
    def close_all(self) -> None:
        """Close the connections of every thread."""

    def find(self, key: str) -> Row | None:
        """Return the row of `key`, or None.

        Raises:
            UnreadableError: it was not written by this package.
        """
        # diskcache's own `get` also asks the time, and looks for an expiry that is never set
        found = self._con.execute(_FIND, (key,)).fetchone()
        return None if found is None else checked(found)

    def value(self, key: str) -> bytes | None:
        """Return the value of the row of `key`, or None; several columns less to read than `find`.

        Raises:
            UnreadableError: it was not written by this package.
        """
        found = self._con.execute(_VALUE, (key,)).fetchone()
        if found is None:
            return None
        if not found[0]:
            raise UnreadableError(_NO_TAG)
        return _plain(*found[1:])

    def holds(self, key: str) -> bool:
        """Tell whether there is a row of bytes for `key`, without reading them."""
        return bool(self._rows("SELECT 1 FROM Cache WHERE key = ? AND raw = 1 AND mode = 1", key))

    def count(self) -> int:
        """Return the number of text keys."""
        return int(self._rows(f"SELECT COUNT(*) FROM Cache WHERE {TEXT_KEY}")[0][0])  # noqa: S608

    def count_foreign(self) -> int:
        """Return the number of keys that are not text, which this package never writes."""
        statement = f"SELECT COUNT(*) FROM Cache WHERE NOT ({TEXT_KEY})"  # noqa: S608
        return int(self._rows(statement)[0][0])

    def tags(self) -> dict[str, int]:
        """Return the number of rows of each tag, from the index of groups alone."""
        return dict(
            self._rows("SELECT tag, COUNT(*) FROM Cache WHERE typeof(tag) = 'text' GROUP BY tag")
        )

    def groups(self) -> list[Group]:
        """Return all groups, sorted; from the index of groups alone, where there is one."""
        statement = (
            "SELECT tag, date(store_time, 'unixepoch') AS day, COUNT(*),"  # noqa: S608
            f" SUM({self._size()}) FROM Cache WHERE typeof(tag) = 'text' GROUP BY tag, day"
        )
        return [Group(*row) for row in self._rows(statement)]

    def measure(self, selection: Selection) -> tuple[int, int]:
        """Return the number of rows of `selection`, and their bytes."""
        where, values = selection.where()
        statement = f"SELECT COUNT(*), SUM({self._size()}) FROM Cache WHERE {where}"  # noqa: S608
        ((number, size),) = self._rows(statement, *values)
        return int(number), int(size or 0)

    def size_of(self, key: str) -> int:
        """Return the bytes stored for `key`; 0 where there are none."""
        found = self._rows("SELECT length(value) FROM Cache WHERE key = ? AND raw = 1", key)
        return int(found[0][0] or 0) if found else 0

    def page_after(self, key: str | None) -> list[tuple[Any, ...]]:
        """Return the next few rows after `key`, sorted by key, for `checked`; None: the first."""
        statement = (
            f"SELECT {_COLUMNS} FROM Cache WHERE {TEXT_KEY} AND key > ?"  # noqa: S608
            " ORDER BY key LIMIT ?"
        )
        return self._rows(statement, _start(key), PAGE)

    def keys_after(self, key: str | None) -> list[str]:
        """Return the next few text keys after `key`, sorted; the first ones after None."""
        statement = (
            f"SELECT key FROM Cache WHERE {TEXT_KEY} AND key > ?"  # noqa: S608
            " ORDER BY key LIMIT ?"
        )
        return [found for (found,) in self._rows(statement, _start(key), PAGE)]

    def damage(self) -> str | None:
        """Read the whole database; return the first damage found, in words."""
        ((finding,),) = self._rows("PRAGMA integrity_check(1)")
        return None if finding == "ok" else str(finding)

    def version(self) -> int:
        """Return the version of the database."""
        return int(self._rows("PRAGMA user_version")[0][0])

    def _size(self) -> str:
        return "size" if self.version() else "length(value)"

    def _rows(self, statement: str, *values: str | float) -> list[tuple[Any, ...]]:
        return self._con.execute(statement, values).fetchall()


def checked(columns: tuple[Any, ...]) -> Row:
    """Return the columns of a row, as `Rows` reads them, as what this package writes.

    Raises:
        UnreadableError: it did not write them.
    """
    key, tag, stored, mode, filename, value = columns
    data = _plain(mode, filename, value)
    if type(tag) is not str:
        raise UnreadableError(_NO_TAG)
    if type(stored) is not float or not 0 <= stored < _YEAR_9999:
        raise UnreadableError("its time is none")
    return Row(key, tag, stored, data)


def _plain(mode: object, filename: object, value: object) -> bytes:
    if mode != 1 or filename is not None or type(value) is not bytes:
        raise UnreadableError(f"its value is not plain bytes (mode {mode!r})")
    return value


def newer(directory: Path, version: int) -> str:
    """Return the message that refuses a database of a later `version`."""
    return (
        f"the reply store {directory} was made by a newer version of this tool "
        f"(format {version}, this one reads {VERSION}): use that, or choose another folder"
    )


def _start(key: str | None) -> str | int:
    return 0 if key is None else key  # SQLite sorts a number before every text
