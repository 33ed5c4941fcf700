"""Measures of coverage: what an answer holds, and what it holds and can prove by a citation.

`info_recall` takes nugget labels; `nugget_coverage` takes the same with their grounds, as
`judge.metrics.grounding` puts them together. The units are the nuggets counted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from judge.cited import GroundedAnswer, GroundedNugget
from judge.metrics.measure import param
from judge.metrics.nuggets import (
    ALL,
    HALF,
    STRICT,
    VITAL,
    Credits,
    GoldMeasure,
    NuggetMeasure,
    Weights,
    notes_on,
    recall,
    what_is_missing,
)
from judge.metrics.outcome import Outcome, Part, part, undefined, weighted_mean
from judge.types import AssignedAnswer, Importance, Topic

Counted = Literal["all", "vital"]
Credit = Literal["full", "partial", "weighted"]

_TWICE: Weights = {"vital": 2.0, "okay": 1.0}
_COUNTED = "the nuggets counted: all, or the vital ones"
_CREDIT = (
    "full: a partial nugget counts 0; partial: it counts 0.5; "
    "weighted: it counts 0, and a vital nugget counts twice an okay one"
)


@dataclass(frozen=True)
class InfoRecall(NuggetMeasure):
    """#{N: full} / #N, the nuggets that the answer covers, citation or not (InfoR).

    importance=vital counts the vital nuggets alone. credit=partial gives 0.5 for a partial nugget.
    credit=weighted is sum(w * [full]) / sum(w) with w 2 for vital and 1 for okay; a nugget that
    was given no importance has no weight, and is left out.

    A failed nugget is left out of the value. Undefined where no nugget counts. With all at
    their defaults it is strict_all_recall, under the name of the coverage evaluations.
    """

    name = "info_recall"
    importance: Literal["all", "vital"] = param("all", _COUNTED)
    credit: Literal["full", "partial", "weighted"] = param("full", _CREDIT)

    def evaluate(self, answer: AssignedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the nuggets that the answer covers."""
        del topic
        return recall(answer.nuggets, _weights(self.importance, self.credit), _credits(self.credit))


@dataclass(frozen=True)
class NuggetCoverage(GoldMeasure[GroundedAnswer]):
    """#{N: full and grounded} / #N, the primary measure of the coverage evaluation.

    A nugget is grounded when some sentence of the answer that holds it cites a document that
    holds it too. Parameters as for info_recall, which it never exceeds: a nugget that is not
    grounded counts 0, whatever its label.

    Where it is not known whether a nugget is grounded, or its label failed, it is left out of the
    value and counted as failed, unless it counts 0 either way; in the bounds it stands with 0 and
    with 1, as every failed unit. Undefined where no nugget counts.
    """

    name = "nugget_coverage"
    kind = "coverage"
    importance: Literal["all", "vital"] = param("all", _COUNTED)
    credit: Literal["full", "partial", "weighted"] = param("full", _CREDIT)

    def evaluate(self, answer: GroundedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the nuggets that the answer covers and grounds."""
        del topic
        weights, credits_ = _weights(self.importance, self.credit), _credits(self.credit)
        counted = [nugget for nugget in answer.nuggets if nugget.importance in weights]
        if not counted:
            return undefined(what_is_missing(answer.nuggets))
        parts = (_part(nugget, credits_, weights[nugget.importance]) for nugget in counted)
        return weighted_mean(parts, notes_on(answer.nuggets, weights))


MEASURES = (InfoRecall, NuggetCoverage)


def _weights(importance: Counted, credit: Credit) -> Mapping[Importance | None, float]:
    if importance == "vital":
        return VITAL
    return _TWICE if credit == "weighted" else ALL


def _credits(credit: Credit) -> Credits:
    return HALF if credit == "partial" else STRICT


def _part(nugget: GroundedNugget, credits_: Credits, weight: float) -> Part:
    credit = None if nugget.label is None else credits_[nugget.label]
    if nugget.grounded is False or credit == 0.0:
        credit = 0.0
    elif nugget.grounded is None:
        credit = None
    return part([credit], max, weight)
