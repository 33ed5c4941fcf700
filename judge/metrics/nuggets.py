"""Measures of an answer's content: how much of what a topic asks for it holds.

They take the nuggets of a topic labelled full, partial or none for one answer. V are the vital
nuggets of the topic, N all of them; #{V: full} is the number of vital nuggets labelled full. A
nugget that was given no importance is in N but not in V. The units are the nuggets counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from judge.errors import InputError
from judge.metrics.measure import Measure, param
from judge.metrics.outcome import Outcome, fixed, part, undefined, weighted_mean
from judge.metrics.subnarratives import Group, group_of, official_groups
from judge.types import AssignedAnswer, Importance, NuggetLabel, Support, Topic

_STRICT: Mapping[Support, float] = {"full": 1.0, "partial": 0.0, "none": 0.0}
_HALF: Mapping[Support, float] = {"full": 1.0, "partial": 0.5, "none": 0.0}
_VITAL: Mapping[Importance | None, float] = {"vital": 1.0}
_ALL: Mapping[Importance | None, float] = {"vital": 1.0, "okay": 1.0, None: 1.0}
_WEIGHTED: Mapping[Importance | None, float] = {"vital": 1.0, "okay": 0.5}


class NuggetMeasure(Measure[AssignedAnswer]):
    """Base of the measures that take nugget labels.

    Where a topic's gold is empty for the measure it has no value, for any run.
    """

    kind = "nuggets"

    def unanswered(self, others: Sequence[AssignedAnswer], topic: Topic | None = None) -> Outcome:
        """Return 0, or undefined where the other answers show that the topic's gold is empty.

        The gold stands nowhere but in the answers: where no run has one, it is taken as not empty.
        """
        outcomes = (self.evaluate(other, topic) for other in others)
        reasons = {outcome.reason if outcome.undefined else None for outcome in outcomes}
        if not reasons or None in reasons:
            return super().unanswered(others, topic)
        text = ", ".join(sorted(filter(None, reasons)))
        return undefined(f"no answer; {text}")._replace(missing=True)


class _Recall(NuggetMeasure):
    """sum(weight * credit) / sum(weight) over the nuggets that have a weight."""

    weights: ClassVar[Mapping[Importance | None, float]]
    credits: ClassVar[Mapping[Support, float]]

    def evaluate(self, answer: AssignedAnswer, topic: Topic | None = None) -> Outcome:
        """Return the share of the nuggets that the answer holds."""
        del topic
        counted = [nugget for nugget in answer.nuggets if nugget.importance in self.weights]
        if not counted:
            return undefined(_what_is_missing(answer.nuggets))
        parts = (part([_credit(n, self.credits)], max, self.weights[n.importance]) for n in counted)
        return weighted_mean(parts, None if None in self.weights else _remark(answer.nuggets))


@dataclass(frozen=True)
class StrictVitalRecall(_Recall):
    """#{V: full} / #V, the primary measure.

    nuggetizer's strict_vital_score (Pradeep et al., "The Great Nugget Recall", 2025).
    """

    name = "strict_vital_recall"
    weights, credits = _VITAL, _STRICT


@dataclass(frozen=True)
class StrictAllRecall(_Recall):
    """#{N: full} / #N: nuggetizer's strict_all_score."""

    name = "strict_all_recall"
    weights, credits = _ALL, _STRICT


@dataclass(frozen=True)
class VitalRecall(_Recall):
    """(#{V: full} + 0.5 #{V: partial}) / #V: nuggetizer's vital_score."""

    name = "vital_recall"
    weights, credits = _VITAL, _HALF


@dataclass(frozen=True)
class AllRecall(_Recall):
    """(#{N: full} + 0.5 #{N: partial}) / #N: nuggetizer's all_score."""

    name = "all_recall"
    weights, credits = _ALL, _HALF


@dataclass(frozen=True)
class WeightedRecall(_Recall):
    """sum(w * credit) / sum(w) over N: w 1 for vital, 0.5 for okay; full 1, partial 0.5.

    A nugget that was given no importance has no weight, and is left out.
    """

    name = "weighted_recall"
    weights, credits = _WEIGHTED, _HALF


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
        groups = self._credits_by_group(answer.nuggets)
        remark = None
        if self.denominator == "official":
            official = self._official(answer.topic_id, topic)
            if not official:
                return undefined("the topic has no official sub-narratives")
            groups, remark = _restrict(groups, official)
        if not any(groups.values()):
            return undefined("no sub-narrative with a vital nugget")
        parts = [part(units, max) if units else fixed(0.0) for units in groups.values()]
        return weighted_mean(parts, remark)

    def _credits_by_group(self, nuggets: Sequence[NuggetLabel]) -> dict[Group, list[float | None]]:
        table = _HALF if self.credit == "partial" else _STRICT
        groups: dict[Group, list[float | None]] = {}
        for nugget in nuggets:
            group = group_of(nugget.sub_narrative)
            if nugget.importance == "vital" and group is not None and (self.new or not group.new):
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


def _credit(nugget: NuggetLabel, table: Mapping[Support, float]) -> float | None:
    return None if nugget.label is None else table[nugget.label]


def _what_is_missing(nuggets: Sequence[NuggetLabel]) -> str:
    if not nuggets:
        return "no nuggets"
    if all(nugget.importance is None for nugget in nuggets):
        return "no nugget has an importance"
    return "no vital nuggets"


def _remark(nuggets: Sequence[NuggetLabel]) -> str | None:
    n = sum(nugget.importance is None for nugget in nuggets)
    return f"nuggets without an importance, left out: {n}" if n else None


def _restrict(
    groups: Mapping[Group, list[float | None]], official: Sequence[Group]
) -> tuple[dict[Group, list[float | None]], str | None]:
    """Return the credits of the official and the new groups, and a remark on what is neither."""
    kept = {group: groups.get(group, []) for group in official}
    kept |= {group: units for group, units in groups.items() if group.new}
    n = sum(len(units) for group, units in groups.items() if group not in kept)
    return kept, f"vital nuggets of no official sub-narrative, left out: {n}" if n else None
