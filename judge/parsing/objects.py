"""Replies in JSON: one object, and batches keyed by id."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judge.errors import ReadError, shorten
from judge.parsing.json_text import closing, load
from judge.parsing.refusals import without_refusal
from judge.parsing.thinking import after_thinking

_OPENING = re.compile(r"(\[\s*+)?[{}]")
_WRAPPERS = ("labels", "nuggets")


def json_object(text: str) -> dict[str, Any]:
    """Read the one JSON object of a reply, wherever in it the object stands.

    A markdown fence and sentences around the object are tolerated, and so are Python's True,
    False and None as values; the same object twice is one. A brace outside of it is a failure.

    Raises:
        TruncatedReply: the reply ends before the object's last brace.
        ReadError: a refusal, no object, two different ones, a list of objects, or an object that
            is not what `json_text.load` reads.
    """
    answer = without_refusal(after_thinking(text))
    objects = [load(span) for span in _spans(answer)]
    if not objects:
        raise ReadError("the reply must hold one JSON object; it holds none")
    if any(canonical != objects[0][1] for _, canonical in objects):
        raise ReadError(f"the reply must hold one JSON object; it holds {len(objects)} that differ")
    return objects[0][0]


def batch(text: str, ids: Sequence[str]) -> dict[str, Any]:
    """Read a JSON object with exactly one value for each id that was asked, in the order asked.

    The object may be the map itself or hold the map under the single key "labels" or "nuggets".

    Raises:
        ReadError: as `json_object`, and for an id that is missing, unknown, or there twice.
        ValueError: `ids` holds an id twice.
    """
    if len(set(ids)) != len(ids):
        raise ValueError("an id is asked twice")
    found = json_object(text)
    key = next(iter(found), None)
    if len(found) == 1 and key in _WRAPPERS and key not in ids and isinstance(found[key], dict):
        found = found[key]
    return keyed(found, ids)


def keyed(found: Mapping[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """Return the values of an object that must have exactly the keys `ids`, in their order.

    Raises:
        ReadError: an id is missing or unknown.
    """
    wrong = (
        ("missing", [i for i in ids if i not in found]),
        ("unknown", sorted(found.keys() - set(ids))),
    )
    if any(names for _, names in wrong):
        said = "; ".join(f"{what}: {shorten(', '.join(names))}" for what, names in wrong if names)
        raise ReadError(f"the object must have exactly the {len(ids)} ids asked as keys; {said}")
    return {i: found[i] for i in ids}


def _spans(text: str) -> Iterator[str]:
    """Yield each stretch of `text` from a brace outside of any other to the brace closing it."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        if opening[1]:
            raise ReadError("the reply must hold one JSON object; it holds a list of objects")
        if opening[0] == "}":
            raise ReadError("the reply must hold one JSON object; a '}' in it closes nothing")
        at = closing(text, opening.start())
        yield text[opening.start() : at]
