"""The database of a store: `diskcache.Cache`, set to keep everything, with connections in hand."""

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import diskcache
from diskcache.core import DBNAME

from judge_cache.connections import Connections
from judge_cache.disk import BytesDisk
from judge_cache.errors import StoreError
from judge_cache.rows import GROUPS, TEXT_KEY, VERSION, Row, Rows, Selection, newer

BUSY_SECONDS = 60.0
"""How long a statement waits for another process that is writing."""

BATCH = 500
"""Rows deleted at a time; other processes may write in between."""

UNLIMITED = 2**62

SETTINGS: dict[str, str | int] = {
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": UNLIMITED,
    "statistics": 0,
    "tag_index": 0,  # the index of groups serves tags as well
    "disk_min_file_size": UNLIMITED,
    "disk_pickle_protocol": 0,
    "sqlite_auto_vacuum": 1,
    "sqlite_cache_size": 2**13,
    "sqlite_journal_mode": "wal",
    "sqlite_mmap_size": 0,  # a mapped file that is cut short kills the process
    "sqlite_synchronous": 1,
}
"""Every setting that diskcache knows: none is left to what a directory says of itself."""

PRAGMAS = {name: SETTINGS[f"sqlite_{name}"] for name in ("cache_size", "mmap_size", "synchronous")}
"""What SQLite forgets with each connection."""

_KEEP = (
    "INSERT INTO Cache (key, raw, store_time, tag, size, mode, value)"
    " VALUES (?1, 1, ?2, ?3, ?4, 1, ?5)"
    " ON CONFLICT (key, raw) DO UPDATE SET store_time = ?2, expire_time = NULL, tag = ?3,"
    " size = ?4, mode = 1, filename = NULL, value = ?5"
)


class ReplyCache(Rows, diskcache.Cache):  # type: ignore[misc]  # diskcache has no types
    """The open database in `directory`, which must exist; one connection a thread.

    diskcache can close the calling thread's connection alone, and takes a connection's pragmas
    from the database; both are done here instead.

    Raises:
        StoreError: the settings do not hold.
        sqlite3.Error: the database cannot be opened.
    """

    def __init__(self, directory: Path) -> None:
        if os.path.expandvars(directory) != str(directory):
            raise StoreError(f"cannot keep a reply store in {directory}: choose a name without $")
        self._file = directory / DBNAME
        self._connections = Connections(self._connect)
        try:
            super().__init__(str(directory), disk=BytesDisk, **SETTINGS)
            self._check_settings()
            self._migrate()
        except BaseException:
            self.close_all()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        return self._connections.mine()

    def close(self) -> None:
        """Close the calling thread's connection."""
        self._connections.close_mine()

    def close_all(self) -> None:
        """Close the connections of every thread."""
        self._connections.close_all()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all that is written within, or nothing; diskcache's own hides what went wrong."""
        con = self._con
        con.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if con.in_transaction:  # a full disk may have ended it
                con.execute("ROLLBACK")
            raise
        con.execute("COMMIT")

    def keep(self, row: Row) -> None:
        """Write `row`, in place of the one with its key; a statement that stands for itself."""
        values = (row.key, row.stored, row.tag, len(row.data), row.data)
        self._con.execute(_KEEP, values)

    def keep_all(self, rows: Iterable[Row]) -> None:
        """Write all of `rows` or none."""
        with self.transaction():
            for row in rows:
                self.keep(row)

    def drop_all(self, keys: Iterable[str]) -> int:
        """Delete the rows of all `keys` or none; return how many there were."""
        with self.transaction():
            return sum(
                self._con.execute("DELETE FROM Cache WHERE key = ? AND raw = 1", (key,)).rowcount
                for key in keys
            )

    def drop(self, selection: Selection) -> int:
        """Delete the rows of `selection`, some at a time; return how many there were."""
        where, values = selection.where()
        ((last,),) = self._rows("SELECT max(rowid) FROM Cache")
        statement = (
            "DELETE FROM Cache WHERE rowid IN"  # noqa: S608
            f" (SELECT rowid FROM Cache WHERE {where} AND rowid <= ? LIMIT {BATCH})"
        )
        values.append(last or 0)  # what others add meanwhile stays
        number = 0
        while dropped := self._con.execute(statement, values).rowcount:
            number += dropped
        return number

    def drop_foreign(self) -> int:
        """Delete the rows whose key is not text; return how many there were."""
        return self._con.execute(f"DELETE FROM Cache WHERE NOT ({TEXT_KEY})").rowcount  # noqa: S608

    def reclaim(self) -> None:
        """Give the space of deleted rows back to the disk; takes as much again meanwhile."""
        self._rows("VACUUM")  # auto_vacuum gives back whole pages alone
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def _connect(self) -> sqlite3.Connection:
        con = sqlite3.connect(
            self._file,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # for close_all
        )
        for name, value in PRAGMAS.items():
            con.execute(f"PRAGMA {name} = {value}").fetchall()
        return con

    def _check_settings(self) -> None:
        stored = dict(self._rows("SELECT key, value FROM Settings"))
        for name, value in SETTINGS.items():
            if stored.get(name) != value or getattr(self, name, None) != value:
                raise StoreError(
                    f"the reply store {self._directory} does not keep its setting {name} = "
                    f"{value!r}: another program uses this folder; choose a folder of its own"
                )

    def _migrate(self) -> None:
        """Bring the database to this version; a newer one is left alone.

        Raises:
            StoreError: it is newer.
        """
        version = self.version()
        if version > VERSION:
            raise StoreError(newer(self._file.parent, version))
        if version < VERSION:
            with self.transaction():
                self._rows("UPDATE Cache SET size = length(value) WHERE value IS NOT NULL")
                self._rows(GROUPS)
                self._rows(f"PRAGMA user_version = {VERSION}")


def now() -> float:
    """Return the time at which a row is stored, in seconds since 1970."""
    return time.time()
