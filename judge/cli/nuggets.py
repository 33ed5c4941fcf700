"""`nuggets coverage`, `sheet`, `revise` and `diff`: what is done with nuggets without a model."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judge.cli.options import Json, OptionalCorpus

if TYPE_CHECKING:
    from judge.nugget_changes import Change

Source = Annotated[str, typer.Argument(help="Nuggets file of any form, or run directory")]
OptionalTopics = Annotated[
    str | None, typer.Option("--topics", help="Topics, for their parts (default: those of a run)")
]


def coverage(
    run: Annotated[Path, typer.Argument(help="Run directory with labels of assign and locate")],
    answers: Annotated[
        list[str] | None, typer.Option(help="Answers (default: those that the run keeps)")
    ] = None,
    nuggets: Annotated[
        str | None, typer.Option(help="Nuggets file (default: that of the run)")
    ] = None,
    corpus: OptionalCorpus = None,
    gold: Annotated[
        bool, typer.Option("--gold", help="Use the lists of documents that nuggets have")
    ] = False,
    json: Json = False,
) -> None:
    """Tell which nuggets are grounded in what the answers cite; writes coverage.jsonl.

    No model is asked: it follows from the labels of `nuggets assign` and `nuggets locate`, or
    from gold lists of documents. `score` computes nugget_coverage from it.

    Example: rag-judge nuggets coverage runs/first --gold
    """
    from judge.covering import cover, summary

    answered = cover(run, answers=answers or (), nuggets=nuggets, corpus=corpus or (), gold=gold)
    rows = summary(answered)
    if json:
        from json import dumps

        typer.echo(dumps(rows, ensure_ascii=False, indent=2))
        return
    from judge.report.nuggets import coverage_table
    from judge.report.terminal import stdout

    stdout().print(coverage_table(rows))


def sheet(
    nuggets: Source,
    out: Annotated[Path, typer.Option(help="Sheet to write: .tsv for a spreadsheet, else JSONL")],
    topics: OptionalTopics = None,
    json: Json = False,
) -> None:
    """Write nuggets as a sheet for people to edit, one nugget a line.

    Example: rag-judge nuggets sheet runs/first --out nuggets.tsv
    """
    from judge.revising import write_sheet

    count = write_sheet(nuggets, out, topics)
    if json:
        from json import dumps

        typer.echo(dumps({"path": str(out), "nuggets": count}, ensure_ascii=False))
    else:
        typer.echo(f"{count} nuggets: {out}; read it back with `rag-judge nuggets revise`")


def revise(
    nuggets: Source,
    sheet: Annotated[str, typer.Option(help="The edited sheet")],
    out: Annotated[
        Path | None, typer.Option(help="Nuggets file to write (default: that of the run)")
    ] = None,
    topics: OptionalTopics = None,
    json: Json = False,
) -> None:
    """Take over what people edited in a sheet, as source post-edit.

    A run keeps its edited nuggets: the next `assess` or `nuggets create` judges by them, asks
    about new and changed ones alone, and does not write over them.

    Example: rag-judge nuggets revise runs/first --sheet nuggets.tsv
    """
    from judge.revising import revise as take_over

    _print_changes(take_over(nuggets, sheet, out, topics), json=json)


def diff(
    before: Annotated[str, typer.Argument(help="Nuggets file or run directory")],
    after: Annotated[str, typer.Argument(help="Another one")],
    json: Json = False,
) -> None:
    """Tell what changed from one list of nuggets to another: added, removed, said otherwise.

    Example: rag-judge nuggets diff runs/first/nuggets.created.jsonl runs/first
    """
    from judge.editing import read_any
    from judge.nugget_changes import changes

    _print_changes(changes(read_any(before), read_any(after)), json=json)


def _print_changes(found: "list[Change]", *, json: bool) -> None:
    if json:
        from json import dumps

        from judge.nugget_changes import counts

        data = {"counts": counts(found), "changes": [change.data() for change in found]}
        typer.echo(dumps(data, ensure_ascii=False, indent=2))
        return
    from judge.report.nuggets import change_lines
    from judge.report.terminal import stdout

    console = stdout()
    for line in change_lines(found):
        console.print(line, soft_wrap=True)
