"""What raters said of units, and how the units of several raters are brought together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judge.agreement.scale import Ints, Scale, scale_of
from judge.types import Label, Source

EXAMPLES = 3
"""How many ids are shown of units that only one side has."""


class Rating(NamedTuple):
    """What one rater said of one unit; label None: was asked, and gave no label.

    `probabilities` are the judge's, by label, where they are known.
    """

    unit_id: str
    topic_id: str
    run_id: str | None
    label: Label | None
    reason: str | None = None
    probabilities: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Rater:
    """A person or a judge, with everything they rated, by unit_id.

    One who `adjudicates` has seen what others said of units on which they differ, and settles it.
    """

    name: str
    source: Source
    ratings: Mapping[str, Rating]
    adjudicates: bool = False

    @property
    def labels(self) -> dict[str, Label]:
        """unit_id -> label, without the units that got none."""
        return {key: r.label for key, r in self.ratings.items() if r.label is not None}

    @property
    def topics(self) -> list[str]:
        """The topics of the rated units, each once."""
        return list(dict.fromkeys(rating.topic_id for rating in self.ratings.values()))


@dataclass(frozen=True)
class Table:
    """Labels of several raters: a row a unit, a column a rater.

    `codes` has shape (units, raters), UNRATED where a rater gave no label. `units` are ratings
    that stand for the unit: their labels are not looked at.
    """

    scale: Scale
    raters: tuple[str, ...]
    units: tuple[Rating, ...]
    codes: Ints

    @property
    def topics(self) -> list[str]:
        """The topic of each row."""
        return [unit.topic_id for unit in self.units]

    @property
    def runs(self) -> list[str | None]:
        """The system of each row, None where a unit belongs to none."""
        return [unit.run_id for unit in self.units]

    def column(self, rater: str) -> Ints:
        """The codes of one rater."""
        return self.codes[:, self.raters.index(rater)]


def table_of(raters: Sequence[Rater]) -> Table:
    """Put the labels of raters side by side, one row for each unit that any of them rated.

    Raises:
        InputError: their labels are not on one scale.
    """
    units = {key: rating for rater in raters for key, rating in rater.ratings.items()}
    labels = [[_label(rater, key) for key in units] for rater in raters]
    scale = scale_of(label for column in labels for label in column)
    columns = [scale.codes(column) for column in labels]
    codes = np.stack(columns, axis=1) if columns else np.empty((0, 0), dtype=np.int64)
    return Table(scale, tuple(rater.name for rater in raters), tuple(units.values()), codes)


def _label(rater: Rater, key: str) -> Label | None:
    rating = rater.ratings.get(key)
    return None if rating is None else rating.label


@dataclass(frozen=True)
class Matching:
    """How the units of two sides meet.

    Attributes:
        n_human: units that people labelled.
        n_judge: units that the judge labelled.
        n_both: units that have a label of both.
        n_failed: units that people labelled and the judge was asked about, without a label.
        only_human: ids of units that people labelled and the judge never saw.
        only_judge: ids of units that the judge labelled and people did not.
    """

    n_human: int
    n_judge: int
    n_both: int
    n_failed: int
    only_human: tuple[str, ...]
    only_judge: tuple[str, ...]

    @property
    def n_unmatched(self) -> int:
        """Units that only one side has."""
        return len(self.only_human) + len(self.only_judge)


def match(human: Rater, judge: Rater, tied: Collection[str] = ()) -> Matching:
    """Return which units both sides labelled, and which only one of them.

    Args:
        human: what people say together.
        judge: what the judge says.
        tied: ids of units on which people are divided; they labelled these, with no outcome.
    """
    divided = set(tied)
    people, labels = human.labels, judge.labels
    lacking = [key for key in people if key not in labels]
    return Matching(
        n_human=len(people),
        n_judge=len(labels),
        n_both=len(people) - len(lacking),
        n_failed=sum(key in judge.ratings for key in lacking),
        only_human=tuple(key for key in lacking if key not in judge.ratings),
        only_judge=tuple(key for key in labels if key not in people and key not in divided),
    )


def consensus(name: str, raters: Sequence[Rater]) -> tuple[Rater, list[str]]:
    """Return one rater who says what most of `raters` say, and the ids of units that are tied.

    A unit is tied where no label was given more often than every other; it gets no label, since
    any choice would be ours. Where one adjudicates, the others are not asked. One rater alone is
    their own consensus.
    """
    if len(raters) == 1:
        return raters[0], []
    given: dict[str, list[Rating]] = {}
    settled = {key for rater in raters if rater.adjudicates for key in rater.labels}
    for rater in raters:
        for key, rating in rater.ratings.items():
            if rater.adjudicates or key not in settled:
                given.setdefault(key, []).append(rating)
    merged: dict[str, Rating] = {}
    tied: list[str] = []
    for key, ratings in given.items():
        label = _majority(ratings)
        if label is None and any(rating.label is not None for rating in ratings):
            tied.append(key)
        else:
            merged[key] = ratings[0]._replace(label=label)
    return Rater(name, "human", merged), tied


def labels_by_unit(raters: Sequence[Rater]) -> dict[str, list[Label]]:
    """Return every label that people gave, by unit; where one adjudicates, theirs alone."""
    settled = {key for rater in raters if rater.adjudicates for key in rater.labels}
    given: dict[str, list[Label]] = {}
    for rater in raters:
        for key, label in rater.labels.items():
            if rater.adjudicates or key not in settled:
                given.setdefault(key, []).append(label)
    return given


def _majority(ratings: Sequence[Rating]) -> Label | None:
    counts: dict[Label, int] = {}
    for rating in ratings:
        if rating.label is not None:
            counts[rating.label] = counts.get(rating.label, 0) + 1
    most = max(counts.values(), default=0)
    winners = [label for label, count in counts.items() if count == most]
    return winners[0] if len(winners) == 1 else None
