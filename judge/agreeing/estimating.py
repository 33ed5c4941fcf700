"""What means people would give, estimated from a judge's labels of all and people's of a part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from judge.agreeing.comparing import Compared
from judge.agreeing.system_scores import Key, SystemScores
from judge.agreement.labels import group_codes
from judge.agreement.prediction_powered import Estimates, Sample, estimates
from judge.agreement.ratings import Rating, labels_by_unit
from judge.agreement.scale import Floats, Ints, Scale, scale_of
from judge.types import Label

ALL_RUNS = "all"


@dataclass(frozen=True)
class MeanEstimate:
    """The mean of `measure` for a system, or for all of them ("all"), over `unit`s."""

    measure: str
    run_id: str
    unit: str
    estimates: Estimates


def unit_estimates(compared: Compared) -> list[MeanEstimate]:
    """Estimate the mean label: of all units, and of each system's.

    A grade counts as it is; full, partial and none count 1, 0.5 and 0. Of several annotators the
    mean counts, also where they are divided. Units are grouped by topic, where there are at least
    two. Units without a label of the judge play no part.
    """
    judge = compared.judge
    if judge is None or not compared.humans:
        return []
    measure = "mean grade" if compared.kind == "relevance" else "mean credit"
    rated = [rating for rating in judge.ratings.values() if rating.label is not None]
    groups = {ALL_RUNS: rated}
    if len(by_run := _by_run(rated)) > 1:
        groups |= by_run
    people = labels_by_unit(compared.humans)
    scale = scale_of([*judge.labels.values(), *chain.from_iterable(people.values())])
    return [
        MeanEstimate(measure, run, "unit", estimates(unit_sample(ratings, people, scale)))
        for run, ratings in groups.items()
    ]


def measure_estimates(scores: SystemScores, compared: Compared) -> list[MeanEstimate]:
    """Estimate each system's mean of each measure over its topics, one value a topic.

    Answers with a unit on which annotators are divided play no part: people labelled them, so
    that they must not stand for those that nobody did.
    """
    divided = _divided(compared)
    found = []
    for measure, by_judge in scores.judge.items():
        for run, values in by_judge.items():
            people = scores.human.get(measure, {}).get(run, {})
            labelled = [topic for topic in values if topic in people]
            rest = [t for t in values if t not in people and (run, t) not in divided]
            sample = Sample(
                human=_column(people, labelled),
                judge=_column(values, labelled),
                rest=_column(values, rest),
                topics=_topics_of(labelled, rest),
            )
            found.append(MeanEstimate(measure, run, "topic", estimates(sample)))
    return found


def unit_sample(
    ratings: list[Rating], people: Mapping[str, Sequence[Label]], scale: Scale
) -> Sample:
    """Return the values of a judge's ratings, and the mean of people's of the same units."""
    labelled = [rating for rating in ratings if rating.unit_id in people]
    rest = [rating for rating in ratings if rating.unit_id not in people]
    return Sample(
        human=np.array([_values(people[rating.unit_id], scale).mean() for rating in labelled]),
        judge=_values([rating.label for rating in labelled], scale),
        rest=_values([rating.label for rating in rest], scale),
        topics=_topics_of([r.topic_id for r in labelled], [r.topic_id for r in rest]),
    )


def _by_run(ratings: Iterable[Rating]) -> dict[str, list[Rating]]:
    """The ratings of each run, without those that belong to none."""
    groups: dict[str, list[Rating]] = {}
    for rating in ratings:
        if rating.run_id:
            groups.setdefault(rating.run_id, []).append(rating)
    return groups


def _divided(compared: Compared) -> set[Key]:
    """The answers with a unit on which annotators are divided."""
    tied = set(compared.tied)
    ratings = (rating for rater in compared.humans for rating in rater.ratings.values())
    return {(rating.run_id or "", rating.topic_id) for rating in ratings if rating.unit_id in tied}


def _topics_of(labelled: Sequence[str], rest: Sequence[str]) -> tuple[Ints, Ints] | None:
    """The topics of both as numbers; None where there is only one."""
    names, codes = group_codes([*labelled, *rest])
    return None if len(names) < 2 else (codes[: len(labelled)], codes[len(labelled) :])


def _values(labels: Sequence[Label | None], scale: Scale) -> Floats:
    values = scale.values if _is_graded(scale) else scale.values / 2
    return np.asarray(values[scale.codes(labels)])


def _is_graded(scale: Scale) -> bool:
    return any(isinstance(label, int) for label in scale.labels)


def _column(values: Mapping[str, float], topics: list[str]) -> Floats:
    return np.array([values[topic] for topic in topics], dtype=np.float64)
