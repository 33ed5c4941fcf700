"""The verbs as functions: each judging verb plain, and as an async twin.

The plain ones may be called where an event loop runs already (a notebook): they then work in a
thread of their own. Settings are given by name, as in `judge.settings.Settings`.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from judge import correlating, pipeline, retrieving, scoring, verbs
from judge.config import AssessConfig, make_settings, read_config
from judge.correlating import Report
from judge.metrics import parse_measures
from judge.metrics.comparing import Comparison
from judge.settings import Settings
from judge.types import Score
from judge.verbs import Result

if TYPE_CHECKING:
    from judge.agreeing.agree import Agreement
    from judge.agreeing.labelling import LabellingPlan
    from judge.differing import Differences
    from judge.prompting import Listed, Shown
    from judge.validation import FileReport

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


async def locate_nuggets_async(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """Label nuggets for documents; see `judge.verbs.locate_nuggets` and `Settings`."""
    settings, rest = _split(choices)
    return await verbs.locate_nuggets(topics, out=Path(out), settings=settings, **rest)


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


def locate_nuggets(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """`locate_nuggets_async`, waited for."""
    return _wait(locate_nuggets_async(topics, out=out, **choices))


def support(topics: str, *, out: str | Path, **choices: Any) -> Result:
    """`support_async`, waited for."""
    return _wait(support_async(topics, out=out, **choices))


async def rejudge_async(
    run: str | Path,
    *,
    out: str | Path,
    prompts: Sequence[str] = (),
    answers: Sequence[str] = (),
    corpus: Sequence[str] = (),
    **choices: Any,
) -> Result:
    """Judge the units of a run again; see `judge.rejudging.rejudge` and `Settings`."""
    from judge import rejudging
    from judge.recorded import Given

    settings = make_settings(rejudging.settings_of(Path(run), choices))
    given = Given(answers, corpus)
    return await rejudging.rejudge(
        Path(run), out=Path(out), prompts=prompts, given=given, settings=settings
    )


def rejudge(run: str | Path, *, out: str | Path, **choices: Any) -> Result:
    """`rejudge_async`, waited for."""
    return _wait(rejudge_async(run, out=out, **choices))


def diff(a: str | Path, b: str | Path, **choices: Any) -> "Differences":
    """In what two runs differ; see `judge.differing.differences`."""
    from judge import differing

    return differing.differences(Path(a), Path(b), **choices)


def score(
    run: str | Path | None = None,
    *,
    assignments: Sequence[str] = (),
    coverage: Sequence[str] = (),
    support: Sequence[str] = (),
    citations: Sequence[str] = (),
    nuggets: str | None = None,
    topics: str | None = None,
    measures: str | None = None,
    **rules: Any,
) -> list[Score]:
    """Scores of a run directory, or of label files; see `judge.scoring`."""
    labels = scoring.read_labels(
        None if run is None else Path(run),
        assignments=assignments,
        coverage=coverage,
        support=support,
        citations=citations,
        nuggets=nuggets,
        topics=topics,
        keep=False,
    )
    return scoring.compute(labels, parse_measures(measures) if measures else (), **rules)


def compare(
    run: str | Path | None = None,
    *,
    pair: tuple[str, str] | None = None,
    baseline: str | None = None,
    every: bool = False,
    assignments: Sequence[str] = (),
    support: Sequence[str] = (),
    nuggets: str | None = None,
    topics: str | None = None,
    measures: str | None = None,
    **rules: Any,
) -> list[Comparison]:
    """Paired comparisons of the runs that `score` scores; see `judge.scoring.compare`."""
    labels = scoring.read_labels(
        None if run is None else Path(run),
        assignments=assignments,
        support=support,
        nuggets=nuggets,
        topics=topics,
        keep=False,
    )
    chosen = parse_measures(measures) if measures else ()
    return scoring.compare(labels, chosen, pair=pair, baseline=baseline, every=every, **rules)


def retrieval(
    qrels: str | Path, runs: Sequence[str | Path], *, measures: str | None = None, **choices: Any
) -> list[Score]:
    """Scores of retrieval runs; see `judge.retrieving.evaluate`."""
    return retrieving.evaluate(qrels, runs, measures=measures, **choices)


def correlate(retrieval: str | Path, rag: str | Path, **choices: Any) -> Report:
    """Correlations of retrieval measures with RAG measures; see `judge.correlating.study`."""
    return correlating.study(retrieval, rag, **choices).report


def agree(
    human: Sequence[str | Path],
    judge: Sequence[str | Path] = (),
    *,
    kind: str | None = None,
    measures: str | None = None,
    disagreements: str | None = None,
    calibrate: str | None = None,
    **inputs: Any,
) -> "Agreement":
    """How far a judge agrees with people; see `judge.agreeing.agree`.

    `inputs` are the fields of `judge.agreeing.agree.Inputs`: nuggets, topics, corpus, generators,
    calibration.
    """
    from judge.agreeing import agree as verb

    return verb.agree(
        [str(name) for name in human],
        [str(name) for name in judge],
        kind=kind,
        measures=measures,
        inputs=verb.Inputs(**inputs),
        outputs=verb.Outputs(disagreements, calibrate),
    )


def plan_labels(
    human: Sequence[str | Path],
    judge: Sequence[str | Path],
    *,
    topics: str | None = None,
    corpus: Sequence[str] = (),
    **choices: Any,
) -> "LabellingPlan":
    """How many more human labels it takes, and of which units; see `judge.agreeing.agree.plan`."""
    from judge.agreeing import agree as verb

    return verb.plan(
        [str(name) for name in human],
        [str(name) for name in judge],
        inputs=verb.Inputs(topics=topics, corpus=tuple(corpus)),
        **choices,
    )


def validate(
    files: Sequence[str | Path],
    *,
    kind: str | None = None,
    topics: str | Path | None = None,
    corpus: Sequence[str | Path] = (),
    track: str | None = None,
) -> "list[FileReport]":
    """Every problem of files, a report of each; see `judge.validation.validate`."""
    from judge import validation

    return validation.validate(files, kind=kind, topics=topics, corpus=corpus, track=track)


def list_prompts(prompts: str | Path | None = None) -> "list[Listed]":
    """The templates by name, those of the folder `prompts` before the built-in ones."""
    from judge import prompting

    return prompting.list_prompts(None if prompts is None else Path(prompts))


def show_prompt(
    name: str,
    *,
    unit: str | None = None,
    prompts: str | Path | None = None,
    images: bool = False,
    **inputs: Any,
) -> "Shown":
    """A prompt as it is sent for a unit, by its id; see `judge.prompting.show_prompt`.

    `inputs` are the fields of `judge.prompting.Given`: topics, answers, corpus, nuggets, qrels;
    without any, the prompt is of the built-in sample.
    """
    from judge import prompting

    folder = None if prompts is None else Path(prompts)
    given = prompting.Given(**inputs)
    return prompting.show_prompt(name, given, unit_id=unit, prompts=folder, images=images)


def check_prompts(folder: str | Path) -> "list[FileReport]":
    """Every problem of templates of your own; see `judge.prompting.check_folder`."""
    from judge import prompting

    return prompting.check_folder(Path(folder))


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
