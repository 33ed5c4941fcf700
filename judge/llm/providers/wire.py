"""The OpenAI chat protocol, as far as it is read here: leniently, for servers vary."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from judge.llm.faults import body_error
from judge.llm.pace import pace_of
from judge.llm.providers.base import Completion
from judge.llm.redaction import SHORTEST, well_formed
from judge.types import Token, Usage

_LARGEST = 1e300


def completion_of(
    body: Any,
    *,
    model: str,
    headers: Mapping[str, str] | None = None,
    cost: float | None = None,
    secrets: Iterable[str] = (),
) -> Completion:
    """Return the completion in the JSON body of an answer of status 200.

    Args:
        body: the decoded body.
        model: the name to note where the body has none.
        headers: those of the answer.
        cost: US dollars; where None, the `usage.cost` that some gateways send.
        secrets: texts that must not be kept, whatever the server repeats.

    Raises:
        CallError: an error object stands in the body, or no choice does.
    """
    choice = _first_choice(body)
    if choice is None:
        raise body_error(body, secrets=secrets)
    message = choice["message"]
    usage = _object(body.get("usage"))
    return Completion(
        text=_clean(message.get("content"), secrets) or "",
        finish_reason=_clean(choice.get("finish_reason"), ()),
        refusal=_clean(message.get("refusal"), secrets),
        reasoning=_clean(message.get("reasoning_content") or message.get("reasoning"), secrets),
        model=_clean(body.get("model"), ()) or model,
        usage=_usage(usage),
        tokens=_tokens(choice.get("logprobs")),
        cost=_price(usage.get("cost")) if cost is None else cost,
        pace=pace_of(headers or {}),
    )


def _first_choice(body: Any) -> dict[str, Any] | None:
    body = _object(body)
    choices = body.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    failed = _says_something(body.get("error")) or _says_something(choice.get("error"))
    return choice if isinstance(choice.get("message"), dict) and not failed else None


def _says_something(error: Any) -> bool:
    """Whether an error field reports one: some servers send an empty object on success."""
    return any(error.values()) if isinstance(error, dict) else bool(error)


def _clean(value: Any, secrets: Iterable[str]) -> str | None:
    """A text field, or the text parts of a list of parts; None where there is no text."""
    if isinstance(value, list):
        value = "".join(str(_object(part).get("text", "")) for part in value)
    if not isinstance(value, str) or not value:
        return None
    for secret in secrets:
        if len(secret) >= SHORTEST:
            value = value.replace(secret, "[redacted]")
    return str(well_formed(value))


def _usage(usage: dict[str, Any]) -> Usage:
    details = _object(usage.get("prompt_tokens_details"))
    return Usage(
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
    )


def _tokens(logprobs: Any) -> tuple[Token, ...] | None:
    """The tokens of a reply with their log-probabilities; None where they were not sent whole."""
    items = _object(logprobs).get("content")
    if not isinstance(items, list) or not items:
        return None
    tokens = [_token(_object(item)) for item in items]
    return tuple(token for token in tokens if token is not None) if all(tokens) else None


def _token(item: dict[str, Any]) -> Token | None:
    text, logprob = item.get("token"), item.get("logprob")
    if not isinstance(text, str) or not _is_finite(logprob):
        return None
    top: dict[str, float] = {}
    for other in item.get("top_logprobs") or ():
        likely = _token({**_object(other), "top_logprobs": None})
        if likely is not None:
            top.setdefault(likely.text, likely.logprob)
    return Token(text=str(well_formed(text)), logprob=float(logprob), top=top)


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and value >= 0 else None


def _price(value: Any) -> float | None:
    return float(value) if _is_finite(value) and value >= 0 else None


def _is_finite(value: Any) -> TypeGuard[float]:
    """Whether a value is a number, and not one that JSON has no word for."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < _LARGEST


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
