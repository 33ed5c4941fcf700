"""The way from keys and values to columns and back leads past pickle and past files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge_cache.disk import BytesDisk
from judge_cache.errors import UnreadableError


class _Trap:
    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return pytest.fail, ()


@pytest.fixture
def disk(tmp_path: Path) -> BytesDisk:
    return BytesDisk(str(tmp_path))


@pytest.mark.parametrize("key", [b"k", 1, 1.5, None, ("a", 1), _Trap()])
def test_only_text_is_a_key(disk: BytesDisk, key: Any) -> None:
    for use in (disk.put, disk.hash):
        with pytest.raises(TypeError, match="a key is a str"):
            use(key)


def test_text_is_its_own_key(disk: BytesDisk) -> None:
    assert disk.put("k") == ("k", True)
    assert disk.get("k", 1) == "k"
    assert disk.hash("k") == disk.hash("k") != disk.hash("l")


@pytest.mark.parametrize(("key", "raw"), [(b"\x80\x04N.", 0), ("k", 0), (b"k", 1), (1, 1)])
def test_other_key_columns_are_unreadable(disk: BytesDisk, key: Any, raw: int) -> None:
    with pytest.raises(UnreadableError):
        disk.get(key, raw)


@pytest.mark.parametrize("value", ["text", 1, 1.5, None, {"a": 1}, bytearray(b"x"), _Trap()])
def test_only_bytes_are_a_value(disk: BytesDisk, value: Any) -> None:
    with pytest.raises(TypeError, match="a value is bytes"):
        disk.store(value, read=False)


def test_a_value_stays_in_the_database_whatever_its_size(disk: BytesDisk, tmp_path: Path) -> None:
    value = bytes(2**22)
    assert disk.store(value, read=False) == (0, 1, None, value)
    assert disk.fetch(1, None, value, read=False) == value
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_value(disk: BytesDisk) -> None:
    with pytest.raises(TypeError):
        disk.store(b"x", read=True)
    with pytest.raises(TypeError):
        disk.filename()


@pytest.mark.parametrize(
    ("mode", "filename", "value"),
    [
        (0, None, b"x"),
        (2, "a.val", None),
        (3, "a.val", None),
        (4, None, b"\x80\x04N."),
        (4, "a.val", None),
        (1, "a.val", b"x"),
        (1, None, "text"),
        (1, None, 1),
        (1, None, None),
        (None, None, b"x"),
    ],
)
def test_other_value_columns_are_unreadable(
    disk: BytesDisk, mode: Any, filename: Any, value: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.val").write_bytes(b"secret")
    with pytest.raises(UnreadableError):
        disk.fetch(mode, filename, value, read=False)


def test_a_file_named_by_a_row_is_never_removed(disk: BytesDisk, tmp_path: Path) -> None:
    (tmp_path / "a.val").write_bytes(b"mine")
    disk.remove("a.val")
    assert (tmp_path / "a.val").exists()
