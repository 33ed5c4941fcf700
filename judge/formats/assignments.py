"""Nugget assignments: which nuggets each answer holds, in the form of nuggetizer."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

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
from judge.types import AssignedAnswer, NuggetLabel, Support

_LABELS: dict[str, Support | None] = {
    "support": "full",
    "partial_support": "partial",
    "not_support": "none",
    "failed": None,
}
_WORDS: dict[Support | None, str | None] = {
    "full": "support",
    "partial": "partial_support",
    "none": "not_support",
    None: None,
}


def read_assignments(path: str | Path) -> list[AssignedAnswer]:
    """Read JSONL of {query, qid, run_id, answer_text, response_length, nuggets}.

    Each nugget is {text, importance, assignment}; assignment is support, partial_support or
    not_support, and null or "failed" where no label was had, with `asked` false where the judge
    was never asked. The `id` and
    `mapped_sub_narrative` that this tool writes are read where they stand. Where several people
    labelled the same answers, each line names its `annotator`.

    Raises:
        InputError: the file cannot be read, a field is wrong, or an answer stands twice.
    """
    return [answer for _, answer in each_assignment(path)]


def each_assignment(
    path: str | Path, on_error: OnError = raise_error
) -> Iterator[Located[AssignedAnswer]]:
    """Yield assignments and where they stand; see `read_assignments`."""
    return each_labelled(path, "nugget labels", FORMS, on_error, field="qid")


def write_assignments(path: str | Path, answers: Iterable[AssignedAnswer]) -> None:
    """Write assignments, a line an answer; a label that was not had is written as null.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(path, (_line(answer) for answer in answers))


def _answer(record: Fields) -> Iterator[AssignedAnswer]:
    yield AssignedAnswer(
        run_id=record.ident("run_id"),
        topic_id=record.ident("qid"),
        nuggets=tuple(_labels(record)),
        query=record.optional_text("query"),
        answer_text=record.optional_text("answer_text"),
        response_length=record.optional_integer("response_length"),
        annotator=record.optional_text("annotator"),
    )


FORMS: tuple[Form[AssignedAnswer], ...] = (Form("run_id, qid and nuggets", has_fields(), _answer),)


def _labels(record: Fields) -> Iterator[NuggetLabel]:
    ids = NuggetIds()
    for item in record.records("nuggets"):
        text = item.text("text", empty=False)
        yield NuggetLabel(
            nugget_id=ids.of(item, text),
            text=text,
            importance=importance(item),
            label=_label(item),
            sub_narrative=sub_narrative(item),
            asked=item.get("asked") is not False,
        )


def _label(item: Fields) -> Support | None:
    if item.require("assignment", " or ".join(_LABELS)) is None:
        return None
    return item.choice("assignment", _LABELS)


def _line(answer: AssignedAnswer) -> dict[str, Any]:
    return {
        "query": answer.query,
        "qid": answer.topic_id,
        "answer_text": answer.answer_text,
        "response_length": answer.response_length,
        "run_id": answer.run_id,
        **({"annotator": answer.annotator} if answer.annotator else {}),
        "nuggets": [_item(nugget) for nugget in answer.nuggets],
    }


def _item(nugget: NuggetLabel) -> dict[str, Any]:
    return {
        "id": nugget.nugget_id,
        "text": nugget.text,
        "mapped_sub_narrative": write_sub_narrative(nugget.sub_narrative),
        "importance": nugget.importance,
        "assignment": _WORDS[nugget.label],
        **({} if nugget.asked else {"asked": False}),
    }
