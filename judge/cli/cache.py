"""`cache`: the reply store, looked after."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json

Cache = Annotated[
    Path | None,
    typer.Option(help="Folder of the reply store (default: the user's own)", show_default=False),
]
Model = Annotated[str | None, typer.Option(help="Only replies of this model, as openai/gpt-4.1")]
Template = Annotated[str | None, typer.Option(help="Only replies to this template")]


def stats(cache: Cache = None, json: Json = False) -> None:
    """Count the stored replies by model, template and day.

    Example: rag-judge cache stats
    """
    from judge import caching
    from judge.report import cache as report

    report.show(caching.stats(_folder(cache), report.notice), json=json)


def verify(cache: Cache = None, json: Json = False) -> None:
    """Read every stored reply and derive every key again; list what does not verify.

    Ends with status 2 if anything does not.

    Example: rag-judge cache verify
    """
    from judge import caching
    from judge.report import cache as report

    found = caching.verify(_folder(cache), report.notice)
    report.show(found, json=json)
    found.check()


def export(
    file: Annotated[Path, typer.Argument(help="Such as replies.jsonl.zst")],
    cache: Cache = None,
    model: Model = None,
    template: Template = None,
    json: Json = False,
) -> None:
    """Write the stored replies to one portable file: JSON lines, compressed with zstandard.

    Example: rag-judge cache export replies.jsonl.zst --model openai/gpt-4.1
    """
    from judge import caching
    from judge.report import cache as report

    folder = _folder(cache)
    done = caching.export_replies(folder, file, report.notice, model=model, template=template)
    report.show(done, json=json)


def import_file(
    file: Annotated[Path, typer.Argument(help="What `cache export` wrote")],
    cache: Cache = None,
    theirs: Annotated[
        bool,
        typer.Option("--theirs", help="Take the file's reply where the store has another one"),
    ] = False,
    json: Json = False,
) -> None:
    """Merge an exported file into the store; refused whole if anything in it does not verify.

    Example: rag-judge cache import replies.jsonl.zst
    """
    from judge import caching
    from judge.report import cache as report

    done = caching.import_replies(_folder(cache), file, report.notice, theirs=theirs)
    report.show(done, json=json)


def prune(
    cache: Cache = None,
    model: Model = None,
    template: Template = None,
    before: Annotated[
        str | None, typer.Option(help="Replies stored before this day (UTC), as 2026-01-31")
    ] = None,
    orphans: Annotated[
        bool, typer.Option("--orphans", help="Entries that lead to a reply which is not there")
    ] = False,
    broken: Annotated[bool, typer.Option("--broken", help="What `cache verify` lists")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All that there is")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Delete; else it is only counted")] = False,
    json: Json = False,
) -> None:
    """Count what is chosen, and with --yes delete it and give its space back.

    Conditions narrow each other: an entry must meet them all.

    Example: rag-judge cache prune --template relevance/trec2025 --before 2026-01-31 --yes
    """
    from judge import caching
    from judge.report import cache as report

    choice = caching.Choice(
        model=model,
        template=template,
        before=caching.day(before),
        orphans=orphans,
        broken=broken,
        everything=everything,
    )
    report.show(caching.prune(_folder(cache), choice, report.notice, delete=yes), json=json)


def _folder(cache: Path | None) -> Path:
    from judge.settings import default_cache

    return cache or default_cache()
