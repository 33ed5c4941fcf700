"""Importance: whether a good answer must hold a nugget (vital) or may (okay)."""

from typing import Any, ClassVar

from judge.parsing import label
from judge.tasks.per_nugget import PerNugget
from judge.types import Topic


class Importance(PerNugget):
    """vital or okay for each nugget (arXiv:2603.09891)."""

    name = "importance"
    labels: ClassVar[tuple[str, ...]] = ("okay", "vital")
    item_schema: ClassVar[dict[str, Any]] = {"type": "string", "enum": ["vital", "okay"]}

    def label_of(self, item: str, topic: Topic) -> str:
        """Vital or okay."""
        return label(item, self.labels)
