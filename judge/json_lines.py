"""Lines of JSON for the files of a run: ASCII, so that whatever reads lines ends them alike."""

import json
from typing import Any

import orjson


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


_read = json.JSONDecoder(parse_constant=_refuse).decode
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


def read_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object that a line of a run's file holds.

    Raises:
        ValueError: it holds none, or one with NaN or Infinity, or nested too deep to be read.
    """
    try:
        data = _read(line.decode())
    except RecursionError:
        raise ValueError("nested too deep") from None
    if isinstance(data, dict):
        return data
    raise ValueError("no JSON object")
