r"""Reading and writing lines and JSON: the one place that knows about BOM, CRLF, gzip and stdin.

A line ends at "\n" and nowhere else, so that U+2028 inside a JSON string stays data. Bytes must
be UTF-8. After an error (see `judge.formats.places`) the reading goes on with the next line, as far
as there is one to be found.
"""

import gzip
import io
import json
import logging
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn, TextIO

from judge.errors import InputError, UsageError
from judge.formats.places import Line, OnError, Place, Unique, raise_error

__all__ = [
    "STDIN",
    "Line",
    "OnError",
    "Place",
    "Unique",
    "can_seek",
    "decode",
    "lines_of",
    "log",
    "parse_json",
    "raise_error",
    "read_json",
    "read_lines",
    "reading",
    "stdin_bytes",
    "write_json",
    "write_lines",
]

STDIN = "-"
log = logging.getLogger("judge.formats")

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_BLANK = re.compile(r"[ \t\r\n]*")


def stdin_bytes() -> bytes:
    """Return all of stdin, which is read once and kept: its lines, then its hash are wanted."""
    return _all_of(sys.stdin)


@cache
def _all_of(stream: TextIO) -> bytes:
    return stream.buffer.read()


def read_lines(path: str | Path, on_error: OnError = raise_error) -> Iterator[Line]:
    """Yield the lines of a text file that are not blank, "-" being stdin.

    Raises:
        InputError: the file cannot be read, is damaged, or is not UTF-8.
    """
    try:
        with reading(path) as stream:
            yield from lines_of(stream, path, on_error)
    except InputError as error:
        on_error(error)


def lines_of(
    stream: Iterable[bytes], path: str | Path, on_error: OnError = raise_error
) -> Iterator[Line]:
    """Yield the lines of uncompressed bytes that are not blank; `path` is where they come from.

    Raises:
        InputError: a line is not UTF-8.
    """
    empty = True
    for place, offset, raw in _raw_lines(stream, str(path)):
        line = _line(place, offset, raw, on_error)
        empty = empty and line is not None and not line.text.strip()
        if line is not None and line.text.strip():
            yield line
    if empty:
        log.warning("%s: the file is empty", path)


def read_json(
    lines: Iterator[Line], on_error: OnError = raise_error
) -> Iterator[tuple[Place, Any]]:
    """Yield the values of JSONL lines, the items of one JSON list, or objects that span lines.

    After a line that is no JSON comes the next line; inside of a list, or of objects that span
    lines, nothing comes after an error.

    Raises:
        InputError: the lines are not JSON.
    """
    head = list(islice(lines, 2))
    if head and (head[0].text.lstrip().startswith("[") or _spans(head)):
        try:
            yield from _joined_values([*head, *lines])
        except InputError as error:
            on_error(error)
        return
    for line in chain(head, lines):
        try:
            value = parse_json(line)
        except InputError as error:
            on_error(error)
        else:
            yield line.place, value


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


def _raw_lines(stream: Iterable[bytes], name: str) -> Iterator[tuple[Place, int, bytes]]:
    """Yield each line's place, the offset of its first byte, and its bytes, without a BOM."""
    offset = 0
    for number, raw in enumerate(stream, start=1):
        bom = len(_BOM) if number == 1 and raw.startswith(_BOM) else 0
        yield Place(name, number), offset + bom, raw[bom:]
        offset += len(raw)


def _line(place: Place, offset: int, raw: bytes, on_error: OnError) -> Line | None:
    try:
        return Line(place, offset, decode(raw, place))
    except InputError as error:
        on_error(error)
        return None


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
def reading(path: str | Path) -> Iterator[io.BufferedIOBase]:
    """Open a file for bytes, unpacking gzip by its first two bytes, whatever its name.

    Raises:
        InputError: the file cannot be read, then or while the block reads it.
    """
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
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
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
        what = error.msg.removesuffix(" at")  # "Unterminated string starting at"
        message = f"not JSON: {what} at column {error.colno}"
        raise place.error(message, expected="complete JSON", found=found) from error
    except (ValueError, RecursionError) as error:
        raise lines[row].place.error(f"not JSON: {error}") from error


def _spans(head: list[Line]) -> bool:
    """Tell whether an object goes on after its line, other than one that was cut off there."""
    first, *others = [line.text.lstrip() for line in head]
    if not first.startswith("{") or not others or others[0].startswith("{"):
        return False
    try:
        _DECODER.decode(head[0].text)
    except json.JSONDecodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _joined_values(lines: list[Line]) -> Iterator[tuple[Place, Any]]:
    """Yield the items of the list, or the values, that `lines` hold when joined."""
    text = _Joined(lines)
    if not text.starts("["):
        while text.more:
            yield text.value()
        return
    text.step()
    while not text.starts("]"):
        yield text.value()
        text.next_item()
    text.step()
    if text.more:
        text.fail("text after the end of the list")


class _Joined:
    """Lines as one text that is decoded value by value; each has the line that it begins on."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines, self._text = lines, "\n".join(line.text for line in lines)
        self._at, self._row, self._counted = _skip(self._text, 0), 0, 0

    @property
    def more(self) -> bool:
        return self._at < len(self._text)

    def starts(self, char: str) -> bool:
        return self._text.startswith(char, self._at)

    def step(self) -> None:
        self._at = _skip(self._text, self._at + 1)

    def value(self) -> tuple[Place, Any]:
        self._row += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        with _json_errors(self._lines, self._row):
            value, end = _DECODER.raw_decode(self._text, self._at)
        self._at = _skip(self._text, end)
        return self._lines[self._row].place, value

    def next_item(self) -> None:
        """Go on to the next item of a list, or to its closing bracket."""
        if self.starts("]"):
            return
        after = _skip(self._text, self._at + 1)
        if not self.starts(",") or self._text.startswith("]", after):
            self.fail("expected ',' and an item, or ']'")
        self._at = after

    def fail(self, message: str) -> NoReturn:
        with _json_errors(self._lines, self._row):
            raise json.JSONDecodeError(message, self._text, self._at)


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
