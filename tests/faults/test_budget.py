"""A budget holds: before the call that would pass it, over sessions, and never by a guess."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import (
    Desk,
    Done,
    Serve,
    desk,
    ended,
    interrupt_twice,
    known,
    labels,
    until,
)
from tests.faults.server import HANG, Action, Response, chat, error

DOLLAR_A_REPLY = ("--price", "0,1000000")
"""A reply of one token costs a dollar, a prompt nothing."""


def priced(request: dict[str, Any], hit: int) -> dict[str, Any]:
    """What is known of the sample, in replies of two tokens."""
    return chat(known(request, hit), completion_tokens=2)


def support(at: Desk, dollars: float, *more: object, tokens: int = 4) -> Done:
    words = ("--max-cost", dollars, "--max-tokens", tokens, "--concurrency", 1, "--out", "run")
    return at.support(*words, *(DOLLAR_A_REPLY if "--price" not in more else ()), *more)


def spent(run: Path) -> float:
    lines = (run / "ledger.jsonl").read_text().splitlines()
    return float(sum(json.loads(line)["cost"] for line in lines))


def test_the_call_that_would_pass_the_budget_is_not_made(tmp_path: Path, serve: Serve) -> None:
    server = serve(priced)
    at = desk(tmp_path, server)
    done = support(at, 9.0)
    assert done.code == 5
    assert server.hits == 3  # of $2 each; with $6 spent, the fourth could cost $4
    assert "the budget is reached: $6.0000 of --max-cost $9 are spent" in done.told
    assert "the next call may cost $4.0000" in done.told
    assert len(labels(at.home / "run")) == 3


def test_it_holds_over_sessions(tmp_path: Path, serve: Serve) -> None:
    server = serve(priced)
    at = desk(tmp_path, server)
    for _ in range(3):
        assert support(at, 9.0).code == 5
        assert server.hits == 3
    assert support(at, 100.0).code == 0
    assert server.hits == 5
    assert spent(at.home / "run") == 10.0


def test_replies_from_the_store_cost_nothing(tmp_path: Path, serve: Serve) -> None:
    server = serve(priced)
    at = desk(tmp_path, server)
    assert support(at, 100.0).code == 0
    words = ("--max-cost", 0, *DOLLAR_A_REPLY, "--max-tokens", 4, "--out", "other")
    assert at.support(*words).code == 0
    assert server.hits == 5


def test_calls_in_flight_together_do_not_pass_it(tmp_path: Path, serve: Serve) -> None:
    server = serve(lambda request, hit: Response(priced(request, hit), delay=0.05))
    at = desk(tmp_path, server)
    config = at.config("[judge]\nconcurrency = 32\nmax_tokens = 4\n")
    words = ("assess", config, *at.model, "--only", "support", "--out", "run")
    done = at.run(*words, "--max-cost", 21, *DOLLAR_A_REPLY)
    assert done.code == 5
    assert spent(at.home / "run") == 2.0 * server.hits <= 21.0
    assert server.hits >= 9
    assert len(labels(at.home / "run")) == server.hits


def test_unusable_replies_are_paid_for_too(tmp_path: Path, serve: Serve) -> None:
    server = serve(lambda request, hit: chat("no idea", completion_tokens=2))
    at = desk(tmp_path, server)
    done = support(at, 9.0)
    assert done.code == 5
    assert server.hits == 3
    assert spent(at.home / "run") == 6.0
    assert labels(at.home / "run") == {}


def test_a_refused_call_costs_nothing(tmp_path: Path, serve: Serve) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any] | Response:
        return error(500, "busy") if hit == 1 else priced(request, hit)

    at = desk(tmp_path, serve(script))
    assert support(at, 12.0).code == 0
    assert spent(at.home / "run") == 10.0


def test_a_call_that_is_lost_counts_with_the_most_it_can_have_cost(
    tmp_path: Path, serve: Serve
) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any] | Action:
        return HANG if hit == 1 else priced(request, hit)

    server = serve(script)
    at = desk(tmp_path, server)
    done = support(at, 10.0, "--timeout", 1)
    assert done.code == 5
    assert server.hits == 3  # the lost one for $4, and two for $2
    first = json.loads((at.home / "run" / "ledger.jsonl").read_text().splitlines()[0])
    assert (first["cost"], first["at_most"]) == (None, 4.0)
    assert support(at, 10.0).code == 5
    assert server.hits == 3


def test_without_a_price_there_is_no_budget(tmp_path: Path, serve: Serve) -> None:
    server = serve(priced)
    at = desk(tmp_path, server)
    done = at.support("--max-cost", 5, "--out", "run")
    assert done.code == 2
    assert "--max-cost needs the price of openai/judge" in done.told
    assert "--price IN,OUT" in done.told
    assert server.hits == 0


def test_an_unknown_price_is_no_zero(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(priced))
    done = at.support("--out", "run", "--json")
    assert done.code == 0
    assert "the price of openai/judge is not known" in done.err
    assert done.json["tasks"]["support"]["cost"] is None
    lines = (at.home / "run" / "ledger.jsonl").read_text().splitlines()
    assert {json.loads(line)["cost"] for line in lines} == {None}


@pytest.mark.parametrize("price", ["1", "1;2", "-1,1", "x,y"])
def test_a_price_that_is_none_is_refused(tmp_path: Path, serve: Serve, price: str) -> None:
    server = serve(priced)
    at = desk(tmp_path, server)
    done = at.support("--price", price, "--out", "run")
    assert done.code == 2
    assert "two prices in US dollars" in done.told
    assert server.hits == 0


def test_a_price_gives_costs_at_the_end(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(priced))
    done = at.support("--out", "run", "--price", "10,100", "--json")
    each = 100 * 10e-6 + 2 * 100e-6
    assert done.json["tasks"]["support"]["cost"] == pytest.approx(5 * each)


def test_a_server_without_usage_does_not_get_round_it(tmp_path: Path, serve: Serve) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        return {name: value for name, value in priced(request, hit).items() if name != "usage"}

    server = serve(script)
    at = desk(tmp_path, server)
    for _ in range(3):
        assert support(at, 9.0).code == 5
    assert server.hits == 2  # each counts with the $4 it can have cost


def test_calls_cut_off_by_a_second_interrupt_are_in_the_ledger(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve(lambda request, hit: HANG)
    at = desk(tmp_path, server)
    words = ("support", *at.support_words(), *at.model, "--out", "run", "--concurrency", 5)
    process = at.start(*words, "--max-tokens", 4, "--max-cost", 100, *DOLLAR_A_REPLY)
    until(process, lambda: server.hits == 5)
    interrupt_twice(process)
    assert ended(process).code == 130
    lines = [json.loads(x) for x in (at.home / "run" / "ledger.jsonl").read_text().splitlines()]
    assert [(line["cost"], line["at_most"], line["failure"]) for line in lines] == [
        (None, 4.0, "stopped")
    ] * 5


@pytest.mark.parametrize("tokens", [-1000, True, 1e999])
def test_counts_that_are_none_give_no_cost(tmp_path: Path, serve: Serve, tokens: Any) -> None:
    server = serve(lambda request, hit: chat(known(request, hit), completion_tokens=tokens))
    at = desk(tmp_path, server)
    assert support(at, 9.0).code == 5
    assert server.hits == 2


@pytest.mark.parametrize("cost", [float("inf"), float("nan"), True, -1.0])
def test_a_cost_that_is_none_is_not_known(tmp_path: Path, serve: Serve, cost: Any) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        body = priced(request, hit)
        return {**body, "usage": {**body["usage"], "cost": cost}}

    at = desk(tmp_path, serve(script))
    done = at.support("--out", "run", "--json")
    assert done.code == 0
    assert done.json["tasks"]["support"]["cost"] is None
    assert "Infinity" not in (at.home / "run" / "ledger.jsonl").read_text()


def test_prompts_that_are_longer_than_estimated_are_learned_of(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve(lambda request, hit: chat(known(request, hit), prompt_tokens=5000))
    at = desk(tmp_path, server)
    done = support(at, 19.0, "--price", "1000,0")
    assert done.code == 5
    assert server.hits == 3  # $5 each: after the first, the next is known to cost as much
    assert spent(at.home / "run") == 15.0
