"""Relevance by its parts: what a document says on each sub-narrative; the grade is computed.

The judge never names a grade. It says for every sub-narrative whether it is answered in detail,
mentioned or absent, whether the document is related at all, and how much of it is beside the
point; `judge.tasks.grades` makes the grade of that, so that each one can be explained.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, cast, get_args

from judge.errors import ReadError, UsageError, shorten
from judge.parsing import json_object, keyed, label
from judge.tasks.grades import EXTRAS, Extra, grade
from judge.types import Judgment, SubtopicQrel, Topic, Verdict

Found = Literal["detailed", "mentioned", "absent"]
FOUND: tuple[Found, ...] = get_args(Found)
UNRELATED = "detailed_yet_unrelated"
"""Flag of a reply that finds a part answered in a document it calls unrelated; the part counts."""

_EXTRA_WORDS = {"a lot": "lot"}


def schema(topic: Topic) -> dict[str, Any]:
    """JSON schema of the reply: a value for each sub-narrative, by its id, and on the whole."""
    ids = [part.sub_id for part in topic.sub_narratives]
    parts = {sub_id: {"type": "string", "enum": list(FOUND)} for sub_id in ids}
    return _object(
        {
            "parts": _object(parts),
            "related": {"type": "boolean"},
            "extra": {"type": "string", "enum": list(EXTRAS)},
        }
    )


def read(text: str, topic: Topic) -> Verdict:
    """Read a reply, and compute the grade.

    Returns:
        A verdict whose detail holds `parts` (by sub-narrative id), `related` and `extra`.

    Raises:
        ReadError: a sub-narrative is left out or unknown, or a value is none of those asked for.
    """
    reply = keyed(json_object(text), ["parts", "related", "extra"])
    parts = _parts(reply["parts"], topic)
    if not isinstance(reply["related"], bool):
        raise ReadError(f'"related" must be true or false; it is {shorten(reply["related"])}')
    extra = _extra(reply["extra"])
    detailed = list(parts.values()).count("detailed")
    return Verdict(
        label=grade(detailed, related=reply["related"], extra=extra),
        reason=_in_words(parts, extra, related=reply["related"]),
        flags=(UNRELATED,) if detailed and not reply["related"] else (),
        detail={"parts": parts, "related": reply["related"], "extra": extra},
    )


def require_parts(topics: Iterable[Topic], template: str) -> None:
    """Refuse topics that have no sub-narratives to be asked about.

    Raises:
        UsageError: there are some; the message names three.
    """
    without = [topic.topic_id for topic in topics if not topic.sub_narratives]
    if without:
        named = ", ".join(map(repr, without[:3])) + (", ..." if len(without) > 3 else "")
        raise UsageError(
            f"{template} asks about sub-narratives, and {len(without)} topics have none: {named}; "
            "give a topics file that has them, or another --prompt such as relevance/trec2025"
        )


def subtopic_qrels(judgments: Iterable[Judgment]) -> Iterator[SubtopicQrel]:
    """Yield a row for each sub-narrative of each labelled document: 1 where it is detailed, else 0.

    Mentions are 0, as they do not count for the grade either.
    """
    for judgment in judgments:
        for sub_id, found in judgment.detail.get("parts", {}).items():
            held = int(found == "detailed")
            yield SubtopicQrel(judgment.topic_id, sub_id, judgment.docid or "", held)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _parts(given: Any, topic: Topic) -> dict[str, Found]:
    ids = [part.sub_id for part in topic.sub_narratives]
    if not isinstance(given, dict):
        raise ReadError(f'"parts" must be an object with a value for each of {", ".join(ids)}')
    return {sub_id: _found(sub_id, value) for sub_id, value in keyed(given, ids).items()}


def _found(sub_id: str, value: Any) -> Found:
    try:
        return cast("Found", label(value, FOUND))
    except ReadError as error:
        raise ReadError(f"part {sub_id}: {error}") from None


def _extra(value: Any) -> Extra:
    try:
        return cast("Extra", label(value, EXTRAS, _EXTRA_WORDS))
    except ReadError as error:
        raise ReadError(f'"extra": {error}') from None


def _in_words(parts: dict[str, Found], extra: Extra, *, related: bool) -> str:
    """What the grade rests on, for people."""
    told = [
        f"{found}: {', '.join(ids)}"
        for found in ("detailed", "mentioned")
        if (ids := _ids(parts, found))
    ]
    told = told or ["related, no part answered" if related else "not related"]
    beside = {"none": "", "some": "some beside the point", "lot": "much beside the point"}[extra]
    return "; ".join(filter(None, [*told, beside]))


def _ids(parts: dict[str, Found], wanted: str) -> Sequence[str]:
    return [sub_id for sub_id, found in parts.items() if found == wanted]
