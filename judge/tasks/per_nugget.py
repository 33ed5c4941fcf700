"""Calls that give each nugget of a topic one label, several nuggets at a time."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

from judge.errors import ReadError
from judge.parsing import batch
from judge.parsing.likelihood import in_batch
from judge.tasks.base import Topics, item_ids, reply_tokens
from judge.tasks.batches import chunks, labels_schema
from judge.templates import Template
from judge.types import Call, Nugget, Topic, Unit, Verdict


class PerNugget(ABC):
    """One label for each nugget, at most `batch_size` nuggets of a topic in a call."""

    name: ClassVar[str]
    item_schema: ClassVar[dict[str, Any]]
    labels: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        template: Template,
        topics: Topics,
        nuggets: Mapping[str, Sequence[Nugget]],
        batch_size: int = 10,
    ) -> None:
        self.template = template
        self._topics, self._batch_size = topics, batch_size
        self._by_id = {(n.topic_id, n.nugget_id): n for ns in nuggets.values() for n in ns}

    @abstractmethod
    def label_of(self, item: str, topic: Topic) -> str:
        """The label that a reply's entry for one nugget gives.

        Raises:
            ReadError: it is no label.
        """

    def applies(self, topic: Topic) -> bool:
        """Whether nuggets of this topic are labelled at all."""
        return True

    def units(self) -> Iterator[Unit]:
        """One unit a nugget."""
        for nugget in self._by_id.values():
            if self.applies(self._topics[nugget.topic_id]):
                yield unit_of(self.name, nugget)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call]:
        """One call for up to `batch_size` nuggets of one topic."""
        for topic_id, group in groupby(units, key=lambda unit: unit.topic_id):
            for part in chunks(group, self._batch_size):
                nuggets = [self._by_id[topic_id, unit.nugget_id or ""] for unit in part]
                yield Call(
                    units=part,
                    prompt=self.template.render(topic=self._topics[topic_id], nuggets=nuggets),
                    reply_schema=labels_schema(len(part), self.item_schema),
                    max_tokens=reply_tokens(self.template, len(part)),
                    labels=self.labels,
                )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """A label for every nugget asked."""
        items = batch(text, item_ids(call))
        if wrong := [number for number, item in items.items() if not isinstance(item, str)]:
            raise ReadError(f"the value of {wrong[0]} must be a string")
        topic = self._topics[call.units[0].topic_id]
        return {
            unit.unit_id: Verdict(label=self.label_of(items[number], topic), marks=in_batch(number))
            for number, unit in zip(item_ids(call), call.units, strict=True)
        }


def unit_of(task: str, nugget: Nugget) -> Unit:
    """The unit of a nugget of its own, whatever the answer."""
    return Unit(task=task, topic_id=nugget.topic_id, nugget_id=nugget.nugget_id)
