"""What others planted in a store does nothing: no code runs, no file goes, no setting holds."""

import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache
import pytest

from judge_cache import StoreError, open_store

ENTRY: dict[str, Any] = {"request": {"messages": ["q"]}, "reply": {"text": "2"}}


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.mkdir, (self.marker,)


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


def seed(path: Path, *keys: str) -> None:
    with open_store(path, on_notice=fail) as store:
        for key in keys:
            store.put(key, ENTRY, tag="m")


def execute(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path / "cache.db", isolation_level=None)) as con:
        con.execute(statement, values)


def plant_value(path: Path, trap: bytes) -> None:
    execute(path, "UPDATE Cache SET mode = 4, value = ? WHERE key = 'bad'", trap)


def plant_file(path: Path, trap: bytes) -> None:
    (path / "trap.val").write_bytes(trap)
    execute(
        path,
        "UPDATE Cache SET mode = 4, value = NULL, filename = 'trap.val' WHERE key = 'bad'",
    )


def plant_key(path: Path, trap: bytes) -> None:
    execute(path, "UPDATE Cache SET key = ?, raw = 0 WHERE key = 'bad'", trap)


@pytest.mark.parametrize("plant", [plant_value, plant_file, plant_key])
def test_a_planted_pickle_does_not_run(
    tmp_path: Path, plant: Callable[[Path, bytes], None]
) -> None:
    path, marker = tmp_path / "replies", tmp_path / "it-ran"
    seed(path, "bad", "good")
    plant(path, pickle.dumps(Trap(marker)))
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        for _ in range(2):
            assert store.get("bad") is None
            assert "bad" not in store
            assert "good" in list(store.keys())
            assert store.tags() == {"m": 2}
            assert store.export(tmp_path / "x") == 1
        assert len([line for line in told if "told once" in line]) == 1
        assert not marker.exists()

    with diskcache.Cache(str(path)) as plain:
        for key in plain:
            plain.get(key)
    assert marker.exists(), "the trap is not live, so that this test proves nothing"


def test_a_reply_takes_the_place_of_a_planted_row(tmp_path: Path) -> None:
    seed(tmp_path, "bad")
    plant_value(tmp_path, pickle.dumps(None))
    told: list[str] = []
    with open_store(tmp_path, on_notice=told.append) as store:
        assert store.get("bad") is None
        assert store.put("bad", ENTRY, tag="m")
        assert store.get("bad") == ENTRY
    assert len(told) == 1
    assert "cannot be read" in told[0]


@pytest.mark.parametrize(
    "change",
    [
        "value = x'28b52ffd'",
        "value = 'text'",
        "value = 7",
        "value = NULL",
        "tag = NULL",
        "tag = x'00'",
        "mode = 2, filename = '../victim'",
        "mode = 3, filename = '../victim'",
        "value = zeroblob(100)",
    ],
)
def test_an_altered_row_is_a_miss_told_once(tmp_path: Path, change: str) -> None:
    path = tmp_path / "replies"
    (tmp_path / "victim").write_text("secret")
    seed(path, "bad", "worse", "good")
    execute(path, f"UPDATE Cache SET {change} WHERE key IN ('bad', 'worse')")
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        assert [store.get(key) for key in ("bad", "worse", "good")] == [None, None, ENTRY]
        assert len(told) == 1
        assert "secret" not in told[0]


def test_a_file_that_a_planted_row_names_is_not_deleted(tmp_path: Path) -> None:
    path, victim = tmp_path / "replies", tmp_path / "victim"
    victim.write_text("precious")
    seed(path, "bad", "worse")
    execute(path, "UPDATE Cache SET filename = '../victim'")
    with open_store(path, on_notice=fail) as store:
        assert store.put("bad", ENTRY, tag="m")
        assert store.remove(["worse"]) == 1
    assert victim.read_text() == "precious"

    execute(path, "UPDATE Cache SET filename = '../victim'")
    with diskcache.Cache(str(path)) as plain:
        plain.set("bad", b"x")
    assert not victim.exists(), "the trap is not live, so that this test proves nothing"


def settings(path: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(path / "cache.db")) as con:
        return dict(con.execute("SELECT key, value FROM Settings").fetchall())


KEEP_ALL = {"eviction_policy": "none", "cull_limit": 0, "statistics": 0}


def test_a_new_store_keeps_everything(tmp_path: Path) -> None:
    seed(tmp_path)
    found = settings(tmp_path)
    assert found.items() >= KEEP_ALL.items()
    assert found["size_limit"] > 2**60


def test_the_settings_of_a_plain_diskcache_do_not_hold(tmp_path: Path) -> None:
    limits = {"eviction_policy": "least-recently-used", "size_limit": 2**30, "cull_limit": 10}
    diskcache.Cache(
        str(tmp_path), statistics=1, tag_index=0, disk_min_file_size=0, **limits
    ).close()
    assert settings(tmp_path).items() >= limits.items()
    seed(tmp_path, "k")
    assert settings(tmp_path).items() >= KEEP_ALL.items()
    assert settings(tmp_path)["size_limit"] > 2**60
    assert not list(tmp_path.glob("**/*.val"))


def test_nothing_is_evicted_from_a_directory_that_is_over_its_limit(tmp_path: Path) -> None:
    limits = {"eviction_policy": "least-recently-stored", "size_limit": 1, "cull_limit": 10}
    diskcache.Cache(str(tmp_path), **limits).close()
    keys = [f"{number:02}" for number in range(60)]
    seed(tmp_path, *keys)
    with open_store(tmp_path, on_notice=fail) as store:
        assert list(store.keys()) == keys

    with diskcache.Cache(str(tmp_path), **limits) as plain:
        plain.set("one more", b"x")
        assert len(plain) < len(keys), (
            "a plain cache drops nothing, so that this test proves nothing"
        )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("get", "not callable"),
        ("_sql", "no setter"),
        ("disk_fetch", "not callable"),
        ("disk_unknown", 1),
        ("sqlite_query_only", 1),
        ("sqlite_cache_size", "1; DROP TABLE Cache"),
        (b"\x00", 1),
    ],
)
def test_planted_settings_do_nothing(tmp_path: Path, name: Any, value: Any) -> None:
    seed(tmp_path, "k")
    execute(tmp_path, "INSERT OR REPLACE INTO Settings VALUES (?, ?)", name, value)
    with open_store(tmp_path, on_notice=fail) as store:
        assert store.get("k") == ENTRY
        assert store.put("l", ENTRY, tag="m")
    assert settings(tmp_path).get(name) != value


def test_settings_that_do_not_stay_are_an_error(tmp_path: Path) -> None:
    seed(tmp_path)
    execute(
        tmp_path,
        "CREATE TRIGGER back AFTER UPDATE ON Settings WHEN NEW.key = 'eviction_policy' BEGIN"
        " UPDATE Settings SET value = 'least-recently-used' WHERE key = 'eviction_policy'; END",
    )
    with pytest.raises(StoreError, match="does not keep its setting eviction_policy"):
        open_store(tmp_path, on_notice=fail)
