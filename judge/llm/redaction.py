"""Keeping secrets, and text that is no valid Unicode, out of keys, requests, logs and errors."""

import os
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

_SECRET_NAME = re.compile(r"(?:^|_)(?:\w*KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_SECRET_SHAPE = re.compile(r"\b(?:sk|pk|hf|xai|gsk)[-_][A-Za-z0-9_\-*.]{8,}|(?<=Bearer )\S+")
_URL_USERINFO = re.compile(r"(?<=://)[^\s/]*@")
SHORTEST = 8
"""Characters; what is shorter (a placeholder such as `x` or `EMPTY`) may stand in any text."""
_MASK = "[redacted]"


def well_formed(value: Any) -> Any:
    """Return JSON data whose every string is valid Unicode, so that it can be sent as UTF-8.

    Surrogate pairs are joined to the character they stand for; a lone one becomes U+FFFD.
    """
    if isinstance(value, str):
        return _well_formed_text(value)
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [well_formed(item) for item in value]
    return value


def _well_formed_text(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def public_url(url: str) -> str:
    """Return `url` without what may be secret (user, password, query, fragment) or is idle.

    Idle is a slash at the end: both spellings reach the same server.
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def url_secrets(url: str | None) -> tuple[str, ...]:
    """Return the credentials that `url` carries, as written and decoded.

    Any value of its query may be one, but for that of `api-version`.
    """
    if url is None:
        return ()
    parts = urlsplit(url)
    pairs = [pair.partition("=") for pair in parts.query.split("&")]
    values = [value for name, _, value in pairs if name.casefold() != "api-version"]
    values.append(parts.password or "")
    if parts.password is None:
        values.append(parts.username or "")
    return tuple({form for value in values for form in (value, unquote(value)) if form})


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without `secrets`, secrets of the environment, and what looks like one."""
    hidden = {*secrets, *environment_secrets()}
    for secret in sorted(hidden, key=len, reverse=True):
        text = text.replace(secret, _MASK)
    return _SECRET_SHAPE.sub(_MASK, _URL_USERINFO.sub("", text))


def environment_secrets() -> set[str]:
    """Return the values of environment variables that are named like a key or a password."""
    return {
        value
        for name, value in os.environ.items()
        if _SECRET_NAME.search(name) and len(value) >= SHORTEST
    }
