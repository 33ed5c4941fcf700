"""Judging over HTTP, against bare loops of the openai client and against minima-llm."""

import argparse
import asyncio
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from judge.executor import Executor
from judge.llm import Identity, JudgeClient, JudgeSettings, identity_of
from judge.llm.providers.openai import OpenAIProvider
from judge.llm.turns import first_request
from judge.manifest import new_manifest
from judge.reporting import Silent
from judge.runs import RunDirectory
from judge.tasks.support import SupportTask
from judge.templates import load_template
from judge.types import Answer, Call, Citation, Document, Sentence
from judge_cache import open_store
from scripts.benchmarks._answering import Answering, answering, pin
from scripts.benchmarks._minima import KEY, ask_minima
from scripts.benchmarks._table import report
from scripts.benchmarks.replay import text, topic

TEMPLATE = "support/trec2025"
SENTENCES = 10
"""Sentences of an answer, each a unit; a cited document has as many (about 1 kB)."""

SETTINGS = JudgeSettings(temperature=0.0)
LATENCY = 0.05
BARE = "AsyncOpenAI, bare loop"
PARTS = ("bare", "aiohttp", "rag-judge", "minima-llm", "latency", "processes")


class Took(NamedTuple):
    """Seconds by the clock, and of this process's core."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Share:
    """The answers from one number up to another, with `SENTENCES` units each."""

    first: int
    last: int

    @property
    def units(self) -> int:
        """How many units there are in it."""
        return (self.last - self.first) * SENTENCES

    def task(self) -> SupportTask:
        """The units as a task."""
        answers = [answer(number) for number in range(self.first, self.last)]
        topics = {a.topic_id: topic(int(a.topic_id[1:])) for a in answers}
        return SupportTask(
            load_template(TEMPLATE),
            topics,
            answers,
            lambda _, docid: Document(docid=docid, text=text(docid, SENTENCES)),
        )


def answer(number: int) -> Answer:
    """An answer whose sentences each cite a document of their own."""
    sentences = [
        Sentence(
            text=text(f"{number} {n}", 1),
            citations=(Citation(mention=f"d{number}-{n}", docid=f"d{number}-{n}"),),
        )
        for n in range(SENTENCES)
    ]
    return Answer(run_id="run", topic_id=f"t{number}", sentences=tuple(sentences))


def judge(folder: Path, url: str, share: Share, concurrency: int) -> None:
    """All of it: render, key, look up, send, read, store, and write judgment and ledger.

    The store is that of the folder, the run directory new.
    """
    identity = identity_of("openai/judge", url)

    async def run(directory: RunDirectory) -> int:
        with open_store(folder / "store") as store:
            provider = OpenAIProvider(identity, base_url=url, api_key=KEY)
            async with JudgeClient(provider, identity, store=store, settings=SETTINGS) as client:
                executor = Executor(client, directory, concurrency=concurrency, progress=Silent())
                tally = await executor.run(share.task())
                return tally.calls - tally.n_failed - tally.retries

    with RunDirectory(folder / f"run-{share.first}", new_manifest("judge", None, {})) as directory:
        if asyncio.run(run(directory)) != share.units:
            raise RuntimeError("a unit was not judged")


def judge_all(folder: Path, url: str, share: Share, processes: int, concurrency: int) -> None:
    """Judge in one process or in several, with a store that is empty at first."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        if processes == 1:
            judge(Path(name), url, share, concurrency)
        else:
            judge_together(Path(name), url, share, concurrency, processes)


def judge_together(folder: Path, url: str, share: Share, concurrency: int, processes: int) -> None:
    """The same in several processes with one store, each judging an equal share."""
    step = -(-(share.last - share.first) // processes)
    works = [
        multiprocessing.Process(
            target=judge,
            args=(folder, url, Share(n, min(n + step, share.last)), concurrency // processes),
        )
        for n in range(share.first, share.last, step)
    ]
    for work in works:
        work.start()
    for work in works:
        work.join()
        if work.exitcode:
            raise RuntimeError("a process failed")


def bodies(share: Share, identity: Identity) -> list[dict[str, Any]]:
    """What is sent of every unit, made beforehand for the clients that only send."""
    task = share.task()
    requests = [
        first_request(call, identity, SETTINGS)
        for call in task.calls(task.units())
        if isinstance(call, Call)
    ]
    return [
        {"model": request.model, "messages": request.wire_messages(), **request.params}
        for request in requests
    ]


def bare(
    url: str, asked: list[dict[str, Any]], concurrency: int, transport: str | None = None
) -> None:
    """Nothing but the openai client: each prompt sent, each reply decoded and dropped."""
    import openai

    async def run() -> None:
        http = None if transport is None else getattr(openai, transport)()
        async with openai.AsyncOpenAI(
            api_key=KEY, base_url=url, max_retries=0, http_client=http
        ) as client:

            async def ask(body: dict[str, Any]) -> None:
                said = await client.chat.completions.create(**body)
                if not said.choices[0].message.content:
                    raise RuntimeError("nothing was said")

            await _at_once(ask, asked, concurrency)

    asyncio.run(run())


def minima(folder: Path, url: str, asked: list[dict[str, Any]], concurrency: int) -> None:
    """minima-llm with an empty cache of its own."""
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        ask_minima(Path(cache), url, asked, concurrency)


async def _at_once(
    ask: Callable[[dict[str, Any]], Awaitable[None]], asked: list[dict[str, Any]], n: int
) -> None:
    """Ask all, `n` at a time."""
    left = iter(asked)

    async def work() -> None:
        for body in left:
            await ask(body)

    await asyncio.gather(*(work() for _ in range(n)))


# --- what is measured --------------------------------------------------------------------------


class Case(NamedTuple):
    """One row: a client at a concurrency, against a server that waits `latency` seconds."""

    part: str
    what: str
    concurrency: int
    latency: float
    act: Callable[[], None]


def cases(folder: Path, url: str, share: Share) -> list[Case]:
    """All that is measured, each client beside the bare one of the same concurrency."""
    asked = bodies(share, identity_of("openai/judge", url))

    def case(part: str, what: str, n: int, act: Callable[..., None], latency: float = 0.0) -> Case:
        return Case(part, what, n, latency, partial(act, concurrency=n))

    plain = partial(bare, url, asked)
    fast = partial(bare, url, asked, transport="DefaultAioHttpClient")
    ours = partial(judge_all, folder, url, share, 1)
    theirs = partial(minima, folder, url, asked)
    both = partial(judge_all, folder, url, share, 2)
    return [
        *(case("bare", BARE, n, plain) for n in (32, 64, 256)),
        *(case("aiohttp", "the same over aiohttp", n, fast) for n in (32, 64, 256)),
        *(case("rag-judge", "rag-judge", n, ours) for n in (32, 64, 256)),
        *(case("minima-llm", "minima-llm", n, theirs) for n in (32, 64)),
        case("latency", BARE, 64, plain, LATENCY),
        case("latency", "rag-judge", 64, ours, LATENCY),
        case("processes", "rag-judge, one process", 64, ours),
        case("processes", "rag-judge, two processes", 64, both),
    ]


def measured(server: Answering, case: Case, units: int, cores: set[int]) -> Took:
    """How long one case takes; every unit has been asked exactly once."""
    pin(cores)
    before = server.hits
    with server.slowed(case.latency):
        wall, cpu = time.perf_counter(), _processor()
        case.act()
        took = Took(time.perf_counter() - wall, _processor() - cpu)
    if server.hits - before != units:
        raise RuntimeError(f"{case.what}: {server.hits - before} requests for {units} units")
    return took


def _processor() -> float:
    """Seconds of a core that this process and those it waited for have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    """Measure three times and report medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=3_000, help=f"a multiple of {SENTENCES}")
    parser.add_argument("--without", choices=PARTS, action="append", default=[], help="leave out")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="keep the table")
    chosen = parser.parse_args()
    share = Share(0, chosen.units // SENTENCES)
    every = _cores()
    with tempfile.TemporaryDirectory() as name, answering(every[-1]) as server:
        for case in _chosen(cases(Path(name), server.url, Share(0, 1)), chosen.without):
            case.act()  # so that imports are not counted
        todo = _chosen(cases(Path(name), server.url, share), chosen.without)
        took: list[list[Took]] = [[] for _ in todo]
        for _ in range(chosen.times):
            for case, times in zip(todo, took, strict=True):
                cores = set(every) if case.part == "processes" else {every[0]}
                times.append(measured(server, case, share.units, cores))
    _report(todo, [_median(times) for times in took], share.units)


def _chosen(every: list[Case], without: list[str]) -> list[Case]:
    return [case for case in every if case.part not in without]


def _cores() -> list[int]:
    """The cores this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _median(times: list[Took]) -> Took:
    return Took(*(statistics.median(column) for column in zip(*times, strict=True)))


def _report(todo: list[Case], took: list[Took], units: int) -> None:
    base = {
        (case.concurrency, case.latency): time_
        for case, time_ in zip(todo, took, strict=True)
        if case.what == BARE
    }
    rows = [_row(case, time_, units, base) for case, time_ in zip(todo, took, strict=True)]
    note = (
        f"{units:,} support units with prompts of their own. A local server answers at once, or "
        f"after {LATENCY * 1000:.0f} ms, on a core of its own and the client runs on another (the "
        "last two rows have every core). Medians; ratios are of calls a second, and of processor "
        "time, against the bare loop of the same concurrency and latency."
    )
    header = ("what", "at once", "latency", "calls/s", "speed ratio", "CPU a call", "CPU ratio")
    report("live", header, rows, note)


def _row(
    case: Case, took: Took, units: int, base: dict[tuple[int, float], Took]
) -> tuple[object, ...]:
    beside = base.get((case.concurrency, case.latency))
    return (
        case.what,
        case.concurrency,
        f"{case.latency * 1000:.0f} ms",
        f"{units / took.wall:.0f}",
        f"{beside.wall / took.wall:.2f}" if beside else "",
        f"{took.cpu / units * 1e3:.2f} ms",
        f"{took.cpu / beside.cpu:.2f}" if beside else "",
    )


if __name__ == "__main__":
    main()
