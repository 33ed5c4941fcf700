"""The reply store as a caller sees it when nothing goes wrong."""

import logging
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_cache import Store, StoreError, open_store
from judge_cache.cache import ReplyCache
from judge_cache.codec import canonical, decode, encode
from judge_cache.errors import UnreadableError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=12,
)


def entry(text: str, reply: str = "##final score: 2") -> dict[str, Any]:
    return {"request": {"messages": [text]}, "reply": {"text": reply}}


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "replies", on_notice=fail) as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "naïve — 日本語 🙂 \u202eright to left",
        "nul \x00 and \x7f",
        "lone \ud800 surrogate \udfff",
        "pair \U0001f600",
        '{{ 7*7 }} "quotes" \\ $5 </document>',
        "long " * 200_000,
    ],
    ids=["empty", "plain", "unicode", "control", "surrogate", "pair", "syntax", "long"],
)
def test_entry_comes_back_as_it_went_in(tmp_path: Path, text: str) -> None:
    with open_store(tmp_path, on_notice=fail) as first:
        assert first.put("k", entry(text, text), tag="m")
        assert first.get("k") == entry(text, text)
    with open_store(tmp_path, on_notice=fail) as second:
        assert second.get("k") == entry(text, text)


@given(request=st.dictionaries(st.text(st.characters()), JSON), reply=JSON)
def test_any_json_survives_the_codec(request: dict[str, Any], reply: Any) -> None:
    stored = {"request": request, "reply": reply}
    assert decode(encode(stored)) == stored


def test_canonical_json_ignores_the_order_of_keys() -> None:
    assert (
        canonical({"b": 1, "a": "é"}) == canonical({"a": "é", "b": 1}) == b'{"a":"\\u00e9","b":1}'
    )


def test_entry_may_point_to_another_request(store: Store) -> None:
    pointer = {"request": {"messages": ["q"]}, "next": "f" * 64}
    assert store.put("k", pointer, tag="m")
    assert store.get("k") == pointer


def test_recall_is_the_entry_without_its_request(store: Store) -> None:
    for text in ("", "plain", "lone \ud800 surrogate", "long " * 200_000):
        store.put("k", entry(text, text), tag="m")
        assert store.recall("k") == {"reply": {"text": text}}
    assert store.recall("absent") is None


def test_miss_is_none(store: Store) -> None:
    assert store.get("absent") is None
    assert "absent" not in store
    assert 7 not in store


def test_put_takes_the_place_of_what_is_there(store: Store) -> None:
    store.put("k", entry("q", "old"), tag="a")
    store.put("k", entry("q", "new"), tag="b")
    assert store.get("k") == entry("q", "new")
    assert store.tags() == {"b": 1}
    assert len(store) == 1


def test_counts_by_tag(store: Store) -> None:
    for number in range(5):
        store.put(f"k{number}", entry(str(number)), tag="odd" if number % 2 else "even")
    assert store.tags() == {"even": 3, "odd": 2}
    assert len(store) == 5
    assert "k0" in store


def test_keys_are_sorted_and_all_there_while_the_store_is_written(store: Store) -> None:
    expected = sorted(["", "a'b", "é", *(f"{number:03}" for number in range(450))])
    for key in expected:
        store.put(key, entry(key), tag="m")
    found = []
    for key in store.keys():  # noqa: SIM118
        found.append(key)
        assert store.put(key, entry(key, "again"), tag="m")
    assert found == expected


def test_remove(store: Store) -> None:
    for key in "abc":
        store.put(key, entry(key), tag="m")
    assert store.remove(["a", "c", "absent"]) == 2
    assert list(store.keys()) == ["b"]
    assert store.get("a") is None


@pytest.mark.parametrize("key", [1, 1.0, b"k", None, ("k",), object()])
def test_a_key_is_text(store: Store, key: Any) -> None:
    with pytest.raises(TypeError, match="a key is a str"):
        store.put(key, entry("q"), tag="m")
    with pytest.raises(TypeError, match="a key is a str"):
        store.get(key)
    assert len(store) == 0


def test_a_tag_is_text(store: Store) -> None:
    with pytest.raises(TypeError, match="a tag is a str"):
        store.put("k", entry("q"), tag=None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"reply": {}}, ValueError),
        ({"request": "text"}, ValueError),
        ({"request": {}, "key": "k"}, ValueError),
        ({"request": {}, "tag": "t"}, ValueError),
        ({"request": {}, "stored": 1}, ValueError),
        ([], ValueError),
        ({"request": {"p": float("nan")}}, ValueError),
        ({"request": {"p": float("-inf")}}, ValueError),
        ({"request": {"p": object()}}, TypeError),
        ({"request": {"p": b"bytes"}}, TypeError),
    ],
)
def test_what_is_no_entry_is_refused(store: Store, bad: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        store.put("k", bad, tag="m")
    assert "k" not in store


@pytest.mark.parametrize("data", [b"", b"{}", encode(entry("q"))[:-5], encode(entry("q"))[4:]])
def test_bytes_that_encode_did_not_make_are_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        decode(data)


def test_no_changed_bit_changes_an_entry() -> None:
    original = entry("some text of a request, not all of it the same, 0123456789")
    data = encode(original)
    for position in range(len(data) * 8):
        changed = bytearray(data)
        changed[position // 8] ^= 1 << position % 8
        try:
            assert decode(bytes(changed)) == original
        except UnreadableError:
            continue


def test_values_are_compressed(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=fail) as store:
        store.put("k", entry("the same words over and over " * 40_000), tag="m")
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 200_000


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = open_store(tmp_path, on_notice=fail)
    store.close()
    store.close()
    for use in (
        lambda: store.get("k"),
        lambda: store.put("k", entry("q"), tag="m"),
        lambda: "k" in store,
        lambda: len(store),
        lambda: list(store.keys()),
    ):
        with pytest.raises(StoreError, match="is closed; open it again"):
            use()


def test_folder_and_files_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "replies"
    with open_store(path, on_notice=fail) as store:
        store.put("k", entry("q"), tag="m")
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.iterdir()} == {0o600}


def test_a_loose_folder_is_tightened_unless_it_holds_other_things(tmp_path: Path) -> None:
    empty, used = tmp_path / "empty", tmp_path / "used"
    for folder in (empty, used):
        folder.mkdir()
        folder.chmod(0o755)
    (used / "notes.txt").write_text("mine")
    for folder in (empty, used):
        open_store(folder, on_notice=fail).close()
    assert stat.S_IMODE(empty.stat().st_mode) == 0o700
    assert stat.S_IMODE(used.stat().st_mode) == 0o755


def test_a_relative_path_holds_when_the_working_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store(Path("~replies"), on_notice=fail) as store:
        store.put("k", entry("q"), tag="m")
        monkeypatch.chdir("/")
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(store.get, "k").result() == entry("q")
    assert (tmp_path / "~replies" / "cache.db").exists()


def test_a_path_that_diskcache_would_expand_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELSEWHERE", str(tmp_path / "elsewhere"))
    with pytest.raises(StoreError, match=r"choose a name without \$"):
        open_store(tmp_path / "$ELSEWHERE", on_notice=fail)


def test_notices_are_logged_by_default(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tmp_path.joinpath("cache.db").write_bytes(b"100% no database " * 100)
    with caplog.at_level(logging.WARNING, "judge_cache"):
        open_store(tmp_path).close()
    assert "is damaged" in caplog.text


def test_threads_share_a_store(store: Store) -> None:
    def work(worker: int) -> bool:
        keys = [f"{worker}-{number}" for number in range(40)]
        stored = [store.put(key, entry(key), tag=str(worker)) for key in keys]
        return all(stored) and all(store.get(key) == entry(key) for key in keys)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert store.tags() == {str(worker): 40 for worker in range(8)}


def open_files(folder: Path) -> list[str]:
    targets = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            targets.append(str(link.readlink()))
        except FileNotFoundError:
            continue
    return [target for target in targets if target.startswith(str(folder))]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to list open files")
def test_close_closes_the_connections_of_threads_that_live_on(tmp_path: Path) -> None:
    store = open_store(tmp_path, on_notice=fail)
    cache = store._cache()
    used, release = threading.Event(), threading.Event()

    def work() -> None:
        store.put("k", entry("q"), tag="m")
        used.set()
        release.wait()

    thread = threading.Thread(target=work)
    thread.start()
    used.wait()
    assert open_files(tmp_path)
    store.close()
    try:
        assert open_files(tmp_path) == []
        assert isinstance(cache, ReplyCache)  # and not yet collected
    finally:
        release.set()
        thread.join()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to list open files")
def test_a_thread_that_ends_leaves_no_connection_open(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=fail) as store:
        store.get("k")
        before = len(open_files(tmp_path))
        for _ in range(20):
            thread = threading.Thread(target=store.get, args=("k",))
            thread.start()
            thread.join()
        assert len(open_files(tmp_path)) <= before + 1
