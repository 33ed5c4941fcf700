"""One request on its way: through the limits, to the provider, again while faults pass."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from judge.llm.claims import UNSENT, Claim, Spent
from judge.llm.dialect import Spoken
from judge.llm.faults import CallError, timed_out
from judge.llm.limits import Limit
from judge.llm.prices import Price
from judge.llm.providers.base import Completion, Provider
from judge.llm.request import Request
from judge.llm.retry import Sleep, with_retries
from judge.types import Usage


class Try(NamedTuple):
    """One try without a completion.

    `cost` is in US dollars: 0 where the server refused, None where nobody knows; then it was
    `at_most` so much, where there is a price. `seconds` do not count the wait for the limits.
    """

    fault: CallError
    seconds: float
    cost: float | None
    at_most: float | None


class Answered(NamedTuple):
    """A completion, what it cost, and the seconds it took, without the wait for the limits.

    Where nobody knows what it cost, it was `at_most` so much, if there is a price.
    """

    completion: Completion
    cost: float | None
    at_most: float | None
    seconds: float


class Sender:
    """Sends requests to one provider.

    Each try passes `limit` anew, so that a request that waits to be tried again holds no place.

    Args:
        provider: the way to the model.
        limit: what each try must pass.
        price: of the model's tokens; None where it is not known.
        timeout: seconds one try may take.
        attempts: tries at most, the first included.
        sleep: how the pauses between tries are waited, in seconds.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        limit: Limit,
        price: Price | None,
        timeout: float,
        attempts: int,
        sleep: Sleep,
    ) -> None:
        self._provider, self._limit, self._price = provider, limit, price
        self._timeout, self._attempts, self._sleep = timeout, attempts, sleep
        self._underestimated = 1.0
        self._under_way: set[asyncio.Task[Any]] = set()
        self._halted = False

    async def send(self, request: Request, failed: Callable[[Try], None]) -> Answered:
        """Return the completion; `failed` hears of each try without one.

        Raises:
            CallError: no try gave a completion; the last one's error.
            ModelError: the model cannot be had.
        """
        claim = Claim(request, self._price, self._underestimated)

        async def once() -> Answered:
            return await self._once(request, claim, failed)

        return await with_retries(once, attempts=self._attempts, sleep=self._sleep)

    async def _once(
        self, request: Request, claim: Claim, failed: Callable[[Try], None]
    ) -> Answered:
        await self._limit.enter(claim)
        spent = UNSENT
        try:
            await self._provider.ready()
            spent, start = Spent(), time.perf_counter()
            try:
                completion = await self._complete(request)
            except (CallError, asyncio.CancelledError) as error:
                fault = error if isinstance(error, CallError) else _given_up()
                spent = _lost(fault)
                seconds = time.perf_counter() - start
                failed(Try(fault, seconds, spent.cost, _at_most(spent.cost, claim)))
                raise
            cost = self._cost(completion)
            self._learn(claim, completion.usage)
            spent = Spent(tokens=_tokens(completion.usage), cost=cost, pace=completion.pace)
            seconds = time.perf_counter() - start
            return Answered(completion, cost, _at_most(cost, claim), seconds)
        finally:
            self._limit.leave(claim, spent)

    async def _complete(self, request: Request) -> Completion:
        """Hold every provider to the timeout, also one that sends a byte now and then."""
        if self._halted:
            raise CallError("stopped", "the run was stopped", fatal=True)
        with self._noted_under_way():
            try:
                async with asyncio.timeout(self._timeout):
                    return await self._provider.complete(request, self._timeout)
            except TimeoutError:
                raise timed_out(self._timeout) from None

    @contextmanager
    def _noted_under_way(self) -> Iterator[None]:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a request is sent by a task")
        self._under_way.add(task)
        try:
            yield
        finally:
            self._under_way.discard(task)

    def halt(self) -> set[asyncio.Task[Any]]:
        """Send nothing more; return the tasks whose request is under way."""
        self._halted = True
        return set(self._under_way)

    def _learn(self, claim: Claim, usage: Usage) -> None:
        """Note by how much prompts are longer than they are estimated, where that was asked."""
        if claim.estimated and usage.prompt_tokens is not None:
            ratio = usage.prompt_tokens / max(1, claim.estimate)
            self._underestimated = max(self._underestimated, ratio)

    def _cost(self, completion: Completion) -> float | None:
        if completion.cost is not None:
            return completion.cost
        return None if self._price is None else self._price.cost(completion.usage)

    async def aclose(self) -> None:
        """Close the provider."""
        await self._provider.aclose()


async def understood(
    sender: Sender, spoken: Spoken, request: Request, failed: Callable[[Request, Try], None]
) -> tuple[Request, Answered]:
    """Send `request` in ever simpler words until none of them is refused.

    Returns:
        The request as it was understood, and the answer.

    Raises:
        CallError: it was refused for something else, or not answered.
    """
    dialect = spoken.dialect
    while True:
        sent = dialect.put(request)
        try:
            answered = await sender.send(sent, partial(failed, sent))
        except CallError as fault:
            simpler = dialect.without(sent, fault)
            if simpler is None:
                raise
            dialect = simpler
        else:
            spoken.adopt(dialect)
            return sent, answered


def _at_most(cost: float | None, claim: Claim) -> float | None:
    return claim.cost if cost is None else None


def _given_up() -> CallError:
    return CallError("stopped", "the run was stopped while the call was under way")


def _lost(fault: CallError) -> Spent:
    """What a try without a completion took: an error status is not billed."""
    refused = fault.status is not None and fault.status >= 400
    return Spent(
        tokens=0 if refused else None, cost=0.0 if refused else None, wait=fault.retry_after
    )


def _tokens(usage: Usage) -> int | None:
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens
