"""Small images for tests, and corpora of videos with frames."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any


def png(shade: int = 0) -> bytes:
    """The bytes of an image of one grey pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes([0, shade]))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def frames(folder: Path, count: int) -> list[str]:
    """Write `count` different images into a folder; their names."""
    names = [f"frame{number}.png" for number in range(count)]
    for number, name in enumerate(names):
        (folder / name).write_bytes(png(number))
    return names


def write_lines(path: Path, *records: dict[str, Any]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
