"""The demo: the built-in sample collection, judged live, or replayed from recorded replies."""

import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judge import pipeline
from judge.config import AssessConfig, NuggetsConfig, RelevanceConfig
from judge.errors import UsageError
from judge.reporting import Reporter
from judge.sample import sample_path
from judge.settings import DEFAULT_MODEL, Settings
from judge.verbs import Result
from judge.verification import fault_of
from judge_cache import open_store

REPLIES = "replies.jsonl.zst"
QUICK = ("s1",)
"""The topics that the live demo takes, so that it ends within minutes on two cores."""

Work = Callable[[Settings, Reporter], Coroutine[Any, Any, Result]]


def sample_config(*, everything: bool) -> AssessConfig:
    """The assessment of the sample collection, whole or its quick part."""
    return AssessConfig(
        root=sample_path("narratives.json").parent,
        topics="narratives.json",
        topic_ids=() if everything else QUICK,
        answers=("answers.*.jsonl",),
        corpus=("corpus.jsonl",),
        relevance=RelevanceConfig(pool=("run.*.txt",), depth=20),
        nuggets=NuggetsConfig(file="nuggets.jsonl"),
    )


@contextmanager
def prepared(
    flags: dict[str, Any], *, replay: bool, everything: bool, out: Path | None
) -> Iterator[tuple[Work, dict[str, Any]]]:
    """Yield the work of the demo, and the settings for it.

    Args:
        flags: settings given by the user.
        replay: answer from the recorded replies, which cover the whole collection.
        everything: the whole collection when live, too.
        out: the run directory; by default one under `runs/`, named after the model.

    Raises:
        UsageError: a replay was asked of another model than the recorded one.
    """
    model = flags.get("model", DEFAULT_MODEL)
    name = f"demo-{model.rpartition('/')[2]}" + ("-replay" if replay else "")
    run = out or Path("runs") / (name + ("-all" if everything and not replay else ""))
    config = sample_config(everything=everything or replay)

    def work(settings: Settings, report: Reporter) -> Coroutine[Any, Any, Result]:
        return pipeline.assess(config, out=run, settings=settings, report=report)

    if not replay:
        yield work, flags
        return
    if model != DEFAULT_MODEL:
        raise UsageError(f"the recorded replies are those of {DEFAULT_MODEL}; leave out --model")
    with tempfile.TemporaryDirectory(prefix="rag-judge-") as folder:
        cache = Path(folder) / "replies"
        with open_store(cache) as store:
            store.import_file(sample_path(REPLIES), check=fault_of)
        yield work, {**flags, "cache": cache, "offline": True}
