"""What `validate` found, as lines for people and as JSON data."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.text import Text

from judge.report.terminal import stdout
from judge.validation import FileReport, Problem
from judge.validation.problems import SEVERITIES, Severity

SHOWN = 20
_STYLES: dict[Severity, str] = {"error": "red", "warning": "yellow", "info": "dim"}


def print_reports(reports: Sequence[FileReport]) -> None:
    """Print what each file is and holds, its first problems, and how many there are."""
    console = stdout()
    for report in reports:
        console.print(Text(head_line(report), style="bold"), soft_wrap=True)
        for problem in report.problems[:SHOWN]:
            text = Text("  ").append(problem.severity, style=_STYLES[problem.severity])
            console.print(text.append(f" {problem_text(problem)}"), soft_wrap=True)
        if rest := report.problems[SHOWN:]:
            console.print(f"  and {_numbers(rest)} more; --json lists all", highlight=False)
    console.print(total_line(reports), highlight=False)


def head_line(report: FileReport) -> str:
    """One line on a file: its kind and what is in it."""
    if report.kind is None:
        return f"{report.file}: of no kind that is known"
    counts = [_counted(name, number) for name, number in report.counts.items() if number]
    return f"{report.file}: {report.kind}: {', '.join(counts) or 'nothing'}"


def _counted(name: str, number: int) -> str:
    """A count and its name; the first word of the name is a plural, if it ends as one."""
    noun, *rest = name.split(" ")
    return " ".join([f"{number:,}", noun.removesuffix("s") if number == 1 else noun, *rest])


def problem_text(problem: Problem) -> str:
    """One line on a problem, as errors are worded."""
    place = "" if problem.line is None else f"line {problem.line}"
    parts = [place, problem.field or "", problem.message]
    text = ": ".join(part for part in parts if part)
    text += f"; expected {problem.expected}" if problem.expected else ""
    return text + (f", found {problem.found}" if problem.found else "")


def total_line(reports: Sequence[FileReport]) -> str:
    """One line on all files."""
    every = [problem for report in reports for problem in report.problems]
    files = f"{len(reports)} file" + ("s" if len(reports) != 1 else "")
    return f"{files}: {_numbers(every) if every else 'no problems'}"


def reports_json(reports: Sequence[FileReport]) -> str:
    """All of it as a JSON list."""
    return json.dumps([_data(report) for report in reports], ensure_ascii=False, indent=2)


def _data(report: FileReport) -> dict[str, object]:
    return {
        "file": report.file,
        "kind": report.kind,
        "counts": dict(report.counts),
        **{f"n_{severity}": report.number(severity) for severity in SEVERITIES},
        "problems": [asdict(problem) for problem in report.problems],
    }


def _numbers(problems: Sequence[Problem]) -> str:
    severities = [problem.severity for problem in problems]
    counted = {severity: severities.count(severity) for severity in SEVERITIES}
    plural = {"error": "errors", "warning": "warnings", "info": "remarks"}
    singular = {"error": "error", "warning": "warning", "info": "remark"}
    return ", ".join(
        f"{number} {singular[severity] if number == 1 else plural[severity]}"
        for severity, number in counted.items()
        if number
    )
