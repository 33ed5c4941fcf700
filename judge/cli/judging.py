"""Carrying out a judging command: settings, progress on stderr, results on stdout, exit status."""

import asyncio
import logging
import shlex
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from rich.console import Console

from judge.config import make_settings
from judge.llm.redaction import redact, url_secrets
from judge.report.account import account, failures, skipped_lines
from judge.report.progress import Bar
from judge.report.terminal import print_scores, stderr, stdout
from judge.reporting import Reporter
from judge.settings import Settings
from judge.verbs import Result

_EMBEDDED = (
    "judged by an embedded model, which shows the pipeline at work; "
    "for grades to rely on name a stronger judge with --model"
)

Work = Callable[[Settings, Reporter], Coroutine[Any, Any, Result]]


def carry_out(work: Work, flags: dict[str, Any], *, json: bool) -> Result:
    """Run a judging verb and print what came out.

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
    (_print_json if json else _print_tables)(result, console)
    if settings.model.startswith("local/"):
        report.notice(_EMBEDDED)
    if not settings.allow_incomplete:
        result.check()
    return result


def _print_tables(result: Result, errors: Console) -> None:
    out = stdout()
    for line in skipped_lines(result.skipped):
        errors.print(line, highlight=False, markup=False)
    if result.scores:
        print_scores(result.scores)
    if any(tally.units for tally in result.tallies.values()):
        errors.print(account(result.tallies.values()))
    if told := failures(result.tallies.values()):
        errors.print(told, highlight=False)
    out.print(f"run directory: {result.run}", highlight=False, markup=False, soft_wrap=True)


def _print_json(result: Result, errors: Console) -> None:
    import json

    del errors
    data = {
        "run": str(result.run),
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
