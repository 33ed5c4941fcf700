"""Stores of earlier versions are read and brought up to date; sums never read a value."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from judge_cache import Group, Selection, StoreError, open_store
from judge_cache.codec import canonical, decode, decode_answer, encode
from judge_cache.errors import UnreadableError
from judge_cache.readonly import open_readonly

KEYS = [f"{number:02}" for number in range(40)]
JANUARY_1ST = 1_767_225_600.0
DAY = 86_400.0


def entry(key: str) -> dict[str, Any]:
    return {"request": {"messages": [key]}, "reply": {"text": f"of {key}"}}


def first_form(given: dict[str, Any]) -> bytes:
    """The value that version 0 stored: one frame for all."""
    return zstandard.compress(canonical(given))


def execute(path: Path, *statements: tuple[str, tuple[Any, ...]]) -> None:
    with closing(sqlite3.connect(path / "cache.db", isolation_level=None)) as con:
        for statement, values in statements:
            con.execute(statement, values)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store as version 0 left it."""
    path = tmp_path / "replies"
    with open_store(path, on_notice=pytest.fail) as store:
        for key in KEYS:
            store.put(key, entry(key), tag="even" if int(key) % 2 == 0 else "odd")
    values = [
        ("UPDATE Cache SET value = ? WHERE key = ?", (first_form(entry(key)), key)) for key in KEYS
    ]
    execute(
        path,
        *values,
        ("UPDATE Cache SET size = 0", ()),
        ("DROP INDEX Cache_groups", ()),
        ("CREATE INDEX Cache_tag_rowid ON Cache (tag, rowid)", ()),
        ("PRAGMA user_version = 0", ()),
    )
    return path


def test_a_store_of_version_0_is_read_and_brought_up_to_date(old: Path) -> None:
    bytes_of = {key: len(first_form(entry(key))) for key in KEYS}
    for _ in range(2):
        with open_store(old, on_notice=pytest.fail) as store:
            assert [store.get(key) for key in KEYS] == [entry(key) for key in KEYS]
            assert [store.recall(key) for key in KEYS] == [
                {"reply": entry(key)["reply"]} for key in KEYS
            ]
            groups = store.groups()
            assert [(group.tag, group.entries) for group in groups] == [("even", 20), ("odd", 20)]
            assert sum(group.size for group in groups) == sum(bytes_of.values())
            assert store._cache().version() == 1


def test_a_store_of_version_0_that_is_only_read_is_summed_up_too(old: Path) -> None:
    cache = open_readonly(old, "read-only")
    try:
        groups = cache.groups()
        assert sum(group.size for group in groups) == sum(len(first_form(entry(k))) for k in KEYS)
        assert cache.measure(Selection(["odd"]))[0] == 20
        assert cache.version() == 0
    finally:
        cache.close_all()


def test_a_store_of_a_newer_version_is_left_alone(old: Path) -> None:
    execute(old, ("PRAGMA user_version = 2", ()))
    with pytest.raises(StoreError, match="made by a newer version of this tool"):
        open_store(old, on_notice=pytest.fail)
    found = sqlite3.connect(f"file:{old}/cache.db?immutable=1", uri=True)
    with closing(found):
        assert found.execute("PRAGMA user_version").fetchone() == (2,)
        assert found.execute("SELECT COUNT(*) FROM Cache").fetchone() == (len(KEYS),)
    assert not list(old.glob("damaged-*"))


def test_sums_read_the_index_alone(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        store.put("k", entry("k"), tag="m")
        con = store._cache()._con
        asked: list[str] = []
        con.set_trace_callback(asked.append)
        store.groups()
        store.tags()
        store.measure(Selection(["m"], 2e9))
        store.measure(Selection())
        con.set_trace_callback(None)
        sums = [statement for statement in asked if "FROM Cache" in statement]
        assert len(sums) == 4
        for statement in sums:
            plan = [row[3] for row in con.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert any("USING COVERING INDEX Cache_groups" in step for step in plan), plan


def test_groups_and_selections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        for number, tag in enumerate("aabab"):
            monkeypatch.setattr(
                "judge_cache.store.now", lambda day=number // 2: JANUARY_1ST + DAY * day
            )
            store.put(str(number), entry("k"), tag=tag)
        one = len(encode(entry("k")))
        assert store.groups() == [
            Group("a", "2026-01-01", 2, 2 * one),
            Group("a", "2026-01-02", 1, one),
            Group("b", "2026-01-02", 1, one),
            Group("b", "2026-01-03", 1, one),
        ]
        assert store.measure(Selection()) == (5, 5 * one)
        assert store.measure(Selection(before=JANUARY_1ST)) == (0, 0)
        assert store.measure(Selection(before=JANUARY_1ST + DAY)) == (2, 2 * one)
        assert store.measure(Selection([])) == (0, 0)
        chosen = Selection(["b"], JANUARY_1ST + 2 * DAY)
        assert store.measure(chosen) == (1, one)
        assert store.prune(chosen) == 1
        assert list(store.keys()) == ["0", "1", "3", "4"]
        assert store.prune(Selection()) == 4
        assert store.groups() == []


def test_space_is_given_back(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        for number in range(1200):
            store.put(str(number), entry(f"{number} " * 300), tag=str(number % 2))
        store.reclaim()
        before = store.file_size()
        assert store.prune(Selection(["0"])) == 600
        store.reclaim()
        assert store.file_size() < 0.7 * before
        assert len(store) == 600
        assert store.damage() is None


def test_a_time_that_is_none_is_shown_as_none(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        store.put("k", entry("k"), tag="m")
    execute(tmp_path, ("UPDATE Cache SET store_time = 1e300", ()))
    told: list[str] = []
    with open_store(tmp_path, on_notice=told.append) as store:
        assert [group.date for group in store.groups()] == [None]
        assert store.export(tmp_path / "x") == 0
    assert "cannot be read" in told[0]


def test_the_answer_is_read_without_the_request() -> None:
    data = encode(entry("k"))
    damaged = data[:-12] + bytes(12)
    assert decode_answer(damaged) == {"reply": {"text": "of k"}}
    with pytest.raises(UnreadableError):
        decode(damaged)


@pytest.mark.parametrize(
    "data",
    [
        zstandard.compress(b"[]"),
        zstandard.compress(b"[]") + zstandard.compress(b"{}"),
        zstandard.compress(b"7") + zstandard.compress(b"{}"),
        zstandard.compress(b'{"reply":1}'),
        zstandard.compress(b'{"reply":1}') + zstandard.compress(b"[]"),
        encode(entry("k")) + b"more",
        encode(entry("k")) + encode(entry("k")),
        encode(entry("k"))[:-1],
        first_form(entry("k")) + b"more",
        zstandard.compress(json.dumps(entry("é"), ensure_ascii=False).encode()),
    ],
)
def test_values_of_no_version_are_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        decode(data)
