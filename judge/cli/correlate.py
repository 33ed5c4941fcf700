"""`correlate`: how retrieval scores and RAG scores of the same systems go together."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json


class By(StrEnum):
    """What the points of a correlation are."""

    system = "system"
    topic = "topic"


def correlate(
    retrieval: Annotated[
        str, typer.Option(help="Scores of retrieval runs: JSON of `retrieval`, or a leaderboard")
    ],
    rag: Annotated[
        str, typer.Option(help="Scores of RAG runs: a run directory, JSON of `score`, likewise")
    ],
    by: Annotated[
        By, typer.Option(help="Means of systems, or topic by topic and all points pooled")
    ] = By.system,
    measures: Annotated[
        str | None, typer.Option(help="Measures of either side, separated by spaces")
    ] = None,
    runs: Annotated[
        str | None, typer.Option("--map", help="Lines of RAG run, tab, its retrieval run")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write a scatter plot: .png, .svg or .pdf")
    ] = None,
    json: Json = False,
) -> None:
    """Correlate retrieval measures with RAG measures: Pearson first, Spearman and Kendall beside.

    Example: rag-judge correlate --retrieval retrieval.json --rag runs/first --plot scatter.svg
    """
    from judge import correlating
    from judge.report import correlations, scatter, terminal

    names = (measures or "").split()
    found = correlating.study(retrieval, rag, by=by.value, measures=names, mapping=runs)
    if plot is not None:
        scatter.write_scatter(plot, found)
    if json:
        typer.echo(found.report.model_dump_json(indent=2))
    else:
        out = terminal.stdout()
        out.print(correlations.correlation_tables(found.report))
        for line in correlations.correlation_remarks(found.report):
            out.print(line, highlight=False, markup=False)
