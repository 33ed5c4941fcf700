"""Assign: which nuggets of a topic an answer holds, fully, in part or not (arXiv:2603.09891)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from judge.errors import ReadError
from judge.parsing import SUPPORT_LABELS, batch, label
from judge.parsing.likelihood import in_batch
from judge.tasks.base import Topics, flags_of, item_ids, reply_tokens
from judge.tasks.batches import chunks, labels_schema
from judge.tasks.questions import parts, parts_by_id
from judge.templates import Template
from judge.types import SUPPORTS, Answer, Call, Nugget, Unit, Verdict


class Assign:
    """Label each nugget of a topic for each answer to it, at most `batch_size` in a call.

    An answer with no sentences holds no nugget: it has no units.
    """

    name = "assign"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        answers: Sequence[Answer],
        nuggets: Mapping[str, Sequence[Nugget]],
        batch_size: int = 10,
    ) -> None:
        self.template = template
        self._topics, self._batch_size = topics, batch_size
        self._answers = {(a.run_id, a.topic_id): a for a in answers if a.sentences}
        self._nuggets = nuggets
        self._by_id = parts_by_id(nugget for listed in nuggets.values() for nugget in listed)

    def units(self) -> Iterator[Unit]:
        """One unit a (answer, nugget), or several of an AND question (`judge.tasks.questions`)."""
        for answer in self._answers.values():
            for nugget in self._nuggets.get(answer.topic_id, ()):
                for part in parts(nugget):
                    yield unit_of(answer, part)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call]:
        """One call for up to `batch_size` nuggets of one answer."""
        for _, group in groupby(units, key=lambda unit: (unit.run_id, unit.topic_id)):
            for part in chunks(group, self._batch_size):
                yield self._call(part)

    def _call(self, units: tuple[Unit, ...]) -> Call:
        first = units[0]
        answer = self._answers[first.run_id or "", first.topic_id]
        prompt = self.template.render(
            topic=self._topics[first.topic_id],
            sentences=answer.sentences,
            nuggets=[self._by_id[unit.topic_id, unit.nugget_id or ""] for unit in units],
        )
        return Call(
            units=units,
            prompt=prompt,
            reply_schema=labels_schema(len(units), _item_schema(len(answer.sentences))),
            max_tokens=reply_tokens(self.template, len(units)),
            flags=flags_of(*(sentence.text for sentence in answer.sentences)),
            labels=SUPPORTS[::-1],
        )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """A label for every nugget asked, and the 0-based sentences that carry it."""
        items = batch(text, item_ids(call))
        first = call.units[0]
        size = len(self._answers[first.run_id or "", first.topic_id].sentences)
        return {
            unit.unit_id: _verdict(number, items[number], size)
            for number, unit in zip(item_ids(call), call.units, strict=True)
        }


def unit_of(answer: Answer, nugget: Nugget) -> Unit:
    """The assign unit of a nugget (a part, see `judge.tasks.questions`) for an answer."""
    return Unit(
        task=Assign.name,
        topic_id=answer.topic_id,
        run_id=answer.run_id,
        nugget_id=nugget.nugget_id,
    )


def _item_schema(sentences: int) -> dict[str, Any]:
    numbers = {"type": "integer", "enum": list(range(1, sentences + 1))}
    return {
        "type": "object",
        "properties": {
            "label": {"type": "string", "enum": list(SUPPORTS)},
            "sentences": {"type": "array", "items": numbers, "maxItems": sentences},
        },
        "required": ["label", "sentences"],
        "additionalProperties": False,
    }


def _verdict(number: str, item: Any, size: int) -> Verdict:
    if not isinstance(item, dict) or not isinstance(item.get("label"), str):
        raise ReadError(f'nugget {number} needs an object with "label" and "sentences"')
    value = label(item["label"], SUPPORTS, SUPPORT_LABELS)
    carriers = _carriers(number, item.get("sentences"), size)
    flags = ("no_sentence_named",) if value != "none" and not carriers else ()
    detail = {"sentences": carriers}
    return Verdict(label=value, flags=flags, detail=detail, marks=in_batch(number))


def _carriers(number: str, listed: Any, size: int) -> list[int]:
    if not isinstance(listed, list) or any(type(entry) is not int for entry in listed):
        raise ReadError(f'"sentences" of nugget {number} must be a list of sentence numbers')
    if outside := [entry for entry in listed if not 1 <= entry <= size]:
        raise ReadError(
            f"nugget {number} names sentence {outside[0]}, but the answer has 1 to {size}"
        )
    return sorted({entry - 1 for entry in listed})
