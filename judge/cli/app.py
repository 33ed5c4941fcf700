"""The commands of `rag-judge` and where each is found."""

import typer

from judge.cli import (
    agree,
    assessing,
    cache,
    correlate,
    differing,
    doctor,
    exporting,
    judging_commands,
    measures,
    models,
    nuggets,
    prompts,
    rejudging,
    reporting,
    retrieval,
    scoring,
    validate,
)
from judge.cli.options import planned

app = typer.Typer(
    name="rag-judge",
    help="Assess retrieval-augmented generation with an LLM as judge.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
)
nuggets_app = typer.Typer(
    no_args_is_help=True, help="Create nuggets, edit them, and find them in answers."
)
plan_app = typer.Typer(
    no_args_is_help=True, help="What a judging command would ask and cost; no call is made."
)
cache_app = typer.Typer(no_args_is_help=True, help="The reply store.")
prompts_app = typer.Typer(no_args_is_help=True, help="The words that judges are asked in.")
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
nuggets_app.command("locate")(judging_commands.locate)
nuggets_app.command("coverage")(nuggets.coverage)
nuggets_app.command("sheet")(nuggets.sheet)
nuggets_app.command("revise")(nuggets.revise)
nuggets_app.command("diff")(nuggets.diff)
nuggets_app.command("export")(exporting.export)
app.command("support")(judging_commands.support)
app.command("score")(scoring.score)
app.command("retrieval")(retrieval.retrieval)
app.command("correlate")(correlate.correlate)
app.command("agree")(agree.agree)
app.command("rejudge")(rejudging.rejudge)
app.command("diff")(differing.diff)
app.command("measures")(measures.measures)
app.command("report")(reporting.report)
app.command("doctor")(doctor.doctor)
app.add_typer(plan_app, name="plan")
plan_nuggets_app = typer.Typer(no_args_is_help=True)
plan_app.command("assess")(planned(assessing.assess))
plan_app.command("relevance")(planned(judging_commands.relevance))
plan_app.add_typer(plan_nuggets_app, name="nuggets")
plan_nuggets_app.command("create")(planned(judging_commands.create))
plan_nuggets_app.command("assign")(planned(judging_commands.assign))
plan_nuggets_app.command("locate")(planned(judging_commands.locate))
plan_app.command("support")(planned(judging_commands.support))
plan_app.command("rejudge")(planned(rejudging.rejudge))
app.add_typer(cache_app, name="cache")
cache_app.command("stats")(cache.stats)
cache_app.command("verify")(cache.verify)
cache_app.command("export")(cache.export)
cache_app.command("import")(cache.import_file)
cache_app.command("prune")(cache.prune)
app.add_typer(prompts_app, name="prompts")
prompts_app.command("list")(prompts.list_prompts)
prompts_app.command("show")(prompts.show)
prompts_app.command("check")(prompts.check)
app.add_typer(models_app, name="models")
models_app.command("list")(models.list_models)
models_app.command("pull")(models.pull)
app.command("validate")(validate.validate)
