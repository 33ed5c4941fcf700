"""The beginning of a file, by which its kind is told."""

from itertools import islice
from pathlib import Path
from typing import NamedTuple

from judge.errors import InputError
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Place, read_json, read_lines

_LINES = 400


class Sample(NamedTuple):
    """The first lines of a file, and the first sound JSON object in it, if it is of JSON.

    Attributes:
        lines: their texts; lines that are no UTF-8 are passed over.
        start: where the first of them stands.
        record: the first object, None where there is none.
        damage: what was wrong before it, with its line; None where nothing was.
    """

    lines: tuple[str, ...]
    start: Place
    record: Fields | None = None
    damage: InputError | None = None

    @property
    def is_json(self) -> bool:
        """Whether the file begins as JSON does, or goes on so after a first line that does not."""
        begun = [line.lstrip()[:1] for line in self.lines]
        return begun[:1] in (["{"], ["["]) or begun.count("{") * 2 > len(begun)

    @property
    def unknown(self) -> tuple[Place, object]:
        """A place, and what stands there, to show where the kind of the file cannot be told."""
        if self.record is None:
            return self.start, self.lines[0]
        return self.record.place, self.record.names


def sample(path: str | Path) -> Sample:
    """Return the beginning of a file; lines that are damaged are passed over.

    A JSON list, or an object that spans lines, is read whole.

    Raises:
        InputError: the file cannot be read at all.
    """
    errors: list[InputError] = []
    lines = list(islice(read_lines(path, errors.append), _LINES))
    if errors and not lines:
        raise errors[0]
    start = lines[0].place if lines else Place(str(path), 0)
    head = Sample(tuple(line.text for line in lines), start)
    return _with_record(head, path) if head.is_json else head


def _with_record(head: Sample, path: str | Path) -> Sample:
    """The sample with the first JSON object."""
    errors: list[InputError] = []
    values = read_json(read_lines(path, errors.append), errors.append)
    objects = (Fields(place, v, "", Notes()) for place, v in values if isinstance(v, dict))
    record = next(objects, None)
    return head._replace(record=record, damage=next(iter(errors), None))
