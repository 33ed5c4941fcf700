"""The beginning of a file, by which its kind is told."""

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from judge.errors import InputError
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Place, read_json, read_lines

_LINES = 400


class Sample(NamedTuple):
    """The first lines of a file, and the first JSON object in it, if it is of JSON."""

    lines: tuple[str, ...]
    record: Fields | None

    @property
    def is_json(self) -> bool:
        """Whether the file begins as JSON does."""
        return bool(self.lines) and self.lines[0].lstrip().startswith(("{", "["))

    @property
    def found(self) -> object:
        """What to show of the file where its kind cannot be told."""
        return self.lines[0] if self.record is None else self.record.names


def sample(path: str | Path) -> Sample:
    """Return the beginning of a file; lines that are damaged are passed over.

    A JSON list, or an object that spans lines, is read whole.

    Raises:
        InputError: the file cannot be read at all.
    """
    errors: list[InputError] = []
    lines = [line.text for line in islice(read_lines(path, errors.append), _LINES)]
    if errors and not lines:
        raise errors[0]
    head = Sample(tuple(lines), None)
    return head._replace(record=_first_record(path)) if head.is_json else head


def _first_record(path: str | Path) -> Fields | None:
    for place, value in read_json(read_lines(path, _pass_over), _pass_over):
        return _fields(place, value)
    return None


def _fields(place: Place, value: Any) -> Fields | None:
    return Fields(place, value, "", Notes()) if isinstance(value, dict) else None


def _pass_over(error: InputError) -> None:
    """Say nothing: whoever reads the file for what it holds tells of its errors."""
