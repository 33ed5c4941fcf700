"""What is labelled of an answer, an answer a record: each answer stands once in a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from judge.formats.forms import Form, Located, each_record
from judge.formats.lines import OnError, Unique


class Labelled(Protocol):
    """The labels of an answer, by one `annotator` where it has such a field."""

    @property
    def run_id(self) -> str:
        """The system."""

    @property
    def topic_id(self) -> str:
        """The topic."""


T = TypeVar("T", bound=Labelled)


def each_labelled(
    path: str | Path,
    what: str,
    forms: Sequence[Form[T]],
    on_error: OnError,
    *,
    field: str = "",
) -> Iterator[Located[T]]:
    """Yield the labelled answers of a file, and tell of one that stands again.

    Args:
        path: the file, "-" for stdin.
        what: what a record holds, for errors: "support labels".
        forms: its forms, see `judge.formats.forms.each_record`.
        on_error: told of everything that cannot be read, or stands again.
        field: the field that such an error is about.
    """
    unique = Unique(f"the {what} of (run_id, topic)")
    for located in each_record(path, what, forms, on_error):
        if unique.accepts(_name(located.record), located.place, on_error, field):
            yield located


def _name(answer: Labelled) -> tuple[str, ...]:
    """What an answer must stand once by; people may label the same one."""
    annotator = getattr(answer, "annotator", "")
    return (answer.run_id, answer.topic_id, *([annotator] if annotator else ()))
