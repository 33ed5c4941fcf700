"""SQLite connections to one database: one a thread, none across a fork, all closed together."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Callable


class _Lease:
    """A thread's hold on its connection: dropped with the thread, it closes the connection.

    A connection refers to itself, so that it would else stay open until a garbage collection.
    """

    def __init__(self, con: sqlite3.Connection) -> None:
        self.con = con

    def __del__(self) -> None:
        self.con.close()


class Connections:
    """The connections that `connect` opens; they must allow use from other threads."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._local = threading.local()
        self._leases: weakref.WeakSet[_Lease] = weakref.WeakSet()
        self._lock = threading.Lock()

    def mine(self) -> sqlite3.Connection:
        """Return the calling thread's connection; open it where there is none.

        Raises:
            sqlite3.Error: the database cannot be opened.
        """
        local = self._local
        if getattr(local, "pid", None) != os.getpid():
            self.close_mine()  # a connection does not survive a fork
            local.pid = os.getpid()
        lease: _Lease | None = getattr(local, "lease", None)
        if lease is None:
            lease = local.lease = _Lease(self._connect())
            with self._lock:
                self._leases.add(lease)
        return lease.con

    def close_mine(self) -> None:
        """Close the calling thread's connection; the next use opens another."""
        lease: _Lease | None = getattr(self._local, "lease", None)
        if lease is not None:
            self._local.lease = None
            lease.con.close()

    def close_all(self) -> None:
        """Close the connections of every thread."""
        self.close_mine()
        with self._lock:
            for lease in tuple(self._leases):
                lease.con.close()
