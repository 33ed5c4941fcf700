"""A request as it is sent to a model, and the key under which its reply is kept.

The key is the sha256 of everything that can change the answer, and of nothing else: no API key,
no timeout, no retries, no date, no name of a run.
"""

import hashlib
import json
from typing import Any, Self

from pydantic import field_validator

from judge.llm.redaction import public_url, well_formed
from judge.types import Message, Record

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


class Request(Record):
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

    @field_validator("messages")
    @classmethod
    def _valid_text(cls, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        return tuple(Message(role=m.role, content=well_formed(m.content)) for m in messages)

    @field_validator("params")
    @classmethod
    def _valid_params(cls, params: dict[str, Any]) -> dict[str, Any]:
        return dict(well_formed(params))

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

    def wire_messages(self) -> list[dict[str, Any]]:
        """The messages as the OpenAI protocol writes them."""
        return [{"role": m.role, "content": m.content} for m in self.messages]

    def with_max_tokens(self, limit: int) -> Self:
        """Return the same request with room for a reply of `limit` tokens."""
        renamed = "max_completion_tokens" in self.params
        name = "max_completion_tokens" if renamed else "max_tokens"
        return self.model_copy(update={"params": {**self.params, name: limit}})


def request_payload(request: Request) -> dict[str, Any]:
    """Return `request` as the JSON data that is hashed, stored and exported."""
    return {
        "key_version": KEY_VERSION,
        "provider": request.identity.kind,
        "base_url": request.identity.base_url,
        "model": request.identity.model,
        "messages": request.wire_messages(),
        "params": request.params,
        "sample": request.sample,
    }


def key_of(payload: dict[str, Any]) -> str:
    """Return the key of a payload: the sha256 of its canonical JSON, in hexadecimal.

    Canonical: keys sorted, no spaces, UTF-8.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(
        payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def key(request: Request) -> str:
    """Return the key under which the reply to `request` is kept."""
    return key_of(request_payload(request))
