"""The commands of `rag-judge` and where each is found."""

import typer

from judge.cli import assessing, judging_commands, models, scoring

app = typer.Typer(
    name="rag-judge",
    help="Assess retrieval-augmented generation with an LLM as judge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
)
nuggets_app = typer.Typer(no_args_is_help=True, help="Create nuggets, and assign them to answers.")
models_app = typer.Typer(no_args_is_help=True, help="The embedded models.")


@app.callback(invoke_without_command=True)
def root(
    version: bool = typer.Option(False, "--version", help="Print the version and end."),
) -> None:
    """Assess retrieval-augmented generation with an LLM as judge."""
    if version:
        from judge.manifest import tool_version

        typer.echo(tool_version())
        raise typer.Exit


app.command("demo")(assessing.demo)
app.command("assess")(assessing.assess)
app.command("relevance")(judging_commands.relevance)
app.add_typer(nuggets_app, name="nuggets")
nuggets_app.command("create")(judging_commands.create)
nuggets_app.command("assign")(judging_commands.assign)
app.command("support")(judging_commands.support)
app.command("score")(scoring.score)
app.add_typer(models_app, name="models")
models_app.command("list")(models.list_models)
models_app.command("pull")(models.pull)
