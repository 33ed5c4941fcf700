"""The labels of one kind of unit in their order, and what each is worth."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judge.errors import InputError
from judge.types import SUPPORTS, Label

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

UNRATED = -1
"""Stands in an array of codes where a rater has no label for a unit."""

_MOST_LABELS = 50
_SUPPORT_VALUES: dict[Label, float] = {
    label: float(value) for value, label in enumerate(reversed(SUPPORTS))
}


@dataclass(frozen=True)
class Scale:
    """Labels from the lowest to the highest; the code of a label is its place among them.

    `values` are what distances and means are taken over: a grade is worth itself, and none,
    partial and full support are worth 0, 1 and 2.
    """

    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def values(self) -> Floats:
        """The value of each label, rising."""
        return np.array([label_value(label) for label in self.labels], dtype=np.float64)

    @property
    def thresholds(self) -> list[str]:
        """The names of the ways to cut the scale in two: ">=1" and so on, upwards."""
        return [f">={label}" for label in self.labels[1:]]

    def codes(self, labels: Iterable[Label | None]) -> Ints:
        """The code of each label, UNRATED for None.

        Raises:
            KeyError: a label is not on the scale.
        """
        places: dict[Label | None, int] = {label: i for i, label in enumerate(self.labels)}
        places[None] = UNRATED
        return np.array([places[label] for label in labels], dtype=np.int64)


def scale_of(labels: Iterable[Label | None]) -> Scale:
    """Return the scale of the labels that occur; None is no label.

    Raises:
        InputError: grades stand beside support labels, or there are more than 50 grades.
    """
    found = {label for label in labels if label is not None}
    if len({isinstance(label, int) for label in found}) > 1:
        some = ", ".join(map(repr, sorted(found, key=str)[:5]))
        raise InputError(f"labels of different kinds cannot be compared: {some}")
    if unknown := sorted(str(x) for x in found if not isinstance(x, int) and x not in SUPPORTS):
        expected = ", ".join(SUPPORTS)
        raise InputError("a label that is not known", expected=expected, found=unknown[0])
    if len(found) > _MOST_LABELS:
        raise InputError(f"{len(found)} different grades: is that the column of grades?")
    return Scale(tuple(sorted(found, key=label_value)))


def label_value(label: Label) -> float:
    """Return what a label is worth.

    Raises:
        KeyError: it is neither a grade nor a support label.
    """
    return float(label) if isinstance(label, int) else _SUPPORT_VALUES[label]
