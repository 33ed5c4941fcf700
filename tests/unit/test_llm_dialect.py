"""Which parameter a refusal is about, and how a request is put without it."""

from typing import Any

import pytest

from judge.llm import CallError, Dialect, Identity, Request
from judge.llm.faults import call_error
from judge.types import Message

SCHEMA = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {}}}
PARAMS = {"temperature": 0.0, "max_tokens": 50, "response_format": SCHEMA}


def request(**params: Any) -> Request:
    identity = Identity(kind="openai", base_url=None, model="judge")
    return Request(
        identity=identity, messages=(Message(role="user", content="?"),), params=params or PARAMS
    )


class RefusalError(Exception):
    """An error as the openai client raises it."""

    def __init__(self, message: str, param: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = {"message": message, "param": param}
        self.response = type("Response", (), {"headers": {"a": "b"}})()


def refused(message: str, param: str | None = None, status: int = 400) -> CallError:
    return call_error(RefusalError(message, param, status), timeout=1.0)


@pytest.mark.parametrize(
    ("message", "param", "expected"),
    [
        ("Unsupported value: 'temperature' does not support 0", "temperature", "temperature"),
        ("`temperature` is deprecated for this model.", None, "temperature"),
        ("Use 'max_completion_tokens' instead of 'max_tokens'.", "max_tokens", "cap"),
        ("Unsupported parameter: 'max_tokens'", None, "cap"),
        ("'response_format' of type 'json_schema' is not supported", "response_format", "form"),
        ("invalid", "response_format.json_schema", "form"),
        ("this model does not support structured outputs", None, "form"),
        ("JSON mode is not enabled for this model", None, "form"),
        ("the top_k you sent is odd", "top_k", None),
        ("I do not like this", None, None),
    ],
)
def test_a_refusal_names_its_parameter(
    message: str, param: str | None, expected: str | None
) -> None:
    simpler = Dialect().without(request(), refused(message, param))
    changed = None if simpler is None else next(iter(simpler.differences()))
    assert changed == expected


def test_the_parameter_that_is_named_counts_and_not_one_that_is_mentioned() -> None:
    fault = refused("with temperature set, max_tokens is not supported", "max_tokens")
    assert Dialect().without(request(), fault) == Dialect(cap="max_completion_tokens")


def test_a_refusal_of_what_was_not_sent_changes_nothing() -> None:
    fault = refused("temperature is not supported", "temperature")
    assert Dialect().without(request(max_tokens=5), fault) is None


@pytest.mark.parametrize("kind", ["transport", "auth", "context"])
def test_other_faults_change_nothing(kind: Any) -> None:
    assert Dialect().without(request(), CallError(kind, "temperature max_tokens")) is None


def test_json_is_asked_for_in_ever_looser_forms() -> None:
    dialect, forms = Dialect(), []
    fault = refused("no", "response_format")
    while (simpler := dialect.without(dialect.put(request()), fault)) is not None:
        dialect = simpler
        forms.append(dialect.put(request()).params.get("response_format"))
    assert forms == [{"type": "json_object"}, None]


def test_a_request_is_put_without_what_is_refused() -> None:
    dialect = Dialect(temperature=False, cap="max_completion_tokens", form="text")
    assert dialect.put(request()).params == {"max_completion_tokens": 50}
    assert dialect.put(request()).max_tokens == 50
    assert Dialect().put(request()) == request()


def test_what_two_calls_learned_counts_together() -> None:
    one = Dialect(temperature=False, form="json_object")
    other = Dialect(cap="max_completion_tokens", form="text")
    both = Dialect(temperature=False, cap="max_completion_tokens", form="text")
    assert one.and_that(other) == both == other.and_that(one)


def test_it_is_told_in_words() -> None:
    dialect = Dialect(temperature=False, cap="max_completion_tokens", form="text")
    told = "without a temperature, with max_completion_tokens, for JSON as text"
    assert dialect.told() == told
