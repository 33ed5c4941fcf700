"""Judge the units of a task: some calls at a time, each result on disk before the next is asked."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field, fields
from itertools import islice, pairwise
from typing import Any

from judge.errors import StoppedError
from judge.garbage import collected_rarely
from judge.llm import JudgeClient
from judge.reporting import Notice, Progress
from judge.runs import RunDirectory
from judge.tasks import Task
from judge.types import Attempt, Call, Failure, Judgment, Reply, Unit
from judge.votes import agreement, by_majority, together, worth_going_on


@dataclass
class Tally:
    """What one session did for one task.

    `units` are all the task has, `before` were judged in an earlier session, `left` were left
    out by the limit. `calls` were sent, `cached` came from the store. `spent` is in US dollars,
    for all calls but the `unpriced` ones, of which nobody knows what they cost. `flagged` counts
    judgments by what was noticed about them, such as an injection that is suspected. Of `pairs`
    of samples of one unit, `alike` have the same label.
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
    spent: float = 0.0
    unpriced: int = 0
    alike: int = 0
    pairs: int = 0
    flagged: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def cost(self) -> float | None:
        """What it all cost in US dollars; None once any call's cost is not known."""
        return None if self.unpriced else self.spent

    @property
    def n_failed(self) -> int:
        """Units that ended without a label."""
        return self.failed.total()

    def summary(self) -> dict[str, Any]:
        """All of it as JSON data."""
        return {
            **asdict(self),
            "cost": self.cost,
            "flagged": dict(self.flagged),
            "failed": dict(self.failed),
        }

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        sums = {
            f.name: getattr(self, f.name) + getattr(other, f.name)
            for f in fields(self)
            if f.name != "task"
        }
        return Tally(self.task, **sums)


_TURNS = 3
"""Paid asks that a unit may cost: alone, or twice in its batch and once in half of it."""

_DIVISIBLE = ("parse", "empty", "truncated", "context")


class Executor:
    """Runs the calls of a task against one judge and one run directory.

    Args:
        concurrency: calls in flight.
        limit: judge at most this many units.
        samples: how often each call is asked, if it has a closed set of labels.
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
        samples: int = 1,
    ) -> None:
        self._samples = samples
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
            with collected_rarely():
                await self._drain(task, calls, tally)
        finally:
            self._progress.end()
        return tally

    def _count(self, task: Task) -> Tally:
        tally, judgments = Tally(task.name), self._run.judgments
        before = len(judgments) > 0
        for unit in task.units():
            tally.units += 1
            tally.before += before and judgments.is_ok(unit.unit_id)
        if self._limit is not None:
            tally.left = max(0, tally.units - tally.before - self._limit)
        return tally

    def _pending(self, task: Task) -> Iterator[Unit]:
        judgments = self._run.judgments
        return (unit for unit in task.units() if not judgments.is_ok(unit.unit_id))

    async def _drain(self, task: Task, calls: Iterator[Call | Judgment], tally: Tally) -> None:
        """Work through the calls; once stopped, end those that are paid for and start no more."""
        going = True

        async def work() -> None:
            while going and (item := next(calls, None)) is not None:
                if isinstance(item, Call):
                    await self._ask(task, item, tally)
                else:
                    self._give_up(item, tally)

        workers = [asyncio.create_task(work()) for _ in range(self._concurrency)]
        try:
            done, others = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
            if any(isinstance(worker.exception(), StoppedError) for worker in done):
                going = False
                await self._let_end(others)
            for worker in done:
                worker.result()
        except asyncio.CancelledError:
            going = False
            self._notice("stopping: calls in flight are let end; Ctrl-C again stops at once")
            await self._let_end(workers)
            raise
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _let_end(self, workers: Collection[asyncio.Task[None]]) -> None:
        """Wait for the workers whose request is under way; end those that wait for other things."""
        under_way = self._client.halt()
        for worker in workers:
            if worker not in under_way:
                worker.cancel()
        if workers:
            await asyncio.wait(workers)

    def _give_up(self, judgment: Judgment, tally: Tally) -> None:
        self._run.judgments.append([judgment])
        tally.failed[judgment.failure or ""] += 1
        self._progress.advance(1, 1, 0.0)

    async def _ask(self, task: Task, call: Call, tally: Tally) -> None:
        """Ask; a batch that gives nothing is cut in halves once, each asked once more."""
        outcome = await self._outcome(task, call, _TURNS - 1 if call.is_batch else _TURNS)
        if not call.is_batch or not _divisible(outcome):
            self._settle(outcome, to_judgments(call, outcome), tally)
            return
        self._settle(outcome, [], tally)
        halves = [part for half in _halves(call.units) for part in task.calls(half)]
        outcomes = [
            await self._half(task, part, tally) for part in halves if isinstance(part, Call)
        ]
        if all(isinstance(outcome, Reply) for outcome in outcomes):
            self._client.keep_halved(call)

    async def _half(self, task: Task, part: Call, tally: Tally) -> Reply | Failure:
        outcome = await self._outcome(task, part, 1)
        self._settle(outcome, to_judgments(part, outcome), tally)
        return outcome

    async def _outcome(self, task: Task, call: Call, turns: int) -> Reply | Failure:
        outcomes: list[Reply | Failure] = []
        for sample in range(self._samples if call.labels else 1):
            outcome = await self._sampled(task, call, turns, sample)
            outcomes.append(outcome)
            if call.is_batch and _divisible(outcome):
                break  # the halves are asked as often
        return by_majority(call, outcomes)

    async def _sampled(self, task: Task, call: Call, turns: int, sample: int) -> Reply | Failure:
        """Ask a call, or its parts one after the other up to the first that fails."""
        if call.parts is None:
            return await self._client.ask(
                call,
                lambda text: task.read(call, text),
                turns=turns,
                noted=lambda attempt: self._run.note(call, attempt),
                sample=sample,
            )
        outcomes: list[Reply | Failure] = []
        for part in call.parts.calls:
            outcome = await self._sampled(task, part, turns, sample)
            outcomes.append(outcome)
            if not worth_going_on(part, outcome):
                break
        return together(call, outcomes)

    def _settle(self, outcome: Reply | Failure, judgments: list[Judgment], tally: Tally) -> None:
        self._run.judgments.append(judgments)
        _add(tally, outcome, judgments)
        failed = len(judgments) if isinstance(outcome, Failure) else 0
        self._progress.advance(len(judgments), failed, _cost(outcome))


def to_judgments(call: Call, outcome: Reply | Failure) -> list[Judgment]:
    """One judgment for each unit of the call."""
    if isinstance(outcome, Failure):
        return [_failed(call, unit, outcome) for unit in call.units]
    return [_judged(call, unit, outcome) for unit in call.units]


def _judged(call: Call, unit: Unit, reply: Reply) -> Judgment:
    verdict = reply.verdicts[unit.unit_id]
    return Judgment(
        *unit.parts,
        label=verdict.label,
        status="ok",
        reason=verdict.reason,
        model=reply.model,
        template=call.prompt.template,
        template_sha256=call.prompt.sha256,
        key=reply.key,
        flags=(*call.flags, *verdict.flags),
        probabilities=verdict.probabilities,
        detail=dict(verdict.detail),
    )


def _failed(call: Call, unit: Unit, failure: Failure) -> Judgment:
    return Judgment(
        *unit.parts,
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
    spent = 0.0
    for attempt in outcome.attempts:
        if attempt.cost is None:
            return None
        spent += attempt.cost
    return spent


def _add(tally: Tally, outcome: Reply | Failure, judgments: list[Judgment]) -> None:
    sent = [attempt for attempt in outcome.attempts if not attempt.cached]
    tally.cached += len(outcome.attempts) - len(sent)
    if sent:
        _add_sent(tally, sent)
    for judgment in judgments:
        if "samples" in judgment.detail:
            equal, pairs = agreement(judgment.detail["samples"])
            tally.alike += equal
            tally.pairs += pairs
        if judgment.flags:
            tally.flagged.update({flag.partition(":")[0] for flag in judgment.flags})
        if judgment.failure is not None:
            tally.failed[judgment.failure] += 1


def _add_sent(tally: Tally, sent: list[Attempt]) -> None:
    tally.calls += len(sent)
    tally.retries += sum(before.failure is not None for before, _ in pairwise(sent))
    for attempt in sent:
        tally.prompt_tokens += attempt.usage.prompt_tokens or 0
        tally.completion_tokens += attempt.usage.completion_tokens or 0
        tally.spent += attempt.cost or 0.0
        tally.unpriced += attempt.cost is None
