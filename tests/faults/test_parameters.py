"""Models that refuse a parameter: asked without it, remembered, in manifest and key."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faults.asking import MODELS, MemoryStore, ask, call_for
from tests.faults.commands import Serve, desk, key_of_body, known, labels
from tests.faults.server import Response, error

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def refusal(parameter: str, message: str) -> Response:
    answer = error(400, message, code="unsupported_parameter")
    body = json.loads(json.dumps(answer.body))
    body["error"]["param"] = parameter
    return Response(body, status=400)


class Picky:
    """A model that refuses some parameters, one at a time, and answers what is left."""

    def __init__(self, *refused: str, said: str | None = None) -> None:
        self.refused, self.said = refused, said

    def __call__(self, request: dict[str, Any], hit: int) -> str | Response:
        for name in self.refused:
            if name in request or request.get("response_format", {}).get("type") == name:
                sent = "response_format" if name.startswith("json") else name
                return refusal(sent, f"'{name}' is not supported with this model")
        return self.said or known(request, hit)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        (("temperature",), {"max_tokens": 50}),
        (("max_tokens",), {"temperature": 0.0, "max_completion_tokens": 50}),
        (("temperature", "max_tokens"), {"max_completion_tokens": 50}),
        (("max_tokens", "max_completion_tokens"), {"temperature": 0.0}),
        (("temperature", "max_tokens", "max_completion_tokens"), {}),
    ],
)
def test_what_is_refused_is_left_out(
    serve: Serve, model: str, refused: tuple[str, ...], sent: dict[str, Any]
) -> None:
    server = serve(Picky(*refused, said="grade 2"))
    store = MemoryStore()
    outcome = ask(server.url, model, store=store)
    assert next(iter(outcome.reply.verdicts.values())).label == 2
    assert server.hits == len(refused) + 1
    params = {k: v for k, v in server.requests[-1].items() if k not in ("model", "messages")}
    assert params == sent
    assert outcome.pauses == []
    assert [attempt.cost for attempt in outcome.attempts][:-1] == [0.0] * len(refused)


@pytest.mark.parametrize("model", MODELS)
def test_json_is_asked_for_more_loosely(serve: Serve, model: str) -> None:
    server = serve(Picky("json_schema", "json_object", said="grade 1"))
    ask(server.url, model, call_for(schema=SCHEMA))
    asked = [request.get("response_format", {}).get("type") for request in server.requests]
    assert asked == ["json_schema", "json_object", None]


@pytest.mark.parametrize("model", MODELS)
def test_it_is_remembered_for_the_model(serve: Serve, model: str) -> None:
    server = serve(Picky("temperature", "max_tokens", said="grade 2"))
    store = MemoryStore()
    ask(server.url, model, call_for("a", text="one"), store=store)
    before = server.hits
    ask(server.url, model, call_for("b", text="two"), store=store)
    assert server.hits == before + 1
    ask(server.url, model, call_for("a", text="one"), store=store, offline=True)
    assert ask(server.url, model, call_for("c", text="three"), store=store, fresh=True).reply
    assert server.hits == before + 4


def test_a_reply_stored_before_the_model_grew_picky_still_counts(serve: Serve) -> None:
    server = serve(Picky(said="grade 2"))
    store = MemoryStore()
    ask(server.url, MODELS[0], call_for("a", text="one"), store=store)
    server.script = Picky("temperature", said="grade 1")
    ask(server.url, MODELS[0], call_for("b", text="two"), store=store)
    hits = server.hits
    assert ask(server.url, MODELS[0], call_for("a", text="one"), store=store).attempts[0].cached
    assert server.hits == hits


def test_other_models_are_asked_in_full(serve: Serve) -> None:
    server = serve(Picky("temperature", said="grade 2"))
    store = MemoryStore()
    ask(server.url, "openai/picky", store=store)
    server.script = Picky(said="grade 2")
    ask(server.url, "openai/other", store=store)
    assert "temperature" in server.requests[-1]


def test_what_does_not_help_is_not_remembered(serve: Serve) -> None:
    always = refusal("max_tokens", "max_tokens is too large: 50")
    server = serve(lambda request, hit: always)
    store = MemoryStore()
    assert ask(server.url, MODELS[0], store=store).failure.kind == "parameter"
    assert server.hits == 2
    assert store.rows == {}


def test_an_unusable_answer_teaches_it_as_well(serve: Serve) -> None:
    """The refusal is not a turn: three paid asks are left."""
    server = serve(Picky("temperature", said="nonsense"))
    failure = ask(server.url, MODELS[0]).failure
    assert failure.kind == "parse"
    assert server.hits == 1 + 3
    assert ["temperature" in request for request in server.requests] == [True, False, False, False]


def test_a_run_on_a_picky_model(tmp_path: Path, serve: Serve) -> None:
    server = serve(Picky("temperature", "max_tokens"))
    at = desk(tmp_path, server)
    done = at.support("--out", "run", "--concurrency", 1)
    assert done.code == 0
    assert server.hits == 5 + 2
    assert "asked without a temperature, with max_completion_tokens" in done.err
    manifest = json.loads((at.home / "run" / "manifest.json").read_text())
    assert manifest["adapted"] == {"temperature": False, "cap": "max_completion_tokens"}
    lines = (at.home / "run" / "judgments.jsonl").read_text().splitlines()
    keys = {json.loads(line)["key"] for line in lines}
    assert keys == {key_of_body(server, request) for request in server.requests[2:]}
    again = at.support("--out", "again", "--offline")
    assert again.code == 0
    assert labels(at.home / "again") == labels(at.home / "run")
    assert at.support("--out", "run").code == 0
    assert server.hits == 5 + 2


def test_many_calls_at_once_learn_it_together(tmp_path: Path, serve: Serve) -> None:
    server = serve(Picky("temperature"))
    at = desk(tmp_path, server)
    config = at.config("[judge]\nconcurrency = 32\n")
    assert at.run("assess", config, *at.model, "--only", "support", "--out", "run").code == 0
    assert server.hits <= 36 + 32
    assert len(labels(at.home / "run")) == 36
