"""Limits on what is sent: each lets a request through in its time, and hears what it took.

A limit is entered by many tasks at once. It belongs to one event loop and holds no state outside
itself, so that two clients never slow each other down.
"""

import asyncio
from typing import Protocol

from judge.errors import UsageError
from judge.llm.claims import UNSENT, Claim, Spent
from judge.llm.faults import CallError


class Limit(Protocol):
    """Entered before a request is sent, left once when it is over, whatever came of it."""

    async def enter(self, claim: Claim) -> None:
        """Wait until a request that may take `claim` can be sent.

        Raises:
            CallError: it never can.
        """

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Hear what the request that entered with `claim` took."""


class Concurrency:
    """At most `n` requests at one time, `n` at least 1."""

    def __init__(self, n: int) -> None:
        if n < 1:
            raise UsageError(f"concurrency must be at least 1, found {n}")
        self._slots = asyncio.Semaphore(n)

    async def enter(self, claim: Claim) -> None:
        """Wait for a free slot."""
        del claim
        await self._slots.acquire()

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Give the slot back."""
        del claim, spent
        self._slots.release()


class Budget:
    """At most so many US dollars; a request that could pass it is not sent.

    What requests in flight may cost is set aside until it is known. A request of which nobody
    knows what it cost counts with the most it could.

    Args:
        dollars: to spend in all.
        spent: of these before, above or equal 0.
    """

    def __init__(self, dollars: float, spent: float = 0.0) -> None:
        self._dollars, self._spent = dollars, spent
        self._aside = 0.0
        self._in_flight = 0
        self._changed = asyncio.Event()

    async def enter(self, claim: Claim) -> None:
        """Wait until the most that the request can cost is there.

        Raises:
            CallError: of kind budget, if it is not and nothing in flight may give any back.
        """
        most = _most(claim)
        while self._spent + self._aside + most > self._dollars:
            if not self._in_flight:
                raise CallError("budget", self._reached(most), fatal=True)
            self._changed.clear()
            await self._changed.wait()
        self._aside += most
        self._in_flight += 1

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Take what the request cost from what was set aside for it."""
        most = _most(claim)
        self._in_flight -= 1
        self._aside = self._aside - most if self._in_flight else 0.0
        self._spent += most if spent.cost is None else spent.cost
        self._changed.set()

    def _reached(self, most: float) -> str:
        return (
            f"${self._spent:.4f} of --max-cost ${self._dollars:g} are spent, and the next call may "
            f"cost ${most:.4f}"
        )


class Combined:
    """Several limits as one, entered in the order given and left in reverse."""

    def __init__(self, *limits: Limit) -> None:
        self._limits = limits

    async def enter(self, claim: Claim) -> None:
        """Enter each; where one is not got through, those before it are left."""
        entered: list[Limit] = []
        try:
            for limit in self._limits:
                await limit.enter(claim)
                entered.append(limit)
        except BaseException:
            for limit in reversed(entered):
                limit.leave(claim, UNSENT)
            raise

    def leave(self, claim: Claim, spent: Spent) -> None:
        """Leave each."""
        for limit in reversed(self._limits):
            limit.leave(claim, spent)


def _most(claim: Claim) -> float:
    """The most a request can cost; a budget is only made for models with a price."""
    if claim.cost is None:
        raise UsageError("a budget needs a price")
    return claim.cost
