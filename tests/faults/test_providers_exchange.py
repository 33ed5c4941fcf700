"""One call from the first ask to its reply or failure: what is asked, paid, kept, found again."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from judge.errors import ReadError, UsageError
from judge.llm import (
    Completion,
    Concurrency,
    JudgeClient,
    JudgeSettings,
    Request,
    identity_of,
    key_of,
    open_provider,
)
from judge.llm.claims import Claim
from judge.llm.turns import first_request
from judge.parsing import json_object
from judge.types import Failure, Reply, Verdict
from tests.faults.asking import MODELS, MemoryStore, ask, call_for, reader
from tests.faults.server import HANG, Script, ScriptedServer, chat, error, prompt_of

Serve = Callable[[Script], ScriptedServer]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


OPENAI = MODELS[0]


def in_turn(*said: Any) -> Script:
    return lambda request, hit: said[min(hit, len(said)) - 1]


# --- what counts as a reply ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "kind", "words", "paid"),
    [
        (chat("I cannot help with that."), "refused", "the word grade", 3),
        (chat("Error: HTTP 500"), "parse", "the word grade", 3),
        (chat(""), "empty", "empty content", 1),
        (chat(None), "empty", "empty content", 1),
        (chat("  \n"), "empty", "empty content", 1),
        (chat(None, refusal="I will not"), "refused", "I will not", 1),
        (chat("grade 2", refusal="I will not"), "refused", "I will not", 1),
        (chat("", reasoning_content="grade 2"), "empty", "reasoning parser", 1),
        (chat("grade 2", finish_reason="content_filter"), "blocked", "content filter", 1),
        (chat("grade 2", finish_reason="length"), "truncated", "max_tokens = 100", 2),
        (chat("", finish_reason="length"), "truncated", "max_tokens = 100", 2),
        (chat("<think>grade 2"), "truncated", "max_tokens = 100", 2),
    ],
)
def test_what_is_no_reply_fails_and_is_not_kept(
    serve: Serve, model: str, said: dict[str, Any], kind: str, words: str, paid: int
) -> None:
    server = serve(in_turn(said))
    store = MemoryStore()
    failure = ask(server.url, model, store=store).failure
    assert failure.kind == kind
    assert words in failure.message
    assert server.hits == paid
    assert [attempt.failure for attempt in failure.attempts] == [kind] * paid
    assert not store.rows


def test_reasoning_beside_the_content_is_not_read(serve: Serve, model: str) -> None:
    server = serve(in_turn(chat("grade 3", reasoning_content="grade 2")))
    assert next(iter(ask(server.url, model).reply.verdicts.values())).label == 3


@pytest.mark.parametrize(
    "text",
    [
        "<think>grade 1</think>grade 3",
        "maybe grade 1</think>\n\ngrade 3",
        "<think>a</think>grade 1<think>b</think> grade 3",
        "<THINKING>a</THINKING>grade 3",
    ],
)
def test_what_stands_after_the_last_thinking_block_is_read(
    serve: Serve, model: str, text: str
) -> None:
    server = serve(in_turn(chat(text)))
    assert next(iter(ask(server.url, model).reply.verdicts.values())).label == 3


def test_a_failed_reply_keeps_its_raw_text(serve: Serve) -> None:
    server = serve(in_turn("nonsense", chat("", reasoning_content="thought")))
    attempts = ask(server.url, OPENAI).attempts
    assert [attempt.raw for attempt in attempts] == ["nonsense", "thought"]


# --- asking again -------------------------------------------------------------------------------


def test_a_repair_turn_shows_the_error_and_not_the_reply(serve: Serve, model: str) -> None:
    server = serve(in_turn("nonsense 1", "nonsense 2", "grade 2"))
    reply = ask(server.url, model).reply
    first, second, third = (prompt_of(request) for request in server.requests)
    assert second.startswith(first)
    assert third.startswith(first)
    assert "the reply must be the word grade" in second
    assert "nonsense" not in second + third
    assert second != third
    assert [m["role"] for m in server.requests[2]["messages"]] == ["system", "user"]
    assert len({attempt.key for attempt in reply.attempts}) == 3
    assert reply.key == reply.attempts[2].key


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_call_is_asked_as_often_as_its_caller_allows(
    serve: Serve, model: str, turns: int
) -> None:
    server = serve(in_turn("nonsense"))
    assert ask(server.url, model, call_for("a", "b"), turns=turns).failure.kind == "parse"
    assert server.hits == turns


def test_a_truncated_reply_gets_twice_the_room_once(serve: Serve, model: str) -> None:
    server = serve(in_turn(chat("gra", finish_reason="length"), "nonsense", "grade 4"))
    reply = ask(server.url, model).reply
    assert [request["max_tokens"] for request in server.requests] == [50, 100, 100]
    assert server.requests[0]["messages"] == server.requests[1]["messages"]
    assert [attempt.failure for attempt in reply.attempts] == ["truncated", "parse", None]


def test_an_object_without_its_last_brace_gets_more_room_and_then_the_error(serve: Serve) -> None:
    server = serve(in_turn('{"grade": 3', '{"grade": 3', '{"grade": 3}'))
    call = call_for()

    def read(text: str) -> dict[str, Verdict]:
        return {call.units[0].unit_id: Verdict(label=json_object(text)["grade"])}

    reply = ask(server.url, OPENAI, call, read=read).reply
    assert [attempt.failure for attempt in reply.attempts] == ["truncated", "truncated", None]
    assert [request["max_tokens"] for request in server.requests] == [50, 100, 100]
    assert "last brace" in prompt_of(server.requests[2])


def test_the_cap_of_the_settings_stands_before_that_of_the_call(serve: Serve) -> None:
    server = serve(in_turn("grade 1"))
    ask(server.url, OPENAI, max_tokens=7)
    assert server.requests[0]["max_tokens"] == 7


def test_a_stop_keeps_the_attempts_that_were_paid_before(serve: Serve) -> None:
    server = serve(in_turn("nonsense", error(401)))
    stopped = ask(server.url, OPENAI).stopped
    assert [attempt.failure for attempt in stopped.attempts] == ["parse", "auth"]


# --- the store ----------------------------------------------------------------------------------


def test_a_reply_is_paid_for_once(serve: Serve, model: str) -> None:
    server = serve(in_turn("grade 1"))
    store = MemoryStore()
    paid = ask(server.url, model, store=store).reply
    again = ask(server.url, model, store=store).reply
    assert server.hits == 1
    assert (again.key, again.text, again.model) == (paid.key, paid.text, paid.model)
    assert again.verdicts == paid.verdicts
    (attempt,) = again.attempts
    assert (attempt.cached, attempt.cost) == (True, 0.0)
    assert attempt.usage == paid.attempts[0].usage


@pytest.mark.parametrize(
    "before",
    [
        ["nonsense"],
        ["nonsense", "nonsense"],
        [chat("gra", finish_reason="length")],
        [chat("gra", finish_reason="length"), "nonsense"],
    ],
    ids=["repaired", "repaired twice", "enlarged", "enlarged and repaired"],
)
def test_a_reply_that_took_more_asks_is_not_paid_for_twice(
    serve: Serve, model: str, before: list[Any]
) -> None:
    server = serve(in_turn(*before, "grade 2"))
    store = MemoryStore()
    paid = ask(server.url, model, store=store).reply
    for offline in (False, True):
        again = ask(server.url, model, store=store, offline=offline).reply
        assert (again.key, again.verdicts) == (paid.key, paid.verdicts)
        assert [attempt.cached for attempt in again.attempts] == [True]
    assert server.hits == len(before) + 1
    assert all(key_of(entry["request"]) == key for key, entry in _rows(store))
    assert sum("reply" in entry for entry in store.entries()) == 1
    assert "nonsense" not in str(store.rows)


def test_entries_say_what_they_are(serve: Serve) -> None:
    server = serve(in_turn("grade 1"))
    store = MemoryStore()
    ask(server.url, OPENAI, store=store)
    (entry,) = store.entries()
    assert set(entry["reply"]) == {"text", "finish_reason", "model", "usage", "created"}
    assert entry["reply"]["created"].endswith("+00:00")
    assert store.tags == {"openai judge relevance/test"}


def test_fresh_asks_and_replaces(serve: Serve) -> None:
    server = serve(in_turn("nonsense", "grade 1", "grade 2"))
    store = MemoryStore()
    ask(server.url, OPENAI, store=store)
    fresh = ask(server.url, OPENAI, store=store, fresh=True).reply
    assert (server.hits, fresh.text) == (3, "grade 2")
    assert ask(server.url, OPENAI, store=store, offline=True).reply.text == "grade 2"


def test_offline_needs_no_provider_and_a_miss_is_a_failure() -> None:
    failure = ask("http://127.0.0.1:9/v1", OPENAI, store=MemoryStore(), offline=True).failure
    assert failure.kind == "offline"
    assert failure.attempts == ()


def test_a_stored_reply_that_no_longer_reads_is_a_miss_but_offline_a_failure(serve: Serve) -> None:
    server = serve(in_turn("grade 1", "score 1"))
    store = MemoryStore()
    call = call_for()
    ask(server.url, OPENAI, call, store=store)

    def stricter(text: str) -> dict[str, Verdict]:
        if not text.startswith("score"):
            raise ReadError("say score")
        return {call.units[0].unit_id: Verdict(label=1)}

    failure = ask(server.url, OPENAI, call, read=stricter, store=store, offline=True).failure
    assert (failure.kind, failure.message) == ("parse", "say score")
    assert [attempt.raw for attempt in failure.attempts] == ["grade 1"]
    reply = ask(server.url, OPENAI, call, read=stricter, store=store).reply
    assert [attempt.cached for attempt in reply.attempts] == [True, False]
    assert server.hits == 2


@pytest.mark.parametrize(
    "damaged", [{}, {"reply": "x"}, {"reply": {"text": 1}}, {"answered_by": "gone"}], ids=str
)
def test_a_damaged_entry_is_a_miss(serve: Serve, damaged: dict[str, Any]) -> None:
    server = serve(in_turn("grade 1"))
    store = MemoryStore()
    key = ask(server.url, OPENAI, store=store).reply.key
    entry = {"request": store.entries()[0]["request"], **damaged}
    store.put(key, entry, tag="x")
    assert ask(server.url, OPENAI, store=store).reply.text == "grade 1"
    assert server.hits == 2


def test_each_sample_is_asked_for(serve: Serve) -> None:
    server = serve(in_turn("grade 1", "grade 2"))
    store = MemoryStore()
    texts = [ask(server.url, OPENAI, store=store, sample=n).reply.text for n in (0, 1, 0, 1)]
    assert texts == ["grade 1", "grade 2", "grade 1", "grade 2"]
    assert server.hits == 2


# --- the event loop -----------------------------------------------------------------------------


def test_many_calls_share_a_client_within_the_limit(serve: Serve, model: str) -> None:
    server = serve(lambda request, hit: "grade 1")

    async def run() -> list[Reply | Failure]:
        provider = open_provider(model, server.url)
        limits = (Concurrency(3),)
        async with JudgeClient(provider, provider.identity, limits=limits) as client:
            calls = [call_for(str(n), text=f"number {n}") for n in range(20)]
            return await asyncio.gather(*(client.ask(call, reader(call)) for call in calls))

    assert all(isinstance(result, Reply) for result in asyncio.run(run()))
    assert server.hits == 20
    assert max(server.hits_by_prompt.values()) == 1
    assert server.busiest <= 3


def test_a_second_client_works_in_the_loop_of_a_closed_one(serve: Serve, model: str) -> None:
    server = serve(in_turn("grade 1"))

    async def run() -> None:
        for _ in range(2):
            provider = open_provider(model, server.url)
            async with JudgeClient(provider, provider.identity) as client:
                call = call_for()
                assert isinstance(await client.ask(call, reader(call)), Reply)

    asyncio.run(run())
    assert server.hits == 2


def test_cancelling_goes_through_untouched(serve: Serve, model: str) -> None:
    server = serve(lambda request, hit: "grade 1" if hit == 1 else HANG)

    async def run() -> None:
        provider = open_provider(model, server.url)
        limit = Concurrency(1)
        async with JudgeClient(provider, provider.identity, limits=(limit,)) as client:
            call = call_for()
            await client.ask(call, reader(call))
            task = asyncio.create_task(client.ask(call, reader(call)))
            await asyncio.to_thread(server.wait_for_hits, 2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            request = first_request(call, provider.identity, JudgeSettings())
            await limit.enter(Claim(request, None))  # the slot was given back

    asyncio.run(run())
    assert server.hits == 2


def test_a_provider_that_heeds_no_timeout_is_held_to_it() -> None:
    class Endless:
        identity = identity_of("openai/judge")

        async def ready(self) -> None:
            await asyncio.sleep(0.2)

        async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
            await asyncio.Event().wait()
            raise AssertionError("waited for nothing and got it")

        async def aclose(self) -> None:
            """Nothing was opened."""

    async def run() -> Reply | Failure:
        settings = JudgeSettings(timeout=0.05, attempts=1)
        client = JudgeClient(Endless(), Endless.identity, settings=settings)
        return await client.ask(call_for(), reader(call_for()))

    result = asyncio.run(run())
    assert isinstance(result, Failure)
    assert result.message == "no answer within 0.05 s"


def test_a_client_that_cannot_answer_is_refused() -> None:
    identity = identity_of("openai/judge")
    with pytest.raises(UsageError, match="provider"):
        JudgeClient(None, identity)
    with pytest.raises(UsageError, match="fresh"):
        JudgeClient(None, identity, settings=JudgeSettings(offline=True, fresh=True))


def test_more_calls_are_in_flight_to_a_hosted_model_than_to_a_local_one() -> None:
    offline = JudgeSettings(offline=True)
    hosted = JudgeClient(None, identity_of("openai/judge"), settings=offline)
    local = JudgeClient(None, identity_of("local/qwen2.5-coder-0.5b"), settings=offline)
    assert (hosted.concurrency, local.concurrency) == (16, 1)


def _rows(store: MemoryStore) -> list[tuple[str, dict[str, Any]]]:
    return list(zip(store.rows, store.entries(), strict=True))
