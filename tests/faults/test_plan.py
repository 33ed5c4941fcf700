"""`plan`: what a command would ask, counted without asking, and true when it then is asked."""

import json
from pathlib import Path

import pytest

from tests.faults.commands import CALLS, SAMPLE, UNITS, Desk, Serve, desk, known
from tests.faults.obliging import oblige


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(known))


def rows(at: Desk, *words: object) -> dict[str, dict[str, float | None]]:
    done = at.run("plan", *words, *at.model, "--json")
    assert done.code == 0, done.err
    return {row["task"]: row for row in done.json["tasks"]}


def test_a_plan_is_what_is_then_asked(at: Desk) -> None:
    config = at.config()
    planned = rows(at, "assess", config)
    assert at.server.hits == 0
    assert not (at.home / "runs").exists()
    assert {task: planned[task]["units"] for task in UNITS} == UNITS
    assert {task: planned[task]["calls_to_pay"] for task in CALLS} == CALLS
    assert at.run("assess", config, *at.model).code == 0
    assert at.server.hits == planned["all"]["calls_to_pay"]


def test_tokens_are_near_to_those_of_the_prompts(at: Desk) -> None:
    planned = rows(at, "support", *at.support_words())
    characters = 0
    assert at.support("--out", "run").code == 0
    for request in at.server.requests:
        characters += sum(len(message["content"]) for message in request["messages"])
    tokens = planned["support"]["prompt_tokens"]
    assert tokens is not None
    assert characters / 6 < tokens < characters / 3
    caps = sum(request["max_tokens"] for request in at.server.requests)
    assert planned["support"]["reply_tokens_at_most"] == caps


def test_what_is_stored_or_judged_is_not_counted(at: Desk) -> None:
    config = at.config()
    assert at.run("assess", config, *at.model, "--out", "run", "--only", "support").code == 0
    hits = at.server.hits
    elsewhere = rows(at, "assess", config, "--out", "other")["support"]
    assert (elsewhere["from_store"], elsewhere["calls_to_pay"]) == (hits, 0)
    here = rows(at, "assess", config, "--out", "run")["support"]
    assert (here["judged_before"], here["to_judge"]) == (UNITS["support"], 0)
    fresh = rows(at, "assess", config, "--out", "other", "--fresh")["support"]
    assert (fresh["from_store"], fresh["calls_to_pay"]) == (0, CALLS["support"])
    assert at.server.hits == hits


def test_a_run_directory_is_left_as_it_is(at: Desk) -> None:
    assert at.support("--out", "run", "--limit", 2).code == 0
    before = {p.name: p.read_bytes() for p in (at.home / "run").iterdir()}
    row = rows(at, "support", *at.support_words(), "--out", "run")["support"]
    assert (row["judged_before"], row["to_judge"], row["calls_to_pay"]) == (2, 3, 3)
    assert {p.name: p.read_bytes() for p in (at.home / "run").iterdir()} == before


def test_equal_calls_count_once(at: Desk) -> None:
    copy = at.home / "copy.jsonl"
    text = (SAMPLE / "answers.cedar.jsonl").read_text(encoding="utf-8")
    copy.write_text(text.replace('"cedar"', '"cedar2"'), encoding="utf-8")
    words = ("--topics", SAMPLE / "narratives.json", "--corpus", SAMPLE / "corpus.jsonl")
    answers = ("--answers", SAMPLE / "answers.cedar.jsonl", "--answers", copy)
    row = rows(at, "support", *words, *answers)["support"]
    # the same sentence and document is one call for both systems
    assert (row["units"], row["calls_asked"]) == (10, 10)
    assert (row["equal_calls_joined"], row["from_store"], row["calls_to_pay"]) == (5, 0, 5)


def test_what_is_saved_is_told_with_its_price(at: Desk) -> None:
    words = (*at.support_words(), "--price", "1,2")
    first = rows(at, "support", *words)["support"]
    assert (first["tokens_saved_at_most"], first["cost_saved_at_most"]) == (0, 0)
    assert "asked once" not in at.run("plan", "support", *words, *at.model).out
    assert at.support("--out", "run").code == 0
    stored = rows(at, "support", *words, "--out", "other")["support"]
    assert stored["calls_asked"] == stored["from_store"] == 5
    tokens = (first["prompt_tokens"] or 0) + (first["reply_tokens_at_most"] or 0)
    assert stored["tokens_saved_at_most"] == tokens
    assert stored["cost_saved_at_most"] == first["cost_at_most"]
    assert stored["cost_at_most"] == 0
    told = at.run("plan", "support", *words, *at.model, "--out", "other").out
    assert "calls that are asked once, and those that are saved:" in told


def test_a_batch_that_is_stored_is_one_call(at: Desk) -> None:
    config = at.config()
    assert at.run("assess", config, *at.model, "--out", "run", "--only", "assign").code == 0
    row = rows(at, "assess", config, "--out", "other", "--only", "assign")["assign"]
    assert (row["units"], row["calls_asked"]) == (UNITS["assign"], CALLS["assign"])
    assert (row["from_store"], row["equal_calls_joined"]) == (CALLS["assign"], 0)


def test_costs_need_a_price(at: Desk) -> None:
    assert rows(at, "support", *at.support_words())["support"]["cost_at_most"] is None
    words = (*at.support_words(), "--price", "1,2")
    row = rows(at, "support", *words)["support"]
    tokens, replies = row["prompt_tokens"], row["reply_tokens_at_most"]
    assert tokens is not None
    assert replies is not None
    assert row["cost_at_most"] == pytest.approx(tokens * 1e-6 + replies * 2e-6)


def test_the_slowest_limit_gives_the_time(at: Desk) -> None:
    words = ("plan", "support", *at.support_words(), *at.model, "--json")
    assert at.run(*words, "--rpm", 2).json["minutes"] == pytest.approx(2.5)
    assert at.run(*words, "--concurrency", 1).json["minutes"] == pytest.approx(10 / 60, abs=0.01)
    slow = at.run(*words, "--tpm", 10).json
    row = slow["tasks"][0]
    tokens = row["prompt_tokens"] + row["reply_tokens_at_most"]
    assert slow["minutes"] == pytest.approx(tokens / 10, abs=0.01)


def test_what_rests_on_labels_to_be_had_is_told(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    text = at.config().read_text(encoding="utf-8")
    config = at.home / "creating.toml"
    kept = [line for line in text.splitlines() if not line.startswith("nuggets.file")]
    config.write_text("\n".join(kept), encoding="utf-8")
    done = at.run("plan", "assess", config, *at.model)
    assert done.code == 0
    assert "nuggets skipped: no nuggets file, and no grades to choose documents by" in done.out
    assert "relevance: what rests on its labels is counted only as far" in done.out


def test_the_table_names_the_limits(at: Desk) -> None:
    done = at.run("plan", "support", *at.support_words(), *at.model, "--rpm", 60)
    assert done.code == 0
    assert "time: about 5 s, at 16 calls in flight, 60 calls a minute, 2 s a call" in done.out
    assert "calls" in done.out
    assert done.err.count("\n") == 0


def test_no_key_is_needed_for_a_plan(at: Desk) -> None:
    words = ("plan", "support", *at.support_words(), "--model", "openai/gpt-4.1", "--json")
    row = at.run(*words, OPENAI_API_KEY="").json["tasks"][0]
    assert row["cost_at_most"] > 0


def test_wrong_inputs_are_told_as_by_the_command_itself(at: Desk) -> None:
    done = at.run("plan", "support", "--topics", "none.json", "--answers", "none.jsonl", *at.model)
    assert done.code == 2
    assert "none.json" in done.told


def test_manifest_of_a_plan_is_written_nowhere(at: Desk) -> None:
    rows(at, "support", *at.support_words(), "--out", "run")
    assert not (at.home / "run").exists()
    assert json.dumps(sorted(p.name for p in at.home.iterdir())) in ('["cache"]', "[]")
