"""Limits let requests through in their time; retries count and wait as told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from judge.errors import UsageError
from judge.llm import (
    Budget,
    CallError,
    Combined,
    Concurrency,
    Identity,
    Limit,
    Request,
    RequestsPerMinute,
    ServerPace,
    TokensPerMinute,
)
from judge.llm.claims import Claim, Spent
from judge.llm.pace import Pace
from judge.llm.prices import Price
from judge.llm.retry import with_retries
from judge.types import Message


class Clock:
    """A clock that moves only when someone sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        await asyncio.sleep(0)
        self.now = max(self.now, until)


def claim(reply: int = 50, price: Price | None = None) -> Claim:
    """A claim of a request with a prompt of few tokens and room for `reply` of them."""
    identity = Identity(kind="openai", base_url=None, model="judge")
    messages = (Message(role="user", content="How good?"),)
    request = Request(identity=identity, messages=messages, params={"max_tokens": reply})
    return Claim(request, price)


@asynccontextmanager
async def through(
    limit: Limit, what: Claim | None = None, spent: Spent | None = None
) -> AsyncIterator[None]:
    """Pass a limit for the length of a block."""
    what = what or claim()
    await limit.enter(what)
    try:
        yield
    finally:
        limit.leave(what, spent or Spent())


def test_requests_per_minute_are_evenly_spaced() -> None:
    async def run() -> list[float]:
        clock = Clock()
        limit = RequestsPerMinute(30, clock=clock, sleep=clock.sleep)
        sent = []
        for _ in range(4):
            async with through(limit):
                sent.append(clock.now)
        clock.now = 200.0
        for _ in range(2):
            async with through(limit):
                sent.append(clock.now)
        return sent

    assert asyncio.run(run()) == [100.0, 102.0, 104.0, 106.0, 200.0, 202.0]


def test_tasks_that_come_together_get_turns_one_after_the_other() -> None:
    waits: list[float] = []

    async def run() -> None:
        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        limit = RequestsPerMinute(60, clock=lambda: 0.0, sleep=sleep)

        async def one() -> None:
            async with through(limit):
                pass

        await asyncio.gather(*(one() for _ in range(4)))

    asyncio.run(run())
    assert waits == [1.0, 2.0, 3.0]


def test_concurrency_holds_the_rest_back() -> None:
    async def run() -> int:
        limit, inside, most = Concurrency(2), 0, 0

        async def one() -> None:
            nonlocal inside, most
            async with through(limit):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(one() for _ in range(9)))
        return most

    assert asyncio.run(run()) == 2


def test_a_limit_made_outside_a_loop_serves_several_one_after_the_other() -> None:
    limit = Combined(Concurrency(1))

    async def run() -> None:
        async with through(limit):
            pass

    asyncio.run(run())
    asyncio.run(run())


def test_combined_gives_back_what_it_took_when_a_later_limit_fails() -> None:
    class Broken:
        async def enter(self, claim: Claim) -> None:
            raise KeyError

        def leave(self, claim: Claim, spent: Spent) -> None:
            raise AssertionError("was never entered")

    async def run() -> None:
        slots = Concurrency(1)
        for _ in range(2):
            with pytest.raises(KeyError):
                async with through(Combined(slots, Broken())):
                    pass
        async with through(Combined(slots)):
            pass

    asyncio.run(run())


@pytest.mark.parametrize("n", [0, -1])
def test_a_limit_that_lets_nothing_through_is_refused(n: int) -> None:
    with pytest.raises(UsageError):
        Concurrency(n)
    with pytest.raises(UsageError):
        RequestsPerMinute(n)
    with pytest.raises(UsageError):
        TokensPerMinute(n)


# --- tokens ------------------------------------------------------------------------------------


def sent_at(limit: Limit, clock: Clock, *spent: Spent, reply: int = 50) -> list[float]:
    """When requests are sent that come one after the other and take what is `spent`."""

    async def run() -> list[float]:
        times = []
        for took in spent:
            async with through(limit, claim(reply), took):
                times.append(clock.now - 100.0)
        return times

    return asyncio.run(run())


def test_a_request_takes_the_time_of_the_tokens_it_may_have() -> None:
    clock = Clock()
    most = claim(50).tokens
    assert most > 50
    limit = TokensPerMinute(60 * most, clock=clock, sleep=clock.sleep)
    assert sent_at(limit, clock, Spent(), Spent(), Spent()) == pytest.approx([0.0, 1.0, 2.0])


def test_tokens_that_were_not_needed_are_given_back() -> None:
    clock = Clock()
    most = claim(50).tokens
    limit = TokensPerMinute(60 * most, clock=clock, sleep=clock.sleep)
    half, none = Spent(tokens=most // 2), Spent(tokens=0)
    times = sent_at(limit, clock, half, none, Spent())
    assert times == pytest.approx([0.0, (most // 2) / most, (most // 2) / most])


# --- what the server asks for ------------------------------------------------------------------


def test_after_a_retry_after_nobody_sends_before_its_end() -> None:
    clock = Clock()
    limit = ServerPace(clock=clock, sleep=clock.sleep)
    assert sent_at(limit, clock, Spent(wait=7.0), Spent(), Spent()) == [0.0, 7.0, 7.0]


def test_a_shorter_retry_after_does_not_end_a_longer_one() -> None:
    async def run() -> float:
        clock = Clock()
        limit = ServerPace(clock=clock, sleep=clock.sleep)
        limit.leave(claim(), Spent(wait=9.0))
        limit.leave(claim(), Spent(wait=2.0))
        await limit.enter(claim())
        return clock.now - 100.0

    assert asyncio.run(run()) == 9.0


def test_requests_wait_until_the_servers_limit_is_whole_again() -> None:
    clock = Clock()
    limit = ServerPace(clock=clock, sleep=clock.sleep)
    two_left = Spent(pace=Pace(requests_left=2, requests_reset=30.0))
    times = sent_at(limit, clock, two_left, Spent(), Spent(), Spent())
    assert times == [0.0, 0.0, 0.0, 30.0]


def test_a_request_waits_for_the_tokens_it_may_have() -> None:
    clock = Clock()
    limit = ServerPace(clock=clock, sleep=clock.sleep)
    most = claim().tokens
    told = Spent(pace=Pace(tokens_left=2 * most, tokens_reset=12.0))
    assert sent_at(limit, clock, told, Spent(), Spent(), Spent()) == [0.0, 0.0, 0.0, 12.0]


def test_a_server_that_says_nothing_holds_nobody_back() -> None:
    clock = Clock()
    limit = ServerPace(clock=clock, sleep=clock.sleep)
    half_said = Spent(pace=Pace(requests_left=0))
    assert sent_at(limit, clock, half_said, Spent(), Spent()) == [0.0, 0.0, 0.0]


def test_a_server_that_asks_for_a_day_is_asked_again_each_minute() -> None:
    naps: list[float] = []
    clock = Clock()

    async def sleep(seconds: float) -> None:
        naps.append(seconds)
        await clock.sleep(seconds)

    limit = ServerPace(clock=clock, sleep=sleep)
    day = Spent(pace=Pace(requests_left=0, requests_reset=150.0))
    assert sent_at(limit, clock, day, Spent()) == [0.0, 150.0]
    assert naps == [60.0, 60.0, 30.0]


# --- the budget --------------------------------------------------------------------------------

CENT_A_TOKEN = Price(0.0, 0.01, 0.0)


def sent_within(budget: Budget, reply: int, spent: Spent) -> tuple[int, CallError]:
    """How many requests of so many tokens at most, which cost what is `spent`, a budget allows."""

    async def run() -> tuple[int, CallError]:
        sent = 0
        try:
            while True:
                async with through(budget, claim(reply, CENT_A_TOKEN), spent):
                    sent += 1
        except CallError as error:
            return sent, error

    return asyncio.run(run())


def test_the_request_that_could_pass_the_budget_is_not_sent() -> None:
    sent, error = sent_within(Budget(1.0), 20, Spent(cost=0.2))
    assert sent == 5
    assert (error.kind, error.fatal) == ("budget", True)
    assert "$1.0000 of --max-cost $1 are spent" in str(error)


def test_what_requests_did_not_cost_is_there_for_others() -> None:
    # the last was sent with .50 spent and .50 at most
    assert sent_within(Budget(1.0), 50, Spent(cost=0.05))[0] == 11


def test_a_request_of_unknown_cost_counts_with_the_most_it_can_have() -> None:
    assert sent_within(Budget(1.0), 50, Spent())[0] == 2


def test_what_was_spent_before_counts() -> None:
    async def run() -> None:
        with pytest.raises(CallError, match=r"\$0.9000 of"):
            await Budget(1.0, spent=0.9).enter(claim(20, CENT_A_TOKEN))

    asyncio.run(run())


def test_money_set_aside_for_requests_in_flight_is_waited_for() -> None:
    async def run() -> list[str]:
        budget, told = Budget(1.0), list[str]()
        first, second = claim(80, CENT_A_TOKEN), claim(80, CENT_A_TOKEN)
        await budget.enter(first)
        waiting = asyncio.create_task(budget.enter(second))
        await asyncio.sleep(0)
        told.append("waits" if not waiting.done() else "sent")
        budget.leave(first, Spent(cost=0.1))
        await waiting
        told.append("sent")
        budget.leave(second, Spent(cost=0.8))
        with pytest.raises(CallError):
            await budget.enter(claim(80, CENT_A_TOKEN))
        return told

    assert asyncio.run(run()) == ["waits", "sent"]


def test_a_model_that_costs_nothing_never_meets_its_budget() -> None:
    async def run() -> None:
        budget = Budget(0.0)
        for _ in range(3):
            async with through(budget, claim(50, Price(0.0, 0.0, 0.0)), Spent(cost=0.0)):
                pass

    asyncio.run(run())


# --- retries -----------------------------------------------------------------------------------


def retried(*faults: CallError, attempts: int) -> tuple[int, list[float]]:
    """How often a request was sent, and the pauses between."""
    sent, pauses = 0, []

    async def send() -> None:
        nonlocal sent
        sent += 1
        if sent <= len(faults):
            raise faults[sent - 1]

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def run() -> None:
        try:
            await with_retries(send, attempts=attempts, sleep=sleep)
        except CallError:
            return

    asyncio.run(run())
    return sent, pauses


def passing(wait: float | None = None) -> CallError:
    return CallError("transport", "busy", retryable=True, retry_after=wait)


def test_tries_are_counted_with_the_first() -> None:
    assert retried(*[passing()] * 9, attempts=1) == (1, [])
    assert retried(*[passing()] * 9, attempts=5)[0] == 5
    assert retried(passing(), attempts=5)[0] == 2


def test_what_will_not_pass_is_not_tried_again() -> None:
    assert retried(CallError("parameter", "no"), attempts=5) == (1, [])


def test_pauses_grow_and_yield_to_a_longer_retry_after() -> None:
    sent, pauses = retried(passing(), passing(), passing(30.0), passing(0.0), attempts=5)
    assert sent == 5
    for pause, least in zip(pauses, [1.0, 2.0, 30.0, 8.0], strict=True):
        assert least <= pause <= least + 1.0
