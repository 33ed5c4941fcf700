"""`measures`: what can be measured, told by the code itself."""

from typing import Annotated

import typer

from judge.cli.options import Json


def measures(
    name: Annotated[
        str | None, typer.Argument(help="One measure, to read all that is said of it")
    ] = None,
    json: Json = False,
) -> None:
    """List all measures with their parameters, or explain one of them.

    Example: rag-judge measures strict_vital_recall
    """
    from judge.report import measures as report

    chosen = report.every_measure() if name is None else [report.measure_called(name)]
    if json:
        typer.echo(report.measures_json(chosen))
    elif name is None:
        report.print_measures(chosen)
    else:
        report.explain(chosen[0])
