"""The key of a request: all that can change the answer, nothing else, and no secret."""

import hashlib
import json
from typing import Any

import pytest

from judge.errors import ModelError
from judge.llm import Identity, JudgeSettings, Request, identity_of, key, key_of, request_payload
from judge.llm.turns import first_request
from judge.types import Call, Message, Prompt, Unit

IDENTITY = Identity(kind="openai", base_url="http://host:1/v1", model="judge")


def call_with(text: str = "Is it good?", schema: dict[str, Any] | None = None) -> Call:
    prompt = Prompt(template="t", sha256="0", messages=(Message(role="user", content=text),))
    unit = Unit(task="relevance", topic_id="1", docid="d")
    return Call(units=(unit,), prompt=prompt, max_tokens=50, reply_schema=schema)


def key_with(
    identity: Identity = IDENTITY,
    text: str = "Is it good?",
    schema: dict[str, Any] | None = None,
    **settings: Any,
) -> str:
    return key(first_request(call_with(text, schema), identity, JudgeSettings(**settings)))


@pytest.mark.parametrize(
    "changed",
    [
        {"identity": Identity(kind="openai", base_url="http://host:1/v1", model="judge2")},
        {"identity": Identity(kind="openai", base_url="http://host:2/v1", model="judge")},
        {"identity": Identity(kind="litellm", base_url="http://host:1/v1", model="judge")},
        {"identity": Identity(kind="openai", base_url=None, model="judge")},
        {"temperature": 1},
        {"temperature": None},
        {"max_tokens": 51},
        {"sample": 1},
        {"text": "Is it bad?"},
        {"text": "Is it good? "},
        {"schema": {"type": "object"}},
    ],
    ids=str,
)
def test_what_can_change_the_answer_changes_the_key(changed: dict[str, Any]) -> None:
    assert key_with(**changed) != key_with()


@pytest.mark.parametrize(
    "same",
    [
        {"timeout": 1},
        {"attempts": 9},
        {"fresh": True},
        {"offline": True},
        {"temperature": 0},
        {"temperature": 0.0},
        {"identity": Identity(kind="openai", base_url="http://host:1/v1/", model="judge")},
        {"identity": Identity(kind="openai", base_url="http://me:pw@host:1/v1", model="judge")},
    ],
    ids=str,
)
def test_what_cannot_change_the_answer_does_not_change_the_key(same: dict[str, Any]) -> None:
    assert key_with(**same) == key_with()


def test_the_key_is_the_sha256_of_the_canonical_payload() -> None:
    request = Request(
        identity=IDENTITY,
        messages=(Message(role="user", content="naïve"),),
        params={"temperature": 0.0, "max_tokens": 5},
    )
    canonical = (
        '{"base_url":"http://host:1/v1","key_version":1,'
        '"messages":[{"content":"naïve","role":"user"}],"model":"judge",'
        '"params":{"max_tokens":5,"temperature":0.0},"provider":"openai","sample":0}'
    )
    assert key(request) == hashlib.sha256(canonical.encode()).hexdigest()


def test_a_payload_that_went_through_json_has_the_same_key() -> None:
    schema = {"type": "object", "properties": {"a\ud83d": {"type": "string"}}, "required": []}
    request = first_request(call_with("x\udc00 \U0001f600", schema), IDENTITY, JudgeSettings())
    payload = json.loads(json.dumps(request_payload(request)))
    assert key_of(payload) == key(request)
    json.dumps(payload, ensure_ascii=False).encode()


def test_a_payload_from_elsewhere_with_a_lone_surrogate_has_a_key() -> None:
    assert len(key_of({"messages": ["\ud83d"]})) == 64


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        key_of({"temperature": float("nan")})


def test_no_credential_is_in_a_payload() -> None:
    identity = identity_of("openai/judge", "https://me:pass-word@host/v1?api_key=abc#x")
    assert identity.base_url == "https://host/v1"


def test_the_names_of_models() -> None:
    assert identity_of("openai/a/b", "http://h/v1").name == "openai/a/b"
    local = identity_of("local/qwen2.5-coder-0.5b")
    assert (local.kind, local.base_url) == ("local", None)
    assert local.name.startswith("local/qwen2.5-coder-0.5b")
    assert identity_of("ollama/qwen3:8b").name == "ollama/qwen3:8b"


def test_room_is_given_under_the_name_that_is_sent() -> None:
    request = Request(identity=IDENTITY, messages=(), params={"max_completion_tokens": 5})
    assert request.with_max_tokens(10).params == {"max_completion_tokens": 10}
    assert request.max_tokens == 5
    bare = Request(identity=IDENTITY, messages=(), params={})
    assert bare.max_tokens is None
    assert bare.with_max_tokens(10).params == {"max_tokens": 10}


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://127.0.0.1:99999/v1", "no address"),
        ("http://127.0.0.1:x/v1", "no address"),
        ("http://localhost:8000/v1/chat/completions", "ends before /chat/completions"),
        ("localhost:8000/v1", "must start with http"),
    ],
)
def test_an_address_that_cannot_be_right_is_refused(address: str, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        identity_of("openai/judge", address)
