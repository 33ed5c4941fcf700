"""Opening the database of a store: a private folder, one opener at a time, damage set aside.

Where nothing can be written, it is opened to be read alone.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from diskcache.core import DBNAME, METADATA

from judge_cache.cache import BUSY_SECONDS, SETTINGS, ReplyCache
from judge_cache.errors import DamagedError, StoreError, is_damage, is_unwritable, reason
from judge_cache.readonly import open_nothing, open_readonly
from judge_cache.rows import Rows

Notice = Callable[[str], None]

LOCK = "opening.lock"

_COLUMNS = {
    "Settings": {"key", "value"},
    "Cache": {
        *("rowid", "key", "raw", "store_time", "expire_time", "access_time", "access_count"),
        *("tag", "size", "mode", "filename", "value"),
    },
}
_SCHEMA = (
    "SELECT tables.name, columns.name FROM sqlite_master AS tables"
    " JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
)


def open_cache(
    path: Path, on_notice: Notice, *, thorough: bool = False, existing: bool = False
) -> Rows:
    """Open the database in folder `path`; make both where there is none.

    A database that is damaged, or is none of this package's, is moved to
    `damaged-<time in UTC>/` within the folder, and `on_notice` is told. Where nothing can be
    written, what is there is opened to be read, and `on_notice` is told.

    Args:
        path: the folder.
        on_notice: told, in one line, what was set aside or cannot be done.
        thorough: read the whole database to find damage, not only its schema.
        existing: open what is there as it is: nothing is made or set aside.

    Raises:
        StoreError: the folder cannot be one of a store, or another program uses it, or a newer
            version of this package made it; `existing`, and it is not there or damaged.
    """
    if existing and not (path / DBNAME).exists():
        raise StoreError(f"there is no reply store in {path}: name the folder of one")
    try:
        return _open_writable(path, on_notice, thorough=thorough, existing=existing)
    except (OSError, sqlite3.Error) as error:
        if not is_unwritable(error):
            raise StoreError(_cannot_open(path, error)) from error
        return _open_unwritable(path, reason(error), on_notice, existing=existing)


def _cannot_open(path: Path, error: Exception) -> str:
    return (
        f"cannot open the reply store {path}: {reason(error)}; "
        "make it a folder that can be read and written, or choose another one"
    )


def _open_writable(path: Path, on_notice: Notice, *, thorough: bool, existing: bool) -> ReplyCache:
    _make_private(path)
    with _alone(path):
        try:
            return _open_sound(path, thorough=thorough)
        except (DamagedError, sqlite3.Error) as error:
            if not is_damage(error):
                raise
            if existing:
                raise StoreError(
                    f"the reply store {path} is damaged ({reason(error)}): restore it from a "
                    "copy, or import an export into it, which begins a new one"
                ) from error
            aside = _set_aside(path)
            on_notice(
                f"the reply store {path} is damaged ({reason(error)}): it was moved to {aside} "
                "and a new one begun; judging goes on, and asks again for what was in it"
            )
        return _open_sound(path, thorough=False)


def _open_sound(path: Path, *, thorough: bool) -> ReplyCache:
    _inspect(path, thorough)
    return ReplyCache(path)


def _open_unwritable(path: Path, why: str, on_notice: Notice, *, existing: bool) -> Rows:
    """Open what is there to be read; nothing, where there is nothing to be read.

    Raises:
        StoreError: what is there cannot be read as it lies; `existing`, and it is damaged.
    """
    advice = "make the folder writable and its disk not full, or choose another folder"
    try:
        cache = open_readonly(path, why)
    except (OSError, sqlite3.Error) as error:
        absent = isinstance(error, FileNotFoundError | PermissionError)
        if existing or not (absent or isinstance(error, sqlite3.Error)):
            raise StoreError(_cannot_open(path, error)) from error
        nor_read = "" if absent else f" nor read ({reason(error)})"
        on_notice(
            f"the reply store {path} cannot be written ({why}){nor_read}: judging goes on WITHOUT "
            f"A STORE, no reply is kept, and each is paid for again in the next run; {advice}"
        )
        return open_nothing(why)
    if not existing:
        on_notice(
            f"the reply store {path} can only be read ({why}): judging goes on with the replies "
            f"in it, but NEW REPLIES ARE NOT KEPT and are paid for again in the next run; {advice}"
        )
    return cache


def _make_private(path: Path) -> None:
    """Make the folder for its owner alone; a folder with other things in it keeps its mode."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_store = (path / DBNAME).exists() or not any(path.iterdir())
    if is_store and path.stat().st_mode & 0o077:
        with suppress(PermissionError):  # a folder that its owner shares with us
            path.chmod(0o700)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one process at a time open the store: SQLite's own lock ends with its holder."""
    lock = path / LOCK
    lock.touch(mode=0o600)
    with closing(sqlite3.connect(lock, timeout=BUSY_SECONDS, isolation_level=None)) as con:
        con.execute("BEGIN EXCLUSIVE")
        yield


def _inspect(path: Path, thorough: bool) -> None:
    """Check that the database is a store or empty, and drop settings unknown to diskcache."""
    file = path / DBNAME
    file.touch(mode=0o600)
    with closing(sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)) as con:
        _check_schema(con)
        if thorough:
            ((finding,),) = con.execute("PRAGMA integrity_check(1)")
            if finding != "ok":
                raise DamagedError(str(finding))


def _check_schema(con: sqlite3.Connection) -> None:
    found: dict[str, set[str]] = {}
    for table, column in con.execute(_SCHEMA):
        found.setdefault(table, set()).add(column)
    ours = [name for name in _COLUMNS if name in found]
    if found and not ours:
        raise DamagedError(f"its tables are another program's: {', '.join(sorted(found))}")
    for name in ours:
        if missing := _COLUMNS[name] - found[name]:
            raise DamagedError(f"table {name} lacks {', '.join(sorted(missing))}")
    if "Settings" in ours:
        _drop_unknown_settings(con)


def _drop_unknown_settings(con: sqlite3.Connection) -> None:
    """Delete what is no setting: diskcache sets an attribute of its own for each."""
    known = {*SETTINGS, *METADATA}
    for (name,) in con.execute("SELECT key FROM Settings").fetchall():
        if name not in known:
            con.execute("DELETE FROM Settings WHERE key = ?", (name,))


def _set_aside(path: Path) -> Path:
    aside = path / datetime.now(UTC).strftime("damaged-%Y%m%dT%H%M%S.%fZ")
    aside.mkdir(mode=0o700)
    for suffix in ("", "-journal", "-wal", "-shm"):  # the log must not outlive the database
        with suppress(FileNotFoundError):
            (path / (DBNAME + suffix)).rename(aside / (DBNAME + suffix))
    return aside
