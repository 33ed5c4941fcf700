"""A disk that is full, read-only or busy costs no more than what cannot be written."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judge_cache import StoreError, cache, open_store

resource = pytest.importorskip("resource", reason="limits on files are POSIX")


def entry(number: int) -> dict[str, Any]:
    noise = "".join(chr(0x4E00 + (number * 7919 + step * 104729) % 20000) for step in range(3000))
    return {"request": {"messages": [noise]}, "reply": {"text": str(number)}}


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


def key_of(request: dict[str, Any]) -> str:
    return request["messages"][0][:40]  # type: ignore[no-any-return]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_store(tmp_path / "replies", on_notice=fail) as store:
        store.put("kept", entry(0), tag="m")
    return tmp_path / "replies"


@pytest.mark.parametrize(
    ("pragma", "value", "words"),
    [("max_page_count", 1, "full"), ("query_only", 1, "readonly")],
)
def test_a_put_that_fails_is_told_once_and_raises_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, pragma: str, value: int, words: str
) -> None:
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        store.get("kept")
        with monkeypatch.context() as broken:
            broken.setitem(cache.PRAGMAS, pragma, value)
            store._cache().close()
            assert not any(store.put(str(number), entry(number), tag="m") for number in range(9))
            assert store.get("kept") == entry(0)
            assert len(told) == 1
            assert words in told[0]
            assert "could not be written" in told[0]
        store._cache().close()
        assert store.put("after", entry(1), tag="m")
        assert store.get("after") == entry(1)
        assert len(store) == 2


def test_an_import_to_a_full_disk_is_an_error(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "source", on_notice=fail) as source:
        for number in range(20):
            source.put(key_of(entry(number)["request"]), entry(number), tag="m")
        source.export(tmp_path / "x")
    with open_store(path, on_notice=fail) as store:
        monkeypatch.setitem(cache.PRAGMAS, "max_page_count", 1)
        store._cache().close()
        with pytest.raises(StoreError, match=r"failed: .*full"):
            store.import_file(tmp_path / "x", verify=key_of)
        assert len(store) == 1


def test_a_store_that_another_program_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 0.01)
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        with closing(sqlite3.connect(path / "cache.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert not store.put("a", entry(1), tag="m")
            assert not store.put("b", entry(2), tag="m")
            assert store.get("kept") == entry(0)
        assert store.put("c", entry(3), tag="m")
    assert len(told) == 1
    assert "database is locked" in told[0]


def test_a_commit_that_fails_leaves_no_transaction_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "BUSY_SECONDS", 0.01)
    monkeypatch.setitem(cache.SETTINGS, "sqlite_journal_mode", "delete")  # where WAL cannot be had
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        with closing(sqlite3.connect(path / "cache.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM Cache").fetchone()
            assert not store.put("a", entry(1), tag="m")
        assert store.put("b", entry(2), tag="m")
        assert "a" not in store
    assert len(told) == 1
    assert "database is locked" in told[0]


FILL_UP = """
import resource, sys
from pathlib import Path
from judge_cache import open_store

told = []
with open_store(Path(sys.argv[1]), on_notice=told.append) as store:
    entry = {"request": {}, "reply": list(range(9000))}
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    for size in (2**12, 2**13, 2**14, 2**15):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limit[1]))
        failed = [store.put(f"{size}-{number}", entry, tag="m") for number in range(9)]
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert not all(failed), failed
        assert store.put(f"{size}-after", entry, tag="m")
        assert store.get(f"{size}-after") == entry
assert len(told) == 1, told
"""


def test_a_disk_that_was_full_is_written_again(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FILL_UP, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    with open_store(path, on_notice=fail) as store:
        assert store.get("kept") == entry(0)


OPEN = """
import os, resource, sys
from pathlib import Path
from judge_cache import StoreError, open_store
{before}
try:
    open_store(Path(sys.argv[1]))
except StoreError as error:
    print(error)
else:
    print("opened")
"""


def opened_by_another(path: Path, before: str) -> str:
    script = OPEN.format(before=before)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_full_disk_at_opening_is_an_error(path: Path, tmp_path: Path) -> None:
    assert opened_by_another(path, "") == "opened"
    for folder in (path, tmp_path / "new"):
        message = opened_by_another(folder, "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))")
        assert message.startswith(f"cannot open the reply store {folder}: ")
        assert "choose another folder" in message
        assert "\n" not in message


@pytest.fixture
def readable() -> Iterator[Path]:
    """Return a folder below which everyone can read, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_read_only_folder_at_opening_is_an_error(readable: Path) -> None:
    path = readable / "replies"
    with open_store(path, on_notice=fail) as store:
        store.put("kept", entry(0), tag="m")
    for file in path.iterdir():
        file.chmod(0o444)
    path.chmod(0o555)
    as_nobody = "" if os.geteuid() else "os.setgroups([]); os.setgid(65534); os.setuid(65534)"
    for folder in (path, path / "new"):
        message = opened_by_another(folder, as_nobody)
        assert message.startswith(f"cannot open the reply store {folder}: "), message
        assert "make the folder writable" in message
    path.chmod(0o755)
