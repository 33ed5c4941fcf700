"""`report`: a run as a page to look at, as figures, and as tables."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json, OptionalCorpus

_MORE, _PAPER, _SCORES = "Files beside the run", "For papers", "How scores are computed"


def report(
    run: Annotated[Path, typer.Argument(help="Run directory")],
    html: Annotated[
        Path | None, typer.Option(help="The page to write (default: RUN/report.html)")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser")] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Show it on 127.0.0.1, until Ctrl-C")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of --serve (default: any)", min=0)] = 0,
    figures: Annotated[
        Path | None,
        typer.Option(help="Write figures as PNG and SVG into a folder", rich_help_panel=_PAPER),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(help="Write tables as CSV and LaTeX into a folder", rich_help_panel=_PAPER),
    ] = None,
    agreement: Annotated[
        list[Path] | None,
        typer.Option(
            help="Output of agree --json (default: RUN/agreement.json)", rich_help_panel=_MORE
        ),
    ] = None,
    disagreements: Annotated[
        list[Path] | None,
        typer.Option(help="Sheet of agree --disagreements, as JSONL", rich_help_panel=_MORE),
    ] = None,
    retrieval: Annotated[
        Path | None,
        typer.Option(help="Scores of retrieval runs (retrieval --out F)", rich_help_panel=_MORE),
    ] = None,
    corpus: OptionalCorpus = None,
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder of the reply store, for prompts", rich_help_panel=_MORE),
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(help="Folder of the run's templates", rich_help_panel=_MORE)
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(help="Measures (default: those the run has)", rich_help_panel=_SCORES),
    ] = None,
    max_failed: Annotated[
        float,
        typer.Option(
            help="Share of failed units that withholds a score",
            min=0,
            max=1,
            rich_help_panel=_SCORES,
        ),
    ] = 0.05,
    allow_incomplete: Annotated[
        bool,
        typer.Option(
            "--allow-incomplete", help="Give scores whatever failed", rich_help_panel=_SCORES
        ),
    ] = False,
    empty_as_zero: Annotated[
        bool,
        typer.Option(
            "--empty-as-zero", help="Count topics without gold as 0", rich_help_panel=_SCORES
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Write a run as one page that needs no network: scores, answers, labels and their reasons.

    A run too large for one file becomes a folder; --serve shows it.

    Example: rag-judge report runs/first --open
    """
    from judge.dossier import Sources
    from judge.report import files

    sources = Sources(
        corpus=corpus or (),
        cache=cache,
        prompts=prompts,
        retrieval=retrieval,
        agreements=agreement or (),
        disagreements=disagreements or (),
        measures=measures,
        rules={
            "max_failed": max_failed,
            "allow_incomplete": allow_incomplete,
            "empty_as_zero": empty_as_zero,
        },
    )
    outputs = files.Outputs(html, figures, tables)
    made = files.make(run, sources, outputs, lambda text: typer.echo(text, err=True))
    typer.echo(made.as_json() if json else made.in_words())
    if serve:
        files.serve(made, port, open_=open_)
    elif open_:
        files.open_page(made)
