"""What makes an entry verify, and each way it does not."""

from pathlib import Path
from typing import Any

import pytest

from judge.llm import Completion, Identity, Request, key_of, request_payload
from judge.llm.dialect import Dialect
from judge.llm.replies import Replies, tag_of
from judge.types import Message
from judge.verification import fault_of, faults
from judge_cache import Line, open_store

IDENTITY = Identity(kind="openai", base_url="http://localhost/v1", model="m x")
TAG = tag_of(IDENTITY, "relevance/trec2025")


def request(text: str) -> Request:
    messages = (Message(role="user", content=text),)
    return Request(identity=IDENTITY, messages=messages, params={"max_tokens": 9})


PAYLOAD = request_payload(request("q"))
REPLY = {"text": "##final score: 2", "model": "m", "finish_reason": "stop"}


def line(payload: dict[str, Any] = PAYLOAD, tag: str = TAG, **kept: Any) -> Line:
    return Line(key_of(payload), tag, 0.0, {"request": payload, **kept})


def test_all_that_judging_keeps_verifies(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        replies = Replies(store)
        reply = Completion.model_validate(REPLY)
        replies.keep(request("c"), reply, before=[request("a"), request("b")], tag=TAG)
        replies.keep_halved(request("d"), tag=TAG)
        replies.keep_dialect(IDENTITY, Dialect(temperature=False))
        assert list(faults(store)) == []
        assert len(store) == 5
        store.remove([key_of(request_payload(request("c")))])
        orphans = list(faults(store))
        assert {fault.key for fault in orphans} == {
            key_of(request_payload(request(text))) for text in "ab"
        }
        assert all(fault.orphan for fault in orphans)
        assert list(faults(store, ["other"])) == []


def test_a_pointer_to_a_pointer_is_an_orphan(tmp_path: Path) -> None:
    with open_store(tmp_path, on_notice=pytest.fail) as store:
        for text, target in (("a", "b"), ("b", "a")):
            payload = request_payload(request(text))
            leads = {"request": payload, "answered_by": key_of(request_payload(request(target)))}
            store.put(key_of(payload), leads, tag=TAG)
        assert [fault.orphan for fault in faults(store)] == [True, True]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (line(reply=REPLY)._replace(key="0" * 64), "its key is not the one of its request"),
        (line(reply=REPLY, tag="openai other relevance/trec2025"), "not the one of openai/m x"),
        (line(reply=REPLY, tag="relevance/trec2025"), "not the one of openai/m x"),
        (line({"model": "m"}, reply=REPLY), "its request is not one of this tool (KeyError"),
        (line({**PAYLOAD, "model": 7}, reply=REPLY), "its request is not one of this tool"),
        (line(), "it does not hold one of"),
        (line(reply=REPLY, answered_by="0" * 64), "it does not hold one of"),
        (line(answered_by=7), "it does not hold one of"),
        (line(in_halves=False), "it does not hold one of"),
        (line(reply="text"), "its reply is not one of this tool"),
        (line(reply={**REPLY, "other": 1}), "its reply is not one of this tool (other: "),
        (line(reply={**REPLY, "finish_reason": "length"}), "not usable: the reply was cut off"),
        (line(reply={**REPLY, "finish_reason": "content_filter"}), "its reply is not usable"),
        (line(reply={**REPLY, "text": " "}), "its reply is not usable: empty content"),
        (line(reply={**REPLY, "text": "<think>so"}), "its reply is not usable"),
        (line(reply={**REPLY, "refusal": "No."}), "its reply is not usable: the judge declined"),
        (line(dialect={"temperature": "often"}), "its dialect is not one of this tool"),
    ],
)
def test_what_does_not_verify_says_why(given: Line, words: str) -> None:
    fault = fault_of(given)
    assert fault is not None
    assert words in fault
    assert "\n" not in fault


def test_what_a_request_could_not_be_is_told_not_raised() -> None:
    payload = {**PAYLOAD, "params": {"temperature": float("nan")}}
    given = Line("0" * 64, TAG, 0.0, {"request": payload, "reply": REPLY})
    fault = fault_of(given)
    assert fault is not None
    assert "its request is not one of this tool (ValueError" in fault
