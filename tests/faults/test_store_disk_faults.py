"""A disk that is full, read-only or busy costs no more than what cannot be written."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from judge_cache import Line, StoreError, cache, open_store

resource = pytest.importorskip("resource", reason="limits on files are POSIX")


def entry(number: int) -> dict[str, Any]:
    noise = "".join(chr(0x4E00 + (number * 7919 + step * 104729) % 20000) for step in range(3000))
    return {"request": {"messages": [noise]}, "reply": {"text": str(number)}}


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


def sound(line: Line) -> None:
    """Find nothing wrong with an entry."""


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
            source.put(str(number), entry(number), tag="m")
        source.export(tmp_path / "x")
    with open_store(path, on_notice=fail) as store:
        monkeypatch.setitem(cache.PRAGMAS, "max_page_count", 1)
        store._cache().close()
        with pytest.raises(StoreError, match=r"failed: .*full"):
            store.import_file(tmp_path / "x", check=sound)
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
    assert len(told) == 2
    assert "database is locked" in told[0]
    assert told[1].startswith("2 of the run's replies could not be kept")


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
    assert len(told) == 2
    assert "database is locked" in told[0]
    assert told[1].startswith("1 of the run's replies could not be kept")


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
