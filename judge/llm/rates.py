"""Limits on how fast requests are sent: by number, by tokens, and as the server asks."""

import asyncio
import time
from collections.abc import Callable

from judge.errors import UsageError
from judge.llm.claims import Claim, Spent
from judge.llm.faults import LONGEST_WAIT
from judge.llm.pace import Pace
from judge.llm.retry import Sleep

Clock = Callable[[], float]


class _PerMinute:
    """So many of something a minute, evenly spread: each takes its time, one after the other.

    Args:
        n: how many per minute, above 0.
        clock: the time in seconds.
        sleep: how to wait, in seconds.
    """

    what = ""

    def __init__(
        self, n: float, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep
    ) -> None:
        if not n > 0:
            raise UsageError(f"{self.what} per minute must be above 0, found {n}")
        self._seconds = 60.0 / n
        self._clock, self._sleep = clock, sleep
        self._next = clock()

    async def _turn(self, amount: int) -> None:
        """Wait until what came before has had its time, and take that of `amount`."""
        now = self._clock()
        turn = max(now, self._next)
        self._next = turn + amount * self._seconds
        if turn > now:
            await self._sleep(turn - now)


class RequestsPerMinute(_PerMinute):
    """At most `n` requests a minute, evenly spaced: one every 60/n seconds, no bursts."""

    what = "requests"

    async def enter(self, claim: Claim) -> None:
        """Wait for the next turn."""
        del claim
        await self._turn(1)

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Nothing to give back: a turn is used once."""


class TokensPerMinute(_PerMinute):
    """At most `n` tokens a minute, of prompts and replies together, evenly spread.

    A request takes the time of all the tokens it may have; those it did not have are given back
    when it is over.
    """

    what = "tokens"

    async def enter(self, claim: Claim) -> None:
        """Wait until the tokens of earlier requests have had their time."""
        await self._turn(claim.tokens)

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Give back the time of tokens that were not needed."""
        if spent.tokens is not None:
            self._next -= (claim.tokens - spent.tokens) * self._seconds


class ServerPace:
    """Holds requests back as the server asks: after a Retry-After, and where a limit is used up.

    Args:
        clock: the time in seconds.
        sleep: how to wait, in seconds.
    """

    def __init__(self, *, clock: Clock = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self._clock, self._sleep = clock, sleep
        self._not_before = 0.0
        self._requests = _Allowance()
        self._tokens = _Allowance()

    async def enter(self, claim: Claim) -> None:
        """Wait until the server is likely to take the request, a minute at most at a time."""
        while (pause := self._pause(claim)) > 0:
            await self._sleep(min(pause, LONGEST_WAIT))
        self._requests.take(1)
        if self._tokens.known:
            self._tokens.take(claim.tokens)

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Hear what the server says of its limits."""
        del claim
        now = self._clock()
        if spent.wait is not None:
            self._not_before = max(self._not_before, now + spent.wait)
        if spent.pace is not None:
            self._hear(spent.pace, now)

    def _hear(self, pace: Pace, now: float) -> None:
        self._requests.hear(pace.requests_left, pace.requests_reset, now)
        self._tokens.hear(pace.tokens_left, pace.tokens_reset, now)

    def _pause(self, claim: Claim) -> float:
        now = self._clock()
        until = max(self._not_before, self._requests.whole_at(1, now))
        if self._tokens.known:
            until = max(until, self._tokens.whole_at(claim.tokens, now))
        return until - now


class _Allowance:
    """What is left of one of the server's limits until it is whole again."""

    def __init__(self) -> None:
        self._left: int | None = None
        self._reset = 0.0

    @property
    def known(self) -> bool:
        """Whether the server has said anything of it."""
        return self._left is not None

    def hear(self, left: int | None, seconds: float | None, now: float) -> None:
        """Note that `left` is left, until the limit is whole again in so many `seconds`."""
        if left is not None and seconds is not None:
            self._left, self._reset = left, now + seconds

    def take(self, amount: int) -> None:
        """Count what a request takes, until the server says more."""
        if self._left is not None:
            self._left -= amount

    def whole_at(self, amount: int, now: float) -> float:
        """When `amount` can be taken: now, or once the limit is whole again."""
        if self._left is None or self._left >= amount or self._reset <= now:
            return now
        return self._reset
