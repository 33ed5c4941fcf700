"""A store leaves as one file and comes back, or does not come in at all."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from judge_cache import Imported, Line, Store, StoreError, exports, imports, open_store
from judge_cache.codec import canonical


def key_of(request: dict[str, Any]) -> str:
    return hashlib.sha256(canonical(request)).hexdigest()


def check(line: Line) -> str | None:
    return None if key_of(line.entry["request"]) == line.key else "its key is another one"


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


def add(store: Store, texts: Iterable[str], reply: str = "yes", tag: str = "m") -> list[str]:
    keys = []
    for text in texts:
        request = {"messages": [text]}
        keys.append(key_of(request))
        store.put(keys[-1], {"request": request, "reply": {"text": reply}}, tag=tag)
    return keys


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    made: list[Store] = []

    def make(name: str) -> Store:
        made.append(open_store(tmp_path / name, on_notice=fail))
        return made[-1]

    yield make
    for store in made:
        store.close()


Make = Callable[[str], Store]

TEXTS = [f"text {number} é \ud800" for number in range(450)]


def read_lines(path: Path) -> list[str]:
    return (
        zstandard.ZstdDecompressor()
        .decompressobj()
        .decompress(path.read_bytes())
        .decode()
        .splitlines()
    )


def write_lines(path: Path, lines: Iterable[str]) -> Path:
    path.write_bytes(zstandard.compress("".join(line + "\n" for line in lines).encode()))
    return path


def test_round_trip(make: Make, tmp_path: Path) -> None:
    source, target = make("a"), make("b")
    keys = add(source, TEXTS)
    assert source.export(tmp_path / "out" / "x.jsonl.zst") == len(TEXTS)
    imported = target.import_file(tmp_path / "out" / "x.jsonl.zst", check=check)
    assert imported == Imported(new=len(TEXTS))
    assert list(target.keys()) == sorted(keys)
    assert all(target.get(key) == source.get(key) for key in keys)
    assert target.tags() == source.tags() == {"m": len(TEXTS)}


def test_lines_are_sorted_and_hold_what_was_stored(make: Make, tmp_path: Path) -> None:
    store = make("a")
    add(store, ["b", "a", "c"], reply="r", tag="t")
    pointer = {"messages": ["d"]}
    store.put(key_of(pointer), {"request": pointer, "next": "f" * 64}, tag="t")
    store.export(tmp_path / "x")
    header, *lines = [json.loads(line) for line in read_lines(tmp_path / "x")]
    assert header == {"format": "judge_cache", "version": 1}
    assert [line["key"] for line in lines] == sorted(line["key"] for line in lines)
    assert {
        (
            line["request"]["messages"][0],
            json.dumps(line.get("reply", line.get("next"))),
            line["tag"],
        )
        for line in lines
    } == {(text, '{"text": "r"}', "t") for text in "abc"} | {("d", f'"{"f" * 64}"', "t")}


def test_same_entries_give_the_same_bytes(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge_cache.store.now", lambda: 1.8e9)
    one, other = make("a"), make("b")
    add(one, TEXTS)
    add(other, [*reversed(TEXTS), *TEXTS[:9]])
    one.export(tmp_path / "x")
    other.export(tmp_path / "y")
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_an_empty_store_is_exported_and_imported(make: Make, tmp_path: Path) -> None:
    assert make("a").export(tmp_path / "x") == 0
    assert make("b").import_file(tmp_path / "x", check=check) == Imported()


def test_export_of_some_keys_tells_what_is_missing(tmp_path: Path) -> None:
    told: list[str] = []
    with open_store(tmp_path / "a", on_notice=told.append) as store:
        keys = add(store, "abc")
        assert store.export(tmp_path / "x", [keys[2], keys[0], keys[0]]) == 2
        assert told == []
        assert store.export(tmp_path / "x", [keys[1], "absent"]) == 1
    assert len(told) == 1
    assert told[0].startswith("1 of the entries to export")


def test_two_stores_merge_and_what_is_there_stays(make: Make, tmp_path: Path) -> None:
    one, other = make("a"), make("b")
    shared = add(one, ["x", "y"], reply="of one", tag="one")
    add(other, ["y", "z"], reply="of the other", tag="other")
    other.export(tmp_path / "x")
    assert one.import_file(tmp_path / "x", check=check) == Imported(new=1, differing=1)
    assert one.import_file(tmp_path / "x", check=check) == Imported(same=1, differing=1)
    kept = one.get(shared[1])
    assert kept is not None
    assert kept["reply"] == {"text": "of one"}
    assert one.tags() == {"one": 2, "other": 1}


def test_a_merge_may_take_the_reply_of_the_file(make: Make, tmp_path: Path) -> None:
    one, other = make("a"), make("b")
    (shared,) = add(one, ["y"], reply="of one", tag="one")
    add(other, ["y", "z"], reply="of the other", tag="other")
    other.export(tmp_path / "x")
    imported = one.import_file(tmp_path / "x", check=check, replace=True)
    assert imported == Imported(new=1, differing=1)
    assert one.get(shared) == other.get(shared)
    assert one.import_file(tmp_path / "x", check=check, replace=True) == Imported(same=2)


def test_what_counts_as_the_same_is_up_to_the_caller(make: Make, tmp_path: Path) -> None:
    one, other = make("a"), make("b")
    add(one, ["y"], reply="YES")
    add(other, ["y"], reply="yes")
    other.export(tmp_path / "x")

    def alike(ours: Any, theirs: Any) -> bool:
        return bool(ours["reply"]["text"].lower() == theirs["reply"]["text"].lower())

    assert one.import_file(tmp_path / "x", check=check, same=alike) == Imported(same=1)


def test_an_entry_keeps_the_time_it_was_stored(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge_cache.store.now", lambda: 1_768_437_296.7)  # 2026-01-15T00:34:56Z
    source, target = make("a"), make("b")
    add(source, "a")
    source.export(tmp_path / "x")
    assert json.loads(read_lines(tmp_path / "x")[1])["stored"] == "2026-01-15T00:34:56Z"
    monkeypatch.undo()
    target.import_file(tmp_path / "x", check=check)
    assert [group.date for group in target.groups()] == ["2026-01-15"]
    target.export(tmp_path / "y")
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_export_of_some_tags(make: Make, tmp_path: Path) -> None:
    source, target = make("a"), make("b")
    add(source, TEXTS[:300], tag="one")
    add(source, TEXTS[300:], tag="other")
    assert source.export(tmp_path / "x", tags=["other"]) == 150
    target.import_file(tmp_path / "x", check=check)
    assert target.tags() == {"other": 150}


def test_an_interrupted_import_goes_on(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = make("a"), make("b")
    keys = add(source, TEXTS)
    source.export(tmp_path / "x")
    merge, batches = imports.Merge.add, iter([False, True])

    def interrupted(self: imports.Merge, cache: Any, lines: Any) -> None:
        merge(self, cache, [*lines, *(stop() for _ in [0] if next(batches))])

    def stop() -> Line:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(imports.Merge, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            target.import_file(tmp_path / "x", check=check)
    assert len(target) == imports.BATCH
    rest = len(TEXTS) - imports.BATCH
    assert target.import_file(tmp_path / "x", check=check) == Imported(rest, imports.BATCH)
    assert all(target.get(key) == source.get(key) for key in keys)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ('{"format":"judge_cache","version":2}', "newer version of this tool"),
        ('{"format":"other","version":1}', "not an export of a reply store"),
        ('{"format":"judge_cache","version":"1"}', "not an export of a reply store"),
        ("[]", "not an export of a reply store"),
        ("no JSON", "not an export of a reply store"),
        ("7", "not an export of a reply store"),
    ],
)
def test_a_file_of_another_format_stays_out(
    make: Make, tmp_path: Path, header: str, words: str
) -> None:
    add(make("a"), "a")
    make("a").export(tmp_path / "x")
    bad = write_lines(tmp_path / "bad", [header, *read_lines(tmp_path / "x")[1:]])
    with pytest.raises(StoreError, match=words):
        make("b").import_file(bad, check=check)


def swap(line: str, **changes: Any) -> str:
    return json.dumps({**json.loads(line), **changes})


@pytest.mark.parametrize(
    "tamper",
    [
        lambda line: swap(line, request={"messages": ["another"]}),
        lambda line: swap(line, key="0" * 64),
        lambda line: swap(line, key=7),
        lambda line: swap(line, tag=None),
        lambda line: swap(line, stored="yesterday"),
        lambda line: swap(line, stored=7),
        lambda line: swap(line, request="text"),
        lambda line: json.dumps({"key": json.loads(line)["key"]}),
        lambda line: line[:-1],
        lambda line: "[]",
        lambda line: "",
        lambda line: "[" * 100_000,
    ],
)
def test_one_bad_line_keeps_the_whole_file_out(
    make: Make, tmp_path: Path, tamper: Callable[[str], str]
) -> None:
    source, target = make("a"), make("b")
    add(source, TEXTS)
    source.export(tmp_path / "x")
    lines = read_lines(tmp_path / "x")
    lines[440] = tamper(lines[440])
    bad = write_lines(tmp_path / "bad.zst", lines)
    with pytest.raises(StoreError, match=r"bad\.zst:441: .*nothing of it was imported") as caught:
        target.import_file(bad, check=check)
    assert "\n" not in str(caught.value)
    assert len(target) == 0


def test_what_the_check_says_names_its_line(make: Make, tmp_path: Path) -> None:
    add(make("a"), "a")
    make("a").export(tmp_path / "x")
    with pytest.raises(StoreError, match=r"x:2: no such luck; nothing of it was imported"):
        make("b").import_file(tmp_path / "x", check=lambda line: "no such luck")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: b"no zstandard at all",
        lambda data: data + b"more",
        lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
    ],
    ids=["half", "last byte", "empty", "foreign", "longer", "bit"],
)
def test_a_damaged_file_stays_out(
    make: Make, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    source, target = make("a"), make("b")
    add(source, TEXTS)
    source.export(tmp_path / "x")
    (tmp_path / "x").write_bytes(damage((tmp_path / "x").read_bytes()))
    with pytest.raises(StoreError, match="nothing of it was imported"):
        target.import_file(tmp_path / "x", check=check)
    assert len(target) == 0


def test_a_file_without_a_last_line_end_is_cut_short(make: Make, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(zstandard.compress(b'{"key":"a"}'))
    with pytest.raises(StoreError, match="cut short"):
        make("b").import_file(tmp_path / "x", check=check)


def test_a_line_that_swells_is_refused(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "LINE_BYTES", 2**20)
    write_lines(tmp_path / "x", [" " * 2**24])
    with pytest.raises(StoreError, match="has a line over"):
        make("b").import_file(tmp_path / "x", check=check)


def test_a_file_that_is_not_there(make: Make, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot read .*no such file"):
        make("b").import_file(tmp_path / "absent", check=check)


def test_a_failed_export_leaves_the_old_file_and_no_other(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make("a")
    add(store, TEXTS)
    out = tmp_path / "out"
    store.export(out / "x")
    before = (out / "x").read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("judge_cache.exports.os.fsync", full)
    add(store, ["one more"])
    with pytest.raises(StoreError, match=r"cannot write .*no space left on device"):
        store.export(out / "x")
    assert [file.name for file in out.iterdir()] == ["x"]
    assert (out / "x").read_bytes() == before


def test_an_export_to_where_no_file_can_be(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose a place that can be written"):
        make("a").export(tmp_path / "file" / "x")
