"""Carrying out a judging command: settings, progress on stderr, results on stdout, exit status."""

import asyncio
import logging
import shlex
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from rich.console import Console

from judge.config import make_settings
from judge.errors import JudgeError
from judge.llm.redaction import redact, url_secrets
from judge.planning import Plan
from judge.report.account import account, failures, flags, left_out, samples, skipped_lines
from judge.report.plan import plan_data, plan_table, remarks, saving_table, time_line
from judge.report.progress import Bar
from judge.report.terminal import print_scores, stderr, stdout
from judge.reporting import Notice, Reporter
from judge.settings import Settings
from judge.verbs import Result

_EMBEDDED = (
    "judged by an embedded model, which shows the pipeline at work; "
    "for grades to rely on name a stronger judge with --model"
)

Work = Callable[[Settings, Reporter], Coroutine[Any, Any, Result]]


def carry_out(
    work: Work, flags: dict[str, Any], *, json: bool, page: dict[str, Any] | None = None
) -> Result:
    """Run a judging verb and print what came out.

    Args:
        work: the verb.
        flags: settings by name.
        json: print JSON.
        page: write report.html too, its scores by these rules; None writes none.

    Raises:
        IncompleteError: more units failed than allowed, after everything is printed.
    """
    settings = make_settings(flags, "flags")
    console = stderr()
    _log_to(console)
    report = Reporter(
        progress=Bar(console),
        notice=lambda text: console.print(text, highlight=False, markup=False, soft_wrap=True),
        command=redact(shlex.join(["rag-judge", *sys.argv[1:]]), url_secrets(settings.base_url)),
    )
    try:
        result = asyncio.run(work(settings, report))
    except KeyboardInterrupt:
        report.notice("interrupted; the same command goes on where it stopped")
        raise
    if result.plan is not None:
        _print_plan(result, result.plan, settings, json=json)
        return result
    written = None if page is None else _write_page(result, settings, page, report.notice)
    (_print_json if json else _print_tables)(result, console, written)
    if settings.model.startswith("local/"):
        report.notice(_EMBEDDED)
    if not settings.allow_incomplete:
        result.check()
    return result


def _write_page(
    result: Result, settings: Settings, rules: dict[str, Any], notice: Notice
) -> str | None:
    """Write the report of a run; what was judged stands, even where that fails."""
    from judge.dossier import Sources
    from judge.report.files import Outputs, make

    given = {"max_failed": settings.max_failed, "allow_incomplete": settings.allow_incomplete}
    sources = Sources(cache=settings.cache, prompts=settings.prompts, rules={**given, **rules})
    try:
        return str(make(result.run, sources, Outputs(), notice).page.path)
    except JudgeError as error:
        notice(f"no report was written: {error}")
        return None


def _print_tables(result: Result, errors: Console, page: str | None) -> None:
    out = stdout()
    for line in skipped_lines(result.skipped):
        errors.print(line, highlight=False, markup=False)
    if result.scores:
        print_scores(result.scores)
    if any(tally.units for tally in result.tallies.values()):
        errors.print(account(result.tallies.values()))
    for say in (left_out, failures, flags, samples):
        if told := say(result.tallies.values()):
            errors.print(told, highlight=False)
    out.print(f"run directory: {result.run}", highlight=False, markup=False, soft_wrap=True)
    if page is not None:
        out.print(f"report: {page}", highlight=False, markup=False, soft_wrap=True)


def _print_plan(result: Result, plan: Plan, settings: Settings, *, json: bool) -> None:
    if json:
        import json as writer

        data = plan_data(plan, result.tallies, settings)
        print(writer.dumps(data | {"skipped": dict(result.skipped)}, indent=2))  # noqa: T201
        return
    out = stdout()
    out.print(plan_table(plan, result.tallies))
    if (saving := saving_table(plan, result.tallies)) is not None:
        out.print("calls that are asked once, and those that are saved:", highlight=False)
        out.print(saving)
    lines = [*skipped_lines(result.skipped), *remarks(plan), time_line(plan, settings)]
    for line in lines:
        out.print(line, highlight=False, markup=False, soft_wrap=True)


def _print_json(result: Result, errors: Console, page: str | None) -> None:
    import json

    del errors
    data = {
        "run": str(result.run),
        "report": page,
        "complete": result.complaint is None,
        "skipped": dict(result.skipped),
        "tasks": {name: tally.summary() for name, tally in result.tallies.items()},
        "scores": [score.model_dump() for score in result.scores],
    }
    print(json.dumps(data, ensure_ascii=False, indent=2))  # noqa: T201


class _ConsoleHandler(logging.Handler):
    """Prints warnings above the progress bar, a line each."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(record.getMessage(), highlight=False, markup=False, soft_wrap=True)


def _log_to(console: Console) -> None:
    logging.basicConfig(level=logging.WARNING, handlers=[_ConsoleHandler(console)], force=True)
