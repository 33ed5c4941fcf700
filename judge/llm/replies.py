"""Usable replies in a store: found by the key of the request, or of one that was asked before it.

A reply may be had only at the second or third ask: after a repair turn, or with more room. It is
kept under the key of the request that gave it, and each request before it gets an entry
`{"request": ..., "answered_by": <that key>}`. A call that could only be answered in halves gets
`{"request": ..., "in_halves": true}`, so that it is not paid for whole again. What a model was
found not to understand is one entry `{"request": ..., "dialect": ...}`. So every entry's
key is the sha256 of its own request, no unusable reply is stored, and a later run that starts
with the first request is led to the reply without paying for either again.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pydantic import ValidationError

from judge.llm.dialect import Dialect
from judge.llm.providers.base import Completion
from judge.llm.request import KEY_VERSION, Identity, Request, key_of, request_payload
from judge.llm.store import Store


class Found(NamedTuple):
    """A stored reply and the key of the request that gave it.

    The reply is None where the request was answered only in halves.
    """

    key: str
    completion: Completion | None


class Replies:
    """The replies of one store; without a store nothing is found and nothing kept.

    Args:
        store: where they are.
        fresh: find only what was kept by this object: an equal call is not asked twice.
    """

    def __init__(self, store: Store | None, *, fresh: bool = False) -> None:
        self._store = store
        self._own: set[str] | None = set() if fresh else None

    def find(self, key: str) -> Found | None:
        """Return the reply that `key` leads to."""
        if self._store is None or (self._own is not None and key not in self._own):
            return None
        entry = self._store.recall(key)
        if entry is not None and "answered_by" in entry:
            key = str(entry["answered_by"])
            entry = self._store.recall(key)
        if entry is None:
            return None
        if entry.get("in_halves") is True:
            return Found(key, None)
        reply = _completion(entry)
        return None if reply is None else Found(key, reply)

    def keep_halved(self, request: Request, *, tag: str) -> None:
        """Note that `request` was answered only in halves, whose replies are kept."""
        if self._store is not None:
            payload = request_payload(request)
            entry = {"request": payload, "in_halves": True}
            self._put(key_of(payload), entry, tag)

    def dialect(self, identity: Identity) -> Dialect:
        """Return the dialect that a model was found to speak, the whole protocol if none is."""
        key = key_of(_dialect_of(identity))
        entry = None if self._store is None else self._store.recall(key)
        try:
            return Dialect.model_validate((entry or {}).get("dialect", {}))
        except ValidationError:  # of another version: it is found out again
            return Dialect()

    def keep_dialect(self, identity: Identity, dialect: Dialect) -> None:
        """Keep the dialect of a model for later runs."""
        if self._store is not None:
            request = _dialect_of(identity)
            entry = {"request": request, "dialect": dialect.differences()}
            self._store.put(key_of(request), entry, tag=tag_of(identity, "dialect"))

    def keep(
        self, request: Request, completion: Completion, *, before: Iterable[Request], tag: str
    ) -> None:
        """Keep the reply to `request`, and lead to it from the requests asked `before` it."""
        if self._store is None:
            return
        payload = request_payload(request)
        answered_by = key_of(payload)
        reply = completion.model_dump(exclude_none=True)
        reply["created"] = datetime.now(UTC).isoformat(timespec="seconds")
        self._put(answered_by, {"request": payload, "reply": reply}, tag)
        for earlier in before:
            asked = request_payload(earlier)
            if (key := key_of(asked)) != answered_by:
                self._put(key, {"request": asked, "answered_by": answered_by}, tag)

    def _put(self, key: str, entry: dict[str, Any], tag: str) -> None:
        kept = self._store is not None and self._store.put(key, entry, tag=tag)
        if kept and self._own is not None:
            self._own.add(key)


def _dialect_of(identity: Identity) -> dict[str, Any]:
    return {
        "key_version": KEY_VERSION,
        "provider": identity.kind,
        "base_url": identity.base_url,
        "model": identity.model,
        "dialect": True,
    }


def _completion(entry: dict[str, Any]) -> Completion | None:
    """The reply of an entry; None where it is not one, as after an import from elsewhere."""
    reply = entry.get("reply")
    if not isinstance(reply, dict):
        return None
    reply.pop("created", None)
    try:
        return Completion.model_validate(reply)
    except ValidationError:
        return None


def tag_of(identity: Identity, template: str) -> str:
    """The group of an entry: who answered which prompt."""
    return f"{identity.kind} {identity.model} {template}"


def model_of_tag(tag: str) -> str:
    """The model of a group, as --model takes it."""
    kind, _, rest = tag.partition(" ")
    model = rest.rpartition(" ")[0]
    if kind == "local":
        return f"local/{model.partition('@')[0]}"
    return model if kind == "litellm" else f"{kind}/{model}"
