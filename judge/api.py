"""The verbs as functions: each judging verb plain, and as an async twin.

The plain ones may be called where an event loop runs already (a notebook): they then work in a
thread of their own. Settings are given by name, as in `judge.settings.Settings`.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from judge import pipeline, scoring, verbs
from judge.config import AssessConfig, make_settings, read_config
from judge.metrics import parse_measures
from judge.settings import Settings
from judge.types import Score
from judge.verbs import Result

T = TypeVar("T")


async def assess_async(
    config: AssessConfig | str | Path, *, out: str | Path, **choices: Any
) -> Result:
    """Judge a collection end to end; see `judge.pipeline.assess` and `Settings`."""
    given = config if isinstance(config, AssessConfig) else read_config(Path(config))
    settings, rest = _split({**given.settings(), **choices})
    return await pipeline.assess(given, out=Path(out), settings=settings, **rest)


async def relevance_async(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """Grade documents for topics, 0 to 4; see `judge.verbs.relevance` and `Settings`."""
    settings, rest = _split(choices)
    return await verbs.relevance(topics, out=Path(out), settings=settings, **rest)


async def create_nuggets_async(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """Create nuggets from relevant documents; see `judge.verbs.create_nuggets` and `Settings`."""
    settings, rest = _split(choices)
    return await verbs.create_nuggets(topics, out=Path(out), settings=settings, **rest)


async def assign_nuggets_async(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """Label nuggets for answers; see `judge.verbs.assign_nuggets` and `Settings`."""
    settings, rest = _split(choices)
    return await verbs.assign_nuggets(topics, out=Path(out), settings=settings, **rest)


async def support_async(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """Label citations for sentences; see `judge.verbs.support` and `Settings`."""
    settings, rest = _split(choices)
    return await verbs.support(topics, out=Path(out), settings=settings, **rest)


def assess(config: AssessConfig | str | Path, *, out: str | Path, **choices: Any) -> Result:
    """`assess_async`, waited for."""
    return _wait(assess_async(config, out=out, **choices))


def relevance(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """`relevance_async`, waited for."""
    return _wait(relevance_async(topics, out=out, **choices))


def create_nuggets(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """`create_nuggets_async`, waited for."""
    return _wait(create_nuggets_async(topics, out=out, **choices))


def assign_nuggets(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """`assign_nuggets_async`, waited for."""
    return _wait(assign_nuggets_async(topics, out=out, **choices))


def support(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """`support_async`, waited for."""
    return _wait(support_async(topics, out=out, **choices))


def score(
    run: str | Path | None = None,
    *,
    assignments: Sequence[str] = (),
    support: Sequence[str] = (),
    nuggets: str | None = None,
    topics: str | None = None,
    measures: str | None = None,
    **rules: Any,
) -> list[Score]:
    """Scores of a run directory, or of label files; see `judge.scoring`."""
    labels = scoring.read_labels(
        None if run is None else Path(run),
        assignments=assignments,
        support=support,
        nuggets=nuggets,
        topics=topics,
    )
    return scoring.compute(labels, parse_measures(measures) if measures else (), **rules)


def _split(choices: dict[str, Any]) -> tuple[Settings, dict[str, Any]]:
    """The settings among `choices`, and the rest, which are the verb's own."""
    ours = {name: value for name, value in choices.items() if name in Settings.model_fields}
    rest = {name: value for name, value in choices.items() if name not in ours}
    return make_settings(ours), rest


def _wait(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end, beside an event loop if one runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()
