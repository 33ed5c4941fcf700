"""The labels of people and of judges: read, and brought together unit by unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from judge.agreeing.alignment import aligned, raters_of
from judge.agreeing.ratings import Kind, Reading, read_ratings
from judge.agreeing.rows import UnitText
from judge.agreement.calibration import Calibration
from judge.agreement.cautions import some
from judge.agreement.ratings import (
    Matching,
    Rater,
    Rating,
    Table,
    consensus,
    match,
    table_of,
)
from judge.agreement.scale import UNRATED, Ints
from judge.errors import InputError, UsageError


@dataclass(frozen=True)
class Compared:
    """Labels of people and judges, brought together.

    Attributes:
        kind: the kind of units.
        humans: the people, by annotator.
        judges: the judges; the first is the one that is measured.
        human: what people say together; see `judge.agreement.ratings.consensus`.
        tied: ids of units on which they say nothing together.
        matching: which units both sides have; None without people or without a judge.
        table: the labels of all raters, people first.
        readings: what was read, by people and by judges.
    """

    kind: Kind
    humans: tuple[Rater, ...]
    judges: tuple[Rater, ...]
    human: Rater
    tied: tuple[str, ...]
    matching: Matching | None
    table: Table
    readings: tuple[tuple[Reading, ...], tuple[Reading, ...]]

    @property
    def judge(self) -> Rater | None:
        """The judge that is measured."""
        return self.judges[0] if self.judges else None

    @property
    def texts(self) -> Mapping[str, UnitText]:
        """What is known of the units beside their ids, by unit_id."""
        found: dict[str, UnitText] = {}
        for side in self.readings:
            for reading in side:
                found = {**reading.texts, **found}
        return found

    @property
    def models(self) -> list[str]:
        """The models that judged, as far as their judgments say."""
        return sorted({model for reading in self.readings[1] for model in reading.models})

    def codes(self, rater: Rater) -> Ints:
        """The codes of a rater's labels, one for each row of the table."""
        labels = rater.labels
        return self.table.scale.codes(labels.get(unit.unit_id) for unit in self.table.units)

    def both(self) -> tuple[list[Rating], Ints, Ints]:
        """The units that both sides labelled, with the codes of people and of the judge."""
        if self.judge is None:
            return [], np.array([], dtype=np.int64), np.array([], dtype=np.int64)
        human, judge = self.codes(self.human), self.codes(self.judge)
        rows = np.flatnonzero((human != UNRATED) & (judge != UNRATED))
        return [self.table.units[row] for row in rows], human[rows], judge[rows]


def compare(
    human: Sequence[str],
    judge: Sequence[str] = (),
    kind: Kind | None = None,
    calibration: Calibration | None = None,
) -> Compared:
    """Read the labels of people and of judges, and match their units.

    Args:
        human: files, folders or globs of human labels, or run directories; each is one rater,
            unless its files name annotators.
        judge: the same of judges. Without, people are compared among themselves.
        kind: the kind of units; None where the labels are of one kind alone.
        calibration: maps the labels of the judges, if given.

    Raises:
        InputError: a file cannot be read, or the two sides have no unit in common.
        UsageError: there is nothing to compare, labels of several kinds, or a calibration of
            another kind.
    """
    readings = _read(human, judge, kind)
    humans = raters_of(readings[0])
    judges = raters_of(readings[1], [rater.name for rater in humans])
    if calibration is not None:
        judges = [_calibrated(rater, calibration, readings) for rater in judges]
    if len(humans) + len(judges) < 2:
        raise UsageError("nothing to compare: give --judge, or --human for each of two annotators")
    together, tied = consensus(_name(humans), humans)
    compared = Compared(
        kind=next(reading.kind for side in readings for reading in side),
        humans=tuple(humans),
        judges=tuple(judges),
        human=together,
        tied=tuple(tied),
        matching=match(together, judges[0], tied) if humans and judges else None,
        table=table_of([*humans, *judges]),
        readings=readings,
    )
    _refuse_strangers(compared)
    return compared


def read_judge(judge: Sequence[str], kind: Kind | None = None) -> Compared:
    """Read a judge's labels alone, before there are any of people.

    Raises:
        InputError: a file cannot be read.
        UsageError: no judge is named.
    """
    readings = _read((), judge, kind)
    judges = raters_of(readings[1])
    return Compared(
        kind=readings[1][0].kind,
        humans=(),
        judges=tuple(judges),
        human=Rater("", "human", {}),
        tied=(),
        matching=None,
        table=table_of(judges),
        readings=readings,
    )


def _read(
    human: Sequence[str], judge: Sequence[str], kind: Kind | None
) -> tuple[tuple[Reading, ...], tuple[Reading, ...]]:
    """The readings of both sides, with the unit ids of the first judge, or first annotator."""
    people = [read_ratings(spec, "human", kind) for spec in human]
    kinds = {reading.kind for reading in people}
    if len(kinds) > 1:
        raise UsageError(f"the human labels are of several kinds: {', '.join(sorted(kinds))}")
    judges = [read_ratings(spec, "judge", kind or next(iter(kinds), None)) for spec in judge]
    if not people and not judges:
        raise UsageError("nothing to compare: give --human and --judge")
    leader = (judges or people)[0]
    first, second = (
        tuple(r if r is leader else aligned(r, leader) for r in side) for side in (people, judges)
    )
    return first, second


def _calibrated(
    rater: Rater, calibration: Calibration, readings: tuple[tuple[Reading, ...], ...]
) -> Rater:
    kind = next(reading.kind for side in readings for reading in side)
    if calibration.kind != kind:
        raise UsageError(f"the calibration is of {calibration.kind} labels, and these are {kind}")
    return calibration.apply(rater)


def _name(humans: Sequence[Rater]) -> str:
    return humans[0].name if len(humans) == 1 else f"{len(humans)} annotators"


def _refuse_strangers(compared: Compared) -> None:
    """Raise where the two sides have no unit in common, with ids that show why.

    Where all raters are of one side, it is enough if any two of them have one.
    """
    raters = (*compared.humans, *compared.judges)
    sides = [compared.humans, compared.judges]
    alone = not all(sides)
    if alone:
        sides = [raters[:1], raters[1:]]
    units = [{key for rater in side for key in rater.ratings} for side in sides]
    shared = len({key for rater in raters for key in rater.ratings})
    if units[0] & units[1] or (alone and shared < sum(len(r.ratings) for r in raters)):
        return
    ids = [list(dict.fromkeys(t for rater in side for t in rater.topics)) for side in sides]
    what = "topic"
    if set(ids[0]) & set(ids[1]):
        what, ids = "unit", [sorted(side) for side in units]
    names = [", ".join(rater.name for rater in side) for side in sides]
    raise InputError(
        f"no {what} in common: {names[0]} has {some(ids[0])}; {names[1]} has {some(ids[1])}"
    )
