"""What every measure is: a frozen object with a name, typed parameters and a pure function.

A measure is a frozen dataclass. Its fields are its parameters, each a `Literal` or a `bool` made
with `param`; `str(measure)` is its canonical name, with parameters at their default left out, as
ir-measures writes them: `support_recall(citations=all,hard=true)`.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

from judge.errors import UsageError
from judge.metrics.outcome import Outcome, zero
from judge.types import Topic

Kind = Literal["nuggets", "support"]
Value = bool | str
A = TypeVar("A")


@dataclass(frozen=True)
class Param:
    """A parameter of a measure: its name, the values it takes, and what it is for."""

    name: str
    choices: tuple[Value, ...]
    default: Value
    doc: str

    def __str__(self) -> str:
        """Return the parameter with its choices: `citations=first|all`."""
        return f"{self.name}={'|'.join(map(spell, self.choices))}"

    def read(self, text: str) -> Value:
        """Return the choice spelled `text`.

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
class Measure(ABC, Generic[A]):
    """Base of all measures; `A` is the labelled answer it takes.

    Attributes:
        name: the name without parameters.
        kind: which labels it takes.
        range: the least and the greatest value.
        higher_is_better: the direction.
    """

    name: ClassVar[str]
    kind: ClassVar[Kind]
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a parameter value that is none of its choices."""
        for parameter in self.params:
            value = getattr(self, parameter.name)
            if type(value) is not type(parameter.default) or value not in parameter.choices:
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

    @abstractmethod
    def evaluate(self, answer: A, topic: Topic | None = None) -> Outcome:
        """Return the outcome for one labelled answer.

        Args:
            answer: the answer with its labels; failed judgments included.
            topic: the topic as the collection has it; some parameters need it.

        Raises:
            InputError: if the measure needs the topic, and it is not given.
        """

    def unanswered(self, others: Sequence[A], topic: Topic | None = None) -> Outcome:
        """Return the outcome of a run that has no answer to a topic: 0.

        Args:
            others: the answers of other runs to the same topic.
            topic: as for `evaluate`.
        """
        del others, topic
        return zero("no answer", missing=True)


def param(default: Value, doc: str) -> Any:
    """Return a dataclass field for a parameter with its default and a line on what it is for."""
    return field(default=default, metadata={"doc": doc})


def params_of(measure: type[Measure[Any]]) -> tuple[Param, ...]:
    """Return the parameters of a kind of measure."""
    return tuple(_param_of(parameter) for parameter in fields(measure))


def spell(value: Value) -> str:
    """Return a parameter value as names write it: `true`, `official`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" for a near miss of a known name, else an empty string."""
    near = get_close_matches(name.lower().replace("-", "_"), list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def _param_of(parameter: "Field[Any]") -> Param:
    choices = (True, False) if parameter.type is bool else get_args(parameter.type)
    default: Any = parameter.default
    return Param(parameter.name, choices, default, parameter.metadata["doc"])
