"""Every error of the reply store, and what SQLite's own errors mean for it.

StoreError           the store cannot do what is asked; the message says what to do
  UnreadableError    one row that this package did not write; told as a notice, read as a miss
  DamagedError       a database that is no reply store; it is set aside and replaced
"""

import sqlite3

import diskcache

FAULTS = (sqlite3.Error, diskcache.Timeout)
"""What an operation on an open database may raise."""

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class StoreError(Exception):
    """The store cannot do what is asked; the message is one line that says what to do."""


class UnreadableError(StoreError):
    """A row that this package did not write, or that has been altered since."""


class DamagedError(StoreError):
    """A database that is not a reply store, or no longer."""


def is_damage(error: Exception) -> bool:
    """Tell whether `error` says that the database itself is broken."""
    code = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, DamagedError) or (code & 0xFF) in _DAMAGE


def reason(error: Exception) -> str:
    """Return what went wrong, in words; diskcache hides it behind a bare `Timeout`."""
    if isinstance(error, diskcache.Timeout) and error.__context__ is not None:
        return str(error.__context__)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
