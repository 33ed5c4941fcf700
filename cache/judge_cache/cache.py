"""The database of a store: `diskcache.Cache`, set to keep everything, with connections in hand."""

import os
import sqlite3
import threading
import weakref
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import DBNAME

from judge_cache.codec import Entry, decode
from judge_cache.disk import BytesDisk
from judge_cache.errors import StoreError, UnreadableError

BUSY_SECONDS = 60.0
"""How long a statement waits for another process that is writing."""

PAGE = 200
"""Keys listed at a time; a query left open would keep this process from writing."""

UNLIMITED = 2**62

SETTINGS: dict[str, str | int] = {
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": UNLIMITED,
    "statistics": 0,
    "tag_index": 1,
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


class _Lease:
    """A thread's hold on its connection: dropped with the thread, it closes the connection.

    A connection refers to itself, so that it would else stay open until a garbage collection.
    """

    def __init__(self, con: sqlite3.Connection) -> None:
        self.con = con

    def __del__(self) -> None:
        self.con.close()


class ReplyCache(diskcache.Cache):  # type: ignore[misc]  # diskcache has no types
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
        self._leases: weakref.WeakSet[_Lease] = weakref.WeakSet()
        self._leases_lock = threading.Lock()
        try:
            super().__init__(str(directory), disk=BytesDisk, **SETTINGS)
            self._check_settings()
        except BaseException:
            self.close_all()
            raise

    @property
    def _con(self) -> sqlite3.Connection:
        local = self._local
        if getattr(local, "pid", None) != os.getpid():
            self.close()  # a connection does not survive a fork
            local.pid = os.getpid()
        if getattr(local, "con", None) is None:
            local.lease = self._connect()
            local.con = local.lease.con
        con: sqlite3.Connection = local.con
        return con

    def _connect(self) -> _Lease:
        con = sqlite3.connect(
            self._file,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # for close_all
        )
        lease = _Lease(con)
        for name, value in PRAGMAS.items():
            con.execute(f"PRAGMA {name} = {value}").fetchall()
        with self._leases_lock:
            self._leases.add(lease)
        return lease

    def _check_settings(self) -> None:
        stored = dict(self._rows("SELECT key, value FROM Settings"))
        for name, value in SETTINGS.items():
            if stored.get(name) != value or getattr(self, name, None) != value:
                raise StoreError(
                    f"the reply store {self._directory} does not keep its setting {name} = "
                    f"{value!r}: another program uses this folder; choose a folder of its own"
                )

    def find(self, key: str) -> tuple[Entry, str] | None:
        """Return the entry and the tag of `key`, or None.

        Raises:
            UnreadableError: its row was not written by this package, or is damaged.
            sqlite3.Error: the database cannot be read.
        """
        data, tag = self.get(key, tag=True)
        if data is None:
            return None
        if type(tag) is not str:
            raise UnreadableError("its tag is not text")
        return decode(data), tag

    def holds(self, key: str) -> bool:
        """Tell whether there is a row of bytes for `key`, without reading them."""
        return bool(self._rows("SELECT 1 FROM Cache WHERE key = ? AND raw = 1 AND mode = 1", key))

    def count(self) -> int:
        """Return the number of text keys."""
        statement = "SELECT COUNT(*) FROM Cache WHERE raw = 1 AND typeof(key) = 'text'"
        return int(self._rows(statement)[0][0])

    def count_foreign(self) -> int:
        """Return the number of keys that are not text, which this package never writes."""
        statement = "SELECT COUNT(*) FROM Cache WHERE NOT (raw = 1 AND typeof(key) = 'text')"
        return int(self._rows(statement)[0][0])

    def tags(self) -> dict[str, int]:
        """Return the number of rows of each tag, from the index of tags alone."""
        return dict(
            self._rows("SELECT tag, COUNT(*) FROM Cache WHERE typeof(tag) = 'text' GROUP BY tag")
        )

    def keys_after(self, key: str | None) -> list[str]:
        """Return the next few text keys after `key`, sorted; the first ones after None."""
        statement = (
            "SELECT key FROM Cache WHERE raw = 1 AND typeof(key) = 'text' AND key > ?"
            " ORDER BY key LIMIT ?"
        )
        start = 0 if key is None else key  # SQLite sorts a number before every text
        return [found for (found,) in self._rows(statement, start, PAGE)]

    def close_all(self) -> None:
        """Close the connections of every thread."""
        self.close()
        with self._leases_lock:
            for lease in tuple(self._leases):
                lease.con.close()

    def _rows(self, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._sql(statement, values).fetchall()
        return rows
