"""What every judging task is: its units, the calls that ask for them, how a reply reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from judge.errors import UsageError
from judge.injection import suspicions
from judge.templates import Output, Template
from judge.types import Call, Document, Judgment, Topic, Unit, Verdict

KNOWN = 256
"""Replies whose reading is remembered: one line is asked for, and most judges say few of them."""

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


def require_form(template: Template, task: str, *outputs: Output) -> None:
    """Refuse a template that is of another task, or whose replies the task cannot read.

    Raises:
        UsageError: it is.
    """
    head = template.head
    if head.task != task:
        raise UsageError(f"template {head.name} is for {head.task}, not for {task}")
    if head.output not in outputs:
        known = " or ".join(outputs)
        raise UsageError(f"template {head.name}: {task} reads {known}, not output {head.output!r}")


def without_document(unit: Unit, docid: str | None = None) -> Judgment:
    """The failed judgment of a unit whose document, or another of it, is in none of the corpora."""
    missing = unit.docid if docid is None else docid
    return _unasked(unit, f"document {missing!r} is in none of the corpora")


def without_text(unit: Unit, document: Document) -> Judgment:
    """The failed judgment of a unit whose document has nothing but images, which are not shown."""
    return _unasked(
        unit,
        f"document {document.docid!r} has no text, only {len(document.images)} images; "
        "--images shows them to a model that takes images",
    )


def _unasked(unit: Unit, reason: str) -> Judgment:
    return Judgment(*unit.parts, label=None, status="failed", failure="no_document", reason=reason)


def flags_of(*texts: str) -> tuple[str, ...]:
    """The flag "injection_suspected:<what>" for each suspicion that the texts raise together.

    They are looked at as one, since an order to the judge may be split over them.
    """
    found = suspicions("\n".join(filter(None, texts)))
    return tuple([f"injection_suspected:{what}" for what in found])


def texts_of(document: Document) -> tuple[str, ...]:
    """Everything of a document that a prompt may show."""
    return (document.title, document.headings, document.url, document.text)


def item_ids(call: Call) -> list[str]:
    """The numbers under which the units of a batch stand in its prompt: "1", "2", ..."""
    return [str(number) for number in range(1, len(call.units) + 1)]


def reply_tokens(template: Template, items: int) -> int:
    """Bound on the reply to a call that labels `items` units, in tokens."""
    return template.head.max_tokens + items * template.head.max_tokens_per_item
