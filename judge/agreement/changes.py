"""What became of the labels of units that were judged twice: how many changed, and into what.

Pure functions of outcomes. An outcome is a label, or None where a judge gave none: that counts as
one more row and column of the matrix, never as a label.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from judge.agreement.labels import confusion, exact, kappa, number
from judge.agreement.scale import Scale, scale_of
from judge.errors import InputError
from judge.types import Label

Outcomes = Mapping[str, Label | None]
"""unit_id -> its label, or None where the judgment failed."""

FAILED = "failed"


@dataclass(frozen=True)
class Changes:
    """How two judgings of one task compare.

    Attributes:
        task: the task.
        n: units that both have, failed ones too.
        only_a: units that the first alone has.
        only_b: units that the second alone has.
        changed: ids of the units with another outcome, the largest change first.
        labels: the labels that occur, rising where they have an order.
        matrix: counts of units; rows by outcome of the first, columns of the second, each in the
            order of `labels` and last those that failed.
        exact: share of the units that both have labelled that kept their label.
        kappa: Cohen's kappa of these, None where it is undefined.
        kappa_quadratic: the same weighted by squared difference; None for labels without order.
    """

    task: str
    n: int
    only_a: int
    only_b: int
    changed: tuple[str, ...]
    labels: tuple[Label, ...]
    matrix: tuple[tuple[int, ...], ...]
    exact: float | None
    kappa: float | None
    kappa_quadratic: float | None


def changes(task: str, a: Outcomes, b: Outcomes) -> Changes:
    """Compare the outcomes of one task."""
    both = [unit_id for unit_id in a if unit_id in b]
    ordered = _scale([*a.values(), *b.values()])
    labels = _labels(a, b) if ordered is None else ordered.labels
    places: dict[Label | None, int] = {label: place for place, label in enumerate(labels)}
    places[None] = len(labels)
    codes = [np.array([places[side[u]] for u in both], dtype=np.int64) for side in (a, b)]
    matrix = confusion(codes[0], codes[1], len(labels) + 1)
    counts = matrix[:-1, :-1]
    values = np.arange(len(labels), dtype=np.float64) if ordered is None else ordered.values
    return Changes(
        task=task,
        n=len(both),
        only_a=len(a) - len(both),
        only_b=len(b) - len(both),
        changed=tuple(_changed(both, a, b, dict(zip(labels, values, strict=True)))),
        labels=labels,
        matrix=tuple(tuple(int(cell) for cell in row) for row in matrix),
        exact=number(exact(counts)),
        kappa=number(kappa(counts, values)),
        kappa_quadratic=None if ordered is None else number(kappa(counts, values, 2)),
    )


def _changed(both: list[str], a: Outcomes, b: Outcomes, values: Mapping[Label, float]) -> list[str]:
    """The units with another outcome, the largest change first, those that failed last."""

    def size(unit_id: str) -> float:
        first, second = a[unit_id], b[unit_id]
        return 0.0 if first is None or second is None else abs(values[first] - values[second])

    return sorted((u for u in both if a[u] != b[u]), key=size, reverse=True)


def _scale(labels: list[Label | None]) -> Scale | None:
    """The scale of the labels; None where they have no order."""
    try:
        return scale_of(labels)
    except InputError:
        return None


def _labels(a: Outcomes, b: Outcomes) -> tuple[Label, ...]:
    found = {label for side in (a, b) for label in side.values() if label is not None}
    return tuple(sorted(found, key=str))
