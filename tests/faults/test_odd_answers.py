"""Answers that no server should give, and some do: each is a fault or is read without them."""

from typing import Any

import pytest

from judge.types import Verdict
from tests.faults.asking import MODELS, MemoryStore, ask
from tests.faults.commands import Serve
from tests.faults.server import Action, Response, Script, chat


def always(said: Response | Action | dict[str, Any] | str) -> Script:
    return lambda request, hit: said


@pytest.mark.parametrize("model", MODELS)
def test_a_body_nested_too_deep_is_a_fault_of_the_server(serve: Serve, model: str) -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    server = serve(always(Response(deep)))
    assert ask(server.url, model, attempts=2).failure.kind == "transport"


def test_a_reply_that_the_server_broke_off_is_no_label(serve: Serve) -> None:
    """Through openai; litellm turns the finish reason into "stop"."""
    server = serve(always(Response(chat("grade 3", finish_reason="error"))))
    store = MemoryStore()
    assert ask(server.url, MODELS[0], store=store).failure.kind == "transport"
    assert not any("reply" in entry for entry in store.entries())


@pytest.mark.parametrize(
    "body",
    [
        {"error": "the model is still loading"},
        {"detail": "the model is still loading"},
        {"detail": [{"loc": ["body"], "msg": "the model is still loading"}]},
        {"message": "the model is still loading"},
    ],
)
def test_what_a_server_says_is_passed_on_in_every_shape(serve: Serve, body: dict[str, Any]) -> None:
    server = serve(always(Response(body, status=400)))
    failure = ask(server.url, MODELS[0]).failure
    assert failure.message == "HTTP 400: the model is still loading"


def test_log_probabilities_that_are_none_are_not_sent(serve: Serve) -> None:
    top = [{"token": "grade", "logprob": -0.1}, {"token": "x", "logprob": float("-inf")}]
    body = chat("grade 2")
    body["choices"][0]["logprobs"] = {
        "content": [{"token": "grade 2", "logprob": -0.1, "top_logprobs": top}]
    }
    server = serve(always(Response(body)))
    store = MemoryStore()
    assert ask(server.url, MODELS[0], store=store).reply
    (entry,) = store.entries()
    assert entry["reply"]["tokens"][0]["top"] == {"grade": -0.1}


@pytest.mark.parametrize("key", ["x", "EMPTY", "none"])
def test_a_placeholder_for_a_key_leaves_replies_as_they_are(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    text = f"grade 2\nwaxy, EMPTY, none, {key}"
    server = serve(always(text))
    reply = ask(server.url, MODELS[0], read=lambda said: {"u": Verdict(label=said)}).reply
    assert reply.text == text
    assert reply.verdicts["u"].label == text
