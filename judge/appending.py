"""Append-only files of whole lines: a kill or a full disk never leaves half a line for good."""

import os
from pathlib import Path

from judge.errors import RunError


class LineFile:
    """A file that grows by whole lines. `end` is its length in bytes.

    Opening cuts off a last line that a kill left unfinished; a write that fails is undone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a+b", buffering=0)
        self.end = _whole_lines(path)
        self._file.truncate(self.end)

    def append(self, lines: bytes) -> None:
        """Write `lines`, which end in a newline.

        Raises:
            RunError: the disk does not take them; the file is as before.
        """
        try:
            self._write_all(lines)
        except OSError as error:
            self._file.truncate(self.end)
            raise RunError(f"{self.path} cannot be written: {error.strerror}") from error
        self.end += len(lines)

    def line_at(self, offset: int) -> bytes:
        """The line that starts at `offset`, without its newline."""
        self._file.seek(offset)
        parts: list[bytes] = []
        while chunk := self._file.read(4096):
            head, newline, _ = chunk.partition(b"\n")
            parts.append(head)
            if newline:
                break
        return b"".join(parts)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write_all(self, data: bytes) -> None:
        written = os.write(self._file.fileno(), data)
        while written < len(data):
            written += os.write(self._file.fileno(), memoryview(data)[written:])


def _whole_lines(path: Path, block: int = 65536) -> int:
    """Length of the file up to and with its last newline, searched from the end."""
    end = path.stat().st_size
    with path.open("rb") as file:
        while end > 0:
            start = max(0, end - block)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0
