"""What servers do wrong, over real HTTP, through both clients: one behaviour for all providers."""

import asyncio
import importlib
from collections.abc import Callable
from typing import Any

import pytest

from judge.errors import ModelError
from judge.llm import identity_of, open_provider
from tests.faults.asking import MODELS, SECRET, MemoryStore, ask, call_for
from tests.faults.server import (
    DROP,
    HANG,
    Action,
    Response,
    Script,
    ScriptedServer,
    chat,
    error,
)

Serve = Callable[[Script], ScriptedServer]


@pytest.fixture(autouse=True)
def _planted_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HOSTED_VLLM_API_KEY"):
        monkeypatch.setenv(name, SECRET)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def always(said: Response | Action | dict[str, Any] | str) -> Script:
    return lambda request, hit: said


def in_turn(*said: Response | Action | dict[str, Any] | str) -> Script:
    return lambda request, hit: said[min(hit, len(said)) - 1]


def test_a_reply_comes_back_whole(serve: Serve, model: str) -> None:
    said = chat("grade 3", prompt_tokens=70, completion_tokens=4, cached_tokens=64)
    server = serve(always(said))
    reply = ask(server.url, model).reply
    assert [verdict.label for verdict in reply.verdicts.values()] == [3]
    assert (reply.text, reply.model) == ("grade 3", "judge-2025-01-01")
    usage = reply.attempts[0].usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (70, 4, 64)
    assert reply.attempts[0].cost is None
    assert not reply.attempts[0].cached


def test_exactly_what_is_keyed_is_sent(serve: Serve, model: str) -> None:
    server = serve(always("grade 3"))
    store = MemoryStore()
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    ask(server.url, model, call_for(schema=schema), store=store, temperature=0.5)
    sent = server.requests[0]
    (entry,) = store.entries()
    assert sent["messages"] == entry["request"]["messages"]
    assert {name: sent[name] for name in entry["request"]["params"]} == entry["request"]["params"]
    assert set(sent) == {"model", "messages", *entry["request"]["params"]}
    assert sent["response_format"]["json_schema"]["schema"] == schema
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("judge", 0.5, 50)
    assert server.headers["authorization"] == f"Bearer {SECRET}"


def test_an_unset_temperature_is_not_sent(serve: Serve, model: str) -> None:
    server = serve(always("grade 3"))
    ask(server.url, model, temperature=None)
    assert "temperature" not in server.requests[0]


# --- errors that pass ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        error(500),
        error(502),
        error(503),
        error(529, "overloaded"),
        error(408),
        error(409),
        error(429, "slow down", code="rate_limit_exceeded"),
        error(429, "insufficient quota"),
        Response(b"<html>bad gateway</html>", status=502),
        Response(b"<html>hello</html>"),
        {"error": {"message": "boom"}},
        {"error": {"message": "boom", "code": 429}},
        {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []},
        DROP,
    ],
    ids=str,
)
def test_a_fault_that_passes_is_tried_as_often_as_configured(
    serve: Serve, model: str, said: Any
) -> None:
    server = serve(always(said))
    store = MemoryStore()
    outcome = ask(server.url, model, attempts=3, store=store)
    assert outcome.failure.kind == "transport"
    assert server.hits == 3
    assert len(outcome.pauses) == 2
    assert [attempt.failure for attempt in outcome.attempts] == ["transport"] * 3
    assert not store.rows


def test_a_fault_that_passed_leaves_its_trace_and_a_reply(serve: Serve, model: str) -> None:
    server = serve(in_turn(error(500, "first"), DROP, "grade 2"))
    reply = ask(server.url, model).reply
    assert server.hits == 3
    assert [attempt.failure for attempt in reply.attempts] == ["transport", "transport", None]
    assert reply.attempts[0].message == "HTTP 500: first"
    assert reply.attempts[0].cost == 0.0
    assert reply.attempts[1].cost is None


def test_the_current_retry_after_is_waited(serve: Serve, model: str) -> None:
    server = serve(
        in_turn(
            error(429, headers={"Retry-After": "20"}),
            error(503, headers={"Retry-After": "37"}),
            error(429, headers={"Retry-After": "9999"}),
            "grade 1",
        )
    )
    outcome = ask(server.url, model)
    assert outcome.pauses == [20.0, 37.0, 60.0]
    assert outcome.reply.text == "grade 1"


@pytest.mark.parametrize("value", ["abc", "", "-5", "nan", "Mon, 99 Foo", "1 minute"])
def test_a_retry_after_that_makes_no_sense_is_ignored(serve: Serve, value: str) -> None:
    server = serve(in_turn(error(429, headers={"Retry-After": value}), "grade 1"))
    outcome = ask(server.url, MODELS[0])
    assert outcome.reply.text == "grade 1"
    assert 1.0 <= outcome.pauses[0] <= 2.0


def test_a_server_that_never_answers_times_out(serve: Serve, model: str) -> None:
    server = serve(lambda request, hit: "grade 1" if hit == 1 else HANG)
    ask(server.url, model)
    failure = ask(server.url, model, timeout=1.5, attempts=2).failure
    assert failure.kind == "transport"
    assert failure.message == "no answer within 1.5 s"
    assert server.hits == 3
    assert failure.attempts[0].cost is None


def test_a_server_that_is_not_there_is_said_to_be_so(model: str) -> None:
    with ScriptedServer(always("")) as gone:
        url = gone.url
    failure = ask(url, model, attempts=2).failure
    assert failure.kind == "transport"
    assert "onnect" in failure.message
    assert len(failure.attempts) == 2


# --- errors that stay ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "kind", "advice"),
    [
        (error(401, f"Incorrect API key: {SECRET}", code="invalid_api_key"), "auth", "API key"),
        (error(403, "not allowed"), "auth", "API key"),
        (error(429, "You exceeded it", code="insufficient_quota"), "quota", "credit"),
        (error(402, "Insufficient Balance"), "quota", "credit"),
        (error(404, "no such model", code="model_not_found"), "parameter", "--model"),
    ],
    ids=["401", "403", "quota", "402", "404"],
)
def test_a_refusal_of_every_call_stops_the_run(
    serve: Serve, model: str, said: Response, kind: str, advice: str
) -> None:
    server = serve(always(said))
    stopped = ask(server.url, model).stopped
    assert server.hits == 1
    assert stopped.exit_code == 4
    assert [attempt.failure for attempt in stopped.attempts] == [kind]
    assert advice in str(stopped)
    assert model in str(stopped)
    assert "\n" not in str(stopped)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (error(400, "The response was filtered", code="content_filter"), "blocked"),
        (error(400, "too long", code="context_length_exceeded"), "context"),
        (error(400, "This model's maximum context length is 8192 tokens"), "context"),
        (error(400, "seed is not supported", code="unsupported_value"), "parameter"),
        (error(422, "what is that"), "parameter"),
    ],
    ids=["filter", "context", "context without code", "parameter", "422"],
)
def test_a_refusal_of_one_call_is_its_failure(
    serve: Serve, model: str, said: Response, kind: str
) -> None:
    server = serve(always(said))
    outcome = ask(server.url, model)
    assert outcome.failure.kind == kind
    assert server.hits == 1
    assert outcome.attempts[0].cost == 0.0


def test_one_blocked_document_does_not_block_the_others(serve: Serve, model: str) -> None:
    blocked = error(400, "filtered", code="content_filter")
    server = serve(lambda request, hit: blocked if "bad" in str(request) else "grade 1")
    assert ask(server.url, model, call_for("a", text="a bad one")).failure.kind == "blocked"
    assert ask(server.url, model, call_for("b", text="a good one")).reply.text == "grade 1"


def test_a_quota_inside_an_answer_of_status_200_stops_too(serve: Serve) -> None:
    server = serve(always({"error": {"message": "no credit", "code": "insufficient_quota"}}))
    assert ask(server.url, MODELS[0]).stopped.attempts[0].failure == "quota"


# --- secrets ------------------------------------------------------------------------------------


def test_a_planted_key_appears_nowhere(serve: Serve, model: str) -> None:
    server = serve(
        in_turn(
            error(500, f"Bearer {SECRET} was used"),
            chat(f"I saw {SECRET}"),
            chat(f"grade {SECRET}"),
            error(401, f"{'x' * 280}{SECRET}"),
        )
    )
    store = MemoryStore()
    stopped = ask(server.url, model, store=store).stopped
    shown = f"{stopped.attempts}{stopped}"
    assert len(stopped.attempts) == 4
    assert "sk-planted" not in shown
    assert "sk-planted" not in str(store.rows)


def test_credentials_in_the_address_are_used_and_not_kept(serve: Serve) -> None:
    server = serve(in_turn("grade 1", error(500, "pass-word-9 is wrong")))
    url = server.url.replace("://", "://me:pass-word-9@")
    store = MemoryStore()
    reply = ask(url, MODELS[0], store=store).reply
    assert ask(server.url, MODELS[0], store=store).reply.key == reply.key
    assert server.hits == 1
    failed = ask(url, MODELS[0], fresh=True, attempts=1).failure
    shown = str(store.rows) + failed.message + str(failed.attempts)
    assert "pass-word-9" not in shown
    assert "[redacted] is wrong" in failed.message


# --- text that is no text -----------------------------------------------------------------------


def test_lone_surrogates_pass_neither_way(serve: Serve, model: str) -> None:
    server = serve(always(chat("grade 1", refusal=None, reasoning_content="so \ud83d")))
    store = MemoryStore()
    reply = ask(server.url, model, call_for(text="a \udc00 b \ud83d\ude00"), store=store).reply
    assert server.requests[0]["messages"][1]["content"] == "a \ufffd b \N{GRINNING FACE}"
    assert reply.text == "grade 1"
    assert store.entries()[0]["reply"]["reasoning"] == "so \ufffd"


# --- cost ---------------------------------------------------------------------------------------


# litellm's own code for this provider warns when it is first imported
@pytest.mark.filterwarnings("ignore:.*ReadOnly.*:UserWarning")
def test_a_price_that_is_known_is_reckoned_and_one_that_is_not_is_none(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", SECRET)
    name = "mistral-small-latest"
    answer = chat("grade 1", prompt_tokens=1000, completion_tokens=10, model=name)
    server = serve(always(answer))
    cost = ask(server.url, f"mistral/{name}").reply.attempts[0].cost
    price = importlib.import_module("litellm").model_cost[f"mistral/{name}"]
    expected = 1000 * price["input_cost_per_token"] + 10 * price["output_cost_per_token"]
    assert expected > 0
    assert cost == pytest.approx(expected)
    answer["model"] = "unheard-of"
    assert ask(server.url, "hosted_vllm/unheard-of").attempts[0].cost is None


def test_a_price_that_the_server_sends_is_taken(serve: Serve) -> None:
    answer = chat("grade 1")
    answer["usage"]["cost"] = 0.125
    assert ask(serve(always(answer)).url, MODELS[0]).attempts[0].cost == 0.125


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("claude-sonnet-4", "anthropic/claude-sonnet-4"),
        ("opena/gpt-4o", "openai/gpt-4o"),
        ("antropic/claude-sonnet-4", "anthropic/claude-sonnet-4"),
        ("nobody-knows/this", "openai/<name>"),
        ("openai/", "openai/<name>"),
        ("/x", "openai/<name>"),
        ("", "openai/<name>"),
    ],
)
def test_an_unknown_name_says_what_is_accepted(name: str, hint: str) -> None:
    with pytest.raises(ModelError) as caught:
        open_provider(name)
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_openai_without_a_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        open_provider("openai/judge")
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        open_provider("openai/judge", "https://eu.api.openai.com/v1")
    assert identity_of("openai/judge").base_url == "https://api.openai.com/v1"


def test_a_server_of_ones_own_needs_no_key(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server = serve(always("grade 1"))
    assert ask(server.url, "openai/judge").reply.text == "grade 1"
    assert server.headers["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "me:secret-1@host/v1", "ftp://host", "http://"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ModelError, match="http://") as caught:
        identity_of("openai/judge", url)
    assert "secret-1" not in str(caught.value)


def test_the_address_can_come_from_the_environment(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(always("grade 1"))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert identity_of("openai/judge").base_url == server.url
    provider = open_provider("openai/judge")
    assert provider.identity == identity_of("openai/judge")
    asyncio.run(provider.aclose())


def test_an_embedded_model_that_is_not_known_is_refused() -> None:
    with pytest.raises(ModelError, match="no-such-model"):
        identity_of("local/no-such-model")


def test_an_error_from_within_a_client_is_not_called_an_answer(
    monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    monkeypatch.delenv("HOSTED_VLLM_API_KEY")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    server = serve(always("grade 1"))
    stopped = ask(server.url, "anthropic/judge").stopped
    assert server.hits == 0
    assert stopped.attempts[0].failure == "auth"
    assert "HTTP" not in str(stopped.attempts[0].message)
