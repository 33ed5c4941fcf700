"""The reply store under a whole run: full, read-only, damaged, planted; and other prompts."""

import pickle
import shutil
import sqlite3
from contextlib import closing
from importlib import resources
from pathlib import Path

import pytest

from tests.faults import commands
from tests.faults.commands import CALLS, PROGRAM, UNITS, Desk, Serve, desk, known, labels
from tests.faults.mounts import needs_mounts, readonly, script, small

ALL = sum(CALLS.values())


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(known))


def where(monkeypatch: pytest.MonkeyPatch, at: Desk, mount: str) -> None:
    """Let commands run after `mount`."""
    monkeypatch.setattr(commands, "PROGRAM", script(at.home, mount, PROGRAM))


def about_the_store(err: str) -> list[str]:
    return [line for line in err.splitlines() if "reply store" in line]


@needs_mounts
def test_on_a_full_disk_everything_is_judged_and_it_is_told(
    at: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (at.home / "cache").mkdir()
    where(monkeypatch, at, small(at.home / "cache", "400k"))
    done = at.run("assess", at.config(), *at.model, "--out", "run", "--json")
    assert done.code == 0, done.err
    assert len(labels(at.home / "run")) == sum(UNITS.values())
    assert done.json["complete"] is True
    full, lost = about_the_store(done.err)
    assert "could not be written: " in full
    assert "(told once)" in full
    number = int(lost.split()[0])
    assert 0 < number < ALL
    assert "could not be kept" in lost


@needs_mounts
def test_a_read_only_store_answers_online_and_offline(
    at: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at.support("--out", "first").code == 0
    hits = at.server.hits
    where(monkeypatch, at, readonly(at.home / "cache"))
    for words in (at.model, (*at.model, "--offline"), ("--model", "replay")):
        out = f"run-{len(words)}"
        done = at.run("support", *at.support_words(), *words, "--out", out)
        assert done.code == 0, done.err
        assert labels(at.home / out) == labels(at.home / "first")
        (notice,) = about_the_store(done.err)
        assert "can only be read" in notice
    assert at.server.hits == hits


@needs_mounts
def test_a_read_only_store_is_looked_at_and_exported_but_not_changed(
    at: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at.support("--out", "run").code == 0
    where(monkeypatch, at, readonly(at.home / "cache"))
    for words in (("stats",), ("verify",), ("export", "x.zst"), ("prune", "--all")):
        done = at.run("cache", *words)
        assert (done.code, done.err) == (0, "")
        assert "5 " in done.out
    for change in (("prune", "--all", "--yes"), ("import", "x.zst")):
        done = at.run("cache", *change)
        assert done.code == 2
        assert "cannot be written (read-only file system)" in done.told


@needs_mounts
@pytest.mark.parametrize("cache", ["cache", "cache/new"])
def test_where_no_store_can_be_made_judging_goes_on_loudly(
    at: Desk, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    (at.home / "cache").mkdir()
    where(monkeypatch, at, readonly(at.home / "cache"))
    done = at.support("--out", "run", "--cache", cache)
    assert done.code == 0, done.err
    assert len(labels(at.home / "run")) == at.server.hits == 5
    first, lost = about_the_store(done.err)
    assert "judging goes on WITHOUT A STORE" in first
    assert lost.startswith("5 of the run's replies could not be kept")
    assert list((at.home / "cache").iterdir()) == []


def test_half_a_database_is_set_aside_and_the_runs_own_judgments_stay(at: Desk) -> None:
    assert at.support("--out", "run").code == 0
    before = labels(at.home / "run")
    database = at.home / "cache" / "cache.db"
    database.write_bytes(database.read_bytes()[: database.stat().st_size // 2])
    again = at.support("--out", "run")
    assert again.code == 0, again.err
    (notice,) = about_the_store(again.err)
    assert "is damaged" in notice
    assert labels(at.home / "run") == before
    assert at.server.hits == 5
    assert len(list((at.home / "cache").glob("damaged-*Z"))) == 1
    assert at.support("--out", "other").code == 0
    assert at.server.hits == 10


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.mkdir, (self.marker,)


def test_a_planted_pickle_is_asked_again_listed_and_dropped(at: Desk) -> None:
    assert at.support("--out", "run").code == 0
    marker = at.home / "it-ran"
    with closing(sqlite3.connect(at.home / "cache" / "cache.db", isolation_level=None)) as con:
        trap = pickle.dumps(Trap(marker))
        con.execute("UPDATE Cache SET mode = 4, value = ? WHERE rowid = 1", (trap,))
        con.execute("INSERT INTO Cache (key, raw, mode, value) VALUES (?, 0, 4, ?)", (trap, trap))
    found = at.run("cache", "verify", "--json")
    assert found.code == 2
    assert [fault["fault"] for fault in found.json["faults"]] == [
        "its value is not plain bytes (mode 4)"
    ]
    assert found.json["foreign_rows"] == 1
    assert "2 of 6 entries do not verify" in found.told
    pruned = at.run("cache", "prune", "--broken", "--yes", "--json")
    assert (pruned.code, pruned.json["entries"], pruned.json["deleted"]) == (0, 2, True)
    assert at.run("cache", "verify").code == 0
    assert at.support("--out", "other").code == 0
    assert at.server.hits == 6
    assert not marker.exists()


def test_one_word_of_a_template_changes_its_keys_and_no_others(at: Desk) -> None:
    assert at.run("assess", at.config(), *at.model, "--out", "run").code == 0
    prompts = at.home / "prompts"
    with resources.as_file(resources.files("judge.prompts") / "support") as built_in:
        shutil.copytree(built_in, prompts / "support")
    template = prompts / "support" / "trec2025.j2"
    text = template.read_text(encoding="utf-8")
    head, _, body = text.partition("#}")
    assert " the " in body
    template.write_text(f"{head}#}}{body.replace(' the ', ' this ', 1)}", encoding="utf-8")
    words = ("--prompts", prompts, "--out", "other", "--json")
    done = at.run("assess", at.config(), *at.model, *words)
    assert done.code == 0, done.err
    tallies = done.json["tasks"]
    assert {name: tally["calls"] for name, tally in tallies.items()} == {
        "relevance": 0,
        "assign": 0,
        "support": CALLS["support"],
    }
    assert at.server.hits == ALL + CALLS["support"]
