"""What went wrong with a request: the exceptions and error bodies of both clients as one kind.

Decided by machine-readable facts first (the error code, then the HTTP status, then the class of
the exception), since wordings change and lie: a rate limit that says "insufficient quota" without
the code is a rate limit. litellm passes a server's error on in its own classes, with the body
inside the message and the headers beside it, and not always in the class the status calls for;
both spellings are read here, by name, so that neither client is imported.
"""

import json
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from judge.errors import JudgeError, StoppedError
from judge.llm.redaction import public_url, redact, well_formed
from judge.types import Attempt, FailureKind

LONGEST_WAIT = 60.0
"""Seconds; a server that asks for a longer pause is asked again after this one."""

_BLOCKED = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
_CONTEXT = {"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"}
_QUOTA = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_TOO_LONG = re.compile(r"context (?:length|window|size)", re.IGNORECASE)
_LONGEST_MESSAGE = 300


class CallError(JudgeError):
    """One request, or one reply, that cannot be used.

    Args:
        kind: what went wrong.
        message: the same in one line, without secrets.
        retryable: the same request may succeed later.
        retry_after: seconds the server asks to wait, at most `LONGEST_WAIT`.
        fatal: every further call would fail the same way.
        parameter: the parameter that the server names as refused.
        status: the HTTP status of the answer, None where there was none.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        fatal: bool = False,
        status: int | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind
        self.retryable, self.retry_after = retryable, retry_after
        self.fatal, self.status, self.parameter = fatal, status, parameter


class CallStoppedError(StoppedError):
    """No further call can be made; `attempts` are those of the call that met it."""

    def __init__(
        self,
        message: str,
        attempts: tuple[Attempt, ...],
        *,
        exit_code: int = StoppedError.exit_code,
    ) -> None:
        super().__init__(message)
        self.attempts, self.exit_code = attempts, exit_code


def timed_out(timeout: float) -> CallError:
    """Return the error for a request that got no complete answer in `timeout` seconds."""
    return CallError("transport", f"no answer within {timeout:g} s", retryable=True)


def call_error(error: Exception, *, timeout: float, secrets: Iterable[str] = ()) -> CallError:
    """Return what an exception of the openai or the litellm client means.

    Args:
        error: what the client raised.
        timeout: seconds the request was allowed.
        secrets: texts that must not be repeated.
    """
    classes = {cls.__name__ for cls in type(error).__mro__}
    if classes & {"APITimeoutError", "TimeoutError"}:
        return timed_out(timeout)
    status = getattr(error, "status_code", None)
    status = status if isinstance(status, int) else None
    headers = _headers(error)
    if status is not None and status >= 500 and not headers:
        status = None  # litellm calls a lost connection a 500
    if status is not None and 300 <= status < 400 and "location" in headers:
        return _redirected(status, headers["location"], secrets)
    return _classified(_body(error), status, headers, _words(error), classes, secrets)


def body_error(body: Any, *, secrets: Iterable[str] = ()) -> CallError:
    """Return what an error inside an answer of status 200 means."""
    fault = _fault(body)
    code = fault.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else 200
    return _classified(fault, status, {}, f"an answer without choices: {body}", set(), secrets)


def retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a Retry-After header asks for, from 0 to `LONGEST_WAIT`.

    Args:
        value: seconds or an HTTP date; anything else gives None.
        now: the time to count from; the present where not given.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value, now or datetime.now(UTC))
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_WAIT)


def _seconds_until(date: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds()


def _redirected(status: int, address: str, secrets: Iterable[str]) -> CallError:
    try:
        there = public_url(address)
    except ValueError:
        there = "an address that is none"
    said = f"HTTP {status}: the server points to {there}, and no redirect is followed"
    return CallError("parameter", _one_line(said, secrets), fatal=True, status=status)


def _classified(
    fault: dict[str, Any],
    status: int | None,
    headers: dict[str, str],
    fallback: str,
    classes: set[str],
    secrets: Iterable[str],
) -> CallError:
    said = str(fault.get("message") or fallback)
    kind = _kind(status, _codes(fault), classes, said)
    waits = kind == "transport"
    answered = status == 200 or bool(headers)
    return CallError(
        kind,
        _one_line(f"HTTP {status}: {said}" if answered else said, secrets),
        retryable=waits,
        retry_after=retry_after(headers.get("retry-after")) if waits else None,
        fatal=kind in ("auth", "quota") or (kind == "parameter" and status == 404),
        status=status,
        parameter=_text_or_none(fault.get("param")),
    )


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _kind(status: int | None, codes: set[str], classes: set[str], said: str) -> FailureKind:
    if codes & _BLOCKED or "ContentPolicyViolationError" in classes:
        return "blocked"
    if codes & _CONTEXT or (status in (400, 413, 422) and _TOO_LONG.search(said)):
        return "context"
    if codes & _QUOTA or status == 402:
        return "quota"
    if status in (401, 403):
        return "auth"
    if status is None or status in (408, 409, 429) or not 400 <= status < 500:
        return "transport"
    return "parameter"


def _codes(fault: dict[str, Any]) -> set[str]:
    inner = fault.get("innererror")
    named = [fault.get("code"), fault.get("type")]
    named.append(inner.get("code") if isinstance(inner, dict) else None)
    return {name.lower() for name in named if isinstance(name, str)}


def _fault(body: Any) -> dict[str, Any]:
    """The error object of a body, which some clients have unwrapped already."""
    if isinstance(body, list):
        body = body[0] if body else None
    if isinstance(body, str):
        return {"message": body}
    if not isinstance(body, dict):
        return {}
    fault = body.get("error", body)
    fault = fault if isinstance(fault, dict) else {"message": fault}
    return fault if "message" in fault else {**fault, "message": _detail(fault.get("detail"))}


def _detail(detail: Any) -> str | None:
    """What FastAPI's servers say: a text, or a list of {msg}."""
    items = detail if isinstance(detail, list) else [detail]
    told = [item.get("msg") if isinstance(item, dict) else item for item in items]
    return "; ".join(text for text in told if isinstance(text, str)) or None


def _body(error: Exception) -> dict[str, Any]:
    body = getattr(error, "body", None)
    return _fault(_embedded(str(error)) if body is None else body)


def _words(error: Exception) -> str:
    """What the client says, with what lies behind a bare "Connection error."."""
    cause = error.__cause__
    return f"{error} ({cause})" if cause is not None and str(cause) else str(error)


def _embedded(text: str) -> Any:
    """The JSON object inside a message, as litellm hands on what a server said."""
    start = text.find("{")
    try:
        return json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return None


def _headers(error: Exception) -> dict[str, str]:
    """The headers of the answer, names in lower case; empty where there was no answer."""
    passed_on = getattr(error, "litellm_response_headers", None)
    headers = passed_on or getattr(getattr(error, "response", None), "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in headers.items()}


def _one_line(text: str, secrets: Iterable[str]) -> str:
    line = " ".join(redact(well_formed(text), secrets).split())
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"
