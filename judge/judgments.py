"""The judgments of a run: an append-only JSONL file with an index of where each unit stands.

The last line for a unit wins. Only offsets are held in memory, so that a million units fit; a
judgment is read back from the file when it is asked for.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, with_config

from judge.appending import LineFile
from judge.errors import InputError
from judge.json_lines import json_line, read_object
from judge.types import Judgment

_DEFAULTS = [
    (f.name, f.default if f.default_factory is MISSING else f.default_factory())
    for f in fields(Judgment)
]
_TEXTS = ("unit_id", "task", "topic_id", "status")
_NEEDED = frozenset({*_TEXTS, "label"})


class Judgments:
    """An open judgments file.

    Raises:
        InputError: a line that is not a judgment, other than a half-written last one.
    """

    def __init__(self, path: Path) -> None:
        self._offsets: dict[str, int] = {}
        self._failed: set[str] = set()
        self._path, self._file = path, LineFile(path)
        try:
            self._index()
        except InputError:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def append(self, judgments: Iterable[Judgment]) -> None:
        """Write judgments in one go, so that a kill leaves all or none of a call's lines."""
        units = [(judgment.unit_id, judgment) for judgment in judgments]
        written = [(unit_id, j.status, _line(unit_id, j)) for unit_id, j in units]
        offset = self._file.end
        self._file.append(b"".join(line for _, _, line in written))
        for unit_id, status, line in written:
            self._note(unit_id, offset, ok=status == "ok")
            offset += len(line)

    def is_ok(self, unit_id: str) -> bool:
        """Whether the unit has a label."""
        return unit_id in self._offsets and unit_id not in self._failed

    def get(self, unit_id: str) -> Judgment | None:
        """The unit's last judgment, or None if it was never judged."""
        offset = self._offsets.get(unit_id)
        return None if offset is None else self._read(offset)

    def __iter__(self) -> Iterator[Judgment]:
        """The last judgment of every unit, in the order they were first judged."""
        for offset in list(self._offsets.values()):
            yield self._read(offset)

    def __len__(self) -> int:
        """How many units were judged, whether they have a label or not."""
        return len(self._offsets)

    def has_labels(self, task: str | None = None) -> bool:
        """Whether any unit has a label, of one task or of all."""
        start = "" if task is None else f"{task}|"
        return any(self.is_ok(unit_id) for unit_id in self._offsets if unit_id.startswith(start))

    def failed(self) -> Iterator[Judgment]:
        """The last judgment of every unit that has no label."""
        return (judgment for judgment in self if judgment.status == "failed")

    def _note(self, unit_id: str, offset: int, *, ok: bool) -> None:
        self._offsets[unit_id] = offset
        (self._failed.discard if ok else self._failed.add)(unit_id)

    def _read(self, offset: int) -> Judgment:
        line = self._file.line_at(offset)
        try:
            return from_line(line)
        except InputError as error:
            with self._path.open("rb") as file:
                number = file.read(offset).count(b"\n") + 1
            raise _not_a_judgment(self._path, number, line) from error

    def _index(self) -> None:
        for offset, data in scan(self._path):
            ok = data["status"] == "ok" and data["label"] is not None
            self._note(data["unit_id"], offset, ok=ok)


def scan(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every judgment of a file as JSON data, with the offset of its line; none is kept.

    A last line that is only half-written is left out.

    Raises:
        InputError: the file cannot be read, or a line is not a judgment.
    """
    offset = 0
    for number, line in _lines(path):
        yield offset, _data(path, number, line)
        offset += len(line)


def read_judgments(path: Path, tasks: Collection[str]) -> Iterator[Judgment]:
    """Yield every judgment of some tasks in a file; a unit may have several, the last one counts.

    Raises:
        InputError: the file cannot be read, or a line is not a judgment.
    """
    for number, line in _lines(path):
        data = _data(path, number, line)
        if data["task"] in tasks:
            try:
                yield _judgment(data)
            except ValueError as error:
                raise _not_a_judgment(path, number, line) from error


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.endswith(b"\n"):
                    yield number, line
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from error


def _data(path: Path, number: int, line: bytes) -> dict[str, Any]:
    """The JSON data of a line, which has what is asked of every judgment."""
    try:
        data = read_object(line)
    except ValueError as error:
        raise _not_a_judgment(path, number, line) from error
    if not data.keys() >= _NEEDED or not all(type(data[name]) is str for name in _TEXTS):
        raise _not_a_judgment(path, number, line)
    return data


def to_line(judgment: Judgment) -> bytes:
    """One JSON line, `unit_id` first; fields at their default are left out."""
    return _line(judgment.unit_id, judgment)


def _line(unit_id: str, judgment: Judgment) -> bytes:
    return json_line({"unit_id": unit_id, "label": judgment.label, **said_in(judgment)})


def said_in(judgment: Judgment) -> dict[str, Any]:
    """The fields of a judgment that are not at their default, as JSON data."""
    values = vars(judgment)
    said = {name: values[name] for name, default in _DEFAULTS if values[name] != default}
    return {**said, "flags": list(judgment.flags)} if judgment.flags else said


def from_line(line: bytes) -> Judgment:
    """Read what `to_line` wrote.

    Raises:
        InputError: it is not a judgment.
    """
    try:
        return _judgment(read_object(line))
    except ValueError as error:
        raise InputError(f"not a judgment: {error}") from error


def _judgment(data: dict[str, Any]) -> Judgment:
    """The judgment that the JSON data of a line says.

    Raises:
        ValueError: a field is wrong, missing or unknown, or the unit_id is that of another unit.
    """
    named = {name: value for name, value in data.items() if name != "unit_id"}
    judgment = _adapter().validate_python(named)
    if judgment.unit_id != data.get("unit_id"):
        raise ValueError(f"its unit_id is not that of its parts, {judgment.unit_id}")
    return judgment


@cache
def _adapter() -> TypeAdapter[Judgment]:
    return TypeAdapter(with_config(ConfigDict(extra="forbid"))(Judgment))


def _not_a_judgment(path: Path, number: int, line: bytes) -> InputError:
    return InputError(
        "not a judgment; the file was changed by other hands",
        path=path,
        line=number,
        expected="a JSON object with unit_id and status",
        found=line[:80].decode(errors="replace"),
    )
