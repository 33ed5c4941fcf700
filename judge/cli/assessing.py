"""`assess` and `demo`: a collection from end to end."""

from pathlib import Path
from typing import Annotated, Any

import typer

from judge.cli.options import Json, judging


@judging
def assess(
    config: Annotated[Path, typer.Argument(help="TOML file that names inputs and choices")],
    flags: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option(help="Run directory (default: runs/<name of CONFIG>)")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Stage to run: relevance, nuggets, assign, ...")
    ] = None,
    json: Json = False,
) -> None:
    """Judge a collection end to end: relevance, nuggets, assign, support, scores.

    A stage whose inputs are absent is skipped, and says so. Flags stand over CONFIG's [judge].

    Example: rag-judge assess trec.toml --out runs/first --model openai/gpt-4.1
    """
    from judge import pipeline
    from judge.cli.judging import carry_out
    from judge.config import read_config

    given = read_config(config)
    run = out or Path("runs") / config.stem
    carry_out(
        lambda settings, report: pipeline.assess(
            given, out=run, settings=settings, only=only or (), report=report
        ),
        {**given.settings(), **flags},
        json=json,
        page={"empty_as_zero": given.score.empty_as_zero},
    )


@judging
def demo(
    flags: dict[str, Any],
    out: Annotated[
        Path | None, typer.Option(help="Run directory (default: runs/demo-<model>)")
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Answer in seconds, from recorded replies")
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="The whole sample collection, not a part of it")
    ] = False,
    json: Json = False,
) -> None:
    """Judge the built-in sample collection with the embedded model.

    Example: rag-judge demo --replay
    """
    from judge import demo
    from judge.cli.judging import carry_out

    with demo.prepared(flags, replay=replay, everything=everything, out=out) as (work, settings):
        carry_out(work, settings, json=json, page={})
