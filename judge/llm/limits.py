"""Limits on how many requests are sent: context managers that let a request through in its time.

Each is entered by many tasks at once. A limit belongs to one event loop and holds no state
outside itself, so that two clients never slow each other down.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol

from judge.errors import UsageError
from judge.llm.retry import Sleep


class Limit(Protocol):
    """Entered before a request is sent, left when its answer is there."""

    async def __aenter__(self) -> None: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


class Concurrency:
    """At most `n` requests at one time, `n` at least 1."""

    def __init__(self, n: int) -> None:
        if n < 1:
            raise UsageError(f"concurrency must be at least 1, found {n}")
        self._slots = asyncio.Semaphore(n)

    async def __aenter__(self) -> None:
        await self._slots.acquire()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._slots.release()


class RequestsPerMinute:
    """At most `n` requests a minute, evenly spaced: one every 60/n seconds, no bursts.

    Args:
        n: requests per minute, above 0.
        clock: the time in seconds.
        sleep: how to wait, in seconds.
    """

    def __init__(
        self, n: float, *, clock: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        if not n > 0:
            raise UsageError(f"requests per minute must be above 0, found {n}")
        self._gap = 60.0 / n
        self._clock, self._sleep = clock, sleep
        self._next = clock()

    async def __aenter__(self) -> None:
        now = self._clock()
        turn = max(now, self._next)
        self._next = turn + self._gap
        if turn > now:
            await self._sleep(turn - now)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Nothing to give back: a turn is used once."""


class Combined:
    """Several limits as one, entered in the order given and left in reverse."""

    def __init__(self, *limits: Limit) -> None:
        self._limits = limits

    async def __aenter__(self) -> None:
        async with AsyncExitStack() as entered:
            for limit in self._limits:
                await entered.enter_async_context(limit)
            entered.pop_all()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for limit in reversed(self._limits):
            await limit.__aexit__(kind, error, traceback)
