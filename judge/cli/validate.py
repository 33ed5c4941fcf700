"""`validate`: what files are, what is in them, and what is wrong with them."""

from typing import Annotated

import typer

from judge.cli.options import Json


def validate(
    files: Annotated[list[str], typer.Argument(help="Files, folders or globs; - is stdin")],
    kind: Annotated[
        str | None, typer.Option(help="Their kind (default: told from the content)")
    ] = None,
    topics: Annotated[str | None, typer.Option(help="The topics they should be of")] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(help="Where the documents are that they name: file, folder or glob"),
    ] = None,
    track: Annotated[
        str | None, typer.Option(help="rag24, rag25 or rag26: check answers for its limits")
    ] = None,
    json: Json = False,
) -> None:
    """List every problem of files: answers, runs, qrels, nuggets, topics, labels, documents.

    Ends with 2 if there is an error; warnings and remarks do not count.

    Example: rag-judge validate submission.jsonl --topics narratives.json --track rag26
    """
    from judge.report import validation as report
    from judge.validation import validate as check

    reports = check(files, kind=kind, topics=topics, corpus=corpus or (), track=track)
    if json:
        typer.echo(report.reports_json(reports))
    else:
        report.print_reports(reports)
    if any(found.number("error") for found in reports):
        raise typer.Exit(2)
