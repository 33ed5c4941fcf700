"""`score`: from labels to scores, with no model in the loop."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json


def score(
    run: Annotated[Path | None, typer.Argument(help="Run directory")] = None,
    assignments: Annotated[list[str] | None, typer.Option(help="Nugget labels")] = None,
    support: Annotated[list[str] | None, typer.Option(help="Support labels")] = None,
    nuggets: Annotated[
        str | None, typer.Option(help="Nuggets, for importance and sub-narratives")
    ] = None,
    topics: Annotated[str | None, typer.Option(help="The official topics")] = None,
    measures: Annotated[str | None, typer.Option(help="Measures, separated by spaces")] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Each topic as well")] = False,
    max_failed: Annotated[
        float, typer.Option(help="Share of failed units that withholds a score", min=0, max=1)
    ] = 0.05,
    allow_incomplete: Annotated[
        bool, typer.Option("--allow-incomplete", help="Give scores whatever failed")
    ] = False,
    empty_as_zero: Annotated[
        bool, typer.Option("--empty-as-zero", help="Count topics without gold as 0")
    ] = False,
    json: Json = False,
) -> None:
    """Compute scores from the labels of a run directory or of label files.

    Example: rag-judge score runs/first --measures "strict_vital_recall support_recall"
    """
    from judge import scoring
    from judge.metrics import parse_measures
    from judge.report import terminal

    labels = scoring.read_labels(
        run,
        assignments=assignments or (),
        support=support or (),
        nuggets=nuggets,
        topics=topics,
    )
    scores = scoring.compute(
        labels,
        parse_measures(measures) if measures else (),
        max_failed=max_failed,
        allow_incomplete=allow_incomplete,
        empty_as_zero=empty_as_zero,
    )
    if json:
        typer.echo(terminal.scores_json(scores, per_topic=per_topic))
    else:
        terminal.print_scores(scores, per_topic=per_topic)
