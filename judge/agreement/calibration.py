"""A judge's labels mapped to those that people give, learned from a human sample.

Two maps over what the judge says of a unit (its label's value, or the mean value under its
probabilities), both rising: steps to a label, of the least absolute error, and points to the mean
value people give, by isotonic regression (Barlow et al. 1972). How good they are is only ever
told of topics they were not fitted on.
"""

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from judge.agreement.labels import confusion, group_codes, number, statistics
from judge.agreement.ratings import Rater, Rating
from judge.agreement.scale import Floats, Ints, Scale, label_value, scale_of
from judge.errors import InputError
from judge.types import SUPPORTS, Label, Record

FORMAT = 1
FOLDS = 10
_DIGEST = 12

Uses = Literal["labels", "probabilities"]


class Quality(Record):
    """Agreement of labels with people's; None where undefined."""

    exact: float | None
    kappa: float | None
    kappa_quadratic: float | None
    mae: float | None
    bias: float | None


class Evaluation(Record):
    """The judge's own labels and calibrated ones, each topic calibrated by the other folds."""

    n: int
    n_topics: int
    folds: int
    raw: Quality
    calibrated: Quality


class Calibration(Record):
    """What was learned, and from what.

    Attributes:
        format: version of the form it is saved in.
        kind: the kind of units.
        uses: what is mapped: the values of labels, or means under probabilities.
        lowest: the label below the first step.
        steps: (value, label), rising: from the value on, the label.
        points: (value, mean human value), rising; between them, a straight line.
        models: the models that judged.
        files: the files it was fitted on, with their hashes.
        units: digests of the ids of the units it was fitted on.
        evaluation: on topics left out; None where all units are of one topic.
    """

    format: int = FORMAT
    kind: str
    uses: Uses
    lowest: Label
    steps: tuple[tuple[float, Label], ...]
    points: tuple[tuple[float, float], ...]
    models: tuple[str, ...] = ()
    files: Mapping[str, str] = Field(default_factory=dict)
    units: tuple[str, ...] = ()
    evaluation: Evaluation | None = None

    def label(self, rating: Rating) -> Label | None:
        """The calibrated label of what a judge said; None for None.

        Raises:
            InputError: it needs probabilities, and there are none.
        """
        value = judged_value(rating, self.uses)
        if value is None:
            return None
        place = bisect_right([start for start, _ in self.steps], value)
        return self.steps[place - 1][1] if place else self.lowest

    def mean_value(self, rating: Rating) -> float | None:
        """The mean value that people give where a judge says this; None for None.

        Raises:
            InputError: it needs probabilities, and there are none.
        """
        value = judged_value(rating, self.uses)
        if value is None:
            return None
        x, y = zip(*self.points, strict=True)
        return float(np.interp(value, x, y))

    def apply(self, rater: Rater) -> Rater:
        """A judge with calibrated labels."""
        ratings = {k: r._replace(label=self.label(r)) for k, r in rater.ratings.items()}
        return replace(rater, ratings=ratings)

    def overlap(self, unit_ids: Iterable[str]) -> int:
        """How many of these units it was fitted on."""
        fitted = set(self.units)
        return sum(digest(unit_id) in fitted for unit_id in unit_ids)


def fit(
    kind: str,
    human: Mapping[str, Label],
    judge: Mapping[str, Rating],
    *,
    models: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
) -> Calibration:
    """Learn a calibration from the units that both sides labelled.

    Probabilities are used if every unit has them.

    Raises:
        InputError: there are fewer than two units, or labels of different kinds.
    """
    ratings = [r for key, r in judge.items() if key in human and r.label is not None]
    if len(ratings) < 2:
        raise InputError(f"{len(ratings)} units with labels of both sides; a calibration takes 2")
    uses: Uses = "probabilities" if all(r.probabilities for r in ratings) else "labels"
    scale = scale_of([*(human[r.unit_id] for r in ratings), *(r.label for r in ratings)])
    x = np.array([judged_value(r, uses) for r in ratings], dtype=np.float64)
    y = scale.codes(human[r.unit_id] for r in ratings)
    lowest, *steps = fit_steps(x, y, scale)
    return Calibration(
        kind=kind,
        uses=uses,
        lowest=lowest[1],
        steps=tuple(steps),
        points=tuple(isotonic(x, scale.values[y])),
        models=tuple(models),
        files=dict(files or {}),
        units=tuple(digest(r.unit_id) for r in ratings),
        evaluation=evaluate(x, y, scale.codes(r.label for r in ratings), ratings, scale),
    )


def judged_value(rating: Rating, uses: Uses) -> float | None:
    """Return what a calibration maps: the value of a judge's label, or the mean of its values.

    Raises:
        InputError: probabilities are used, and the rating has none on the scale.
    """
    if rating.label is None:
        return None
    if uses == "labels":
        return label_value(rating.label)
    weights = {
        name: p for name, p in (rating.probabilities or {}).items() if _named(name) is not None
    }
    total = sum(weights.values())
    if total <= 0:
        raise InputError(f"{rating.unit_id} has no probabilities, which this calibration maps")
    return sum((_named(name) or 0.0) * p for name, p in weights.items()) / total


def fit_steps(x: Floats, y: Ints, scale: Scale) -> list[tuple[float, Label]]:
    """Return the rising steps of the least absolute error, the first from the lowest value on.

    Each distinct value gets a label, none below that of a lower value; of equal errors the
    lower label. A step stands half-way between two values.
    """
    values, places = np.unique(x, return_inverse=True)
    errors = np.abs(scale.values[y][:, None] - scale.values)  # a unit, a label
    costs = np.zeros((len(values), len(scale)))
    np.add.at(costs, places, errors)
    labels = _rising(costs)
    steps = [(float(values[0]), scale.labels[labels[0]])]
    for place in range(1, len(values)):
        if labels[place] != labels[place - 1]:
            half = float(values[place - 1] + values[place]) / 2
            steps.append((half, scale.labels[labels[place]]))
    return steps


def isotonic(x: Floats, y: Floats) -> list[tuple[float, float]]:
    """Return the points of the rising map of the least squared error, one a distinct value."""
    from scipy.optimize import isotonic_regression

    values, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    means = np.bincount(places, weights=y) / counts
    fitted = isotonic_regression(means, weights=counts).x
    return [(float(value), float(mean)) for value, mean in zip(values, fitted, strict=True)]


def evaluate(
    x: Floats, human: Ints, judge: Ints, ratings: Sequence[Rating], scale: Scale
) -> Evaluation | None:
    """Return how good labels are that are calibrated by other topics; None for one topic."""
    topics, groups = group_codes([rating.topic_id for rating in ratings])
    if len(topics) < 2:
        return None
    folds = groups % min(FOLDS, len(topics))
    predicted = np.zeros_like(human)
    for fold in np.unique(folds):
        inside = folds == fold
        steps = fit_steps(x[~inside], human[~inside], scale)
        places = np.searchsorted([start for start, _ in steps[1:]], x[inside], side="right")
        predicted[inside] = scale.codes(label for _, label in steps)[places]
    return Evaluation(
        n=len(human),
        n_topics=len(topics),
        folds=len(np.unique(folds)),
        raw=_quality(human, judge, scale),
        calibrated=_quality(human, predicted, scale),
    )


def digest(unit_id: str) -> str:
    """A short digest of a unit's id."""
    return hashlib.sha256(unit_id.encode()).hexdigest()[:_DIGEST]


def _rising(costs: Floats) -> list[int]:
    """The codes of the labels, rising with the rows, of the least total cost."""
    best = np.zeros_like(costs)
    for row, cost in enumerate(costs):
        before = np.minimum.accumulate(best[row - 1]) if row else np.zeros_like(cost)
        best[row] = before + cost
    codes = [int(np.argmin(best[-1]))]
    for row in range(len(costs) - 2, -1, -1):
        codes.append(int(np.argmin(best[row][: codes[-1] + 1])))
    return codes[::-1]


def _quality(human: Ints, judge: Ints, scale: Scale) -> Quality:
    found = statistics(confusion(human, judge, len(scale)), scale)
    return Quality(**{name: number(found[name]) for name in Quality.model_fields})


def _named(name: str) -> float | None:
    """The value of a label's name, None for what is no label."""
    if name in SUPPORTS:
        return label_value(name)
    return float(name) if name.removeprefix("-").isdecimal() else None
