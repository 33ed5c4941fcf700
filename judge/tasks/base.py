"""What every judging task is: its units, the calls that ask for them, how a reply reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from judge.injection import suspicions
from judge.templates import Template
from judge.types import Call, Document, Judgment, Topic, Unit, Verdict

Topics = Mapping[str, Topic]
Lookup = Callable[[str], Document | None]


class Task(Protocol):
    """A judging task over fixed inputs; plain data and pure functions, no model."""

    @property
    def name(self) -> str:
        """Name of the task, as in `Unit.task`."""

    @property
    def template(self) -> Template:
        """The prompt that every call of this task renders."""

    def units(self) -> Iterator[Unit]:
        """Every unit that is to get a label, in an order that keeps equal prompt heads together."""

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """The calls that label `units`; a failed judgment for a unit that cannot be asked."""

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """One verdict for each unit of the call, by unit_id.

        Raises:
            ReadError: the reply does not hold what was asked.
        """


def without_document(unit: Unit) -> Judgment:
    """The failed judgment of a unit whose document is in none of the corpora."""
    reason = f"document {unit.docid!r} is in none of the corpora"
    return Judgment(
        **unit.model_dump(), label=None, status="failed", failure="no_document", reason=reason
    )


def flags_of(*texts: str) -> tuple[str, ...]:
    """The flag "injection_suspected:<what>" for each suspicion that any of the texts raises."""
    found = {what for text in texts for what in suspicions(text)}
    return tuple(f"injection_suspected:{what}" for what in sorted(found))


def item_ids(call: Call) -> list[str]:
    """The numbers under which the units of a batch stand in its prompt: "1", "2", ..."""
    return [str(number) for number in range(1, len(call.units) + 1)]


def reply_tokens(template: Template, items: int) -> int:
    """Bound on the reply to a call that labels `items` units, in tokens."""
    return template.head.max_tokens + items * template.head.max_tokens_per_item
