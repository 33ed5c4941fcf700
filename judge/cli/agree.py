"""`agree`: how far a judge agrees with people, with no model in the loop."""

from typing import Annotated

import typer

from judge.cli.options import Json

_PLAN, _FILES = "Which units to label", "Files beside the labels"


def agree(
    human: Annotated[
        list[str] | None,
        typer.Option(help="Human labels: qrels, assignments, support, claims, a sheet, or a run"),
    ] = None,
    judge: Annotated[
        list[str] | None, typer.Option(help="The judge's: the same, or a run directory")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Units: relevance, assign or support (default: as found)")
    ] = None,
    measures: Annotated[
        str | None, typer.Option(help="Measures to rank systems by, separated by spaces")
    ] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Each topic as well")] = False,
    nuggets: Annotated[
        str | None,
        typer.Option(help="Nuggets, for importance and sub-narratives", rich_help_panel=_FILES),
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="The official topics", rich_help_panel=_FILES)
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(help="Retrieval runs to rank by both sides' grades", rich_help_panel=_FILES),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(help="Documents: for word overlap, and for sheets", rich_help_panel=_FILES),
    ] = None,
    generators: Annotated[
        str | None,
        typer.Option(
            help="Which model wrote a system's answers: run<TAB>model", rich_help_panel=_FILES
        ),
    ] = None,
    calibration: Annotated[
        str | None,
        typer.Option(help="A calibration to map the judge's labels by", rich_help_panel=_FILES),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(help="Fit a calibration, and write it here", rich_help_panel=_FILES),
    ] = None,
    disagreements: Annotated[
        str | None,
        typer.Option(
            help="Write the units on which raters differ, to be labelled (.jsonl or .tsv)",
            rich_help_panel=_FILES,
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Say how many more human labels it takes", rich_help_panel=_PLAN
        ),
    ] = False,
    width: Annotated[
        float | None,
        typer.Option(help="Wanted width of the mean's 95% interval", rich_help_panel=_PLAN),
    ] = None,
    labels: Annotated[
        int | None,
        typer.Option(help="Or: how many units are to be labelled", rich_help_panel=_PLAN),
    ] = None,
    sheet: Annotated[
        str | None,
        typer.Option(
            help="Write the units to label (.jsonl or .tsv); filled in, it is --human",
            rich_help_panel=_PLAN,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare a judge's labels with people's, and the conclusions drawn from both.

    Several --human are several annotators; without --judge they are compared among themselves.

    Example: rag-judge agree --human qrels.nist.txt --judge runs/first
    """
    from judge.agreeing import agree as agreeing
    from judge.report import agreement, agreement_json

    outputs = agreeing.Outputs(disagreements, calibrate)
    if plan or sheet or width is not None or labels is not None:
        agreeing.refuse_outputs(outputs)
        planned = agreeing.plan(
            human or (),
            judge or (),
            kind=kind,
            width=width,
            labels=labels,
            sheet=sheet,
            inputs=agreeing.Inputs(topics=topics, corpus=tuple(corpus or ())),
        )
        if json:
            typer.echo(agreement_json.plan_json(planned))
        else:
            agreement.print_plan(planned)
        return
    found = agreeing.agree(
        human or (),
        judge or (),
        kind=kind,
        measures=measures,
        inputs=agreeing.Inputs(
            nuggets, topics, tuple(corpus or ()), generators, calibration, tuple(run or ())
        ),
        outputs=outputs,
    )
    if json:
        typer.echo(agreement_json.agreement_json(found))
    else:
        agreement.print_agreement(found, per_topic=per_topic)
