"""Fields of JSON records: each is asked for by name and type, and what is wrong becomes an error.

Fields that nobody asks for are ignored, with one warning for the whole file.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from judge.errors import InputError
from judge.formats.lines import Line, OnError, Place, log, raise_error, read_json, read_lines

_T = TypeVar("_T")
_INDEX = re.compile(r"\[\d+\]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Notes:
    """What was ignored or mended in one file, to be told in one warning each.

    Args:
        on_error: told of what is wrong with a part of a record that can be read without it.
    """

    def __init__(self, on_error: OnError = raise_error) -> None:
        self.on_error = on_error
        self.unknown: dict[str, None] = {}
        self.mended: dict[str, None] = {}
        self.repeated: Counter[str] = Counter()

    def warn(self, path: str | Path) -> None:
        """Log the warnings of the file `path`."""
        if self.unknown:
            log.warning("%s: ignored unknown fields: %s", path, ", ".join(self.unknown))
        if self.mended:
            names = ", ".join(self.mended)
            log.warning("%s: replaced unpaired surrogates by U+FFFD in: %s", path, names)
        for name, count in self.repeated.items():
            log.info("%s: counted once what %s repeats, %d times", path, name, count)


class Fields:
    """A JSON object of a file.

    Args:
        place: the file and line it stands in.
        data: the object.
        prefix: its own name in the record around it, such as "answer[2].".
        notes: the warnings of the file.
        key: its bare name there, where it is a field of its own.
    """

    def __init__(
        self, place: Place, data: object, prefix: str, notes: Notes, key: str = ""
    ) -> None:
        self.place, self.key, self._prefix, self._notes = place, key, prefix, notes
        if not isinstance(data, dict):
            raise place.error(
                "not an object",
                field=prefix.rstrip(".") or None,
                expected="a JSON object",
                found=data,
            )
        self._data: dict[str, Any] = data
        self._asked: set[str] = set()
        self._children: list[Fields] = []

    @property
    def names(self) -> list[str]:
        """The names of the fields that are there."""
        return list(self._data)

    def has(self, name: str) -> bool:
        """Tell whether a field is there and not null."""
        return self.get(name) is not None

    def holds(self, name: str) -> bool:
        """Tell whether a field is there and not null, without asking for it."""
        return self._data.get(name) is not None

    def peek(self) -> dict[str, Any]:
        """Return the object as it is, without asking for its fields."""
        return self._data

    def get(self, name: str) -> Any:
        """Return a field as it is, None where it is missing."""
        self._asked.add(name)
        return self._data.get(name)

    def require(self, name: str, expected: str) -> Any:
        """Return a field as it is, null included.

        Raises:
            InputError: the field is missing.
        """
        if name not in self._data:
            raise self.error(name, "missing", expected=expected, found=self.names)
        return self.get(name)

    def skip(self, *names: str) -> None:
        """Name fields that are known and not needed."""
        self._asked.update(names)

    def first(self, *names: str) -> str:
        """Return the first of several names for the same thing that is there and not null.

        Raises:
            InputError: none is.
        """
        present = [name for name in names if self.has(name)]
        if not present:
            raise self.error(names[0], "missing", expected=" or ".join(names), found=self.names)
        return present[0]

    def text(self, name: str, *, empty: bool = True) -> str:
        """Return a required text; `empty` allows one without characters other than blanks."""
        return self.to_text(name, self.require(name, "a string"), empty=empty)

    def to_text(self, name: str, value: object, *, empty: bool = True) -> str:
        """Return `value`, which stands in the field `name`, as a text; see `text`.

        Raises:
            InputError: it is none.
        """
        if not isinstance(value, str) or not (empty or value.strip()):
            expected = "a string" if empty else "a string that is not empty"
            raise self.error(name, "wrong value", expected=expected, found=value)
        return self._mend(name, value)

    def optional_text(self, name: str) -> str:
        """Return a text, "" where it is missing or null."""
        return self.text(name) if self.has(name) else ""

    def ident(self, name: str) -> str:
        """Return a required id: a string as it is written, or a whole number's digits."""
        return self.to_ident(name, self.require(name, "an id"))

    def to_ident(self, name: str, value: object) -> str:
        """Return `value`, which stands in the field `name`, as an id.

        Raises:
            InputError: it is neither a string nor a whole number, is empty, or is not Unicode text.
        """
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value.strip() or _SURROGATE.search(value):
            raise self.error(name, "wrong value", expected="an id, as a string", found=value)
        return value

    def idents(self, name: str) -> tuple[str, ...]:
        """Return a list of ids, empty where the field is missing or null."""
        items = self.items(name) if self.has(name) else []
        return tuple(self.to_ident(f"{name}[{i}]", item) for i, item in enumerate(items))

    def number(self, name: str) -> float:
        """Return a required finite number."""
        value = self.require(name, "a number")
        return self.to_number(name, value)

    def to_number(self, name: str, value: object) -> float:
        """Return `value`, which stands in the field `name`, as a finite number.

        Raises:
            InputError: it is none.
        """
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        raise self.error(name, "wrong value", expected="a finite number", found=value)

    def optional_integer(self, name: str) -> int | None:
        """Return a whole number, None where the field is missing or null."""
        value = self.get(name)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise self.error(name, "wrong value", expected="a whole number", found=value)

    def choice(self, name: str, meanings: Mapping[str, _T]) -> _T:
        """Return what the value of a required field means; a whole number counts as its digits."""
        expected = " or ".join(meanings)
        value = self.require(name, expected)
        word = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if not isinstance(word, str) or word not in meanings:
            raise self.error(name, "wrong value", expected=expected, found=value)
        return meanings[word]

    @contextmanager
    def part(self) -> Iterator[None]:
        """Read a part of the record that the rest can do without, where errors are listed.

        Raises:
            InputError: the part cannot be read, and whoever reads needs all or nothing.
        """
        try:
            yield
        except InputError as error:
            self._notes.on_error(error)

    def items(self, name: str) -> list[Any]:
        """Return a required list."""
        return self.to_items(name, self.require(name, "a list"))

    def to_items(self, name: str, value: object) -> list[Any]:
        """Return `value`, which stands in the field `name`, as a list.

        Raises:
            InputError: it is none.
        """
        if not isinstance(value, list):
            raise self.error(name, "wrong value", expected="a list", found=value)
        return value

    def texts(self, name: str) -> list[str]:
        """Return a required list of texts."""
        items = enumerate(self.items(name))
        return [self.to_text(f"{name}[{i}]", item) for i, item in items]

    def record(self, name: str) -> "Fields":
        """Return a required object."""
        return self.child(name, self.require(name, "an object"), key=name)

    def records(self, name: str) -> list["Fields"]:
        """Return a required list of objects."""
        return [self.child(f"{name}[{i}]", item) for i, item in enumerate(self.items(name))]

    def child(self, name: str, data: object, key: str = "") -> "Fields":
        """Return `data`, which stands in the field `name`, as an object."""
        child = Fields(self.place, data, f"{self._prefix}{name}.", self._notes, key)
        self._children.append(child)
        return child

    def full(self, name: str) -> str:
        """Return the name of a field with those of the objects around it: answer[2].text."""
        return self._prefix + name

    def error(
        self, name: str, message: str, *, expected: str | None = None, found: object = None
    ) -> InputError:
        """Return the error that says what is wrong with the field `name`."""
        return self.place.error(message, field=self.full(name), expected=expected, found=found)

    def note_unknown(self) -> None:
        """Note the fields that were never asked for, here and in the objects inside."""
        for name in self._data:
            if name not in self._asked:
                self._notes.unknown[self._generic(name)] = None
        for child in self._children:
            child.note_unknown()

    def note_repeated(self, name: str) -> None:
        """Note that the list `name` names a thing again, which counts once."""
        self._notes.repeated[self._generic(name)] += 1

    def _mend(self, name: str, text: str) -> str:
        """Replace surrogates without a partner: JSON can escape them, but no text holds them."""
        try:
            text.encode()
        except UnicodeEncodeError:
            self._notes.mended[self._generic(name)] = None
            return _SURROGATE.sub("\ufffd", text)
        return text

    def _generic(self, name: str) -> str:
        return _INDEX.sub("[]", _SURROGATE.sub("\ufffd", self.full(name)))


def read_records(path: str | Path) -> Iterator[Fields]:
    """Yield the objects of a JSONL file, or of a file that is one JSON list.

    When all are read, warns once of the fields that nobody asked for.

    Raises:
        InputError: the file cannot be read, or a value is not an object.
    """
    return to_records(path, read_lines(path))


def to_records(path: str | Path, lines: Iterator[Line]) -> Iterator[Fields]:
    """Yield the objects in lines that were read from `path`; see `read_records`."""
    notes = Notes()
    for place, value in read_json(lines):
        record = Fields(place, value, "", notes)
        yield record
        record.note_unknown()
    notes.warn(path)
