"""Nugget coverage: which nuggets an answer holds, and whether what it cites holds them too."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from judge.cited import GroundedAnswer, GroundedNugget, Grounds
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, has_fields
from judge.formats.labelled import each_labelled
from judge.formats.lines import OnError, raise_error, write_json
from judge.formats.nugget_fields import (
    NuggetIds,
    importance,
    sub_narrative,
    write_sub_narrative,
)
from judge.types import SUPPORTS, Support

_LABELS: dict[str, Support] = {label: label for label in SUPPORTS}
_REASONS: dict[str, Grounds] = {reason: reason for reason in get_args(Grounds)}


def read_grounded(path: str | Path) -> list[GroundedAnswer]:
    """Read JSONL of {run_id, topic_id, nuggets: [{id, text, label, sentences, grounded, reason}]}.

    label is full, partial, none, or null where none was had; sentences are 0-based places;
    grounded is true, false, or null where it is not known; reason says why it is not true.

    Raises:
        InputError: the file cannot be read, a field is wrong, or an answer stands twice.
    """
    return [answer for _, answer in each_grounded(path)]


def each_grounded(
    path: str | Path, on_error: OnError = raise_error
) -> Iterator[Located[GroundedAnswer]]:
    """Yield answers with their grounds and where they stand; see `read_grounded`."""
    return each_labelled(path, "nugget coverage", FORMS, on_error)


def write_grounded(path: str | Path, answers: Iterable[GroundedAnswer]) -> None:
    """Write answers with the grounds of their nuggets, a line an answer.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(path, (_line(answer) for answer in answers))


def _answer(record: Fields) -> Iterator[GroundedAnswer]:
    ids = NuggetIds()
    yield GroundedAnswer(
        run_id=record.ident("run_id"),
        topic_id=record.ident("topic_id"),
        nuggets=tuple(_nugget(item, ids) for item in record.records("nuggets")),
    )


FORMS: tuple[Form[GroundedAnswer], ...] = (
    Form("run_id, topic_id and nuggets with grounded", has_fields(), _answer),
)


def _nugget(item: Fields, ids: NuggetIds) -> GroundedNugget:
    text = item.text("text", empty=False)
    unlabelled = item.require("label", "full, partial, none or null") is None
    return GroundedNugget(
        nugget_id=ids.of(item, text),
        text=text,
        importance=importance(item),
        sub_narrative=sub_narrative(item),
        label=None if unlabelled else item.choice("label", _LABELS),
        asked=item.get("asked") is not False,
        sentences=tuple(_places(item)),
        grounded=_grounded(item),
        reason=item.choice("reason", _REASONS) if item.has("reason") else None,
    )


def _places(item: Fields) -> Iterator[int]:
    for place in item.items("sentences"):
        if type(place) is not int or place < 0:
            raise item.error("sentences", "wrong value", expected="0-based places", found=place)
        yield place


def _grounded(item: Fields) -> bool | None:
    value = item.require("grounded", "true, false or null")
    if value is None or isinstance(value, bool):
        return value
    raise item.error("grounded", "wrong value", expected="true, false or null", found=value)


def _line(answer: GroundedAnswer) -> dict[str, Any]:
    nuggets = [_item(nugget) for nugget in answer.nuggets]
    return {"run_id": answer.run_id, "topic_id": answer.topic_id, "nuggets": nuggets}


def _item(nugget: GroundedNugget) -> dict[str, Any]:
    return {
        "id": nugget.nugget_id,
        "text": nugget.text,
        "mapped_sub_narrative": write_sub_narrative(nugget.sub_narrative),
        "importance": nugget.importance,
        "label": nugget.label,
        "sentences": list(nugget.sentences),
        "grounded": nugget.grounded,
        "reason": nugget.reason,
        **({} if nugget.asked else {"asked": False}),
    }
