"""What changed from one list of nuggets to another: added, removed, or said otherwise."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from judge.formats.nugget_fields import grouped
from judge.likeness import folded, likeness
from judge.types import Nugget

How = Literal["added", "removed", "changed"]

_FIELDS = ("text", "importance", "sub_narrative", "answers", "docids")
_LEAST = 0.4
"""From where on a nugget that is gone and one that is new are taken for one, said otherwise."""


class Change(NamedTuple):
    """A nugget that is not as it was: `before` is None for an added one, `after` for a removed.

    `fields` names what changed; `likeness` of the texts is in [0, 1], None where there is one.
    """

    how: How
    before: Nugget | None
    after: Nugget | None
    fields: tuple[str, ...] = ()
    likeness: float | None = None

    @property
    def topic_id(self) -> str:
        """The topic."""
        nugget = self.after or self.before
        return nugget.topic_id if nugget is not None else ""

    def data(self) -> dict[str, Any]:
        """The change as JSON data."""
        return {
            "change": self.how,
            "topic_id": self.topic_id,
            "fields": list(self.fields),
            "likeness": self.likeness,
            "before": None if self.before is None else self.before.model_dump(),
            "after": None if self.after is None else self.after.model_dump(),
        }


def changes(before: Iterable[Nugget], after: Iterable[Nugget]) -> list[Change]:
    """Return what changed, topic by topic: changed, removed, added.

    Nuggets are matched by text, case and spaces folded, then by id, then by likeness, the most
    alike first. Sources and ids are not compared.
    """
    old, new = grouped(before), grouped(after)
    return [
        change
        for topic_id in dict.fromkeys((*old, *new))
        for change in _in_topic(old.get(topic_id, ()), new.get(topic_id, ()))
    ]


def counts(found: Iterable[Change]) -> dict[str, int]:
    """Return how many there are of each: added, removed, changed, and of each field changed."""
    listed = list(found)
    hows = Counter(change.how for change in listed)
    fields = Counter(field for change in listed for field in change.fields)
    return {how: hows[how] for how in ("added", "removed", "changed")} | {
        field: fields[field] for field in _FIELDS if fields[field]
    }


def _in_topic(before: Sequence[Nugget], after: Sequence[Nugget]) -> list[Change]:
    old, new = list(before), list(after)
    pairs = [
        *_taken(old, new, lambda one, other: folded(one.text) == folded(other.text)),
        *_taken(old, new, lambda one, other: one.nugget_id == other.nugget_id),
        *_most_alike(old, new),
    ]
    place = {id(nugget): number for number, nugget in enumerate(after)}
    changed = [
        change
        for one, other in sorted(pairs, key=lambda pair: place[id(pair[1])])
        if (change := _change(one, other)) is not None
    ]
    removed = [Change("removed", nugget, None) for nugget in old]
    return [*changed, *removed, *(Change("added", None, nugget) for nugget in new)]


def _taken(old: list[Nugget], new: list[Nugget], same: Any) -> list[tuple[Nugget, Nugget]]:
    """Take out of both lists the nuggets that are the same, each once."""
    pairs = []
    for one in list(old):
        other = next((nugget for nugget in new if same(one, nugget)), None)
        if other is not None:
            pairs.append((one, other))
            old.remove(one)
            new.remove(other)
    return pairs


def _most_alike(old: list[Nugget], new: list[Nugget]) -> list[tuple[Nugget, Nugget]]:
    """Take out of both lists the pairs that are alike, the most alike first."""
    scored = [
        (likeness(a.text, b.text), i, j) for i, a in enumerate(old) for j, b in enumerate(new)
    ]
    pairs: list[tuple[int, int]] = []
    for score, i, j in sorted(scored, key=lambda entry: (-entry[0], entry[1], entry[2])):
        free = all(i != one and j != other for one, other in pairs)
        if score >= _LEAST and free:
            pairs.append((i, j))
    found = [(old[i], new[j]) for i, j in pairs]
    gone_old, gone_new = {i for i, _ in pairs}, {j for _, j in pairs}
    old[:] = [nugget for i, nugget in enumerate(old) if i not in gone_old]
    new[:] = [nugget for j, nugget in enumerate(new) if j not in gone_new]
    return found


def _change(before: Nugget, after: Nugget) -> Change | None:
    fields = tuple(name for name in _FIELDS if getattr(before, name) != getattr(after, name))
    if not fields:
        return None
    return Change("changed", before, after, fields, likeness(before.text, after.text))
