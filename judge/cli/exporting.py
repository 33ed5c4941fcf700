"""`nuggets export`: nuggets in the form that other tools read."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json


def export(
    nuggets: Annotated[str, typer.Argument(help="Nuggets file of any form, or run directory")],
    out: Annotated[Path, typer.Option(help="File to write, such as banks.jsonl")],
    topics: Annotated[str | None, typer.Option(help="Topics, for the queries of the banks")] = None,
    json: Json = False,
) -> None:
    """Write nuggets as nugget banks of version 3, which TREC AutoJudge's tools read.

    Example: rag-judge nuggets export runs/first --topics topics.jsonl --out banks.jsonl
    """
    from judge.exporting import export_banks

    done = export_banks(nuggets, out, topics)
    if done.without_query:
        count, first = len(done.without_query), done.without_query[0]
        typer.echo(f"{count} topics have no query, such as {first!r}: name --topics", err=True)
    if json:
        from json import dumps

        typer.echo(dumps({"path": str(out), **done._asdict()}, ensure_ascii=False))
    else:
        typer.echo(f"{done.nuggets} nuggets of {done.topics} topics: {out}")
