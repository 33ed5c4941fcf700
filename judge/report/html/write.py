"""A dossier becomes one file, or a folder where it would be too large for one."""

import json
import shutil
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.dossier import Dossier
from judge.errors import UsageError
from judge.report.html.page import page
from judge.runs import write_whole

LARGEST = 30_000_000
"""Bytes up to which a report is one file."""

INDEX, DATA = "index.html", "data"
_LEVEL = 6


@dataclass(frozen=True)
class Written:
    """What was written: a file, or a folder to be served; and its size in bytes."""

    path: Path
    bytes: int
    folder: bool


def write_report(dossier: Dossier, file: Path, *, largest: int = LARGEST) -> Written:
    """Write a report.

    Args:
        dossier: what it shows.
        file: the HTML file. A report that is larger than `largest` becomes a folder beside it,
            named as the file without its suffix; the file is then taken away, as it would be old.
        largest: in bytes.

    Raises:
        UsageError: it cannot be written.
    """
    parts = dict(_parts(dossier))
    text = page(parts)
    size = len(text.encode())
    try:
        if size <= largest:
            write_whole(file, text)
            return Written(file, size, folder=False)
        file.unlink(missing_ok=True)
        return _write_folder(parts, folder_of(file))
    except OSError as error:
        where = error.filename or file
        raise UsageError(f"{where}: cannot be written: {error.strerror or error}") from error


def folder_of(file: Path) -> Path:
    """The folder that a report becomes where it is too large for `file`."""
    return file.with_suffix("") if file.suffix else file.with_name(f"{file.name}-parts")


def _write_folder(parts: dict[str, bytes], folder: Path) -> Written:
    if (folder / DATA).is_dir():
        shutil.rmtree(folder / DATA)
    (folder / DATA).mkdir(parents=True)
    for name, packed in parts.items():
        (folder / DATA / name).write_bytes(packed)
    text = page({}, served=True)
    write_whole(folder / INDEX, text)
    size = sum(map(len, parts.values())) + len(text.encode())
    return Written(folder, size, folder=True)


def _parts(dossier: Dossier) -> Iterator[tuple[str, bytes]]:
    yield "overview", _packed(dossier.overview)
    for place, topic in enumerate(dossier.topics()):
        yield f"topic-{place}", _packed(topic)


def _packed(data: Any) -> bytes:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)
