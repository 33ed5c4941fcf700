"""Opening the database of a store: a private folder, one opener at a time, damage set aside."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from diskcache.core import DBNAME, METADATA

from judge_cache.cache import BUSY_SECONDS, SETTINGS, ReplyCache
from judge_cache.errors import DamagedError, StoreError, is_damage, reason

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


def open_cache(path: Path, on_notice: Notice, *, thorough: bool = False) -> ReplyCache:
    """Open the database in folder `path`; make both where there is none.

    A database that is damaged, or is none of this package's, is moved to
    `damaged-<time in UTC>/` within the folder, and `on_notice` is told.

    Args:
        path: the folder.
        on_notice: told, in one line, what was set aside.
        thorough: read the whole database to find damage, not only its schema.

    Raises:
        StoreError: the folder cannot be made or written, or another program uses it.
    """
    with _explained(path):
        _make_private(path)
        with _alone(path):
            return _open_sound(path, on_notice, thorough)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"cannot open the reply store {path}: {reason(error)}; "
            "make the folder writable and its disk not full, or choose another folder"
        ) from error


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


def _open_sound(path: Path, on_notice: Notice, thorough: bool) -> ReplyCache:
    try:
        _inspect(path, thorough)
        return ReplyCache(path)
    except (DamagedError, sqlite3.Error) as error:
        if not is_damage(error):
            raise
        aside = _set_aside(path)
        on_notice(
            f"the reply store {path} is damaged ({reason(error)}): it was moved to {aside} "
            "and a new one begun; judging goes on, and asks again for what was in it"
        )
    _inspect(path, thorough=False)
    return ReplyCache(path)


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
