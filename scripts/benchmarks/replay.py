"""Re-judging stored units: calls a second, against plain diskcache and minima-llm's own cache."""

import argparse
import asyncio
import multiprocessing
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import diskcache

from judge.executor import Executor
from judge.llm import JudgeClient, JudgeSettings, identity_of
from judge.llm.providers import Completion
from judge.llm.replies import Replies, tag_of
from judge.llm.turns import first_request
from judge.manifest import new_manifest
from judge.reporting import Silent
from judge.runs import RunDirectory
from judge.tasks.relevance import Relevance
from judge.templates import load_template
from judge.types import Call, Document, SubNarrative, Topic, Usage
from judge_cache import open_store
from judge_cache.codec import encode
from scripts.benchmarks._answering import answering
from scripts.benchmarks._minima import ask_minima
from scripts.benchmarks._table import report

TEMPLATE = "relevance/trec2025"
TOPICS, SENTENCES = 50, 12
"""Topics that the units are spread over, and sentences of a document (about 1 kB)."""

IDENTITY = identity_of("openai/judge", "http://localhost:1/v1")
SETTINGS = JudgeSettings(temperature=0.0, offline=True)
_WORDS = ("water", "heat", "pump", "tree", "shade", "cost", "year", "study", "street", "summer")
_POOL = [" ".join(random.Random(n).choices(_WORDS, k=14)) for n in range(400)]  # noqa: S311
_SENTENCES = [f"{sentence.capitalize()}." for sentence in _POOL] * 2


def text(name: str, sentences: int) -> str:
    """Sentences that follow from a name."""
    chosen = random.Random(name).choices(_POOL, k=sentences)  # noqa: S311
    return " ".join(f"{sentence.capitalize()}." for sentence in chosen)


def topic(number: int) -> Topic:
    """A topic with five sub-narratives."""
    parts = [SubNarrative(sub_id=str(n), text=text(f"{number} {n}", 1)) for n in range(1, 6)]
    return Topic(
        topic_id=f"t{number}", narrative=text(f"t{number}", 4), sub_narratives=tuple(parts)
    )


def document(docid: str) -> Document:
    """The document of a docid such as "d17", cut out of a pool: it takes as long as nothing.

    It is made when it is asked for, so that none stays in memory; no two are the same.
    """
    start = int(docid[1:]) % len(_POOL)
    said = " ".join([docid, *_SENTENCES[start : start + SENTENCES]])
    return Document(docid=docid, title=f"{_POOL[start][:50]} {docid}", text=said)


@dataclass(frozen=True)
class Share:
    """The units from one number up to another, of so many in all."""

    first: int
    last: int
    total: int

    def task(self) -> Relevance:
        """The units as a task."""
        numbers = range(self.first, self.last)
        pairs = [(f"t{n * TOPICS // self.total}", f"d{n}") for n in numbers]
        topics = {f"t{number}": topic(number) for number in range(TOPICS)}
        return Relevance(load_template(TEMPLATE), topics, pairs, document)


def fill(folder: Path, share: Share) -> None:
    """Store a reply to every unit, in a reply store and as the same bytes in plain diskcache."""
    task = share.task()
    plain = diskcache.Cache(str(folder / "plain"), eviction_policy="none", cull_limit=0)
    with plain, open_store(folder / "store") as store:
        replies = Replies(store)
        for number, call in enumerate(task.calls(task.units())):
            if not isinstance(call, Call):
                raise TypeError("every document is there")
            request = first_request(call, IDENTITY, SETTINGS)
            replies.keep(request, answer(number), before=(), tag=tag_of(IDENTITY, TEMPLATE))
            plain.set(request.key, encode(store.get(request.key) or {}))


def answer(number: int) -> Completion:
    """What the judge said of a unit: one of 32 findings, and the grade that goes with it."""
    usage = Usage(prompt_tokens=600, completion_tokens=12)
    parts = [str(part) for part in range(1, 6) if number >> (part - 1) & 1]
    grade = (1, 2, 3, 3, 4, 4)[len(parts)]
    said = f"answered: {', '.join(parts) or 'none'}\n##final score: {grade}"
    return Completion(text=said, model="judge-1", finish_reason="stop", usage=usage)


def replay(folder: Path, share: Share, run: str) -> None:
    """Judge the units from the store: render, key, read, parse, write."""

    async def judge(directory: RunDirectory) -> int:
        with open_store(folder / "store") as store:
            client = JudgeClient(None, IDENTITY, store=store, settings=SETTINGS)
            executor = Executor(client, directory, concurrency=16, progress=Silent())
            return (await executor.run(share.task())).cached

    with RunDirectory(folder / run, new_manifest("judge", None, {})) as directory:
        if asyncio.run(judge(directory)) != share.last - share.first:
            raise RuntimeError("a unit was not answered by the store")


def replay_together(folder: Path, share: Share, run: str, processes: int) -> None:
    """The same, each process taking an equal share into a run directory of its own."""
    step = -(-share.last // processes)
    shares = [Share(n, min(n + step, share.last), share.total) for n in range(0, share.last, step)]
    works = [
        multiprocessing.Process(target=replay, args=(folder, part, f"{run}-{part.first}"))
        for part in shares
    ]
    for work in works:
        work.start()
    for work in works:
        work.join()
        if work.exitcode:
            raise RuntimeError("a process failed")


def seconds(act: Callable[[], object], clock: Callable[[], float]) -> float:
    """How long `act` takes by a clock."""
    start = clock()
    act()
    return clock() - start


def read_plain(folder: Path, keys: list[str]) -> None:
    """Read every value with plain diskcache."""
    with diskcache.Cache(str(folder / "plain")) as plain:
        for key in keys:
            plain.get(key)


def minima_warm(folder: Path, share: Share) -> float:
    """Seconds that minima-llm takes of one core to answer the units out of its own cache.

    Raises:
        ImportError: minima-llm is not installed.
    """
    with answering(None) as server:
        ask = partial(ask_minima, folder / "minima", server.url, bodies(share), 16)
        ask()
        asked = server.hits
        took = min(seconds(ask, time.process_time) for _ in range(3))
        if asked != share.last - share.first or server.hits != asked:
            raise RuntimeError("a unit was not asked once and then answered by the cache")
    return took


def bodies(share: Share) -> list[dict[str, Any]]:
    """What would be sent of every unit."""
    task = share.task()
    calls = [call for call in task.calls(task.units()) if isinstance(call, Call)]
    requests = [first_request(call, IDENTITY, SETTINGS) for call in calls]
    return [{"messages": request.wire_messages(), **request.params} for request in requests]


def peak() -> float:
    """The most memory that this process has had, in MB."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / (1024 * 1024 if sys.platform == "darwin" else 1024)


def main() -> None:
    """Measure three times and report the shortest; memory over the first time.

    One process is measured in processor time, which what else the machine does hardly changes;
    all together by the clock on the wall.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=20_000)
    parser.add_argument("--record", action="store_true", help="keep the table")
    number, cores = parser.parse_args().units, os.cpu_count() or 1
    whole, tenth = Share(0, number, number), Share(0, number // 10, number)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, whole)
        with diskcache.Cache(str(folder / "plain")) as plain:
            keys = list(plain)
        replay(folder, tenth, "warm")
        before = peak()
        took: dict[str, list[float]] = {"plain": [], "one": [], "all": []}
        grown = 0.0
        for time_ in range(3):
            plain = partial(read_plain, folder, keys)
            took["plain"].append(seconds(plain, time.process_time))
            one = partial(replay, folder, whole, f"one-{time_}")
            took["one"].append(seconds(one, time.process_time))
            grown = grown or peak() - before
            together = partial(replay_together, folder, whole, f"all-{time_}", cores)
            took["all"].append(seconds(together, time.perf_counter))
        shortest = {name: min(times) / number for name, times in took.items()}
        try:
            shortest["minima"] = minima_warm(folder, tenth) / (number // 10)
        except ImportError:
            missing = " minima-llm is not installed: its row is left out."
        else:
            missing = ""
    _report(number, cores, shortest, grown, missing)


def _report(number: int, cores: int, took: dict[str, float], grown: float, missing: str) -> None:
    names = {
        "plain": "diskcache get, one core",
        "one": "replay, one core",
        "all": f"replay, {cores} processes, on the wall",
        "minima": "minima-llm from its own cache, one core",
    }
    rows = [
        (
            names[name],
            f"{time_ * 1e6:.1f} µs",
            f"{1 / time_:,.0f}",
            f"{took['plain'] / time_:.3f}",
            f"{took['minima'] / time_:.2f}" if "minima" in took else "",
        )
        for name, time_ in took.items()
    ]
    note = (
        f"{number:,} relevance units over {TOPICS} topics, documents of {SENTENCES} sentences; "
        "the shortest of three, in processor time but for all processes together. "
        f"Peak memory grew by {grown:.0f} MB from a tenth of the units to all. minima-llm has a "
        f"tenth of the prompts, answered once before; it writes no judgments.{missing}"
    )
    header = ("what", "time a unit", "calls a second", "of diskcache's speed", "of minima-llm warm")
    report("replay", header, rows, note)


if __name__ == "__main__":
    main()
