"""`score`: from labels to scores, with no model in the loop."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json


def score(
    run: Annotated[Path | None, typer.Argument(help="Run directory")] = None,
    assignments: Annotated[list[str] | None, typer.Option(help="Nugget labels")] = None,
    support: Annotated[list[str] | None, typer.Option(help="Support labels")] = None,
    coverage: Annotated[list[str] | None, typer.Option(help="Nugget coverage")] = None,
    citations: Annotated[list[str] | None, typer.Option(help="Weighed citations")] = None,
    nuggets: Annotated[
        str | None, typer.Option(help="Nuggets, for importance and sub-narratives")
    ] = None,
    topics: Annotated[str | None, typer.Option(help="The official topics")] = None,
    measures: Annotated[str | None, typer.Option(help="Measures, separated by spaces")] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Each topic as well")] = False,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="95% intervals instead of standard errors")
    ] = False,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="RUN RUN", help="Compare two runs, topic by topic"),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="RUN", help="Compare every other run with this one")
    ] = None,
    compare_all: Annotated[
        bool, typer.Option("--compare-all", help="Compare every two runs")
    ] = False,
    max_failed: Annotated[
        float, typer.Option(help="Share of failed units that withholds a score", min=0, max=1)
    ] = 0.05,
    allow_incomplete: Annotated[
        bool, typer.Option("--allow-incomplete", help="Give scores whatever failed")
    ] = False,
    empty_as_zero: Annotated[
        bool, typer.Option("--empty-as-zero", help="Count topics without gold as 0")
    ] = False,
    calibration: Annotated[
        Path | None, typer.Option(help="Map the judge's labels as `agree --calibrate` learned")
    ] = None,
    leaderboard: Annotated[
        Path | None, typer.Option(help="Write the scores in columns, for other tools")
    ] = None,
    form: Annotated[
        str, typer.Option(help="Columns: tot (run measure topic value) or ir_measures")
    ] = "tot",
    json: Json = False,
) -> None:
    """Compute scores from the labels of a run directory or of label files.

    Comparisons are paired by topic: bootstrap interval, randomisation test, Holm.

    Example: rag-judge score runs/first --measures "strict_vital_recall support_recall"

    Example: rag-judge score runs/first --compare alder birch
    """
    from judge import provenance, scoring
    from judge.metrics import parse_measures
    from judge.report import terminal

    for line in provenance.mixed(run, assignments=assignments or (), support=support or ()):
        typer.echo(line, err=True)
    labels = scoring.read_labels(
        run,
        assignments=assignments or (),
        support=support or (),
        coverage=coverage or (),
        citations=citations or (),
        nuggets=nuggets,
        topics=topics,
        keep=False,
    )
    if calibration is not None:
        from judge.agreeing.calibrating import calibrated_by

        labels = calibrated_by(calibration, labels, run)
        typer.echo(f"labels are mapped by {calibration}: scores are not the judge's own", err=True)
    chosen = parse_measures(measures) if measures else ()
    rules = {
        "max_failed": max_failed,
        "allow_incomplete": allow_incomplete,
        "empty_as_zero": empty_as_zero,
    }
    if compare or baseline is not None or compare_all:
        comparisons = scoring.compare(
            labels, chosen, pair=compare, baseline=baseline, every=compare_all, **rules
        )
        if json:
            typer.echo(terminal.comparisons_json(comparisons))
        else:
            terminal.print_comparisons(comparisons)
        return
    scores = scoring.compute(labels, chosen, **rules, intervals=intervals or json)
    _warn(scoring.withheld(scores))
    if leaderboard is not None:
        from judge.formats.leaderboards import form_named, write_values

        if left_out := write_values(leaderboard, scores, form_named(form)):
            typer.echo(f"{leaderboard}: {left_out} scores without a value left out", err=True)
    if json:
        typer.echo(terminal.scores_json(scores, per_topic=per_topic))
    else:
        terminal.print_scores(scores, per_topic=per_topic, intervals=intervals)


def _warn(warning: str | None) -> None:
    if warning is not None:
        typer.echo(warning, err=True)
