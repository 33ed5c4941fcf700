"""A request as it is sent to a model, and the key under which its reply is kept.

The key is the sha256 of everything that can change the answer, and of nothing else: no API key,
no timeout, no retries, no date, no name of a run.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import orjson
from pydantic import field_validator

from judge.images import data_url
from judge.llm.redaction import public_url, well_formed
from judge.types import Image, Message, Record

KEY_VERSION = 1


class Identity(Record):
    """Which model answers: the kind of provider, its public address, and the model's name.

    `base_url` is None where the provider's client knows the address itself; credentials in it
    are dropped on the way in.
    """

    kind: str
    base_url: str | None
    model: str

    @property
    def name(self) -> str:
        """The name a user gives to the model."""
        return self.model if self.kind == "litellm" else f"{self.kind}/{self.model}"

    @field_validator("base_url")
    @classmethod
    def _public(cls, url: str | None) -> str | None:
        return None if url is None else public_url(url)


@dataclass(frozen=True)
class Request:
    """One request to a model, complete but for the credentials.

    `params` are the sampling parameters and the response format, under the names of the OpenAI
    protocol (`temperature`, `max_tokens`, `response_format`, `seed`), each exactly as it is sent;
    what is not sent is not there. `sample` numbers repeated requests that are otherwise the same,
    from 0; it is not sent. Text that is no valid Unicode is mended on the way in.
    """

    identity: Identity
    messages: tuple[Message, ...]
    params: dict[str, Any]
    sample: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "messages", tuple(map(_mended, self.messages)))
        object.__setattr__(self, "params", well_formed(self.params))

    @property
    def model(self) -> str:
        """The model's name as the provider takes it."""
        return self.identity.model

    @property
    def max_tokens(self) -> int | None:
        """The most tokens the reply may have, or None where the provider decides."""
        for name in ("max_tokens", "max_completion_tokens"):
            if name in self.params:
                return int(self.params[name])
        return None

    @cached_property
    def key(self) -> str:
        """The key under which the reply is kept."""
        return key_of(request_payload(self))

    def wire_messages(self) -> list[dict[str, Any]]:
        """The messages as the OpenAI protocol writes them, images read from their files.

        Raises:
            InputError: an image is not what it was when the request was made.
        """
        return [_written(message, _sent) for message in self.messages]

    def with_params(self, params: dict[str, Any]) -> "Request":
        """Return the same request with other parameters."""
        return replace(self, params=params)

    def with_max_tokens(self, limit: int) -> "Request":
        """Return the same request with room for a reply of `limit` tokens."""
        renamed = "max_completion_tokens" in self.params
        name = "max_completion_tokens" if renamed else "max_tokens"
        return self.with_params({**self.params, name: limit})


def _mended(message: Message) -> Message:
    if message.content.isascii():
        return message
    return message._replace(content=well_formed(message.content))


def _written(message: Message, part: Callable[[Image], dict[str, Any]]) -> dict[str, Any]:
    """A message as JSON data: its text, or where it has images a list of parts."""
    if not message.images:
        return {"role": message.role, "content": message.content}
    text = {"type": "text", "text": message.content}
    return {"role": message.role, "content": [text, *map(part, message.images)]}


def _sent(image: Image) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": data_url(image)}}


def _named(image: Image) -> dict[str, Any]:
    """An image in a key and in the store: wherever it lies, and not its bytes."""
    return {"type": "image", "sha256": image.sha256, "media_type": image.media_type}


def request_payload(request: Request) -> dict[str, Any]:
    """Return `request` as the JSON data that is hashed, stored and exported."""
    return {
        "key_version": KEY_VERSION,
        "provider": request.identity.kind,
        "base_url": request.identity.base_url,
        "model": request.identity.model,
        "messages": [_written(message, _named) for message in request.messages],
        "params": request.params,
        "sample": request.sample,
    }


def key_of(payload: dict[str, Any]) -> str:
    """Return the key of a payload: the sha256 of its canonical JSON, in hexadecimal.

    Canonical: keys sorted, no spaces, UTF-8, numbers as Python writes them.

    Raises:
        ValueError: a number in it is not finite.
    """
    return hashlib.sha256(_canonical(payload)).hexdigest()


def key(request: Request) -> str:
    """Return the key under which the reply to `request` is kept."""
    return request.key


def _canonical(payload: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(_exact(payload), option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # a lone surrogate, or a number of more than 64 bits
        return _encode(payload).encode("utf-8", "surrogatepass")


def _exact(value: Any) -> Any:
    """JSON data whose floats are as Python writes them: orjson has another way for some."""
    if isinstance(value, dict):
        return {k: v if type(v) in _PLAIN else _exact(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return _written_float(value) if isinstance(value, float) else value


_PLAIN = frozenset({str, int, bool, type(None)})


def _written_float(value: float) -> orjson.Fragment:
    if not isfinite(value):
        raise ValueError(f"a number is not JSON compliant: {value}")
    return orjson.Fragment(repr(value))


_encode = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode
