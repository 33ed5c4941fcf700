"""`rag-judge cache`: what it prints, writes, refuses and deletes, and with which status it ends."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.faults.commands import CALLS, Desk, desk, known
from tests.faults.server import ScriptedServer

ALL = sum(CALLS.values())
TEMPLATES = {
    "relevance/trec2025": CALLS["relevance"],
    "nuggets/assign": CALLS["assign"],
    "support/trec2025": CALLS["support"],
}


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk whose store holds the replies to a whole assessment."""
    home = tmp_path_factory.mktemp("cache")
    with ScriptedServer(known) as server:
        at = desk(home, server)
        assert at.run("assess", at.config(), *at.model, "--out", "run").code == 0
        yield at


def lines(file: Path) -> list[str]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    return frame.decompress(file.read_bytes()).decode().splitlines()


def write(file: Path, given: list[str]) -> Path:
    file.write_bytes(zstandard.compress("".join(f"{line}\n" for line in given).encode()))
    return file


def copy(at: Desk, name: str) -> str:
    """Make a copy of the store; return its name."""
    assert at.run("cache", "export", f"{name}.zst").code == 0
    assert at.run("cache", "import", f"{name}.zst", "--cache", name).code == 0
    return name


def test_stats_by_model_template_and_date(at: Desk) -> None:
    found = at.run("cache", "stats", "--json").json
    assert found["entries"] == ALL
    assert {share["template"]: share["entries"] for share in found["shares"]} == TEMPLATES
    assert {share["model"] for share in found["shares"]} == {"openai/judge"}
    assert sum(share["bytes"] for share in found["shares"]) == found["bytes"]
    assert 0 < found["bytes"] < found["file_bytes"]
    table = at.run("cache", "stats")
    assert table.code == 0
    for word in ("openai/judge", *TEMPLATES, found["shares"][0]["date"], "91 entries"):
        assert word in table.out
    assert table.err == ""


def test_verify_finds_nothing_wrong(at: Desk) -> None:
    found = at.run("cache", "verify", "--json")
    assert (found.code, found.json["entries"], found.json["faults"]) == (0, ALL, [])
    assert f"{ALL} of {ALL} entries of" in at.run("cache", "verify").out


def test_another_machine_judges_offline_from_an_export(at: Desk) -> None:
    hits = at.server.hits
    there = copy(at, "there")
    assert at.run("cache", "stats", "--json", "--cache", there).json["entries"] == ALL
    words = ("--model", "replay", "--cache", there, "--out", "replayed", "--json")
    done = at.run("assess", at.config(), *words)
    assert done.code == 0, done.err
    assert at.server.hits == hits


def test_export_of_a_template_and_of_a_model_that_is_not_there(at: Desk) -> None:
    words = ("cache", "export", "part.zst", "--json")
    done = at.run(*words, "--template", "nuggets/assign", "--model", "openai/judge")
    assert done.json == {"file": "part.zst", "entries": CALLS["assign"]}
    refused = at.run(*words, "--model", "openai/other")
    assert refused.code == 2
    assert "it holds those of openai/judge with nuggets/assign" in refused.told


def test_import_names_the_line_that_does_not_verify(at: Desk) -> None:
    at.run("cache", "export", "whole.zst")
    given = lines(at.home / "whole.zst")
    for change, words in (
        ({"key": "0" * 64}, "its key is not the one of its request"),
        ({"tag": "openai gpt-9 nuggets/assign"}, "is not the one of openai/judge"),
        ({"reply": {"text": ""}}, "its reply is not one of this tool (model: Field required)"),
        ({"answered_by": "0" * 64}, "it does not hold one of reply, answered_by"),
    ):
        bad = [*given[:7], json.dumps(json.loads(given[7]) | change), *given[8:]]
        write(at.home / "bad.zst", bad)
        done = at.run("cache", "import", "bad.zst", "--cache", "imported")
        assert done.code == 2
        assert "bad.zst:8: " in done.told
        assert words in done.told
        assert "nothing of it was imported" in done.told
        assert at.run("cache", "stats", "--json", "--cache", "imported").json["entries"] == 0


def test_two_stores_merge_and_differing_replies_are_counted(at: Desk) -> None:
    store = copy(at, "ours")
    given = lines(at.home / "ours.zst")
    other = json.loads(given[5])
    other["reply"]["text"] += " "
    again = json.loads(given[6])
    again["reply"]["created"] = "2031-01-01T00:00:00+00:00"
    changed = [*given[:5], json.dumps(other), json.dumps(again), *given[7:]]
    write(at.home / "theirs.zst", changed)
    words = ("cache", "import", "theirs.zst", "--cache", store)
    kept = at.run(*words, "--json").json
    assert (kept["new"], kept["same"], kept["differing"]) == (0, ALL - 1, 1)
    assert "1 were there with another reply: kept; --theirs replaces them" in at.run(*words).out
    replaced = at.run(*words, "--theirs", "--json").json
    assert (replaced["same"], replaced["differing"], replaced["replaced"]) == (ALL - 1, 1, True)
    assert at.run(*words, "--json").json["same"] == ALL


def test_an_entry_without_its_reply_is_listed_and_pruned(at: Desk) -> None:
    store = copy(at, "orphaned")
    header, first, *rest = lines(at.home / "orphaned.zst")
    entry = json.loads(first)
    del entry["reply"]
    entry["answered_by"] = "0" * 64
    write(at.home / "orphan.zst", [header, json.dumps(entry), *rest])
    merged = at.run("cache", "import", "orphan.zst", "--cache", store, "--theirs", "--json").json
    assert (merged["differing"], merged["orphans"]) == (1, 1)
    found = at.run("cache", "verify", "--cache", store, "--json")
    assert found.code == 2
    (fault,) = found.json["faults"]
    assert (fault["key"], fault["orphan"]) == (entry["key"], True)
    prune = ("cache", "prune", "--orphans", "--cache", store, "--json")
    assert at.run(*prune).json["entries"] == 1
    assert at.run("cache", "verify", "--cache", store).code == 2
    assert at.run(*prune, "--yes").json["entries"] == 1
    assert at.run("cache", "verify", "--cache", store).code == 0


def prune(at: Desk, *words: str) -> Any:
    done = at.run("cache", "prune", *words, "--json")
    assert done.code == 0, done.err
    return done.json


def test_prune_counts_first_and_gives_space_back(at: Desk) -> None:
    store = copy(at, "pruned")
    where = ("--cache", store)
    day = at.run("cache", "stats", "--json", *where).json["shares"][0]["date"]
    dry = prune(at, *where, "--template", "support/trec2025")
    assert (dry["entries"], dry["deleted"], dry["freed_bytes"]) == (36, False, 0)
    assert prune(at, *where, "--template", "support/trec2025") == dry
    done = prune(at, *where, "--template", "support/trec2025", "--yes")
    assert (done["entries"], done["bytes"]) == (36, dry["bytes"])
    assert done["freed_bytes"] > 0
    assert prune(at, *where, "--before", day, "--model", "openai/judge")["entries"] == 0
    assert prune(at, *where, "--before", "2999-01-01")["entries"] == ALL - 36
    said = at.run("cache", "prune", *where, "--all").out
    assert "would delete 55 entries" in said
    assert "nothing was deleted: add --yes" in said
    assert prune(at, *where, "--all", "--yes")["entries"] == ALL - 36
    assert at.run("cache", "stats", "--json", *where).json["entries"] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what to prune"),
        (("--yes",), "say what to prune"),
        (("--all", "--model", "openai/judge"), "--all prunes everything"),
        (("--broken", "--before", "2026-01-01"), "do not go by date"),
        (("--before", "soon"), "'soon' is no day"),
        (("--template", "nuggets/other"), "the store holds no such replies"),
    ],
)
def test_a_choice_of_nothing_is_refused(at: Desk, words: tuple[str, ...], said: str) -> None:
    done = at.run("cache", "prune", *words)
    assert done.code == 2
    assert said in done.told
    assert at.run("cache", "stats", "--json").json["entries"] == ALL


@pytest.mark.parametrize(
    "words", [("stats",), ("verify",), ("export", "x.zst"), ("prune", "--all", "--yes")]
)
def test_a_store_that_is_not_there_is_not_made(at: Desk, words: tuple[str, ...]) -> None:
    done = at.run("cache", *words, "--cache", "absent")
    assert done.code == 2
    assert "there is no reply store in " in done.told
    assert not (at.home / "absent").exists()
    assert not (at.home / "x.zst").exists()


def test_looking_at_a_damaged_store_leaves_it_where_it_is(at: Desk) -> None:
    (at.home / "broken").mkdir()
    (at.home / "broken" / "cache.db").write_bytes(b"no database" * 1000)
    for command in ("stats", "verify"):
        done = at.run("cache", command, "--cache", "broken")
        assert done.code == 2
        assert "is damaged (file is not a database)" in done.told
    assert (at.home / "broken" / "cache.db").read_bytes() == b"no database" * 1000


def test_damage_within_the_database_is_found_by_verify(at: Desk) -> None:
    store = at.home / copy(at, "garbled")
    with (store / "cache.db").open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(size - 5 * 4096)
        file.write(b"\xa5" * 4096)
    done = at.run("cache", "verify", "--cache", store)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert done.told.startswith("rag-judge: ")
