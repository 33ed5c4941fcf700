"""What a server says of its rate limits, in the spellings in use."""

from datetime import UTC, datetime

import pytest

from judge.llm.pace import Pace, pace_of

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)


def test_the_openai_spelling_is_read() -> None:
    headers = {
        "X-RateLimit-Limit-Requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    assert pace_of(headers) == Pace(
        requests_left=59, requests_reset=1.0, tokens_left=149984, tokens_reset=360.0
    )


def test_the_anthropic_spelling_is_read() -> None:
    headers = {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-01-31T12:00:20Z",
        "anthropic-ratelimit-tokens-remaining": "1000",
        "anthropic-ratelimit-tokens-reset": "2026-01-31T11:59:00Z",
    }
    assert pace_of(headers, NOW) == Pace(
        requests_left=0, requests_reset=20.0, tokens_left=1000, tokens_reset=0.0
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("20ms", 0.02), ("1h2m3.5s", 3723.5), ("2d", 172800.0), ("17", 17.0), ("0", 0.0), ("-3", 0.0)],
)
def test_times_are_read_in_every_form(text: str, seconds: float) -> None:
    pace = pace_of({"x-ratelimit-reset-tokens": text})
    assert pace is not None
    assert pace.tokens_reset == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "5 s", "1s later", "inf", "nan", "2026-13-45"])
def test_what_cannot_be_read_is_not_said(text: str) -> None:
    assert pace_of({"x-ratelimit-reset-tokens": text}) is None


@pytest.mark.parametrize("text", ["", "many", "-1", "1.5", "9" * 40])
def test_a_number_that_is_none_is_not_said(text: str) -> None:
    assert pace_of({"x-ratelimit-remaining-tokens": text}) is None


def test_other_headers_say_nothing() -> None:
    assert pace_of({"content-type": "application/json", "x-request-id": "17"}) is None
