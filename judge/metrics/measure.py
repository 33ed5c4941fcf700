"""What every measure is: a frozen object with a name, typed parameters and a pure function.

A measure is a frozen dataclass. Its fields are its parameters, each a `Literal`, a `bool` or a
number made with `param`, and perhaps a `cutoff`; `str(measure)` is its canonical name, with
parameters at their default left out, as ir-measures writes them:
`support_recall(citations=all,hard=true)`, `alpha_nDCG(alpha=0.3)@20`.
"""

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from judge.errors import UsageError
from judge.metrics.outcome import Outcome, zero
from judge.types import Topic

Kind = Literal["nuggets", "support", "coverage", "citations"]
Value = bool | str | int | float
A = TypeVar("A")

_NUMBER = re.compile(r"[0-9]*\.?[0-9]+(?:e-?[0-9]+)?")


@dataclass(frozen=True)
class Param:
    """A parameter of a measure that takes one of several values: its name, and what it is for."""

    name: str
    choices: tuple[Value, ...]
    default: Value
    doc: str

    def __str__(self) -> str:
        """Return the parameter with what it takes: `citations=first|all`, `alpha=0..1`."""
        return f"{self.name}={'|'.join(map(spell, self.choices))}"

    def takes(self, value: object) -> bool:
        """Tell whether `value` is one that the parameter takes."""
        return type(value) is type(self.default) and value in self.choices

    def read(self, text: str) -> Value:
        """Return the value spelled `text`.

        Raises:
            UsageError: if there is none.
        """
        by_spelling = {spell(choice): choice for choice in self.choices}
        if text not in by_spelling:
            hint = did_you_mean(text, by_spelling)
            raise UsageError(
                f"parameter {self.name} is one of {', '.join(by_spelling)}, not {text!r}{hint}"
            )
        return by_spelling[text]


@dataclass(frozen=True)
class NumberParam(Param):
    """A parameter that is a number: from `low` to `high`, or any from `low` if that is None.

    It is a whole one if its default is. It has no `choices`.
    """

    low: float
    high: float | None

    def __str__(self) -> str:
        """Return the parameter with its range: `alpha=0..1`, `rel=1..`."""
        return f"{self.name}={spell(self.low)}..{'' if self.high is None else spell(self.high)}"

    def takes(self, value: object) -> bool:
        """Tell whether `value` is a number in the range, and whole where it has to be."""
        kinds = (int,) if isinstance(self.default, int) else (int, float)
        if type(value) not in kinds or not isinstance(value, int | float):
            return False
        return self.low <= value and (self.high is None or value <= self.high)

    def read(self, text: str) -> Value:
        """Return the number spelled `text`.

        Raises:
            UsageError: if it is none, or out of range.
        """
        number: Value = text
        if _NUMBER.fullmatch(text):
            number = int(text) if text.isdecimal() else float(text)
        if not self.takes(number):
            kind = "a whole number" if isinstance(self.default, int) else "a number"
            raise UsageError(f"parameter {self.name} is {kind} in {self}, not {text!r}")
        return number


@dataclass(frozen=True)
class Named:
    """Base of all measures, of answers and of rankings: what has a canonical name.

    Attributes:
        name: the name without parameters.
        kind: which labels or judgments it takes.
        range: the least and the greatest value; None where there is no greatest.
        higher_is_better: the direction.
    """

    name: ClassVar[str]
    kind: ClassVar[str]
    range: ClassVar[tuple[float, float | None]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a parameter value that is none of those it takes."""
        for parameter in self.params:
            value = getattr(self, parameter.name)
            if not parameter.takes(value):
                raise UsageError(f"{self.name} takes {parameter}, not {value!r}")

    def __str__(self) -> str:
        """Return the canonical name."""
        values = ((p, getattr(self, p.name)) for p in self.params)
        given = [f"{p.name}={spell(value)}" for p, value in values if value != p.default]
        return f"{self.name}({','.join(given)})" if given else self.name

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters the measure takes, in the order they are printed."""
        return params_of(type(self))

    @property
    def doc(self) -> str:
        """What the measure is, with its formula."""
        return inspect.getdoc(type(self)) or ""


@dataclass(frozen=True)
class Measure(Named, ABC, Generic[A]):
    """Base of the measures of answers; `A` is the labelled answer it takes."""

    kind: ClassVar[Kind]

    @abstractmethod
    def evaluate(self, answer: A, topic: Topic | None = None) -> Outcome:
        """Return the outcome for one labelled answer.

        Args:
            answer: the answer with its labels; failed judgments included.
            topic: the topic as the collection has it; some parameters need it.

        Raises:
            InputError: if the measure needs the topic, and it is not given.
        """

    def unanswered(self, others: Iterable[Outcome]) -> Outcome:
        """Return the outcome of a run that has no answer to a topic: 0.

        Args:
            others: the outcomes of the runs that have one.
        """
        del others
        return zero("no answer", missing=True)


def param(default: Value, doc: str, *, low: float | None = None, high: float | None = None) -> Any:
    """Return a dataclass field for a parameter with its default and a line on what it is for.

    A number has its least value in `low`, and in `high` its greatest, if it has one.
    """
    return field(default=default, metadata={"doc": doc, "low": low, "high": high})


def at_cutoff() -> Any:
    """Return a dataclass field for the number of documents that count, written `@20`."""
    return field(default=None)


def params_of(measure: type[Named]) -> tuple[Param, ...]:
    """Return the parameters of a kind of measure."""
    return tuple(_param_of(parameter) for parameter in fields(measure) if parameter.metadata)


def spell(value: Value) -> str:
    """Return a parameter value as names write it: `true`, `official`, `0.5`, `1`."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" for a near miss of a known name, else an empty string."""
    folded = {each.lower(): each for each in known}
    near = get_close_matches(name.lower().replace("-", "_"), folded, n=1)
    return f" (did you mean {folded[near[0]]}?)" if near else ""


def _param_of(parameter: "Field[Any]") -> Param:
    default: Any = parameter.default
    doc, low, high = (parameter.metadata[key] for key in ("doc", "low", "high"))
    if low is not None:
        return NumberParam(parameter.name, (), default, doc, low, high)
    choices = (True, False) if parameter.type is bool else get_args(parameter.type)
    return Param(parameter.name, choices, default, doc)
