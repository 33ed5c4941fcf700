"""Asking again after a fault that may pass; the only place that does."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential_jitter,
)

from judge.llm.faults import LONGEST_WAIT, CallError

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

_backoff = wait_exponential_jitter(initial=1.0, max=LONGEST_WAIT, jitter=1.0)


async def with_retries(
    send: Callable[[], Awaitable[T]], *, attempts: int, sleep: Sleep = asyncio.sleep
) -> T:
    """Return what `send` gives, calling it again while it raises a retryable `CallError`.

    Between two tries it waits for what the last answer's Retry-After says, or for a growing
    time with jitter, whichever is longer.

    Args:
        send: one try.
        attempts: tries at most, the first included; at least 1.
        sleep: how to wait, in seconds.

    Raises:
        CallError: the last try's.
    """
    retrying = AsyncRetrying(
        stop=stop_after_attempt(attempts),
        retry=retry_if_exception(_is_passing),
        wait=_pause,
        sleep=sleep,
        reraise=True,
    )
    return await retrying(send)


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, CallError) and error.retryable


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, CallError) else None
    return max(_backoff(state), asked or 0.0)
