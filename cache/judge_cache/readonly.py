"""A store where nothing can be written: it is read as it lies, and left as it is."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from diskcache.core import DBNAME

from judge_cache.cache import BUSY_SECONDS, PRAGMAS
from judge_cache.connections import Connections
from judge_cache.errors import StoreError
from judge_cache.rows import VERSION, Rows, newer

_NOTHING = (
    "CREATE TABLE Cache (key, raw INTEGER, store_time REAL, tag, size, mode, filename, value)"
)


class ReadOnlyCache(Rows):
    """A database that is only read; one connection a thread.

    Args:
        connect: opens a connection.
        unwritable: why nothing can be written, in words.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], unwritable: str) -> None:
        self._connections = Connections(connect)
        self.unwritable = unwritable

    @property
    def _con(self) -> sqlite3.Connection:
        return self._connections.mine()

    def close(self) -> None:
        """Close the calling thread's connection."""
        self._connections.close_mine()

    def close_all(self) -> None:
        """Close the connections of every thread."""
        self._connections.close_all()


def open_readonly(directory: Path, unwritable: str) -> ReadOnlyCache:
    """Open the database in `directory` without writing anything.

    Raises:
        StoreError: there is one, but it can only be read where something can be written.
        FileNotFoundError: there is none.
        OSError: it cannot be read.
        sqlite3.Error: it is damaged.
    """
    file = directory / DBNAME
    with file.open("rb"):
        pass
    return ReadOnlyCache(partial(_connect, file, _mode(file, unwritable)), unwritable)


def open_nothing(unwritable: str) -> ReadOnlyCache:
    """Open a database that holds nothing and keeps nothing."""
    return ReadOnlyCache(_connect_nothing, unwritable)


def _mode(file: Path, unwritable: str) -> str:
    """Return how SQLite is to open `file`.

    A database with a log is read together with its log, which needs the shared index beside it.
    Without a log there is nothing but the file, and no other process that writes.
    """
    try:
        _probe(file, "mode=ro")
    except sqlite3.OperationalError as error:
        log = file.with_name(f"{file.name}-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(
                f"the reply store {file.parent} was left with writes that are yet to be merged, "
                f"which cannot be done there ({unwritable}): copy the folder to where it can"
            ) from error
        _probe(file, "mode=ro&immutable=1")
        return "mode=ro&immutable=1"
    return "mode=ro"


def _probe(file: Path, mode: str) -> None:
    """Read a row, the way a store does.

    Raises:
        StoreError: the database is of a newer version.
        sqlite3.Error: it cannot be opened, or is no store.
    """
    with closing(_connect(file, mode)) as con:
        con.execute("SELECT key, raw, store_time, tag, size, mode, filename FROM Cache LIMIT 1")
        ((version,),) = con.execute("PRAGMA user_version")
    if version > VERSION:
        raise StoreError(newer(file.parent, version))


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    con = sqlite3.connect(
        f"{file.as_uri()}?{mode}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,  # for close_all
    )
    for name, value in PRAGMAS.items():
        con.execute(f"PRAGMA {name} = {value}").fetchall()
    return con


def _connect_nothing() -> sqlite3.Connection:
    con = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    con.execute(_NOTHING)
    return con
