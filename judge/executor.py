"""Judge the units of a task: some calls at a time, each result on disk before the next is asked."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from itertools import islice
from typing import Any

from judge.llm import CallStoppedError, JudgeClient
from judge.reporting import Notice, Progress
from judge.runs import RunDirectory
from judge.tasks import Task
from judge.types import Call, Failure, Judgment, Reply, Unit


@dataclass
class Tally:
    """What one session did for one task.

    `units` are all the task has, `before` were judged in an earlier session, `left` were left
    out by the limit. `calls` were sent, `cached` came from the store. `cost` is in US dollars
    and None once any call's price is unknown.
    """

    task: str
    units: int = 0
    before: int = 0
    left: int = 0
    calls: int = 0
    cached: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def n_failed(self) -> int:
        """Units that ended without a label."""
        return self.failed.total()

    def summary(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {**asdict(self), "failed": dict(self.failed)}

    def __add__(self, other: "Tally") -> "Tally":
        """Both together; None (an unknown cost) stays None."""
        sums = {
            f.name: getattr(self, f.name) + getattr(other, f.name)
            for f in fields(self)
            if f.name not in ("task", "cost")
        }
        costs = (self.cost, other.cost)
        cost = None if None in costs else sum(cost for cost in costs if cost is not None)
        return Tally(self.task, cost=cost, **sums)


_TURNS = 3
"""Paid asks that a unit may cost: alone, or twice in its batch and once in half of it."""

_DIVISIBLE = ("parse", "empty", "truncated", "context")


class Executor:
    """Runs the calls of a task against one judge and one run directory.

    Args:
        concurrency: calls in flight.
        limit: judge at most this many units.
    """

    def __init__(
        self,
        client: JudgeClient,
        run: RunDirectory,
        *,
        concurrency: int,
        progress: Progress,
        notice: Notice = lambda text: None,
        limit: int | None = None,
    ) -> None:
        self._client, self._run, self._notice = client, run, notice
        self._concurrency, self._limit, self._progress = concurrency, limit, progress

    async def run(self, task: Task) -> Tally:
        """Judge every unit of `task` that has no label yet.

        Raises:
            StoppedError: the provider refuses every further call; what was judged is on disk.
        """
        tally = self._count(task)
        self._progress.begin(task.name, tally.units - tally.left, tally.before)
        try:
            calls = task.calls(islice(self._pending(task), self._limit))
            await self._drain(task, calls, tally)
        finally:
            self._progress.end()
        return tally

    def _count(self, task: Task) -> Tally:
        tally = Tally(task.name)
        for unit in task.units():
            tally.units += 1
            tally.before += self._run.judgments.is_ok(unit.unit_id)
        if self._limit is not None:
            tally.left = max(0, tally.units - tally.before - self._limit)
        return tally

    def _pending(self, task: Task) -> Iterator[Unit]:
        judgments = self._run.judgments
        return (unit for unit in task.units() if not judgments.is_ok(unit.unit_id))

    async def _drain(self, task: Task, calls: Iterator[Call | Judgment], tally: Tally) -> None:
        """Work through the calls; once interrupted, end those that are paid for, start no more."""
        going = True

        async def work() -> None:
            while going and (item := next(calls, None)) is not None:
                if isinstance(item, Judgment):
                    self._give_up(item, tally)
                else:
                    await self._ask(task, item, tally)

        workers = [asyncio.create_task(work()) for _ in range(self._concurrency)]
        try:
            done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            for worker in done:
                worker.result()
        except asyncio.CancelledError:
            going = False
            self._notice("stopping: calls in flight are let end; Ctrl-C again stops at once")
            await asyncio.wait(workers)
            raise
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def _give_up(self, judgment: Judgment, tally: Tally) -> None:
        self._run.judgments.append([judgment])
        tally.failed[judgment.failure or ""] += 1
        self._progress.advance(1, 1, 0.0)

    async def _ask(self, task: Task, call: Call, tally: Tally) -> None:
        """Ask; a batch that gives nothing is cut in halves once, each asked once more."""
        single = len(call.units) == 1
        outcome = await self._outcome(task, call, _TURNS if single else _TURNS - 1)
        if single or not _divisible(outcome):
            self._settle(call, outcome, to_judgments(call, outcome), tally)
            return
        self._settle(call, outcome, [], tally)
        halves = [part for half in _halves(call.units) for part in task.calls(half)]
        outcomes = [
            await self._half(task, part, tally) for part in halves if isinstance(part, Call)
        ]
        if all(isinstance(outcome, Reply) for outcome in outcomes):
            self._client.keep_halved(call)

    async def _half(self, task: Task, part: Call, tally: Tally) -> Reply | Failure:
        outcome = await self._outcome(task, part, 1)
        self._settle(part, outcome, to_judgments(part, outcome), tally)
        return outcome

    async def _outcome(self, task: Task, call: Call, turns: int) -> Reply | Failure:
        try:
            return await self._client.ask(call, lambda text: task.read(call, text), turns=turns)
        except CallStoppedError as stop:
            self._run.record(call, [], stop.attempts)
            raise

    def _settle(
        self, call: Call, outcome: Reply | Failure, judgments: list[Judgment], tally: Tally
    ) -> None:
        self._run.record(call, judgments, outcome.attempts)
        _add(tally, outcome, judgments)
        failed = sum(judgment.status == "failed" for judgment in judgments)
        self._progress.advance(len(judgments), failed, _cost(outcome))


def to_judgments(call: Call, outcome: Reply | Failure) -> list[Judgment]:
    """One judgment for each unit of the call."""
    if isinstance(outcome, Failure):
        return [_failed(call, unit, outcome) for unit in call.units]
    return [_judged(call, unit, outcome) for unit in call.units]


def _judged(call: Call, unit: Unit, reply: Reply) -> Judgment:
    verdict = reply.verdicts[unit.unit_id]
    return Judgment(
        **unit.model_dump(),
        label=verdict.label,
        status="ok",
        reason=verdict.reason,
        model=reply.model,
        template=call.prompt.template,
        template_sha256=call.prompt.sha256,
        key=reply.key,
        flags=(*call.flags, *verdict.flags),
        detail=verdict.detail,
    )


def _failed(call: Call, unit: Unit, failure: Failure) -> Judgment:
    return Judgment(
        **unit.model_dump(),
        label=None,
        status="failed",
        failure=failure.kind,
        reason=failure.message,
        template=call.prompt.template,
        template_sha256=call.prompt.sha256,
        key=failure.key,
        flags=call.flags,
    )


def _divisible(outcome: Reply | Failure) -> bool:
    """Whether halves of a batch may succeed where the whole did not."""
    return isinstance(outcome, Failure) and outcome.kind in _DIVISIBLE


def _halves(units: tuple[Unit, ...]) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    middle = (len(units) + 1) // 2
    return units[:middle], units[middle:]


def _cost(outcome: Reply | Failure) -> float | None:
    costs = [attempt.cost for attempt in outcome.attempts]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _add(tally: Tally, outcome: Reply | Failure, judgments: list[Judgment]) -> None:
    sent = [attempt for attempt in outcome.attempts if not attempt.cached]
    tally.cached += len(outcome.attempts) - len(sent)
    tally.calls += len(sent)
    tally.retries += max(0, len(sent) - 1)
    tally.prompt_tokens += sum(attempt.usage.prompt_tokens or 0 for attempt in sent)
    tally.completion_tokens += sum(attempt.usage.completion_tokens or 0 for attempt in sent)
    cost = _cost(outcome)
    tally.cost = None if tally.cost is None or cost is None else tally.cost + cost
    tally.failed.update(j.failure for j in judgments if j.failure is not None)
