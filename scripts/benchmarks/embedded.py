"""Tokens that the embedded model evaluates of those it is sent, and where the demo's time goes."""

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from judge.demo import QUICK, sample_config
from judge.executor import Executor
from judge.llm import JudgeClient, JudgeSettings
from judge.loading import Inputs, add_nuggets, add_pairs, load_inputs
from judge.manifest import new_manifest
from judge.reporting import Silent
from judge.runs import LEDGER, RunDirectory, ledger_entries
from judge.settings import DEFAULT_MODEL
from judge.tasks import Task
from judge.tasks.assign import Assign
from judge.tasks.relevance import Relevance
from judge.tasks.support import SupportTask
from judge.templates import Template, file_of, load_template
from scripts.benchmarks._engine import SHIPPED, TimedModel, Variant
from scripts.benchmarks._table import report

SETTINGS = JudgeSettings(temperature=0.0, timeout=600.0)
FEW = 6
"""Units of a task, where not all of them are asked."""

NO_REUSE = Variant(params={"cache_prompt": False})
TWO_SLOTS = Variant(slots=2)
SMALL_BATCH = Variant(engine={"n_batch": 64, "n_ubatch": 64})
TARGET = 0.5
"""Share of its prompt tokens that relevance may evaluate over a topic."""

HEADER = ("asked", "calls", "sent", "evaluated", "share", "prompt, s", "reply, s", "all, s")
DEMO_HEADER = ("part of the demo", "seconds", "share")


# --- what is asked -----------------------------------------------------------------------------


def sample_inputs() -> Inputs:
    """The demo's topic of the sample collection, with all that is judged of it."""
    config = sample_config(everything=False)
    inputs = load_inputs(
        config.path(config.topics),
        answers=config.paths(config.answers),
        corpus=config.paths(config.corpus),
        topic_ids=QUICK,
        notice=_tell,
    )
    inputs = add_nuggets(inputs, config.path(str(config.nuggets.file)), _tell)
    pool = config.paths(config.relevance.pool)
    return add_pairs(inputs, pool=pool, depth=config.relevance.depth, notice=_tell)


def relevance(inputs: Inputs, template: Template | None = None) -> Task:
    """All documents of the topic."""
    template = template or load_template("relevance/trec2025")
    return Relevance(template, inputs.topics, inputs.pairs, inputs.corpora.get)


def assign(inputs: Inputs) -> Task:
    """All nuggets of the topic, for every answer."""
    template = load_template("nuggets/assign")
    return Assign(template, inputs.topics, inputs.answers, inputs.nuggets)


def support(inputs: Inputs) -> Task:
    """The first citation of every sentence."""
    template = load_template("support/trec2025")
    return SupportTask(template, inputs.topics, inputs.answers, inputs.corpora.cited)


def turned(inputs: Inputs) -> Task:
    """Relevance with the document before the request, as no template here has it."""
    file = file_of("relevance/trec2025")
    text = _document_first(file.read_text(encoding="utf-8"))
    return relevance(inputs, Template(text, place="the benchmark"))


def _document_first(text: str) -> str:
    """A template's text with its passage moved to the start of what the user says.

    Raises:
        ValueError: it has no passage, or no block of the user.
    """
    opening, start, end = "{% block user %}\n", text.index("<passage>"), text.index("</passage>")
    end += len("</passage>\n")
    head, rest = (text[:start] + text[end:]).split(opening)
    return f"{head}{opening}{text[start:end]}\n{rest}"


class Case(NamedTuple):
    """One row: a task, how the model is asked, and how many units at most."""

    name: str
    task: Callable[[Inputs], Task]
    variant: Variant = SHIPPED
    limit: int | None = None


RELEVANCE = "relevance, as shipped"
CASES = (
    Case(RELEVANCE, relevance),
    Case(f"relevance, {FEW} documents", relevance, SHIPPED, FEW),
    Case("relevance, no prefix reuse", relevance, NO_REUSE, FEW),
    Case("relevance, two slots", relevance, TWO_SLOTS, FEW),
    Case("relevance, batches of 64", relevance, SMALL_BATCH, FEW),
    Case("relevance, document first", turned, SHIPPED, FEW),
    Case("assign, as shipped", assign),
    Case("assign, no prefix reuse", assign, NO_REUSE),
    Case("support, as shipped", support, SHIPPED, FEW),
    Case("support, no prefix reuse", support, NO_REUSE, FEW),
)


# --- asking ------------------------------------------------------------------------------------


class Spent(NamedTuple):
    """Calls of a case; tokens of prompts as the ledger has them; seconds as the engine has them.

    `cached` tokens were sent but not evaluated; `wall` is by our clock, without loading.
    """

    calls: int
    sent: int
    cached: int
    prompt: float
    reply: float
    wall: float

    @property
    def evaluated(self) -> int:
        """Tokens of prompts that the engine worked through."""
        return self.sent - self.cached

    @property
    def share(self) -> float:
        """Evaluated tokens of those sent."""
        return self.evaluated / self.sent


async def measured(model: str, case: Case, inputs: Inputs) -> Spent:
    """Ask the units of a case of a model that is loaded for it; no reply is stored."""
    provider = TimedModel(model, case.variant)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with RunDirectory(folder, new_manifest(model, None, {})) as run:
            async with JudgeClient(provider, provider.identity, settings=SETTINGS) as client:
                await provider.ready()
                begun = time.perf_counter()
                executor = Executor(
                    client,
                    run,
                    concurrency=case.variant.slots,
                    progress=Silent(),
                    limit=case.limit,
                )
                await executor.run(case.task(inputs))
                wall = time.perf_counter() - begun
        return _spent(ledger_entries(folder / LEDGER), provider.timings, wall)


def _spent(
    ledger: Iterable[Mapping[str, Any]], timings: Sequence[Mapping[str, float]], wall: float
) -> Spent:
    """Sum up; a call without counts, or counted otherwise by the engine, spoils the figures."""
    entries = list(ledger)
    if any(entry["cached_tokens"] is None for entry in entries):
        raise RuntimeError("a call has no token counts")
    spent = Spent(
        calls=len(entries),
        sent=sum(entry["prompt_tokens"] for entry in entries),
        cached=sum(entry["cached_tokens"] for entry in entries),
        prompt=_seconds(timings, "prompt_ms"),
        reply=_seconds(timings, "predicted_ms"),
        wall=wall,
    )
    if spent.evaluated != (told := sum(timing["prompt_n"] for timing in timings)):
        raise RuntimeError(f"the ledger has {spent.evaluated} tokens evaluated, the engine {told}")
    return spent


def _seconds(timings: Iterable[Mapping[str, float]], name: str) -> float:
    return sum(timing[name] for timing in timings) / 1000


def row(name: str, spent: Spent) -> tuple[object, ...]:
    """Tokens are those of a call, on average."""
    return (
        name,
        spent.calls,
        round(spent.sent / spent.calls),
        round(spent.evaluated / spent.calls),
        f"{spent.share:.0%}",
        f"{spent.prompt:.1f}",
        f"{spent.reply:.1f}",
        f"{spent.wall:.1f}",
    )


# --- the demo ----------------------------------------------------------------------------------


class Parts(NamedTuple):
    """Seconds of a demo that its model took."""

    download: float
    load: float
    prompt: float
    reply: float


def demo(model: str, folder: Path) -> Parts:
    """Run the command with nothing stored, and tell how long its model was at work."""
    from judge.cli import app

    opened: list[TimedModel] = []

    def open_timed(name: str, *, parallel: int | None = None) -> TimedModel:
        del parallel  # the demo leaves it to the product
        opened.append(TimedModel(name))
        return opened[-1]

    command = ["demo", "--model", model, "--cache", folder / "cache", "--out", folder / "run"]
    with (
        patch("judge.llm.providers.local.open_local", open_timed),
        contextlib.redirect_stdout(sys.stderr),
    ):
        app([*map(str, command), "--allow-incomplete"], standalone_mode=False)
    (timed,) = opened
    seconds = [_seconds(timed.timings, name) for name in ("prompt_ms", "predicted_ms")]
    return Parts(timed.download, timed.load, *seconds)


def timed_demo(model: str, *, download: bool) -> tuple[float, Parts]:
    """The seconds of a demo in a process of its own, from the start of Python, and its parts."""
    context = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if download:
            models = {"RAG_JUDGE_MODELS": str(folder / "models")}
            stack.enter_context(patch.dict(os.environ, models))
        begun = time.perf_counter()
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            parts = pool.submit(demo, model, folder).result()
        return time.perf_counter() - begun, parts


def demo_rows(wall: float, parts: Parts) -> Iterator[tuple[object, ...]]:
    """Each part of the demo, and the rest: everything of ours."""
    names = ("download", "load", "prompts", "replies", "the rest")
    for name, seconds in zip(names, (*parts, wall - sum(parts)), strict=True):
        yield (name, f"{seconds:.1f}", f"{seconds / wall:.0%}")
    yield ("all", f"{wall:.1f}", "100%")


# --- the tables --------------------------------------------------------------------------------


def note(model: str, spent: Mapping[str, Spent]) -> str:
    """What was asked and, where relevance was, whether the target is met."""
    asked = (
        f"{model}, temperature 0, topic {QUICK[0]} of the sample collection. Tokens of a prompt "
        "that are sent, and that the engine evaluates, for a call on average, the first one "
        "included; seconds of prompts and replies by the engine (two slots overlap), all seconds "
        "by the clock, without loading"
    )
    if RELEVANCE not in spent:
        return asked
    share = spent[RELEVANCE].share
    return (
        f"{asked}. Target: {RELEVANCE}, evaluates at most {TARGET:.0%} of what it sends. It "
        f"evaluates {share:.0%}: the target is {'met' if share <= TARGET else 'missed'}"
    )


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def main() -> None:
    """Ask all cases, then run the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_MODEL, help="an embedded one")
    parser.add_argument("--cases", default="", help="only those whose names hold this")
    parser.add_argument("--no-demo", action="store_true", help="leave the demo out")
    parser.add_argument("--download", action="store_true", help="let the demo fetch the model")
    parser.add_argument("--record", action="store_true", help="keep the tables")
    given = parser.parse_args()
    inputs = sample_inputs()
    spent: dict[str, Spent] = {}
    for case in CASES:
        if given.cases in case.name:
            _tell(case.name)
            spent[case.name] = asyncio.run(measured(given.model, case, inputs))
    if spent:
        rows = [row(name, one) for name, one in spent.items()]
        report("embedded", HEADER, rows, note(given.model, spent))
    if not given.no_demo:
        wall, parts = timed_demo(given.model, download=given.download)
        told = f"{given.model}, topic {QUICK[0]}, nothing stored; seconds from the start of Python"
        report("embedded-demo", DEMO_HEADER, demo_rows(wall, parts), told)


if __name__ == "__main__":
    main()
