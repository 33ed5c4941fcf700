"""Every error of the reply store, and what SQLite's own errors mean for it.

StoreError           the store cannot do what is asked; the message says what to do
  UnreadableError    one row that this package did not write; told as a notice, read as a miss
  DamagedError       a database that is no reply store; it is set aside and replaced
"""

import errno
import sqlite3

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNWRITABLE = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
_UNWRITABLE_FILES = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.ENOSPC,
    errno.EPERM,
    errno.EROFS,
}


class StoreError(Exception):
    """The store cannot do what is asked; the message is one line that says what to do."""


class UnreadableError(StoreError):
    """A row that this package did not write, or that has been altered since."""


class DamagedError(StoreError):
    """A database that is not a reply store, or no longer."""


def is_damage(error: Exception) -> bool:
    """Tell whether `error` says that the database itself is broken."""
    return isinstance(error, DamagedError) or _primary_code(error) in _DAMAGE


def is_unwritable(error: Exception) -> bool:
    """Tell whether `error` says that nothing can be written: a full or read-only place."""
    if isinstance(error, OSError):
        return error.errno in _UNWRITABLE_FILES
    return _primary_code(error) in _UNWRITABLE


def reason(error: Exception) -> str:
    """Return what went wrong, in words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__


def _primary_code(error: Exception) -> int:
    code = getattr(error, "sqlite_errorcode", 0)
    return int(code) & 0xFF
