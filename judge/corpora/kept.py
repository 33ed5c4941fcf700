"""Indexes that outlive the process: one file each in the user's cache, valid for one source file.

An index is trusted only for the very file it was made of (path, size, time of change, a hash of
both ends) and only if its own bytes are whole; otherwise it is made anew. A folder that cannot be
written costs time, never the answer.
"""

import hashlib
import json
import logging
import mmap
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

log = logging.getLogger("judge.corpora")

_FORMAT = 1
_HEAD_BYTES = 4096  # a whole page, so that what follows can be mapped
_END_BYTES = 64 * 1024
_CHUNK_BYTES = 1024 * 1024


def index_folder() -> Path:
    """Where indexes are kept: $RAG_JUDGE_INDEXES, else a folder of the user's cache."""
    if path := os.environ.get("RAG_JUDGE_INDEXES"):
        return Path(path)
    import platformdirs

    return platformdirs.user_cache_path("rag-judge") / "corpora"


class Kept:
    """The kept index of one file.

    Args:
        source: the file that is indexed.
        kind: what kind of index; its file name ends so.
    """

    def __init__(self, source: Path, kind: str) -> None:
        self._source = source
        name = hashlib.sha256(os.fsencode(source.resolve())).hexdigest()[:24]
        self.path = index_folder() / f"{name}.{kind}"

    def load(self) -> memoryview | None:
        """Return the bytes of the index, mapped; None where there is none of the file as it is."""
        try:
            with self.path.open("rb") as file:
                return self._checked(file)
        except OSError:
            return None
        except ValueError as error:
            log.warning("%s: the kept index is made anew: %s", self._source, error)
            return None

    def save(self, parts: Sequence[bytes | memoryview]) -> None:
        """Keep the bytes of an index for the next time; tells if that cannot be done."""
        head = {
            **_stamp(self._source),
            "crc32": reduce(lambda crc, p: zlib.crc32(p, crc), parts, 0),
        }
        padded = json.dumps(head).encode().ljust(_HEAD_BYTES - 1) + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _replace(self.path, [padded, *parts])
        except OSError as error:
            log.warning("%s: its index cannot be kept for the next time: %s", self._source, error)

    def drop(self) -> None:
        """Forget the index."""
        with suppress(OSError):
            self.path.unlink()

    def _checked(self, file: IO[bytes]) -> memoryview:
        head = json.loads(file.read(_HEAD_BYTES))
        if not isinstance(head, dict) or head.pop("crc32", None) != _crc(_rest(file)):
            raise ValueError("it is damaged")
        if head != _stamp(self._source):
            raise ValueError("the file has changed")
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))[_HEAD_BYTES:]


def _stamp(source: Path) -> dict[str, Any]:
    """What tells this state of a file from any other."""
    facts = source.stat()
    with source.open("rb") as file:
        first = file.read(_END_BYTES)
        file.seek(max(0, facts.st_size - _END_BYTES))
        ends = hashlib.sha256(first + file.read(_END_BYTES)).hexdigest()
    return {
        "format": _FORMAT,
        "byteorder": sys.byteorder,
        "path": str(source.resolve()),
        "size": facts.st_size,
        "mtime_ns": facts.st_mtime_ns,
        "ends": ends,
    }


def _crc(parts: Iterable[bytes | memoryview]) -> int:
    return reduce(lambda crc, part: zlib.crc32(part, crc), parts, 0)


def _rest(file: IO[bytes]) -> Iterator[bytes]:
    """The rest of a file in pieces, so that memory stays flat."""
    while chunk := file.read(_CHUNK_BYTES):
        yield chunk


def _replace(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Write a file that others see whole or not at all."""
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as part:
        try:
            part.writelines(parts)
            part.close()
            Path(part.name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(part.name).unlink()
            raise
