"""What a measure says of one answer: a value, its bounds, and the units both rest on.

Every measure of answers is a weighted mean over parts of the answer or of the gold: nuggets,
sub-narratives, sentences. A part is made of units, the things that were judged; a unit whose
judgment failed has no credit, and here alone is decided what that does to value and bounds.
"""

from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import NamedTuple

Notes = tuple[tuple[str, int], ...]

UNASKED = "judgments never asked for, counted as failed"


class Part(NamedTuple):
    """One term of a weighted mean.

    Attributes:
        credit: in [0, 1], from the units that have a label; None where all its units failed.
        low: the credit with every failed unit at 0.
        high: the credit with every failed unit at 1.
        n_judged: units with a label.
        n_failed: units without one.
        weight: the weight of the term, above 0.
    """

    credit: float | None
    low: float
    high: float
    n_judged: int = 0
    n_failed: int = 0
    weight: float = 1.0


class Outcome(NamedTuple):
    """The result of a measure for one answer.

    Attributes:
        value: the estimate over what has a label; None where nothing has, or where undefined.
        low: the value with all failed units at none; None where undefined.
        high: the value with all failed units at full; None where undefined.
        n_judged: units with a label.
        n_failed: units whose judgment failed.
        reason: why there is no value, or why it is a certain 0.
        missing: whether there was no answer.
        notes: what must be known to read the value: what it is, and how often it is so.
    """

    value: float | None
    low: float | None
    high: float | None
    n_judged: int = 0
    n_failed: int = 0
    reason: str | None = None
    missing: bool = False
    notes: Notes = ()

    @property
    def undefined(self) -> bool:
        """Whether the measure has no meaning here (0/0), however the judging went."""
        return self.low is None


def undefined(reason: str) -> Outcome:
    """Return the outcome of a measure that has no meaning here."""
    return Outcome(None, None, None, reason=reason)


def zero(reason: str, *, missing: bool = False) -> Outcome:
    """Return a certain 0 that rests on no judgment."""
    return Outcome(0.0, 0.0, 0.0, reason=reason, missing=missing)


def fixed(credit: float) -> Part:
    """Return a part that needs no judgment, such as an uncited sentence."""
    return Part(credit, credit, credit)


def part(
    credits_: Sequence[float | None],
    combine: Callable[[Sequence[float]], float],
    weight: float = 1.0,
) -> Part:
    """Return the part made of units with these credits.

    Args:
        credits_: one credit in [0, 1] for each unit, None for a failed one; not empty.
        combine: the credit of the part from those of its units; must grow with each of them.
        weight: the weight of the part, above 0.
    """
    known = [credit for credit in credits_ if credit is not None]
    if len(known) == len(credits_):
        value = combine(known)
        return Part(value, value, value, len(known), 0, weight)
    low, high = (combine([fill if c is None else c for c in credits_]) for fill in (0.0, 1.0))
    value_or_none = combine(known) if known else None
    return Part(value_or_none, low, high, len(known), len(credits_) - len(known), weight)


def weighted_mean(parts: Iterable[Part], notes: Notes = ()) -> Outcome:
    """Return the weighted mean of `parts`, which must not be empty.

    The value is sum(weight * credit) / sum(weight) over the parts that have a credit. The bounds
    are the same over all parts with their low and with their high credits, so that
    low <= value <= high; where no part has a credit they are 0 and 1.
    """
    terms = list(parts)
    known = [(term.weight, term.credit) for term in terms if term.credit is not None]
    return Outcome(
        value=_ratio(known) if known else None,
        low=_ratio([(term.weight, term.low) for term in terms]),
        high=_ratio([(term.weight, term.high) for term in terms]),
        n_judged=sum(term.n_judged for term in terms),
        n_failed=sum(term.n_failed for term in terms),
        notes=notes,
    )


def noted(*counts: tuple[str, int]) -> Notes:
    """Return the counts that are not 0."""
    return tuple(count for count in counts if count[1])


def in_words(notes: Iterable[Notes]) -> str | None:
    """Return the notes of one or many outcomes in words, those of one text added up."""
    total: dict[str, int] = {}
    for text, n in (note for each in notes for note in each):
        total[text] = total.get(text, 0) + n
    return "; ".join(f"{text}: {n}" for text, n in sorted(total.items())) or None


def _ratio(terms: Sequence[tuple[float, float]]) -> float:
    """Return the weighted mean; fsum makes it independent of the order of the terms."""
    return fsum(weight * credit for weight, credit in terms) / fsum(weight for weight, _ in terms)
