"""An entry as bytes: canonical JSON (sorted keys, no spaces, ASCII), compressed with zstandard."""

import json
import threading
from typing import Any

import zstandard

from judge_cache.errors import UnreadableError

Entry = dict[str, Any]

LEVEL = 3
_RESERVED = frozenset({"key", "tag"})


class _Zstd(threading.local):
    """A compressor and a decompressor for each thread; neither may be shared."""

    def __init__(self) -> None:
        self.compress = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress
        self.decompress = zstandard.ZstdDecompressor().decompress


_zstd = _Zstd()


def canonical(value: Any) -> bytes:
    r"""Return `value` as canonical JSON.

    All but ASCII is escaped, so that even text that is no valid Unicode (a lone surrogate, as
    `\ud800`) comes back as it went in.

    Raises:
        TypeError: something in it is not JSON.
        ValueError: a number in it is not finite.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")


def is_entry(value: object) -> bool:
    """Tell whether `value` is an entry: an object that holds its request."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("request"), dict)
        and _RESERVED.isdisjoint(value)
    )


def encode(entry: Entry) -> bytes:
    """Return the bytes that are stored for `entry`.

    Raises:
        TypeError: something in it is not JSON.
        ValueError: it is no entry, or a number in it is not finite.
    """
    if not is_entry(entry):
        raise ValueError('an entry is an object with a "request" object and no "key" or "tag"')
    return _zstd.compress(canonical(entry))


def decode(data: bytes) -> Entry:
    """Return the entry that `encode` made `data` from.

    Raises:
        UnreadableError: `data` is not what `encode` returns.
    """
    try:
        entry: Entry = json.loads(_zstd.decompress(data).decode("ascii"))
    except (zstandard.ZstdError, ValueError, RecursionError) as error:
        raise UnreadableError(f"its value is not compressed JSON ({error})") from error
    if not is_entry(entry):
        raise UnreadableError("its value is not an entry")
    return entry
