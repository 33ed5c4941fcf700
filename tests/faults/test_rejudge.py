"""`rejudge`: the units of a run again, from what the run and the store keep, and nothing else."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import (
    CALLS,
    MARKED,
    SAMPLE,
    UNITS,
    Desk,
    Serve,
    contents,
    desk,
    judgments,
    known,
    labels,
)
from tests.faults.obliging import oblige
from tests.faults.server import prompt_of

ALL = sum(CALLS.values())
OTHER = ("--model", "openai/other")


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    """A desk with a run of the sample; what the run was made from is gone."""
    at = desk(tmp_path, serve(known))
    inputs = shutil.copytree(SAMPLE, tmp_path / "inputs")
    config = at.config()
    config.write_text(config.read_text(encoding="utf-8").replace(str(SAMPLE), str(inputs)))
    done = at.run("assess", config, *at.model, "--out", "run")
    assert done.code == 0, done.err
    shutil.rmtree(inputs)
    config.unlink()
    return at


def units(run: Path) -> set[str]:
    return {line["unit_id"] for line in judgments(run)}


def marked(run: Path) -> dict[str, list[bytes]]:
    """The lines of the files that follow from the labels; grades stand in no certain order."""
    return {name: sorted(text.splitlines()) for name, text in contents(run, *MARKED).items()}


def manifest(run: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    return data


def test_as_it_was_judged_nothing_is_paid_again(at: Desk) -> None:
    before = contents(at.home / "run")
    done = at.run("rejudge", "run", "--out", "again", "--json")
    assert done.code == 0, done.err
    assert at.server.hits == ALL
    assert {name: task["cached"] for name, task in done.json["tasks"].items()} == CALLS
    assert marked(at.home / "again") == marked(at.home / "run")
    assert contents(at.home / "run") == before
    ours, theirs = manifest(at.home / "again"), manifest(at.home / "run")
    assert {**ours, "created": "", "commands": []} == {**theirs, "created": "", "commands": []}


def test_what_came_of_it_can_be_judged_again(at: Desk) -> None:
    assert at.run("rejudge", "run", "--out", "again").code == 0
    shutil.rmtree(at.home / "run")
    assert at.run("rejudge", "again", "--out", "third", "--offline").code == 0
    assert marked(at.home / "third") == marked(at.home / "again")


def test_another_model_is_asked_about_the_same_units(at: Desk) -> None:
    at.server.script = lambda request, hit: oblige(request)
    address = ("--base-url", at.server.url)
    done = at.run("rejudge", "run", "--out", "again", *OTHER, *address)
    assert done.code == 0, done.err
    asked = at.server.requests[ALL:]
    assert len(asked) == ALL
    assert {request["model"] for request in asked} == {"other"}
    first = {prompt_of(request) for request in at.server.requests[:ALL]}
    assert {prompt_of(request) for request in asked} == first
    assert units(at.home / "again") == units(at.home / "run")
    again = labels(at.home / "again")
    assert {again[u] for u in again if u.startswith("support|")} == {"full"}
    assert (at.home / "again" / "scores.jsonl").is_file()


def test_another_model_does_not_inherit_the_address(at: Desk) -> None:
    done = at.run("rejudge", "run", "--out", "again", *OTHER, "--offline")
    assert done.code == 3
    assert manifest(at.home / "again")["base_url"] != at.server.url


def test_another_prompt_needs_no_inputs_but_those_kept(at: Desk) -> None:
    source = (Path(__file__).parents[2] / "prompts/support/trec2025.j2").read_text(encoding="utf-8")
    mine = at.home / "mine" / "support"
    mine.mkdir(parents=True)
    text = source.replace('"support/trec2025"', '"support/blunt"').replace("How far", "So how far")
    (mine / "blunt.j2").write_text(text, encoding="utf-8")
    words = ("--prompts", "mine", "--prompt", "support/blunt")
    done = at.run("rejudge", "run", "--out", "again", *words)
    assert done.code == 0, done.err
    asked = at.server.requests[ALL:]
    assert len(asked) == CALLS["support"]
    assert all("So how far" in prompt_of(request) for request in asked)
    stages = manifest(at.home / "again")["stages"]
    assert stages["support"]["template"] == "support/blunt"
    assert stages["support"]["inputs"] == manifest(at.home / "run")["stages"]["support"]["inputs"]
    assert marked(at.home / "again")["qrels.txt"] == marked(at.home / "run")["qrels.txt"]


def test_a_prompt_for_nothing_of_the_run_is_refused(at: Desk) -> None:
    done = at.run("rejudge", "run", "--out", "again", "--prompt", "nuggets/create")
    assert done.code == 2
    assert "prompt nuggets/create is for create, and run has" in done.told


def test_offline_lists_what_is_missing(at: Desk) -> None:
    done = at.run("rejudge", "run", "--out", "again", "--offline", "--temperature", "1")
    assert done.code == 3
    assert at.server.hits == ALL
    assert f"{sum(UNITS.values())} units have no stored reply" in done.err
    assert "relevance|s1|" in done.err
    assert labels(at.home / "again") == {}
    online = at.run("rejudge", "run", "--out", "again", "--temperature", "1")
    assert online.code == 0, online.err
    assert at.server.hits == 2 * ALL
    assert len(labels(at.home / "again")) == sum(UNITS.values())


def test_on_another_machine_from_an_export(at: Desk, tmp_path: Path) -> None:
    assert at.run("cache", "export", "replies.jsonl.zst").code == 0
    there = Desk(tmp_path / "there", at.server)
    there.home.mkdir()
    for name in ("run", "replies.jsonl.zst"):
        (at.home / name).rename(there.home / name)
    shutil.rmtree(at.home / "cache")
    assert there.run("cache", "import", "replies.jsonl.zst").code == 0
    done = there.run("rejudge", "run", "--out", "again", "--offline")
    assert done.code == 0, done.err
    assert marked(there.home / "again") == marked(there.home / "run")


def test_only_units_of_the_run_are_judged(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    assert at.run("assess", at.config(), *at.model, "--out", "run", "--limit", 3).code == 0
    assert at.run("rejudge", "run", "--out", "again").code == 0
    assert units(at.home / "again") == units(at.home / "run")
    assert len(units(at.home / "again")) == 9


def test_failed_units_are_judged_again(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(lambda request, hit: "I will not help with that."))
    assert at.support("--out", "run").code == 3
    assert labels(at.home / "run") == {}
    at.server.script = lambda request, hit: known(request)
    done = at.run("rejudge", "run", "--out", "again")
    assert done.code == 0, done.err
    assert set(labels(at.home / "again")) == units(at.home / "run")


def test_a_plan_counts_what_another_model_would_be_asked(at: Desk) -> None:
    done = at.run("plan", "rejudge", "run", *OTHER, "--json")
    assert done.code == 0, done.err
    calls = {row["task"]: row["calls_to_pay"] for row in done.json["tasks"]}
    assert {task: calls[task] for task in CALLS} == CALLS
    assert at.server.hits == ALL


def test_nuggets_are_taken_as_they_are_and_labelled_again(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(lambda request, hit: oblige(request)))
    qrels = ("--qrels", SAMPLE / "qrels.reference.txt", "--corpus", SAMPLE / "corpus.jsonl")
    words = ("--topics", SAMPLE / "narratives.json", *qrels, *at.model, "--out", "run")
    assert at.run("nuggets", "create", *words).code == 0
    done = at.run("rejudge", "run", "--out", "again", "--json")
    assert done.code == 0, done.err
    assert "create is not judged again: what rests on it is taken as run has it" in done.err
    assert set(done.json["tasks"]) == {"importance", "mapping"}
    assert contents(at.home / "again", "nuggets.jsonl") == contents(
        at.home / "run", "nuggets.jsonl"
    )


def test_located_nuggets_are_judged_again(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(lambda request, hit: oblige(request)))
    answers = ("--answers", SAMPLE / "answers.*.jsonl", "--nuggets", SAMPLE / "nuggets.jsonl")
    words = ("--topics", SAMPLE / "narratives.json", *answers, *at.model, "--out", "run")
    assert at.run("nuggets", "assign", *words).code == 0
    assert at.run("nuggets", "locate", *words, "--corpus", SAMPLE / "corpus.jsonl").code == 0
    hits = at.server.hits
    done = at.run("rejudge", "run", "--out", "again", "--json")
    assert done.code == 0, done.err
    assert at.server.hits == hits
    assert set(done.json["tasks"]) == {"assign", "locate"}
    assert units(at.home / "again") == units(at.home / "run")
    written = {path.name for path in (at.home / "run").iterdir()} - {"manifest.json"}
    for name in written & {"subtopics.qrels", "coverage.jsonl", "assignments.jsonl"}:
        lines = [(at.home / run / name).read_bytes().splitlines() for run in ("run", "again")]
        assert sorted(lines[0]) == sorted(lines[1]), name


def test_weighed_citations_are_judged_again_as_the_new_labels_ask(
    tmp_path: Path, serve: Serve
) -> None:
    def script(request: dict[str, Any], hit: int) -> str:
        return "label: full" if request["model"] == "other" else "label: none"

    at = desk(tmp_path, serve(script))
    words = ("support", *at.support_words(SAMPLE / "answers.*.jsonl"), "--mode", "concatenated")
    assert at.run(*words, *at.model, "--out", "run").code == 0
    hits = at.server.hits
    same = at.run("rejudge", "run", "--out", "again", "--json")
    assert same.code == 0, same.err
    assert (at.server.hits, set(same.json["tasks"])) == (hits, {"weigh"})
    assert units(at.home / "again") == units(at.home / "run")
    other = ("--model", "openai/other", "--base-url", at.server.url)
    prompted = at.run("rejudge", "run", *other, "--prompt", "support/trec2025", "--out", "other")
    assert prompted.code == 0, prompted.err
    assert at.run(*words, *other, "--out", "direct").code == 0
    assert units(at.home / "other") == units(at.home / "direct") > units(at.home / "run")
    for first, second in (("run", "again"), ("direct", "other")):
        one, two = (at.home / run / "citations.jsonl" for run in (first, second))
        assert sorted(one.read_bytes().splitlines()) == sorted(two.read_bytes().splitlines())


# --- a run that lacks something ----------------------------------------------------------------


def test_a_run_that_keeps_no_answers_takes_the_very_same_files(at: Desk) -> None:
    (at.home / "run" / "judged_answers.jsonl").unlink()
    done = at.run("rejudge", "run", "--out", "again")
    assert done.code == 2
    assert "the run keeps no answers: name them with --answers" in done.told
    answers = ("--answers", SAMPLE / "answers.*.jsonl")
    assert at.run("rejudge", "run", "--out", "again", *answers).code == 0
    assert marked(at.home / "again") == marked(at.home / "run")


def test_a_file_that_has_changed_is_refused_by_name(at: Desk) -> None:
    changed = at.home / "corpus.jsonl"
    changed.write_bytes((SAMPLE / "corpus.jsonl").read_bytes() + b"\n")
    done = at.run("rejudge", "run", "--out", "again", "--corpus", changed)
    assert done.code == 2
    assert "corpus.jsonl: not what run was made from: it has changed" in done.told
    one = ("--answers", SAMPLE / "answers.alder.jsonl")
    done = at.run("rejudge", "run", "--out", "again", *one)
    assert done.code == 2
    assert "answers.birch.jsonl: run was made from answers that are not given" in done.told
    assert not (at.home / "again").exists()


def test_a_changed_record_is_refused_with_its_line(at: Desk) -> None:
    path = at.home / "run" / "judged_answers.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"text"', '"txt"', 1), encoding="utf-8")
    done = at.run("rejudge", "run", "--out", "again")
    assert done.code == 2
    assert "judged_answers.jsonl:1: the file was changed by other hands" in done.told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "--out", "run"), "give another --out"),
        (("run", "--out", "./run/"), "give another --out"),
        (("nowhere", "--out", "again"), "nowhere is no run directory: it has no manifest.json"),
    ],
)
def test_what_cannot_be_judged_again(at: Desk, words: tuple[str, ...], told: str) -> None:
    done = at.run("rejudge", *words)
    assert done.code == 2
    assert told in done.told
