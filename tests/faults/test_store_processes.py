"""Several processes use one store at once, and a fork goes on with it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from judge_cache import open_store

PROCESSES = 8
ENTRIES = 60

FILL = """
import sys
from pathlib import Path
from judge_cache import open_store

path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
told = []
with open_store(path, on_notice=told.append) as store:
    for number in range(count):
        for key in (f"{name}-{number}", f"shared-{number}"):
            entry = {"request": {"messages": [key]}, "reply": {"text": key}}
            assert store.put(key, entry, tag=name)
            assert store.get(key) == entry
assert not told, told
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def release(processes: list[subprocess.Popen[str]]) -> list[str]:
    """Let the processes go once all are ready; return what each wrote on stderr."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    return [process.communicate()[1] for process in processes]


def test_processes_open_and_fill_one_new_store(tmp_path: Path) -> None:
    path = tmp_path / "replies"
    names = [f"p{number}" for number in range(PROCESSES)]
    processes = [start(FILL, str(path), name, str(ENTRIES)) for name in names]
    assert release(processes) == [""] * PROCESSES
    assert [process.returncode for process in processes] == [0] * PROCESSES
    with open_store(path, on_notice=pytest.fail) as store:
        found = list(store.keys())
        assert found == sorted(
            f"{name}-{number}" for name in [*names, "shared"] for number in range(ENTRIES)
        )
        for key in found:
            assert store.get(key) == {"request": {"messages": [key]}, "reply": {"text": key}}


def test_processes_that_meet_a_damaged_store_set_it_aside_once(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"no database" * 1000)
    script = FILL.replace("assert not told, told", "")
    names = [f"p{number}" for number in range(4)]
    processes = [start(script, str(tmp_path), name, "20") for name in names]
    assert release(processes) == [""] * 4
    assert len(list(tmp_path.glob("damaged-*Z"))) == 1
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        assert len(store) == 5 * 20


def test_processes_that_meet_an_older_store_bring_it_up_to_date_once(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        store.put("before", {"request": {}, "reply": 1}, tag="m")
        store._cache()._rows("DROP INDEX Cache_groups")
        store._cache()._rows("PRAGMA user_version = 0")
    names = [f"p{number}" for number in range(4)]
    processes = [start(FILL, str(tmp_path), name, "20") for name in names]
    assert release(processes) == [""] * 4
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        assert len(store) == sum(group.entries for group in store.groups()) == 1 + 5 * 20


KILLED = """
import os, signal, sys
from pathlib import Path
from judge_cache import open_store

store = open_store(Path(sys.argv[1]))
for number in range(50):
    assert store.put(str(number), {"request": {}, "reply": number}, tag="m")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_stored_survives_a_kill(tmp_path: Path) -> None:
    process = start(KILLED, str(tmp_path))
    _, errors = process.communicate()
    assert errors == ""
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        assert [store.get(str(number)) for number in range(50)] == [
            {"request": {}, "reply": number} for number in range(50)
        ]


FORK = """
import os, sys
from pathlib import Path
from judge_cache import open_store

def put(store, name):
    for number in range(100):
        assert store.put(f"{name}-{number}", {"request": {}, "reply": name}, tag=name)
        assert store.get(f"{name}-{number}") == {"request": {}, "reply": name}

store = open_store(Path(sys.argv[1]))
put(store, "before")
inherited = store._cache()._con
child = os.fork()
put(store, "parent" if child else "child")
assert (store._cache()._con is inherited) == bool(child)
assert store.get("before-7") == {"request": {}, "reply": "before"}
store.close()
if not child:
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_parent_and_child_go_on_after_a_fork(tmp_path: Path) -> None:
    process = start(FORK, str(tmp_path))
    _, errors = process.communicate()
    assert errors == ""
    assert process.returncode == 0
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        assert store.tags() == {"before": 100, "parent": 100, "child": 100}
