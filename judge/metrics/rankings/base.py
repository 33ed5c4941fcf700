"""What a measure of rankings is: from what was judged of a topic to one value for a ranking."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log2
from typing import ClassVar, Generic, Literal, TypeVar

from judge.errors import UsageError
from judge.metrics.measure import Named, at_cutoff

Grades = Mapping[str, int]
"""The judged documents of a topic with their grades; above 0 is relevant."""

Held = Mapping[str, Sequence[int]]
"""The judged documents of a topic with the numbers of the subtopics each holds, ascending."""

J = TypeVar("J", Grades, Held)
Scorer = Callable[[Sequence[str]], float]


@dataclass(frozen=True)
class RankingMeasure(Named, ABC, Generic[J]):
    """Base of the measures of rankings; `J` is what was judged of a topic.

    Attributes:
        cutoff: how many documents from the top count, at least 1; None for the whole ranking.
        needs_cutoff: whether the measure means nothing without one.
        empty: the reason given where a topic has nothing that could be found.
    """

    kind: ClassVar[Literal["grades", "subtopics"]]
    needs_cutoff: ClassVar[bool] = False
    empty: ClassVar[str]

    cutoff: int | None = at_cutoff()

    def __post_init__(self) -> None:
        """Refuse a cutoff below 1, and parameter values that the measure does not take."""
        super().__post_init__()
        if self.cutoff is None and self.needs_cutoff:
            raise UsageError(f"{self.name} needs a cutoff: write {self.name}@20")
        if self.cutoff is not None and (type(self.cutoff) is not int or self.cutoff < 1):
            raise UsageError(f"the cutoff of {self.name} is at least 1, not {self.cutoff!r}")

    def __str__(self) -> str:
        """Return the canonical name, such as `alpha_nDCG(alpha=0.3)@20`."""
        return super().__str__() + ("" if self.cutoff is None else f"@{self.cutoff}")

    @abstractmethod
    def scorer(self, judged: J) -> Scorer | None:
        """Return the measure for the rankings of one topic, None where it is undefined.

        Args:
            judged: what was judged of the topic.

        Returns:
            A pure function from docids, the best first and each once, to a value in `range`.
        """


def dcg(gains: Iterable[float]) -> float:
    """Return the sum of gain / log2(rank + 1), the first gain being that of rank 1."""
    return fsum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
