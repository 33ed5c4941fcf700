"""An entry as bytes: two zstandard frames of canonical JSON (sorted keys, no spaces, ASCII).

The first frame holds what was answered, the second the request, which is most of the bytes: who
only wants the answer reads the first alone. Stores of version 0 have one frame that holds both.
"""

import json
import threading
from typing import Any

import orjson
import zstandard

from judge_cache.errors import UnreadableError

Entry = dict[str, Any]

LEVEL = 3
RESERVED = frozenset({"key", "tag", "stored"})

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_FAULTS = (zstandard.ZstdError, ValueError, RecursionError)


class _Zstd(threading.local):
    """A compressor and a decompressor for each thread; neither may be shared."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress
        self.decompressor = zstandard.ZstdDecompressor()


_zstd = _Zstd()


def canonical(value: Any) -> bytes:
    r"""Return `value` as canonical JSON.

    All but ASCII is escaped, so that even text that is no valid Unicode (a lone surrogate, as
    `\ud800`) comes back as it went in.

    Raises:
        TypeError: something in it is not JSON.
        ValueError: a number in it is not finite.
    """
    return _encode(value).encode("ascii")


def is_entry(value: object) -> bool:
    """Tell whether `value` is an entry: an object that holds its request."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("request"), dict)
        and RESERVED.isdisjoint(value)
    )


def encode(entry: Entry) -> bytes:
    """Return the bytes that are stored for `entry`.

    Raises:
        TypeError: something in it is not JSON.
        ValueError: it is no entry, or a number in it is not finite.
    """
    if not is_entry(entry):
        reserved = ", ".join(sorted(RESERVED))
        raise ValueError(f'an entry is an object with a "request" object and none of {reserved}')
    answer = {name: value for name, value in entry.items() if name != "request"}
    return _zstd.compress(canonical(answer)) + _zstd.compress(canonical(entry["request"]))


def decode(data: bytes) -> Entry:
    """Return the entry that `encode` made `data` from.

    Raises:
        UnreadableError: `data` is not what `encode` returns.
    """
    try:
        answer, rest = _first_frame(data)
        entry: Entry = json.loads(answer.decode("ascii"))
        if rest:
            request, rest = _first_frame(rest)
            entry["request"] = json.loads(request.decode("ascii"))
    except (*_FAULTS, TypeError) as error:
        raise UnreadableError(f"its value is not compressed JSON ({error})") from error
    if rest or not is_entry(entry):
        raise UnreadableError("its value is not an entry")
    return entry


def decode_answer(data: bytes) -> Entry:
    """Return the entry that `encode` made `data` from, but for its request, which is not read.

    Raises:
        UnreadableError: `data` does not begin like what `encode` returns.
    """
    try:
        answer = _loads(_zstd.decompressor.decompress(data))
    except _FAULTS as error:
        raise UnreadableError(f"its value is not compressed JSON ({error})") from error
    if not isinstance(answer, dict):
        raise UnreadableError("its value is not an entry")
    answer.pop("request", None)
    return answer


def _loads(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # a lone surrogate
        return json.loads(text.decode("ascii"))


def _first_frame(data: bytes) -> tuple[bytes, bytes]:
    """Return the content of the first frame, and the bytes after it."""
    frame = _zstd.decompressor.decompressobj()
    content = frame.decompress(data)
    if not frame.eof:
        raise ValueError("it is cut short")
    return content, frame.unused_data
