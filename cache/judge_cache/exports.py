"""A store as one portable file: zstandard-compressed JSON lines, one an entry, sorted by key."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from judge_cache.codec import LEVEL, Entry, canonical, is_entry
from judge_cache.errors import StoreError, reason

Verify = Callable[[dict[str, Any]], str]
"""Returns the key of a request."""

CHUNK_BYTES = 2**12
"""Compressed bytes taken at a time; few, for they may swell some 30,000 times."""

LINE_BYTES = 2**28
"""The longest line that is read."""

_AGAIN = "nothing of it was imported; get the file anew from where it was exported"


class Line(NamedTuple):
    """One line of an export: an entry under its key, and the tag that groups it."""

    key: str
    tag: str
    entry: Entry


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
            for line in lines:
                out.write(canonical({"key": line.key, "tag": line.tag, **line.entry}) + b"\n")
                number += 1
        file.flush()
        os.fsync(file.fileno())
    return number


def read_export(path: Path, verify: Verify) -> Iterator[Line]:
    """Yield the lines of the export at `path`, each checked.

    Raises:
        StoreError: the file cannot be read or is cut short, a line is not of an export, or its
            key is not the one that `verify` returns for its request.
    """
    with _explained(path):
        for number, data in enumerate(_lines(path), 1):
            yield _parse(data, f"{path}:{number}", verify)


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


def _parse(data: bytes, place: str, verify: Verify) -> Line:
    try:
        entry = json.loads(data.decode("ascii"))
        key, tag = entry.pop("key"), entry.pop("tag")
        valid = type(key) is type(tag) is str and is_entry(entry)
        matches = valid and verify(entry["request"]) == key
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"{place}: not a line of an export ({error!r}); {_AGAIN}") from error
    if not valid:
        raise StoreError(f"{place}: key, tag and request are not text, text, object; {_AGAIN}")
    if not matches:
        raise StoreError(f"{place}: key {key[:80]!r} is not the key of its request; {_AGAIN}")
    return Line(key, tag, entry)
