"""Templates and prompts for people, and the same as JSON data."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from judge.prompting import Listed, Shown
from judge.report.validation import problem_text, total_line
from judge.types import Call, Message
from judge.validation import FileReport, Problem

_ROLES = {"system": "magenta", "user": "cyan", "assistant": "green"}
_SEVERITIES = {"error": "red", "warning": "yellow", "info": "dim"}
_ORIGINS = {"built in": "", "overridden": "yellow", "own": "green"}


def prompts_table(listed: Sequence[Listed]) -> Table:
    """The templates, a row each."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("name", "version", "task", "output", "variables", "sha256", "origin", "source"):
        table.add_column(name, overflow="fold", no_wrap=name in ("name", "sha256", "origin"))
    for row in listed:
        table.add_row(
            Text(row.name, style="bold"),
            Text(row.version),
            Text(row.task),
            Text(row.output),
            Text(" ".join(row.variables)),
            Text(row.sha256[:12], style="dim"),
            Text(row.origin, style=_ORIGINS[row.origin]),
            Text(row.source),
        )
    return table


def prompts_json(listed: Sequence[Listed]) -> str:
    """The templates as a JSON list."""
    return _dumped([row.model_dump() for row in listed])


def shown_prompt(shown: Shown) -> Group:
    """A prompt with a line on each thing that goes with it."""
    head, call = shown.template.head, shown.call
    facts = [
        f"{head.name} version {head.version}, {shown.origin}, sha256 {shown.template.sha256[:12]}",
        f"labels {_counted(len(call.units), 'unit')}: {call.units[0].unit_id}"
        + (", ..." if len(call.units) > 1 else ""),
        f"about {shown.prompt_tokens:,} prompt tokens, at most {call.max_tokens:,} of reply",
        *([f"flags: {', '.join(call.flags)}"] if call.flags else []),
    ]
    parts: list[Rule | Text] = [Text("\n".join(facts)), *_messages(call)]
    for number, other in enumerate(() if call.parts is None else call.parts.calls[1:], start=2):
        parts += [Rule(f"asked besides, {number}", style="bold"), *_messages(other)]
    if call.reply_schema is not None:
        schema = json.dumps(call.reply_schema, ensure_ascii=False)
        parts += [Rule("reply schema", style="dim", align="left"), Text(schema, style="dim")]
    return Group(*parts)


def _messages(call: Call) -> Iterator[Rule | Text]:
    for message in call.prompt.messages:
        style = _ROLES[message.role]
        yield Rule(message.role, style=style, align="left")
        yield Text(message.content, style=style)
        for image in message.images:
            yield Text(f"[image {image.path}, {image.media_type}]", style="dim")


def shown_json(shown: Shown) -> str:
    """The same as a JSON object."""
    head, call = shown.template.head, shown.call
    data: dict[str, Any] = {
        "name": head.name,
        "version": head.version,
        "task": head.task,
        "sha256": shown.template.sha256,
        "origin": shown.origin,
        "units": [unit.unit_id for unit in call.units],
        "flags": list(call.flags),
        "prompt_tokens": shown.prompt_tokens,
        "max_tokens": call.max_tokens,
        "reply_schema": call.reply_schema,
        "messages": [_message(message) for message in call.prompt.messages],
    }
    if call.parts is not None:
        others = [other.prompt.messages for other in call.parts.calls[1:]]
        data["also"] = [[_message(message) for message in messages] for messages in others]
    return _dumped(data)


def _message(message: Message) -> dict[str, Any]:
    images = [image.model_dump() for image in message.images]
    data = {"role": message.role, "content": message.content}
    return {**data, "images": images} if images else data


def check_lines(reports: Sequence[FileReport]) -> Iterator[Text]:
    """Each problem as FILE:LINE and what it is, and a line on all files."""
    for report in reports:
        for problem in report.problems:
            yield _problem_line(report.file, problem)
    yield Text(total_line(reports))


def _problem_line(file: str, problem: Problem) -> Text:
    place = file if problem.line is None else f"{file}:{problem.line}"
    told = problem_text(problem).removeprefix(f"line {problem.line}: ")
    severity = Text(problem.severity, style=_SEVERITIES[problem.severity])
    return Text(f"{place}: ").append(severity).append(f": {told}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2)
