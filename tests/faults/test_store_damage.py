"""A damaged store is set aside and told, and a new one takes its place."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import diskcache
import pytest

from judge_cache import StoreError, open_store, opening
from judge_cache.rows import Rows

KEYS = [f"{number:03}" for number in range(300)]


def entry(key: str) -> dict[str, Any]:
    return {"request": {"messages": [f"{key} " * 200, hash(key)]}, "reply": {"text": key}}


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_store(tmp_path / "replies", on_notice=fail) as store:
        for key in KEYS:
            store.put(key, entry(key), tag="m")
    return tmp_path / "replies"


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path / "cache.db", isolation_level=None)) as con:
        for statement in statements:
            con.execute(statement)


def cut(path: Path) -> None:
    data = (path / "cache.db").read_bytes()
    (path / "cache.db").write_bytes(data[: len(data) // 2])


def garble(path: Path) -> None:
    (path / "cache.db").write_bytes(b"\x00\xffgarbage" * 5000)


def shorten(path: Path) -> None:
    (path / "cache.db").write_bytes(b"SQLite")


def replace_tables(path: Path) -> None:
    (path / "cache.db").unlink()
    execute(path, "CREATE TABLE users (name TEXT)", "INSERT INTO users VALUES ('someone')")


def replace_columns(path: Path) -> None:
    (path / "cache.db").unlink()
    execute(path, "CREATE TABLE Cache (key TEXT, value TEXT)")


def replace_settings(path: Path) -> None:
    (path / "cache.db").unlink()
    execute(path, "CREATE TABLE Settings (name TEXT)")


@pytest.mark.parametrize(
    "damage", [cut, garble, shorten, replace_tables, replace_columns, replace_settings]
)
def test_a_damaged_database_is_set_aside(path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    damaged = (path / "cache.db").read_bytes()
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        assert len(told) == 1
        assert len(store) == 0
        assert store.put("k", entry("k"), tag="m")
        assert store.get("k") == entry("k")
    (aside,) = path.glob("damaged-*Z")
    assert (aside / "cache.db").read_bytes() == damaged
    assert "is damaged" in told[0]
    assert str(aside) in told[0]
    assert "\n" not in told[0]
    with open_store(path, on_notice=fail) as again:
        assert again.get("k") == entry("k")


def test_the_log_of_a_damaged_database_goes_with_it(path: Path) -> None:
    names = {f"cache.db{suffix}" for suffix in ("", "-journal", "-wal", "-shm")}
    for name in names:
        (path / name).write_text(name)
    aside = opening._set_aside(path)
    assert {file.name: file.read_text() for file in aside.iterdir()} == {n: n for n in names}
    assert {file.name for file in path.iterdir()} == {opening.LOCK, aside.name}


def test_damage_after_damage_is_set_aside_beside_it(path: Path) -> None:
    told: list[str] = []
    for _ in range(3):
        garble(path)
        open_store(path, on_notice=told.append).close()
    assert len(told) == len(list(path.glob("damaged-*Z"))) == 3


def test_a_database_begun_but_not_finished_is_no_damage(tmp_path: Path) -> None:
    execute(tmp_path, "CREATE TABLE Settings (key TEXT NOT NULL UNIQUE, value)")
    with open_store(tmp_path, on_notice=fail) as store:
        assert store.put("k", entry("k"), tag="m")


def test_a_plain_diskcache_is_no_damage(tmp_path: Path) -> None:
    diskcache.Cache(str(tmp_path)).close()
    with open_store(tmp_path, on_notice=fail) as store:
        assert store.put("k", entry("k"), tag="m")


def garble_rows(path: Path) -> None:
    """Overwrite all but the first pages: the schema stays, the rows do not."""
    with (path / "cache.db").open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(12 * 4096)
        file.write(b"\xa5" * (size - 12 * 4096))


def test_damage_found_in_use_is_set_aside_and_the_run_goes_on(path: Path) -> None:
    garble_rows(path)
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        assert told == [], "the damage is found at opening, so that this test proves nothing"
        assert all(store.get(key) in (None, entry(key)) for key in KEYS)
        assert sum("is damaged" in line for line in told) == 1
        assert all(store.put(key, entry(key), tag="m") for key in KEYS)
        assert [store.get(key) for key in KEYS] == [entry(key) for key in KEYS]
    (aside,) = path.glob("damaged-*Z")
    assert (aside / "cache.db").stat().st_size > 12 * 4096


def test_a_reply_that_meets_the_damage_is_kept_in_the_new_store(path: Path) -> None:
    garble_rows(path)
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        assert all(store.put(key, entry(key), tag="new") for key in KEYS)
        assert sum("is damaged" in line for line in told) == 1
        assert store.get(KEYS[-1]) == entry(KEYS[-1])


def test_threads_that_meet_the_damage_renew_the_store_once(path: Path) -> None:
    garble_rows(path)
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:

        def judge(key: str) -> bool:
            return store.get(key) is not None or store.put(key, entry(key), tag="new")

        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(judge, KEYS))
        assert sum("is damaged" in line for line in told) == 1
    assert len(list(path.glob("damaged-*Z"))) == 1


def test_an_operation_that_fails_after_another_renewed_the_store_is_done_again(path: Path) -> None:
    garble_rows(path)
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        worn = store._cache()

        def late(cache: Rows) -> Rows:
            if cache is worn:
                assert all(store.put(key, entry(key), tag="new") for key in KEYS)
                error = sqlite3.DatabaseError("database disk image is malformed")
                error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
                raise error
            return cache

        assert store._attempt("read", late) is store._cache() is not worn
    assert len(told) == 1


def test_a_damaged_store_that_cannot_be_replaced_stops_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("cannot open the reply store: disk full")

    garble_rows(path)
    told: list[str] = []
    with open_store(path, on_notice=told.append) as store:
        monkeypatch.setattr("judge_cache.access.open_cache", refuse)
        for _ in range(2):
            assert not all(store.put(key, entry(key), tag="new") for key in KEYS)
            assert None in [store.get(key) for key in KEYS]
    assert told[0] == "cannot open the reply store: disk full"
    assert len(told) == len(set(told)) <= 4


def test_a_path_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "replies"):
        with pytest.raises(StoreError, match=r"cannot open the reply store .*choose another one"):
            open_store(path, on_notice=fail)
