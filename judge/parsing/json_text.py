"""JSON inside of other text: where it ends, and what it holds, read strictly."""

import json
import math
import re
from typing import Any, cast

from judge.errors import ReadError, shorten
from judge.parsing.truncated import TruncatedReply

MAX_DEPTH = 64
"""The deepest nesting of a JSON reply; no reply form of ours goes deeper than 4."""
MAX_DIGITS = 15
"""The longest whole number of a JSON reply, in digits; ours count sentences."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]|\b(?:True|False|None)\b', re.DOTALL)
_PYTHON = {"True": "true", "False": "false", "None": "null"}


def closing(text: str, start: int) -> int:
    """Return the place after the bracket that closes the one at `start`.

    Raises:
        TruncatedReply: nothing closes it.
        ReadError: more than `MAX_DEPTH` levels stand open.
    """
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            raise ReadError(f"the JSON object is nested more than {MAX_DEPTH} levels deep")
        if depth == 0:
            return token.end()
    raise TruncatedReply("the reply ends before the JSON object does: its last brace is missing")


def load(span: str) -> tuple[dict[str, Any], str]:
    """Parse a span of balanced brackets; return the object and a canonical form to compare.

    Raises:
        ReadError: it is not JSON, but for Python's True, False and None as values; a key stands
            twice in an object; a number is not finite or has more than `MAX_DIGITS` digits; a
            surrogate stands alone, which no file of ours could hold.
    """
    plain = _TOKEN.sub(lambda token: _PYTHON.get(token[0], token[0]), span)
    try:
        value = json.loads(
            plain,
            object_pairs_hook=_unique,
            parse_constant=_finite,
            parse_float=_finite,
            parse_int=_whole,
        )
        canonical = json.dumps(value, sort_keys=True, ensure_ascii=False)
        canonical.encode()  # refuses a lone surrogate
    except ValueError as error:
        raise ReadError(f"the JSON object cannot be read: {error}") from error
    return cast("dict[str, Any]", value), canonical


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ReadError(f"the JSON object has {shorten(key)} twice")
        found[key] = value
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ReadError(f"the JSON object has {shorten(number)}, which is not a finite number")
    return value


def _whole(number: str) -> int:
    if len(number.lstrip("-")) > MAX_DIGITS:
        raise ReadError(
            f"the JSON object has {shorten(number)}, which is longer than {MAX_DIGITS} digits"
        )
    return int(number)
