"""One kind of file, several forms: which form a record has, and how each is read.

A reader names its forms in a table. Each record (a JSONL line, an item of a JSON list, or one
object that is the whole file) goes to the first form that fits.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from judge.errors import InputError
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Line, OnError, Place, raise_error, read_json, read_lines

T = TypeVar("T")


class Located(NamedTuple, Generic[T]):
    """What was read, and the file and line it stands in."""

    place: Place
    record: T


class Form(NamedTuple, Generic[T]):
    """One form of a kind of file.

    Attributes:
        name: the form as people know it, with its fields, for errors.
        fits: tells whether a record has this form, from the names of its fields.
        parse: what a record holds; raises `InputError` where a field is wrong.
        by_topic: the record holds an object for each topic, by the topic's id; each of them is
            parsed by itself, its id being its `Fields.key`.
    """

    name: str
    fits: Callable[[Fields], bool]
    parse: Callable[[Fields], Iterable[T]]
    by_topic: bool = False


def has_fields(*names: str, one_of: Sequence[str] = ()) -> Callable[[Fields], bool]:
    """Return a test for records that have all of `names`, and at least one of `one_of`."""

    def fits(record: Fields) -> bool:
        return all(map(record.holds, names)) and (not one_of or any(map(record.holds, one_of)))

    return fits


def each_record(
    path: str | Path,
    what: str,
    forms: Sequence[Form[T]],
    on_error: OnError = raise_error,
    lines: Iterator[Line] | None = None,
) -> Iterator[Located[T]]:
    """Yield what the records of a file hold; an error ends its record, not those after it.

    When all are read, warns once of the fields that nobody asked for.

    Args:
        path: the file, "-" for stdin.
        what: what a record should be, for errors: "an answer".
        forms: its forms; the first that fits a record reads it.
        on_error: told of everything that cannot be read.
        lines: the lines of the file, where they have been opened already.
    """
    notes = Notes(on_error)
    for place, value in read_json(lines or read_lines(path, on_error), on_error):
        for form, part in _parts(place, value, what, forms, notes, on_error):
            yield from _parsed(form, part, on_error)
    notes.warn(path)


def form_of(record: Fields, what: str, forms: Sequence[Form[T]]) -> Form[T]:
    """Return the form of a record.

    Raises:
        InputError: it has none of `forms`.
    """
    for form in forms:
        if form.fits(record):
            return form
    expected = "; or ".join(form.name for form in forms)
    raise record.place.error(f"not {what}", expected=expected, found=record.names)


def _parts(
    place: Place,
    value: Any,
    what: str,
    forms: Sequence[Form[T]],
    notes: Notes,
    on_error: OnError,
) -> Iterator[tuple[Form[T], Fields]]:
    try:
        record = Fields(place, value, "", notes)
        form = form_of(record, what, forms)
    except InputError as error:
        on_error(error)
        return
    if not form.by_topic:
        yield form, record
        return
    for name in record.names:
        try:
            yield form, record.record(name)
        except InputError as error:
            on_error(error)


def _parsed(form: Form[T], part: Fields, on_error: OnError) -> Iterator[Located[T]]:
    try:
        found = list(form.parse(part))
    except InputError as error:
        on_error(error)
        return
    part.note_unknown()
    for item in found:
        yield Located(part.place, item)
