"""Lines of JSON for the files of a run: ASCII, so that whatever reads lines ends them alike."""

import json
from typing import Any

import orjson

_escaped = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def json_line(data: dict[str, Any]) -> bytes:
    """Return `data` as one line of ASCII with a newline; all other characters are escaped.

    Raises:
        TypeError: something in it is not JSON.
    """
    try:
        line = orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE)
    except orjson.JSONEncodeError:  # a lone surrogate, or a number of more than 64 bits
        line = b"\xff"
    return line if line.isascii() else _escaped(data).encode() + b"\n"
