"""Access to an open database: what is done when it fails, is damaged or is closed."""

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from judge_cache.cache import ReplyCache
from judge_cache.errors import StoreError, UnreadableError, is_damage, reason
from judge_cache.opening import Notice, open_cache
from judge_cache.rows import Rows

T = TypeVar("T")


class Access:
    """An open database; a context manager, safe to use from several threads.

    Args:
        path: the folder of the store.
        on_notice: told, in one line and once for each kind, what went wrong without stopping
            the run. Called from whichever thread noticed.
        existing: open what is there as it is: nothing is made or set aside.

    Raises:
        StoreError: the folder cannot be one of a store, or another program uses it.
    """

    def __init__(self, path: Path, on_notice: Notice, *, existing: bool = False) -> None:
        self.path = path.absolute()
        self._on_notice = on_notice
        self._told: set[str] = set()
        self._lock = threading.RLock()
        self._renewed = existing
        self._unkept = 0
        self._open: Rows | None = open_cache(self.path, on_notice, existing=existing)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store for every thread, and tell how many replies it could not keep.

        A second call does nothing.
        """
        with self._lock:
            if self._open is None:
                return
            self._open.close_all()
            self._open = None
        if self._unkept:
            self._on_notice(
                f"{self._unkept} of the run's replies could not be kept in the reply store "
                f"{self.path}: the judgments are complete, but another run would pay for them again"
            )

    def _count_unkept(self) -> None:
        with self._lock:
            self._unkept += 1

    def _cache(self) -> Rows:
        cache = self._open
        if cache is None:
            raise StoreError(f"the reply store {self.path} is closed; open it again")
        return cache

    def _writable(self, cache: Rows) -> ReplyCache:
        if not isinstance(cache, ReplyCache):
            raise StoreError(
                f"the reply store {self.path} cannot be written ({cache.unwritable}): make the "
                "folder writable and its disk not full, then run the command again"
            )
        return cache

    def _do(self, act: Callable[[Rows], T]) -> T:
        """Return what `act` gives; a fault is an error."""
        cache = self._cache()
        try:
            return act(cache)
        except sqlite3.Error as error:
            cache.close()
            raise StoreError(
                f"the reply store {self.path} failed: {reason(error)}; "
                "look at its disk and at who else uses it, then run the command again"
            ) from error

    def _change(self, act: Callable[[ReplyCache], T]) -> T:
        """Return what `act` gives, which writes; a fault, or a read-only store, is an error."""
        return self._do(lambda cache: act(self._writable(cache)))

    def _attempt(self, task: str, act: Callable[[Rows], T]) -> T | None:
        """Return what `act` gives; after a fault, which is told, return None."""
        cache = self._cache()
        try:
            return act(cache)
        except UnreadableError as error:
            self._tell("unreadable", f"a stored reply cannot be read: {error}; it is asked again")
        except sqlite3.Error as error:
            cache.close()  # a failed statement can leave a transaction open
            if is_damage(error) and self._renew(cache):
                return self._attempt(task, act)
            self._tell(
                task,
                f"it could not be {task}: {reason(error)}; judging goes on, but replies may be "
                "paid for again: look at its disk (full? read-only?) and at who else uses it",
            )
        return None

    def _renew(self, worn: Rows) -> bool:
        """Replace a database found damaged in use, once; return whether there is another."""
        with self._lock:
            if self._open is not worn:
                return self._open is not None
            if self._renewed:
                return False
            self._renewed = True
            try:
                self._open = open_cache(self.path, self._on_notice, thorough=True)
            except StoreError as error:
                self._on_notice(str(error))
                return False
        return True

    def _tell(self, kind: str, message: str) -> None:
        with self._lock:
            first = kind not in self._told
            self._told.add(kind)
        if first:
            self._on_notice(f"reply store {self.path}: {message} (told once)")
