"""`diff`: two runs compared."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json


def diff(
    a: Annotated[Path, typer.Argument(metavar="RUN_A", help="A run directory")],
    b: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another one")],
    measures: Annotated[str | None, typer.Option(help="Measures, separated by spaces")] = None,
    run: Annotated[
        list[str] | None, typer.Option(help="Retrieval runs, to be ranked by the grades of both")
    ] = None,
    show: Annotated[int, typer.Option(help="Changed units to show", min=0)] = 10,
    out: Annotated[
        str | None, typer.Option(help="File for every changed unit, as JSON lines")
    ] = None,
    json: Json = False,
) -> None:
    """Tell in what two runs differ: how they were made, labels, scores, ranking, cost.

    Example: rag-judge diff runs/first runs/second
    """
    from judge import differing
    from judge.report import differences

    found = differing.differences(a, b, measures=measures, runs=run or (), out=out)
    differences.show(found, most=show, json=json)
