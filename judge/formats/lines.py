r"""Reading and writing lines and JSON: the one place that knows about BOM, CRLF, gzip and stdin.

A line ends at "\n" and nowhere else, so that U+2028 inside a JSON string stays data. Bytes must
be UTF-8. Whatever cannot be read becomes an `InputError` that names file and line.
"""

import gzip
import io
import json
import logging
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from judge.errors import InputError, UsageError

STDIN = "-"
log = logging.getLogger("judge.formats")

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_BLANK = re.compile(r"[ \t\r\n]*")


class Place(NamedTuple):
    """A line of a file, to build errors about it; `line` is 1-based."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    def error(
        self,
        message: str,
        *,
        field: str | None = None,
        expected: str | None = None,
        found: object = None,
    ) -> InputError:
        """Return the error that says what is wrong at this place."""
        return InputError(
            message, path=self.path, line=self.line, field=field, expected=expected, found=found
        )


class Line(NamedTuple):
    """A line without its end; `offset` is that of its first byte in the uncompressed file."""

    place: Place
    offset: int
    text: str


class Unique:
    """Refuses the second of two things that must stand only once, and says where the first is."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._places: dict[object, Place] = {}

    def add(self, key: object, place: Place, field: str | None = None) -> None:
        """Note that `key` stands at `place`.

        Raises:
            InputError: the key was added before.
        """
        if key in self._places:
            first = self._places[key]
            message = f"{self._what} {key!r} stands twice, first at {first}; remove one of them"
            raise place.error(message, field=field)
        self._places[key] = place


def stdin_bytes() -> bytes:
    """Return all of stdin, which is read once and kept: its lines, then its hash are wanted."""
    return _all_of(sys.stdin)


@cache
def _all_of(stream: TextIO) -> bytes:
    return stream.buffer.read()


def read_lines(path: str | Path) -> Iterator[Line]:
    """Yield the lines of a text file that are not blank, "-" being stdin.

    Raises:
        InputError: the file cannot be read, is damaged, or is not UTF-8.
    """
    name, offset, empty = str(path), 0, True
    with _reading(path) as stream:
        for number, raw in enumerate(stream, start=1):
            place = Place(name, number)
            bom = len(_BOM) if number == 1 and raw.startswith(_BOM) else 0
            text = decode(raw[bom:], place)
            if text.strip():
                empty = False
                yield Line(place, offset + bom, text)
            offset += len(raw)
    if empty:
        log.warning("%s: the file is empty", path)


def read_json(lines: Iterator[Line]) -> Iterator[tuple[Place, Any]]:
    """Yield the values of JSONL lines, or the items if all the lines are one JSON list.

    Raises:
        InputError: the lines are not JSON.
    """
    first = next(lines, None)
    if first is None:
        return
    if first.text.lstrip().startswith("["):
        yield from _list_items([first, *lines])
        return
    for line in chain([first], lines):
        yield line.place, parse_json(line)


def parse_json(line: Line) -> Any:
    """Return the JSON value that a line holds.

    Raises:
        InputError: it is not JSON, repeats a key, is nested too deep, or holds NaN or Infinity.
    """
    with _json_errors([line]):
        return _DECODER.decode(line.text)


def decode(raw: bytes, place: Place) -> str:
    """Return the text of a line, without its end.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + 1
        raise place.error(
            f"not UTF-8: {error.reason} at byte {at} of the line",
            expected="UTF-8 text",
            found=raw[error.start : error.start + 8],
        ) from error


def can_seek(path: str | Path) -> bool:
    """Tell whether a line can be read again by its offset: a plain file, not gzip, no pipe.

    Raises:
        InputError: the file cannot be read.
    """
    if str(path) == STDIN or not Path(path).is_file():
        return False
    with _errors(path), Path(path).open("rb") as file:
        return file.read(2) != _GZIP


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8, ended by newlines; the file is replaced only once all are written.

    Raises:
        UsageError: the file cannot be written.
    """
    target = Path(path)
    part = target.with_name(target.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        part.replace(target)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def write_json(path: str | Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object a line.

    Raises:
        UsageError: the file cannot be written.
        ValueError: a row holds NaN or an infinity; a file never does.
    """
    dumped = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    write_lines(path, dumped)


@contextmanager
def _reading(path: str | Path) -> Iterator[Iterable[bytes]]:
    """Open a file for bytes, unpacking gzip by its first two bytes, whatever its name."""
    with _errors(path), _opened(path) as file:
        if file.peek(len(_GZIP)).startswith(_GZIP):
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield unpacked
        else:
            yield file


@contextmanager
def _opened(path: str | Path) -> Iterator[io.BufferedReader]:
    if str(path) == STDIN:
        yield io.BufferedReader(io.BytesIO(stdin_bytes()))
        return
    with Path(path).open("rb") as file:
        yield file


@contextmanager
def _errors(path: str | Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise InputError("no such file", path=path) from error
    except IsADirectoryError as error:
        raise InputError("is a folder, not a file", path=path) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the gzip data is damaged or cut off: {error}", path=path) from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        raise InputError(f"cannot be read: {error}", path=path) from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant)


@contextmanager
def _json_errors(lines: list[Line], row: int = 0) -> Iterator[None]:
    """Turn what a JSON decoder raises into an error at the line it arose in, else at `row`."""
    try:
        yield
    except json.JSONDecodeError as error:
        place = lines[min(error.lineno, len(lines)) - 1].place
        found = error.doc[max(0, error.pos - 30) : error.pos + 30]
        message = f"not JSON: {error.msg} at column {error.colno}"
        raise place.error(message, expected="complete JSON", found=found) from error
    except (ValueError, RecursionError) as error:
        raise lines[row].place.error(f"not JSON: {error}") from error


def _list_items(lines: list[Line]) -> Iterator[tuple[Place, Any]]:
    """Yield the items of a JSON list that spans `lines`, each with the line it begins on."""
    text = "\n".join(line.text for line in lines)
    at, row = _skip(text, text.index("[") + 1), 0
    counted = 0
    while not text.startswith("]", at):
        row += text.count("\n", counted, at)
        counted = at
        with _json_errors(lines, row):
            value, end = _DECODER.raw_decode(text, at)
            at = _next_item(text, end)
        yield lines[row].place, value
    with _json_errors(lines):
        _end_of_text(text, _skip(text, at + 1))


def _next_item(text: str, end: int) -> int:
    """Return where the item after the one that ended at `end`, or the closing bracket, stands."""
    at = _skip(text, end)
    if text.startswith("]", at):
        return at
    if text.startswith(",", at) and not text.startswith("]", _skip(text, at + 1)):
        return _skip(text, at + 1)
    raise json.JSONDecodeError("expected ',' and an item, or ']'", text, at)


def _end_of_text(text: str, at: int) -> None:
    if at < len(text):
        raise json.JSONDecodeError("text after the end of the list", text, at)


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
