"""Mapping: the sub-narrative that each nugget belongs to (arXiv:2603.09891)."""

from typing import Any, ClassVar

from judge.parsing import label
from judge.tasks.per_nugget import PerNugget
from judge.types import Topic

NEW_GROUP = "New: "
NONE = "none"


class Mapping(PerNugget):
    """The sub_id of a nugget's sub-narrative, "none", or "New: ..." for a group of its own."""

    name = "mapping"
    item_schema: ClassVar[dict[str, Any]] = {"type": "string"}

    def applies(self, topic: Topic) -> bool:
        """Only topics with sub-narratives have something to map to."""
        return bool(topic.sub_narratives)

    def label_of(self, item: str, topic: Topic) -> str:
        """A sub_id of the topic, "none", or "New: ..."."""
        text = " ".join(item.split())
        if text.casefold().startswith("new:") and text[4:].strip():
            return NEW_GROUP + text[4:].strip()
        return label(item, {NONE, *(part.sub_id for part in topic.sub_narratives)})


def sub_narrative(topic: Topic, label: str) -> str | None:
    """The text of the sub-narrative that a label names, "New: ...", or None for "none"."""
    if label.startswith(NEW_GROUP):
        return label
    return {part.sub_id: part.text for part in topic.sub_narratives}.get(label)
