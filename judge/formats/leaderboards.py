"""Leaderboards of any tool: what a measure says of a run on a topic, as JSON or in columns."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, cast, get_args

from judge.errors import InputError, UsageError
from judge.formats.blocks import read_rows
from judge.formats.columns import Row, write_rows
from judge.formats.fields import read_records
from judge.formats.lines import Place, Unique, read_lines

_FORM = "run measure topic value, or run topic measure value"
_TOPIC_HEADINGS = ("topic", "topic_id", "qid", "query_id", "query")
_ALL = "all"

Form = Literal["tot", "ir_measures"]
"""`run measure topic value`, or `run topic measure value`, by the names that AutoJudge has."""


class Value(NamedTuple):
    """A measure's value for a run on a topic, or its mean (topic_id "all"); None: withheld."""

    run_id: str
    topic_id: str
    measure: str
    value: float | None


def read_values(path: str | Path) -> list[Value]:
    """Read the values of a leaderboard.

    JSON and JSONL hold objects with run_id, topic_id, measure and value, which may be null; other
    fields play no part. In columns it is `run measure topic value` or `run topic measure value`;
    which one is told by a heading, else by the column that has "all" in it.

    Raises:
        InputError: the file cannot be read, a field is missing or wrong, a value stands twice, or
            it cannot be told which column holds the topics.
    """
    unique = Unique("the value of (run_id, topic, measure)")
    values = []
    for place, value in _from_json(path) if _is_json(path) else _from_columns(path):
        unique.add(value[:3], place)
        values.append(value)
    return values


class HasValue(Protocol):
    """A `Value`, or anything like it, such as a `judge.types.Score`."""

    @property
    def run_id(self) -> str:
        """The run."""

    @property
    def topic_id(self) -> str:
        """The topic, "all" for the mean."""

    @property
    def measure(self) -> str:
        """The measure's name."""

    @property
    def value(self) -> float | None:
        """The value, None where there is none."""


def form_named(name: str) -> Form:
    """Return the form called `name`.

    Raises:
        UsageError: there is none.
    """
    for form in get_args(Form):
        if form == name:
            return cast("Form", form)
    raise UsageError(f"no form {name!r}; the forms are {', '.join(get_args(Form))}")


def write_values(path: str | Path, values: Iterable[HasValue], form: Form = "tot") -> int:
    """Write a leaderboard in columns, without a heading.

    Returns:
        How many values were left out, being None: the form has no way to say so, nor why.

    Raises:
        InputError: an id or the name of a measure is empty or holds a blank.
        UsageError: the file cannot be written.
    """
    given = list(values)
    known = [(v, str(v.value)) for v in given if v.value is not None]
    if form == "tot":
        write_rows(path, ((v.run_id, v.measure, v.topic_id, number) for v, number in known))
    else:
        write_rows(path, ((v.run_id, v.topic_id, v.measure, number) for v, number in known))
    return len(given) - len(known)


def _is_json(path: str | Path) -> bool:
    first = next(read_lines(path), None)
    return first is not None and first.text.lstrip().startswith(("[", "{"))


def _from_json(path: str | Path) -> Iterator[tuple[Place, Value]]:
    for record in read_records(path):
        record.skip(*record.names)
        withheld = record.require("value", "a number or null") is None
        yield (
            record.place,
            Value(
                run_id=record.ident("run_id"),
                topic_id=record.ident("topic_id"),
                measure=record.text("measure", empty=False),
                value=None if withheld else record.number("value"),
            ),
        )


def _from_columns(path: str | Path) -> Iterator[tuple[Place, Value]]:
    rows = list(read_rows(path, _FORM, widths=[4]))
    if not rows:
        return
    topic = _topic_column(path, rows)
    for row in rows[1:] if _is_heading(rows[0]) else rows:
        value = row.number(3, "value")
        yield row.place, Value(row.cells[0], row.cells[topic], row.cells[3 - topic], value)


def _is_heading(row: Row) -> bool:
    return row.cells[3].lower() in ("value", "score")


def _topic_column(path: str | Path, rows: Sequence[Row]) -> int:
    """Return which of the two columns between run and value holds the topics: 1 or 2."""
    for column in (1, 2) if _is_heading(rows[0]) else ():
        if rows[0].cells[column].lower() in _TOPIC_HEADINGS:
            return column
    found = [column for column in (1, 2) if any(row.cells[column] == _ALL for row in rows)]
    if len(found) != 1:
        raise InputError(
            "it cannot be told which column holds the topics and which the measures",
            path=path,
            expected=f"a first line such as: run topic measure value; or {_ALL!r} in one of them",
            found=" ".join(rows[0].cells),
        )
    return found[0]
