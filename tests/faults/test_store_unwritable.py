"""Where nothing can be written, a store answers with what it holds, says so, and keeps nothing."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_cache import StoreError, open_store
from judge_cache.readonly import open_readonly
from tests.faults.mounts import mounted, needs_mounts, readonly, small

pytestmark = needs_mounts

ENTRY: dict[str, Any] = {"request": {"messages": ["q"]}, "reply": {"text": "2"}}

COMMON = """
import json, os, sys
from pathlib import Path
from judge_cache import Selection, StoreError, open_store

path = Path(sys.argv[1])
told = []

def entry(number):
    noise = "".join(chr(0x4E00 + (number * 7919 + n * 104729) % 20000) for n in range(3000))
    return {"request": {"messages": [noise]}, "reply": {"text": str(number)}}

def done(**found):
    print(json.dumps({"told": told, **found}))
"""


def run(mount: str, code: str, path: Path) -> Any:
    """Run `code` where `mount` holds; return what it passes to `done`."""
    command = mounted(mount, sys.executable, "-W", "error", "-c", COMMON + code, path)
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    return json.loads(ended.stdout)


def fail(message: str) -> None:
    pytest.fail(f"unexpected notice: {message}")


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "replies"
    with open_store(path, on_notice=fail) as store:
        for number in range(3):
            store.put(str(number), ENTRY, tag="m")
    return path


FILL = """
with open_store(path, on_notice=told.append) as store:
    kept = [store.put(str(number), entry(number), tag="m") for number in range(200)]
    read = [store.get(str(number)) == entry(number) for number in range(200)]
    during = list(told)
again = []
with open_store(path, on_notice=again.append) as store:
    reread = [store.get(str(number)) == entry(number) for number in range(200)]
    put_again = store.put("more", entry(1000), tag="m")
(path.parent / "filler").unlink()
with open_store(path, on_notice=lambda line: sys.exit(line)) as store:
    freed = [store.put(str(number), entry(number), tag="m") for number in range(200)]
    last = [store.get(str(number)) == entry(number) for number in range(200)]
done(kept=kept, read=read, during=during, again=again, reread=reread, freed=freed, last=last,
     put_again=put_again)
"""


def test_a_disk_that_fills_up_loses_nothing_that_was_kept(tmp_path: Path) -> None:
    filler = f"head -c 7m /dev/zero > '{tmp_path}/filler'"
    found = run(f"{small(tmp_path, '8m')} && {filler}", FILL, tmp_path / "replies")
    assert any(found["kept"])
    assert not all(found["kept"])
    assert found["read"] == found["kept"]
    assert len(found["during"]) == 1
    assert "could not be written" in found["during"][0]
    lost = found["kept"].count(False)
    assert found["told"][1].startswith(f"{lost} of the run's replies could not be kept")
    assert found["reread"] == found["kept"]
    assert all(found["freed"])
    assert all(found["last"])


FULL = """
with open_store(path, on_notice=told.append) as store:
    done(kept=store.put("new", entry(9), tag="m"), read=store.get("new"), keys=list(store.keys()))
"""


def test_a_new_store_on_a_full_disk_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    full = f"{small(tmp_path, '1m')} && (cat /dev/zero > '{tmp_path}/filler' 2>/dev/null || true)"
    found = run(full, FULL, tmp_path / "replies")
    assert (found["kept"], found["read"], found["keys"]) == (False, None, [])
    assert len(found["told"]) == 1
    assert "WITHOUT A STORE" in found["told"][0]


KILLED = """
if not os.fork():
    store = open_store(path)
    for number in range(200):
        store.put(str(number), entry(number), tag="m")
    os.kill(os.getpid(), 9)
os.wait()
with open_store(path, on_notice=told.append) as store:
    done(read=[store.get(key) == entry(int(key)) for key in store.keys()])
"""


def test_a_run_killed_on_a_full_disk_leaves_a_store_that_answers(tmp_path: Path) -> None:
    command = mounted(
        small(tmp_path, "1m"), sys.executable, "-c", COMMON + KILLED, tmp_path / "replies"
    )
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(ended.stdout)
    assert len(found["read"]) > 10
    assert all(found["read"])


READ = """
with open_store(path, on_notice=told.append) as store:
    kept = [store.put(key, entry(9), tag="m") for key in ("1", "new")]
    groups = [group[:1] + group[2:3] for group in store.groups()]
    errors = []
    for change in (
        lambda: store.remove(["1"]),
        lambda: store.prune(Selection()),
        store.reclaim,
        lambda: store.import_file(path, check=lambda line: None),
    ):
        try:
            change()
        except StoreError as error:
            errors.append(str(error))
    done(kept=kept, keys=list(store.keys()), read=store.get("1"), answer=store.recall("1"),
         groups=groups, errors=errors, exported=store.export(path.parent / "x"),
         damage=store.damage())
"""


def test_a_read_only_store_answers_and_keeps_nothing(filled: Path) -> None:
    before = {file.name: file.read_bytes() for file in filled.iterdir()}
    found = run(readonly(filled), READ, filled)
    assert found["kept"] == [False, False]
    assert found["keys"] == ["0", "1", "2"]
    assert found["read"] == ENTRY
    assert found["answer"] == {"reply": ENTRY["reply"]}
    assert found["groups"] == [["m", 3]]
    assert found["exported"] == 3
    assert found["damage"] is None
    assert len(found["errors"]) == 4
    assert all("cannot be written (read-only file system)" in line for line in found["errors"])
    (notice,) = found["told"]
    assert "can only be read (read-only file system)" in notice
    assert "NEW REPLIES ARE NOT KEPT" in notice
    assert {file.name: file.read_bytes() for file in filled.iterdir()} == before


def test_a_read_only_folder_without_a_store(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "new"):
        found = run(readonly(tmp_path), FULL, path)
        assert (found["kept"], found["keys"]) == (False, [])
        assert "WITHOUT A STORE" in found["told"][0]


def test_what_another_process_has_not_merged_yet_is_read_too(filled: Path) -> None:
    with open_store(filled, on_notice=fail) as writer:
        writer.put("late", ENTRY, tag="m")
        assert (filled / "cache.db-wal").stat().st_size
        found = run(readonly(filled), READ, filled)
    assert found["keys"] == ["0", "1", "2", "late"]


OPEN = """
try:
    open_store(path, on_notice=told.append).close()
except StoreError as error:
    done(error=str(error))
"""


def test_a_log_that_cannot_be_read_is_never_passed_over(filled: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    copied.mkdir()
    with open_store(filled, on_notice=fail) as writer:
        writer.put("late", ENTRY, tag="m")
        for name in ("cache.db", "cache.db-wal"):
            shutil.copy(filled / name, copied / name)
    found = run(readonly(copied), OPEN, copied)
    assert "writes that are yet to be merged" in found["error"]
    assert "copy the folder" in found["error"]
    with open_store(copied, on_notice=fail) as store:
        assert "late" in store


def test_a_damaged_store_in_a_read_only_place_is_told_and_left_there(filled: Path) -> None:
    (filled / "cache.db").write_bytes(b"no database" * 1000)
    found = run(readonly(filled), FULL, filled)
    assert (found["kept"], found["keys"]) == (False, [])
    assert "nor read (file is not a database)" in found["told"][0]
    assert (filled / "cache.db").read_bytes() == b"no database" * 1000


def test_a_read_only_store_of_a_newer_version_is_refused(filled: Path) -> None:
    cache = open_store(filled, on_notice=fail)
    cache._cache()._rows("PRAGMA user_version = 99")
    cache.close()
    with pytest.raises(StoreError, match="newer version of this tool"):
        open_store(filled, on_notice=fail)
    with pytest.raises(StoreError, match="newer version of this tool"):
        open_readonly(filled, "read-only")
    assert "newer version of this tool" in run(readonly(filled), OPEN, filled)["error"]


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder below which everyone can read, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_folder_of_someone_else_is_read(readable: Path) -> None:
    path = readable / "replies"
    with open_store(path, on_notice=fail) as store:
        for number in range(3):
            store.put(str(number), ENTRY, tag="m")
    for file in path.iterdir():
        file.chmod(0o444)
    path.chmod(0o555)
    as_nobody = "" if os.geteuid() else "os.setgroups([]); os.setgid(65534); os.setuid(65534)"
    code = COMMON + as_nobody + FULL
    command = [sys.executable, "-W", "error", "-c", code, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    path.chmod(0o755)
    found = json.loads(ended.stdout)
    assert (found["kept"], found["keys"]) == (False, ["0", "1", "2"])
    assert "can only be read (permission denied)" in found["told"][0]
