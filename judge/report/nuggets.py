"""Nuggets in the terminal: coverage by run, and what changed between two lists."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from judge.nugget_changes import Change, counts
from judge.types import Nugget

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}


def coverage_table(rows: Mapping[str, Mapping[str, Any]]) -> Table:
    """A line a run: nuggets, held and grounded ones, and why the others are not."""
    reasons = list(dict.fromkeys(reason for row in rows.values() for reason in row["reasons"]))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("run", no_wrap=True, vertical="bottom")
    for name in ("answers", "nuggets", "held", "grounded", *reasons):
        table.add_column(name, justify="right", vertical="bottom")
    for run_id, row in rows.items():
        numbers = [row[name] for name in ("answers", "nuggets", "held", "grounded")]
        numbers += [row["reasons"].get(reason, 0) for reason in reasons]
        table.add_row(Text(run_id), *map(str, numbers))
    return table


def change_lines(changes: Sequence[Change]) -> Iterable[Text]:
    """A line a change, under the id of its topic, and a last line with their numbers."""
    topic_id = None
    for change in changes:
        if change.topic_id != topic_id:
            topic_id = change.topic_id
            yield Text(f"topic {topic_id}", style="bold")
        sign, style = _SIGNS[change.how]
        yield Text(f"  {sign} {_told(change)}", style=style)
    yield Text(", ".join(f"{count} {what}" for what, count in counts(changes).items()))


def _told(change: Change) -> str:
    before, after = change.before, change.after
    if before is None or after is None:
        return _line(before or after)
    told = []
    for name in change.fields:
        old, new = (_value(getattr(nugget, name)) for nugget in (before, after))
        told.append(f"{name}: {old} -> {new}")
    head = [] if "text" in change.fields else [after.text]
    return "\n      ".join([*head, *told])


def _line(nugget: Nugget | None) -> str:
    if nugget is None:
        return ""
    marks = ", ".join(filter(None, (nugget.importance, nugget.sub_narrative)))
    return f"{nugget.text} ({marks})" if marks else nugget.text


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(getattr(entry, "text", entry)) for entry in value) or "none"
    return str(value) if value else "none"
