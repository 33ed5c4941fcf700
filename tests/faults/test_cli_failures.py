"""What a command does when the judge or its provider fails: who is asked again, what is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.formats.assignments import read_assignments
from judge.formats.qrels import read_qrels
from judge.types import Score
from tests.faults.commands import (
    CALLS,
    SAMPLE,
    UNITS,
    Done,
    Serve,
    desk,
    judgments,
    known,
    labels,
    passage,
)
from tests.faults.server import Response, Script, error, prompt_of

NONSENSE = "That is hard to say."


def spoiled(*markers: str) -> Script:
    """`known`, but with nonsense for every prompt that holds one of the markers."""

    def script(request: dict[str, Any], hit: int) -> str:
        text = prompt_of(request)
        return NONSENSE if any(m in text for m in markers) else known(request, hit)

    return script


def rows(done: Done) -> dict[tuple[str, str, str], Score]:
    """The scores that a command printed as JSON, by measure, run and topic."""
    found = [Score.model_validate(row) for row in done.json["scores"]]
    return {(row.measure, row.run_id, row.topic_id): row for row in found}


def test_a_few_failures_are_counted_bounded_and_asked_again_alone(
    tmp_path: Path, serve: Serve
) -> None:
    statement = "<sentence>\nIn deep cold the temperature gap grows"
    server = serve(spoiled(statement, passage("s3-d14")))
    at = desk(tmp_path, server)
    words = ("assess", at.config(), *at.model, "--out", "run", "--json")
    done = at.run(*words)
    assert done.code == 0
    assert done.json["complete"] is True
    assert server.hits == sum(CALLS.values()) + 2 * 2
    asked = [prompt for prompt in map(prompt_of, server.requests) if statement in prompt]
    assert len(asked) == 3
    failed = [line for line in judgments(at.home / "run") if line["status"] == "failed"]
    assert {line["unit_id"].split("|")[0] for line in failed} == {"relevance", "support"}
    assert {line["failure"] for line in failed} == {"parse"}
    grades = read_qrels(at.home / "run" / "qrels.txt")
    assert len(grades) == UNITS["relevance"] - 1
    assert "s3-d14" not in {row.docid for row in grades}

    scores = rows(done)
    topic = scores["support_precision", "alder", "s1"]
    assert (topic.value, topic.low, topic.high) == (None, 0.8, 1.0)
    assert (topic.n_judged, topic.n_failed) == (4, 1)
    assert topic.reason == "1 of 5 judgments failed (20%, allowed 5%)"
    assert scores["support_precision", "alder", "s2"].value == 1.0
    assert scores["strict_vital_recall", "alder", "s1"].value == 1.0
    given = rows(at.run(*words, "--allow-incomplete", "--offline"))
    row = given["support_precision", "alder", "s1"]
    assert (row.value, row.low, row.high) == (1.0, 0.8, 1.0)
    assert server.hits == sum(CALLS.values()) + 2 * 2

    server.script = known
    again = at.run(*words)
    assert server.hits == sum(CALLS.values()) + 2 * 2 + 2
    assert rows(again)["support_precision", "alder", "s1"].value == 1.0
    assert len(labels(at.home / "run")) == sum(UNITS.values())


def batch_marker() -> tuple[str, str]:
    """What only prompts for alder's answer on s2 hold, and a nugget of its first batch."""
    answer = next(
        a
        for a in read_assignments(SAMPLE / "assignments.reference.jsonl")
        if (a.run_id, a.topic_id) == ("alder", "s2")
    )
    return answer.answer_text[:40], f"1. {answer.nuggets[0].text}\n"


def test_a_batch_that_fails_costs_three_asks_a_unit_and_withholds_the_score(
    tmp_path: Path, serve: Serve
) -> None:
    answer, nugget = batch_marker()

    def script(request: dict[str, Any], hit: int) -> str:
        text = prompt_of(request)
        tenth = nugget in text or len(numbers(request)) in (5, 10)
        return NONSENSE if answer in text and tenth else known(request, hit)

    server = serve(script)
    at = desk(tmp_path, server)
    config = at.config()
    words = ("assess", config, *at.model, "--only", "assign", "--only", "score", "--out", "run")
    done = at.run(*words, "--json")
    sizes = [len(numbers(r)) for r in server.requests if answer in prompt_of(r)]
    assert sorted(sizes) == [2, 5, 5, 10, 10]
    assert server.hits == CALLS["assign"] + 3
    assert done.code == 3
    assert "10 of 96 assign judgments failed, such as assign|s2|alder|" in done.told
    assert done.json["tasks"]["assign"]["failed"] == {"parse": 10}
    row = rows(done)["all_recall", "alder", "s2"]
    assert (row.value, row.high) == (None, 1.0)
    assert row.low == pytest.approx(2 / 12)
    assert row.reason is not None
    assert "10 of 12 judgments failed" in row.reason
    table = at.run("score", "run", "--measures", "all_recall")
    assert "alder: all_recall: 10 of 32 judgments failed (31.2%, allowed 5%)" in table.out

    allowed = at.run(*words, "--offline", "--allow-incomplete", "--json")
    assert allowed.code == 0
    assert rows(allowed)["all_recall", "alder", "s2"].value == 1.0
    server.script = known
    hits = server.hits
    assert at.run(*words).code == 0
    assert server.hits == hits + 1
    assert len(labels(at.home / "run")) == UNITS["assign"]


def numbers(request: dict[str, Any]) -> list[str]:
    """The numbers under which a batch asks for its units."""
    required: list[str] = request["response_format"]["json_schema"]["schema"]["required"]
    return required


NO_KEY = error(401, "Incorrect API key provided", code="invalid_api_key")
NO_CREDIT = error(429, "You exceeded your current quota", code="insufficient_quota")


@pytest.mark.parametrize(
    ("refusal", "answers", "advice"),
    [
        (NO_KEY, 0, "check the API key in the environment"),
        (NO_KEY, 20, "check the API key in the environment"),
        (NO_CREDIT, 20, "add credit to the account or use another model"),
    ],
)
def test_a_provider_that_refuses_every_call_stops_the_run_which_can_go_on(
    tmp_path: Path, serve: Serve, refusal: Response, answers: int, advice: str
) -> None:
    def script(request: dict[str, Any], hit: int) -> str | Response:
        return known(request, hit) if hit <= answers else refusal

    server = serve(script)
    at = desk(tmp_path, server)
    only = ("--only", "support", "--only", "score", "--concurrency", 4)
    words = ("assess", at.config(), *at.model, "--out", "run", *only)
    done = at.run(*words)
    assert done.code == 4
    assert done.out == ""
    assert done.told.startswith("rag-judge: openai/judge refuses every call: HTTP 4")
    assert advice in done.told
    assert "then run the same command again: what is judged is kept" in done.told
    assert "Traceback" not in done.err
    assert answers < server.hits <= answers + 4
    assert not (at.home / "run" / "scores.jsonl").exists()
    kept = labels(at.home / "run")
    assert answers - 4 <= len(kept) <= answers

    hits, server.script = server.hits, known
    again = at.run(*words, "--json")
    assert again.code == 0
    assert again.json["tasks"]["support"]["before"] == len(kept)
    assert server.hits - hits <= UNITS["support"] - len(kept)
    assert len(labels(at.home / "run")) == UNITS["support"]


def always(status: int) -> Callable[[dict[str, Any], int], Response]:
    return lambda request, hit: error(status, "down")


def test_a_provider_that_is_down_gives_no_table_after_the_attempts_configured(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve(always(500))
    at = desk(tmp_path, server)
    config = at.config("[judge]\nattempts = 2\nconcurrency = 40\n")
    words = ("assess", config, *at.model, "--only", "support", "--only", "score", "--out", "run")
    done = at.run(*words, "--limit", "15")
    assert done.code == 3
    assert set(server.hits_by_prompt.values()) == {2}
    assert server.hits == 2 * 15
    assert "15 of 15 support judgments failed" in done.told
    assert "15 transport" in done.err
    assert "mean over topics" not in done.out
    assert labels(at.home / "run") == {}


def test_a_dead_server_is_given_up_early_and_the_run_goes_on_later(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve(always(503))
    at = desk(tmp_path, server)
    config = at.config("[judge]\nattempts = 1\nconcurrency = 4\n")
    words = ("assess", config, *at.model, "--only", "support", "--out", "run")
    done = at.run(*words)
    assert done.code == 4
    assert 20 <= server.hits <= 23
    assert "answered none of the last 20 calls: HTTP 503: down" in done.told
    server.script = known
    assert at.run(*words).code == 0
    assert len(labels(at.home / "run")) == UNITS["support"]


def test_answers_now_and_then_keep_a_run_going(tmp_path: Path, serve: Serve) -> None:
    def script(request: dict[str, Any], hit: int) -> str | Response:
        return known(request, hit) if hit % 15 == 0 else error(500, "busy")

    at = desk(tmp_path, serve(script))
    config = at.config("[judge]\nattempts = 1\nconcurrency = 1\n")
    done = at.run("assess", config, *at.model, "--only", "support", "--out", "run")
    assert done.code == 3
    assert f"34 of {UNITS['support']} support judgments failed" in done.told


def test_one_blocked_document_fails_alone_and_is_paid_for_once(
    tmp_path: Path, serve: Serve
) -> None:
    blocked = error(400, "The response was filtered", code="content_filter")
    bad = passage("s1-d05")

    def script(request: dict[str, Any], hit: int) -> str | Response:
        return blocked if bad in prompt_of(request) else known(request, hit)

    server = serve(script)
    at = desk(tmp_path, server)
    words = [
        *("--topics", SAMPLE / "narratives.json", "--corpus", SAMPLE / "corpus.jsonl"),
        *("--pairs", SAMPLE / "qrels.reference.txt", "--out", "run"),
    ]
    done = at.run("relevance", *words, *at.model, "--json")
    assert done.code == 0
    assert done.json["tasks"]["relevance"]["failed"] == {"blocked": 1}
    assert server.hits == UNITS["relevance"]
    assert len(read_qrels(at.home / "run" / "qrels.txt")) == UNITS["relevance"] - 1
    strict = at.run("relevance", *words, *at.model, "--max-failed", "0.01")
    assert strict.code == 3
    assert server.hits == UNITS["relevance"] + 1
