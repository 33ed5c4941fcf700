"""`doctor`: what a server supports, told from its answers alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import PLANTED_KEY, Desk, Done, Serve, desk
from tests.faults.server import Response, Script, chat, error


def able(request: dict[str, Any], hit: int) -> dict[str, Any]:
    """A server that can do everything."""
    del hit
    text = '{"label": "full"}' if "response_format" in request else "ready"
    body = chat(text, prompt_tokens=900, cached_tokens=800)
    if request.get("logprobs"):
        top = [{"token": word, "logprob": -float(n)} for n, word in enumerate("abcde", start=1)]
        item = {"token": "a", "logprob": -1.0, "bytes": None, "top_logprobs": top}
        body["choices"][0]["logprobs"] = {"content": [item]}
    return body


def unable(request: dict[str, Any], hit: int) -> dict[str, Any] | Response:
    """A server that can do nothing but answer."""
    del hit
    for name in ("temperature", "max_tokens", "response_format", "logprobs"):
        if name in request:
            return error(400, f"'{name}' is not supported", code="unsupported_parameter")
    body = chat("ready")
    del body["usage"]
    return body


def found(done: Done) -> dict[str, dict[str, Any]]:
    return {finding["what"]: finding for finding in done.json["findings"]}


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(able))


def examined(at: Desk, script: Script, *more: str) -> Done:
    at.server.script = script
    return at.run("doctor", *at.model, "--json", *more)


def test_a_server_that_can_do_everything(at: Desk) -> None:
    done = examined(at, able, "--price", "1,2")
    assert done.code == 0
    findings = found(done)
    assert all(finding["works"] for finding in findings.values())
    assert findings["JSON replies"]["found"] == "json_schema, obeyed"
    assert findings["logprobs"]["found"] == "5 alternatives a token"
    assert findings["prefix cache"]["found"] == "800 of 900 prompt tokens"
    assert findings["price"]["found"] == "$1 and $2 for a million tokens"
    assert done.json["calls"] == at.server.hits == 5
    assert done.json["cost"] == pytest.approx(5 * (900e-6 + 20e-6))


def test_a_server_that_can_do_nothing_but_answer(at: Desk) -> None:
    done = examined(at, unable)
    assert done.code == 0
    findings = found(done)
    works = {what: finding["works"] for what, finding in findings.items()}
    assert works == {
        "answers": True,
        "usage": False,
        "temperature": False,
        "max_tokens": False,
        "JSON replies": False,
        "logprobs": False,
        "prefix cache": None,
        "price": None,
    }
    assert findings["JSON replies"]["found"] == "text, but not obeyed"
    assert "max_completion_tokens" in findings["max_tokens"]["found"]
    assert done.json["calls"] == at.server.hits
    assert done.json["cost"] is None


def test_an_answer_that_went_into_the_reasoning_is_told(at: Desk) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        return chat("", reasoning_content="ready")

    answers = found(examined(at, script))["answers"]
    assert answers["works"] is False
    assert "reasoning parser" in answers["advice"]


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "auth"), (500, "transport"), (404, "parameter")]
)
def test_a_server_that_does_not_answer_is_told(at: Desk, status: int, kind: str) -> None:
    done = examined(at, lambda request, hit: error(status, f"no, {PLANTED_KEY}"))
    assert done.code == 4
    assert f"({kind})" in done.told
    assert PLANTED_KEY not in done.err
    assert done.out == ""


def test_the_table_is_for_people(at: Desk) -> None:
    done = at.run("doctor", *at.model)
    assert done.code == 0
    assert "prefix cache" in done.out
    assert "openai/judge at http://127.0.0.1" in done.out
    assert json.dumps("calls, cost")[1:-1] in done.out
