"""One request on its way: through the limits, to the provider, again while faults pass."""

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from judge.llm.faults import CallError, timed_out
from judge.llm.limits import Limit
from judge.llm.providers.base import Completion, Provider
from judge.llm.request import Request
from judge.llm.retry import Sleep, with_retries


class Answered(NamedTuple):
    """A completion and the seconds it took, waiting for the limits not counted."""

    completion: Completion
    seconds: float


class Sender:
    """Sends requests to one provider.

    Each try passes `limit` anew, so that a request that waits to be tried again holds no place.

    Args:
        provider: the way to the model.
        limit: what each try must pass.
        timeout: seconds one try may take.
        attempts: tries at most, the first included.
        sleep: how the pauses between tries are waited, in seconds.
    """

    def __init__(
        self, provider: Provider, *, limit: Limit, timeout: float, attempts: int, sleep: Sleep
    ) -> None:
        self._provider, self._limit = provider, limit
        self._timeout, self._attempts, self._sleep = timeout, attempts, sleep

    async def send(self, request: Request, failed: Callable[[CallError, float], None]) -> Answered:
        """Return the completion; `failed` hears of each try without one, and its seconds.

        Raises:
            CallError: no try gave a completion; the last one's error.
            ModelError: the model cannot be had.
        """

        async def once() -> Answered:
            async with self._limit:
                await self._provider.ready()
                start = time.perf_counter()
                try:
                    completion = await self._complete(request)
                except CallError as error:
                    failed(error, time.perf_counter() - start)
                    raise
                return Answered(completion, time.perf_counter() - start)

        return await with_retries(once, attempts=self._attempts, sleep=self._sleep)

    async def _complete(self, request: Request) -> Completion:
        """Hold every provider to the timeout, also one that sends a byte now and then."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._provider.complete(request, self._timeout)
        except TimeoutError:
            raise timed_out(self._timeout) from None

    async def aclose(self) -> None:
        """Close the provider."""
        await self._provider.aclose()
