"""Files of whole lines: what a kill, a full disk or a long line do to them."""

import errno
import os
from pathlib import Path

import pytest

from judge.appending import LineFile
from judge.errors import RunError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def opened(path: Path, content: bytes) -> bytes:
    """What opening leaves of a file."""
    path.write_bytes(content)
    LineFile(path).close()
    return path.read_bytes()


def failing_write(monkeypatch: pytest.MonkeyPatch, *, after: int) -> None:
    """Let the disk take `after` bytes more, to any file but the standard ones."""
    write, room = os.write, [after]

    def full(fd: int, data: memoryview) -> int:
        if fd <= 2:
            return write(fd, data)
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = write(fd, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr("judge.appending.os.write", full)


def test_lines_are_on_disk_at_once(path: Path) -> None:
    file = LineFile(path)
    file.append(b"one\n")
    file.append(b"two\nthree\n")
    assert path.read_bytes() == b"one\ntwo\nthree\n"
    assert file.end == len(b"one\ntwo\nthree\n")
    file.close()


def test_opening_again_goes_on_at_the_end(path: Path) -> None:
    assert opened(path, b"one\n") == b"one\n"
    file = LineFile(path)
    file.append(b"two\n")
    file.close()
    assert path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (b"", b""),
        (b"ha", b""),
        (b"one\nha", b"one\n"),
        (b"one\n\xe2\x82", b"one\n"),
        (b"one\n\n", b"one\n\n"),
        (b"one\r", b""),
        (b"one\n" + b"x" * 200_000, b"one\n"),
        (b"x" * 200_000, b""),
        (b"x" * 65_535 + b"\n" + b"y" * 65_536, b"x" * 65_535 + b"\n"),
    ],
    ids=range(9),
)
def test_opening_cuts_off_an_unfinished_last_line(path: Path, content: bytes, kept: bytes) -> None:
    assert opened(path, content) == kept


def test_a_line_is_read_back_by_its_offset(path: Path) -> None:
    lines = [b"a", b"", b"b" * 4095, b"c" * 4096, b"d" * 4097, b"e" * 30_000, b"f"]
    file = LineFile(path)
    offsets = []
    for line in lines:
        offsets.append(file.end)
        file.append(line + b"\n")
    assert [file.line_at(offset) for offset in reversed(offsets)] == lines[::-1]
    file.close()


def test_reading_does_not_move_where_the_next_line_goes(path: Path) -> None:
    file = LineFile(path)
    file.append(b"one\ntwo\n")
    file.line_at(0)
    file.append(b"three\n")
    file.close()
    assert path.read_bytes() == b"one\ntwo\nthree\n"


def test_a_write_in_pieces_is_finished(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr("judge.appending.os.write", lambda fd, data: write(fd, data[:3]))
    file = LineFile(path)
    file.append(b"a long line\n")
    monkeypatch.undo()
    file.close()
    assert path.read_bytes() == b"a long line\n"


@pytest.mark.parametrize("after", [0, 1, 7])
def test_a_write_that_fails_is_undone(
    path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    file = LineFile(path)
    file.append(b"one\n")
    failing_write(monkeypatch, after=after)
    with pytest.raises(RunError, match=r"lines\.jsonl cannot be written: No space left"):
        file.append(b"two\nthree\n")
    monkeypatch.undo()
    assert path.read_bytes() == b"one\n"
    file.append(b"four\n")
    assert file.line_at(len(b"one\n")) == b"four"
    file.close()
    assert path.read_bytes() == b"one\nfour\n"
