"""Limits let requests through in their time; retries count and wait as told."""

import asyncio

import pytest

from judge.errors import UsageError
from judge.llm import CallError, Combined, Concurrency, RequestsPerMinute
from judge.llm.retry import with_retries


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


def test_requests_per_minute_are_evenly_spaced() -> None:
    async def run() -> list[float]:
        clock = Clock()
        limit = RequestsPerMinute(30, clock=clock, sleep=clock.sleep)
        sent = []
        for _ in range(4):
            async with limit:
                sent.append(clock.now)
        clock.now = 200.0
        for _ in range(2):
            async with limit:
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
            async with limit:
                pass

        await asyncio.gather(*(one() for _ in range(4)))

    asyncio.run(run())
    assert waits == [1.0, 2.0, 3.0]


def test_concurrency_holds_the_rest_back() -> None:
    async def run() -> int:
        limit, inside, most = Concurrency(2), 0, 0

        async def one() -> None:
            nonlocal inside, most
            async with limit:
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
        async with limit:
            pass

    asyncio.run(run())
    asyncio.run(run())


def test_combined_gives_back_what_it_took_when_a_later_limit_fails() -> None:
    class Broken:
        async def __aenter__(self) -> None:
            raise KeyError

        async def __aexit__(self, *error: object) -> None:
            raise AssertionError("was never entered")

    async def run() -> None:
        slots = Concurrency(1)
        for _ in range(2):
            with pytest.raises(KeyError):
                async with Combined(slots, Broken()):
                    pass
        async with Combined(slots):
            pass

    asyncio.run(run())


@pytest.mark.parametrize("n", [0, -1])
def test_a_limit_that_lets_nothing_through_is_refused(n: int) -> None:
    with pytest.raises(UsageError):
        Concurrency(n)
    with pytest.raises(UsageError):
        RequestsPerMinute(n)


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
