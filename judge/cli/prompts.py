"""`prompts list`, `show` and `check`: prompts looked at before they are sent."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json

Prompts = Annotated[
    Path | None, typer.Option(help="Folder of templates that stand before the built-in ones")
]


def list_prompts(prompts: Prompts = None, json: Json = False) -> None:
    """List the templates: name, version, task, variables, form of the reply, where from.

    Example: rag-judge prompts list --prompts my-prompts
    """
    from judge import prompting
    from judge.report import prompts as report
    from judge.report.terminal import stdout

    listed = prompting.list_prompts(prompts)
    if json:
        typer.echo(report.prompts_json(listed))
    else:
        stdout().print(report.prompts_table(listed))


def show(
    name: Annotated[str, typer.Argument(help="The template, such as support/trec2025")],
    prompts: Prompts = None,
    topics: Annotated[
        str, typer.Option(help="Topics of your own (default: the built-in sample)")
    ] = "",
    answers: Annotated[list[str] | None, typer.Option(help="Answers: file, folder or glob")] = None,
    corpus: Annotated[
        list[str] | None, typer.Option(help="Documents: file, folder or glob")
    ] = None,
    nuggets: Annotated[str | None, typer.Option(help="Nuggets file")] = None,
    qrels: Annotated[
        str | None, typer.Option(help="Qrels that list documents (default: those cited)")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Id of a unit, as in judgments.jsonl (default: the first)")
    ] = None,
    images: Annotated[bool, typer.Option("--images", help="With the images of documents")] = False,
    json: Json = False,
) -> None:
    """Print a prompt as it is sent for a unit of the sample, or of inputs of your own.

    Example: rag-judge prompts show nuggets/assign --topics topics.jsonl --answers 'answers/*'
    --nuggets nuggets.jsonl --unit 'assign|t1|run1|n3'
    """
    from judge.prompting import show_prompt
    from judge.prompting.showing import Given
    from judge.report import prompts as report
    from judge.report.terminal import stderr, stdout

    shown = show_prompt(
        name,
        Given(
            topics=topics,
            answers=tuple(answers or ()),
            corpus=tuple(corpus or ()),
            nuggets=nuggets,
            qrels=qrels,
        ),
        unit_id=unit,
        prompts=prompts,
        images=images,
        notice=lambda text: stderr().print(text, highlight=False, markup=False, soft_wrap=True),
    )
    if json:
        typer.echo(report.shown_json(shown))
    else:
        stdout().print(report.shown_prompt(shown), soft_wrap=True)


def check(
    folder: Annotated[Path, typer.Argument(help="Folder of templates, as --prompts takes it")],
    json: Json = False,
) -> None:
    """List every problem of templates of your own, before anything is paid for.

    Names, heads, variables, what is rendered on trial inputs, hostile ones too, and whether the
    form of the reply that the task reads is asked for. Ends with 2 if there is an error.

    Example: rag-judge prompts check my-prompts
    """
    from judge.prompting import check_folder
    from judge.report import prompts as report
    from judge.report.terminal import stdout
    from judge.report.validation import reports_json

    reports = check_folder(folder)
    if json:
        typer.echo(reports_json(reports))
    else:
        for line in report.check_lines(reports):
            stdout().print(line, soft_wrap=True)
    if any(found.number("error") for found in reports):
        raise typer.Exit(2)
