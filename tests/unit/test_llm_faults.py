"""What an error means, how long to wait, and what must not be repeated."""

from datetime import UTC, datetime

import pytest

from judge.llm.faults import body_error, call_error, retry_after
from judge.llm.redaction import public_url, redact, url_secrets, well_formed

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        (" 7 ", 7.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("-3", 0.0),
        ("3600", 60.0),
        ("inf", 60.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 12:00:30", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Thu, 01 Jan 2026 14:00:00 GMT", 60.0),
        ("Thursday, 01-Jan-26 12:00:10 GMT", 10.0),
        ("abc", None),
        ("", None),
        ("nan", None),
        ("Thu, 99 Jan 2026 12:00:30 GMT", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_capped(
    value: str | None, seconds: float | None
) -> None:
    assert retry_after(value, NOW) == seconds


def test_a_code_decides_and_a_wording_does_not() -> None:
    assert body_error({"error": {"message": "insufficient_quota"}}).kind == "transport"
    assert body_error({"error": {"message": "x", "type": "insufficient_quota"}}).kind == "quota"
    inner = {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}
    assert body_error({"error": inner}).kind == "blocked"


@pytest.mark.parametrize("body", [None, [], "boom", {}, {"error": "boom"}, {"choices": []}, 7])
def test_a_body_without_a_choice_is_an_error_in_words(body: object) -> None:
    error = body_error(body)
    assert (error.kind, error.retryable, error.fatal) == ("transport", True, False)
    assert str(error).startswith("HTTP 200: ")


def test_an_error_of_no_client_is_one_that_may_pass() -> None:
    error = call_error(ValueError("a {broken\nbody"), timeout=1)
    assert (error.kind, error.retryable, str(error)) == ("transport", True, "a {broken body")
    assert str(call_error(TimeoutError(), timeout=2.5)) == "no answer within 2.5 s"


def test_a_long_message_is_cut_after_the_secret_is_out() -> None:
    error = call_error(ValueError("x" * 290 + "pass-word-12"), timeout=1, secrets=["pass-word-12"])
    assert len(str(error)) == 300
    assert "pass" not in str(error)


def test_secrets_are_found_by_value_by_shape_and_in_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "0123456789abc")
    monkeypatch.setenv("MONKEY_BUSINESS", "banana-banana")
    text = (
        "a 0123456789abc b sk-proj-abcdefghij c Bearer xyz d http://u:p@h/ e mine f banana-banana"
    )
    assert redact(text, ["mine"]) == (
        "a [redacted] b [redacted] c Bearer [redacted] d http://h/ e [redacted] f banana-banana"
    )


def test_an_address_loses_what_may_be_secret() -> None:
    assert public_url("https://u:p%40w@h:1/v1/?k=s#f") == "https://h:1/v1"
    assert set(url_secrets("https://u:p%40w@h:1/v1/?k=s")) == {"p%40w", "p@w", "s"}
    assert url_secrets("https://token@h/v1") == ("token",)
    assert url_secrets("https://h/v1") == ()
    assert url_secrets(None) == ()


def test_invalid_unicode_is_mended_everywhere() -> None:
    mended = well_formed({"a\ud83d": ["\udc00", 1, None, {"b": "\ud83d\ude00 é"}]})
    assert mended == {"a\ufffd": ["\ufffd", 1, None, {"b": "\U0001f600 é"}]}
