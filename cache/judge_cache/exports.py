"""A store as one portable file: zstandard-compressed JSON lines, one an entry, sorted by key.

The first line names the format: `{"format":"judge_cache","version":1}`. Each further one is an
entry with three fields more: its key, its tag, and when it was stored, to the second in UTC.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import zstandard

from judge_cache.codec import LEVEL, Entry, canonical, is_entry
from judge_cache.errors import StoreError, reason

VERSION = 1
HEADER = {"format": "judge_cache", "version": VERSION}

CHUNK_BYTES = 2**12
"""Compressed bytes taken at a time; few, for they may swell some 30,000 times."""

LINE_BYTES = 2**28
"""The longest line that is read."""

_TIME = "%Y-%m-%dT%H:%M:%SZ"
_AGAIN = "nothing of it was imported; get the file anew from where it was exported"


class Line(NamedTuple):
    """One line of an export: an entry under its key.

    `tag` groups it; `stored` is the time in seconds since 1970 (UTC).
    """

    key: str
    tag: str
    stored: float
    entry: Entry


Check = Callable[[Line], str | None]
"""Says what is wrong with an entry, in words, or None."""


def write_export(path: Path, lines: Iterable[Line]) -> int:
    """Write `lines` to `path`, whole or not at all; return their number.

    The same lines give the same bytes.

    Raises:
        StoreError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = _write(temporary, lines)
        temporary.replace(path)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {reason(error)}; choose a place that can be written"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()
    return number


def _write(path: Path, lines: Iterable[Line]) -> int:
    number = 0
    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with path.open("wb") as file:
        with compressor.stream_writer(file, closefd=False) as out:
            out.write(canonical(HEADER) + b"\n")
            for line in lines:
                out.write(_written(line))
                number += 1
        file.flush()
        os.fsync(file.fileno())
    return number


def _written(line: Line) -> bytes:
    stored = datetime.fromtimestamp(line.stored, UTC).strftime(_TIME)
    fields = {"key": line.key, "tag": line.tag, "stored": stored}
    return canonical({**fields, **line.entry}) + b"\n"


def read_export(path: Path, check: Check) -> Iterator[Line]:
    """Yield the lines of the export at `path`, each checked.

    Raises:
        StoreError: the file cannot be read, is cut short or no export, or `check` finds a fault
            in an entry; the message names the line.
    """
    with _explained(path):
        lines = enumerate(_lines(path), 1)
        _check_header(path, next(lines, (1, b""))[1])
        for number, data in lines:
            line = _parse(data, f"{path}:{number}")
            if fault := check(line):
                raise StoreError(f"{path}:{number}: {fault}; {_AGAIN}")
            yield line


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, zstandard.ZstdError) as error:
        raise StoreError(f"cannot read {path}: {reason(error)}; {_AGAIN}") from error


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of the one zstandard frame in the file, without their ends."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    rest = bytearray()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            piece = frame.decompress(chunk)
            rest += piece
            if len(rest) > LINE_BYTES:
                raise StoreError(f"{path} has a line over {LINE_BYTES} bytes; {_AGAIN}")
            if b"\n" in piece:
                *lines, rest = rest.split(b"\n")
                yield from map(bytes, lines)
    if rest or not frame.eof:
        raise StoreError(f"{path} is cut short; {_AGAIN}")
    if frame.unused_data:
        raise StoreError(f"{path} goes on after the end of its export; {_AGAIN}")


def _check_header(path: Path, data: bytes) -> None:
    try:
        header = json.loads(data.decode("ascii"))
        name, version = header["format"], header["version"]
    except (KeyError, TypeError, ValueError, RecursionError):
        name = version = None
    if name != HEADER["format"] or type(version) is not int:
        raise StoreError(f"{path}:1: not an export of a reply store; expected {HEADER}; {_AGAIN}")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer version of this tool (format {version}, this one "
            f"reads {VERSION}); nothing of it was imported; import it with that version"
        )


def _parse(data: bytes, place: str) -> Line:
    try:
        entry = json.loads(data.decode("ascii"))
        key, tag, stored = (entry.pop(name) for name in ("key", "tag", "stored"))
        time = datetime.strptime(stored, _TIME).replace(tzinfo=UTC).timestamp()
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"{place}: not a line of an export ({error!r}); {_AGAIN}") from error
    if not (type(key) is type(tag) is str and is_entry(entry)):
        raise StoreError(f"{place}: key, tag and request are not text, text, object; {_AGAIN}")
    return Line(key, tag, time, entry)
