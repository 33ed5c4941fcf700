"""Measures of an answer's content: how much of what a topic asks for it holds.

They take the nuggets of a topic labelled full, partial or none for one answer. V are the vital
nuggets of the topic, N all of them; #{V: full} is the number of vital nuggets labelled full. A
nugget that was given no importance is in N but not in V. The units are the nuggets counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeVar

from judge.errors import InputError
from judge.metrics.measure import Measure, param
from judge.metrics.outcome import (
    UNASKED,
    Notes,
    Outcome,
    fixed,
    noted,
    part,
    undefined,
    weighted_mean,
)
from judge.metrics.subnarratives import Group, group_of, official_groups
from judge.types import (
    AssignedAnswer,
    Importance,
    NuggetLabel,
    Support,
    Topic,
)

Weights = Mapping[Importance | None, float]
Credits = Mapping[Support, float]
G = TypeVar("G")

STRICT: Credits = {"full": 1.0, "partial": 0.0, "none": 0.0}
HALF: Credits = {"full": 1.0, "partial": 0.5, "none": 0.0}
VITAL: Weights = {"vital": 1.0}
ALL: Weights = {"vital": 1.0, "okay": 1.0, None: 1.0}
WEIGHTED: Weights = {"vital": 1.0, "okay": 0.5}


class GoldMeasure(Measure[G], Generic[G]):
    """Base of the measures whose gold is a topic's nuggets.

    Where a topic's gold is empty for the measure it has no value, for any run.
    """

    def unanswered(self, others: Iterable[Outcome]) -> Outcome:
        """Return 0, or undefined where the other answers show that the topic's gold is empty.

        The gold stands nowhere but in the answers: where no run has one, it is taken as not empty.
        """
        reasons = {outcome.reason if outcome.undefined else None for outcome in others}
        if not reasons or None in reasons:
            return super().unanswered(())
        text = ", ".join(sorted(filter(None, reasons)))
        return undefined(f"no answer; {text}")._replace(missing=True)


class NuggetMeasure(GoldMeasure[AssignedAnswer]):
    """Base of the measures that take nugget labels."""

    kind = "nuggets"


class _Recall(NuggetMeasure):
    """sum(weight * credit) / sum(weight) over the nuggets that have a weight."""

    weights: ClassVar[Weights]
    credits: ClassVar[Credits]

    def evaluate(self, answer: AssignedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the nuggets that the answer holds."""
        del topic
        return recall(answer.nuggets, self.weights, self.credits)


@dataclass(frozen=True)
class StrictVitalRecall(_Recall):
    """#{V: full} / #V, the primary measure.

    nuggetizer's strict_vital_score (Pradeep et al., "The Great Nugget Recall", 2025).
    """

    name = "strict_vital_recall"
    weights, credits = VITAL, STRICT


@dataclass(frozen=True)
class StrictAllRecall(_Recall):
    """#{N: full} / #N: nuggetizer's strict_all_score."""

    name = "strict_all_recall"
    weights, credits = ALL, STRICT


@dataclass(frozen=True)
class VitalRecall(_Recall):
    """(#{V: full} + 0.5 #{V: partial}) / #V: nuggetizer's vital_score."""

    name = "vital_recall"
    weights, credits = VITAL, HALF


@dataclass(frozen=True)
class AllRecall(_Recall):
    """(#{N: full} + 0.5 #{N: partial}) / #N: nuggetizer's all_score."""

    name = "all_recall"
    weights, credits = ALL, HALF


@dataclass(frozen=True)
class WeightedRecall(_Recall):
    """sum(w * credit) / sum(w) over N: w 1 for vital, 0.5 for okay; full 1, partial 0.5.

    A nugget that was given no importance has no weight, and is left out.
    """

    name = "weighted_recall"
    weights, credits = WEIGHTED, HALF


@dataclass(frozen=True)
class SubNarrativeCoverage(NuggetMeasure):
    """Share of the topic's sub-narratives that the answer covers.

    A sub-narrative is covered when at least one of the vital nuggets mapped to it is full. Okay
    nuggets, and nuggets mapped to nothing, play no part.

    denominator=mapped counts the sub-narratives that have a vital nugget. denominator=official
    counts all of the topic's official ones: one without a vital nugget counts 0, the same for all
    runs. A nugget names an official sub-narrative by its text, up to letter case, Unicode
    compatibility forms (NFKC), spacing and surrounding quotes; one that names neither an official
    nor a new sub-narrative is left out of denominator=official and told in the reason.

    new=true counts each "New: ..." group, beside the official ones too; new=false drops them.

    credit=partial counts a sub-narrative by its best vital nugget: full 1, partial 0.5. It is the
    best and not the sum: two vague mentions do not make one detailed treatment, and a further
    nugget never lowers a sub-narrative's credit. With credit=full a best nugget that is partial
    counts 0, as in the strict recalls.

    A failed nugget is left out; a sub-narrative all of whose vital nuggets failed leaves the
    denominator. Undefined where no sub-narrative counted has a vital nugget.
    """

    name = "sub_narrative_coverage"
    denominator: Literal["mapped", "official"] = param(
        "mapped", "the sub-narratives counted: those with a vital nugget, or all official ones"
    )
    new: bool = param(True, 'whether "New: ..." groups count')
    credit: Literal["full", "partial"] = param(
        "full", "full: a partial nugget counts 0; partial: it counts 0.5"
    )

    def evaluate(self, answer: AssignedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the sub-narratives counted that the answer covers."""
        counted = [nugget for nugget in answer.nuggets if self._counts(nugget)]
        groups = self._credits_by_group(counted)
        notes: Notes = ()
        if self.denominator == "official":
            official = self._official(answer.topic_id, topic)
            if not official:
                return undefined("the topic has no official sub-narratives")
            groups, notes = _restrict(groups, official)
        if not any(groups.values()):
            return undefined("no sub-narrative with a vital nugget")
        parts = [part(units, max) if units else fixed(0.0) for units in groups.values()]
        return weighted_mean(parts, (*notes, *notes_on(counted, VITAL)))

    def _counts(self, nugget: NuggetLabel) -> bool:
        group = group_of(nugget.sub_narrative)
        return nugget.importance == "vital" and group is not None and (self.new or not group.new)

    def _credits_by_group(self, nuggets: Sequence[NuggetLabel]) -> dict[Group, list[float | None]]:
        table = HALF if self.credit == "partial" else STRICT
        groups: dict[Group, list[float | None]] = {}
        for nugget in nuggets:
            if (group := group_of(nugget.sub_narrative)) is not None:
                groups.setdefault(group, []).append(_credit(nugget, table))
        return groups

    def _official(self, topic_id: str, topic: Topic | None) -> list[Group]:
        if topic is None:
            raise InputError(
                f"{self} needs the official sub-narratives of topic {topic_id!r}; "
                "give the topics file that has them, or use denominator=mapped"
            )
        return official_groups(topic)


MEASURES = (
    StrictVitalRecall,
    StrictAllRecall,
    VitalRecall,
    AllRecall,
    WeightedRecall,
    SubNarrativeCoverage,
)


def recall(nuggets: Sequence[NuggetLabel], weights: Weights, credits_: Credits) -> Outcome:
    """Return sum(weight * credit) / sum(weight) over the nuggets whose importance has a weight."""
    counted = [nugget for nugget in nuggets if nugget.importance in weights]
    if not counted:
        return undefined(what_is_missing(nuggets))
    parts = (part([_credit(n, credits_)], max, weights[n.importance]) for n in counted)
    return weighted_mean(parts, notes_on(nuggets, weights))


def notes_on(nuggets: Sequence[NuggetLabel], weights: Weights) -> Notes:
    """Return how many nuggets are left out for want of an importance, and were never asked."""
    unweighted = sum(None not in weights and nugget.importance is None for nugget in nuggets)
    unasked = sum(nugget.importance in weights and not nugget.asked for nugget in nuggets)
    return noted(("nuggets without an importance, left out", unweighted), (UNASKED, unasked))


def _credit(nugget: NuggetLabel, table: Credits) -> float | None:
    return None if nugget.label is None else table[nugget.label]


def what_is_missing(nuggets: Sequence[NuggetLabel]) -> str:
    """Return why no nugget counts."""
    if not nuggets:
        return "no nuggets"
    if all(nugget.importance is None for nugget in nuggets):
        return "no nugget has an importance"
    return "no vital nuggets"


def _restrict(
    groups: Mapping[Group, list[float | None]], official: Sequence[Group]
) -> tuple[dict[Group, list[float | None]], Notes]:
    """Return the credits of the official and the new groups, and a note on what is neither."""
    kept = {group: groups.get(group, []) for group in official}
    kept |= {group: units for group, units in groups.items() if group.new}
    n = sum(len(units) for group, units in groups.items() if group not in kept)
    return kept, noted(("vital nuggets of no official sub-narrative, left out", n))
