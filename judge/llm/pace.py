"""What a server says of its rate limits in the headers of its answers."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from judge.types import Record

_OF_LIMITS = "ratelimit"
_REMAINING = re.compile(
    r"(?:^|-)(?:ratelimit-remaining-(?P<a>requests|tokens)|"
    r"ratelimit-(?P<b>requests|tokens)-remaining)$"
)
_RESET = re.compile(
    r"(?:^|-)(?:ratelimit-reset-(?P<a>requests|tokens)|ratelimit-(?P<b>requests|tokens)-reset)$"
)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Pace(Record):
    """What is left of a server's limits, and in how many seconds they are whole again."""

    requests_left: int | None = None
    requests_reset: float | None = None
    tokens_left: int | None = None
    tokens_reset: float | None = None


def pace_of(headers: Mapping[str, str], now: datetime | None = None) -> Pace | None:
    """Return what the headers of an answer say; None where they say nothing.

    Both spellings in use are read: `x-ratelimit-remaining-tokens` with times such as `6m0s`, and
    `anthropic-ratelimit-tokens-remaining` with times such as `2026-01-31T12:00:00Z`. What cannot
    be read is taken for not said.

    Args:
        headers: by name.
        now: the time that dates are counted from; the present where not given.
    """
    said: dict[str, float | None] = {}
    for name, value in headers.items():
        if _OF_LIMITS not in (name := name.lower()):
            continue
        if found := _REMAINING.search(name):
            said[f"{found['a'] or found['b']}_left"] = _count(value)
        elif found := _RESET.search(name):
            said[f"{found['a'] or found['b']}_reset"] = _seconds(value, now or datetime.now(UTC))
    known = {name: value for name, value in said.items() if value is not None}
    return Pace.model_validate(known) if known else None


def _count(text: str) -> int | None:
    return int(text) if re.fullmatch(r"\d{1,15}", text.strip()) else None


def _seconds(text: str, now: datetime) -> float | None:
    text = text.strip()
    spans = _SPAN.findall(text)
    if spans and "".join(number + unit for number, unit in spans) == text:
        return sum(float(number) * _SECONDS[unit] for number, unit in spans)
    try:
        return _not_negative(float(text))
    except ValueError:
        return _until(text, now)


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return _not_negative((moment - now).total_seconds())


def _not_negative(seconds: float) -> float | None:
    return max(seconds, 0.0) if math.isfinite(seconds) else None
