"""What an expert would warn of before a number is believed, each in one line."""

from collections.abc import Mapping, Sequence

from judge.agreement.calibration import Calibration
from judge.agreement.families import same_family
from judge.agreement.labels import Summary
from judge.agreement.ratings import EXAMPLES, Matching, Rater
from judge.types import Label

FEWEST = 20
"""Human labels of a kind, below which nothing is said of that label."""


def label_cautions(summary: Summary) -> list[str]:
    """Warn of labels that are too rare, or alone, for the statistics on them to mean much."""
    told = []
    for side, counts in (
        ("people", {label: x.n_human for label, x in summary.per_label.items()}),
        ("the judge", {label: x.n_judge for label, x in summary.per_label.items()}),
    ):
        given = [label for label, count in counts.items() if count]
        if len(given) == 1:
            told.append(
                f"{side} gave the label {given[0]!r} alone: kappa and alpha say nothing of whether "
                "the judge tells labels apart"
            )
    few = [f"{label} {x.n_human}" for label, x in summary.per_label.items() if x.n_human < FEWEST]
    if few:
        told.append(f"fewer than {FEWEST} human labels of a kind: {', '.join(few)}")
    return told


def scale_caution(human: Rater, judge: Rater) -> str | None:
    """Warn where one side uses grades that the other never does: two scales, or a shy judge."""
    ours, theirs = _numbers(human), _numbers(judge)
    if not ours or not theirs or {min(ours), max(ours)} == {min(theirs), max(theirs)}:
        return None
    return (
        f"the grades of people run from {min(ours)} to {max(ours)}, those of the judge from "
        f"{min(theirs)} to {max(theirs)}: if the scales differ, distances and kappa mean little"
    )


def matching_cautions(matching: Matching, human: Rater, judge: Rater) -> list[str]:
    """Warn of units that could not be compared, and of topics that people did not label."""
    told = []
    if matching.n_failed:
        share = f"{matching.n_failed} of {matching.n_both + matching.n_failed}"
        told.append(f"{share} units that people labelled have no label of the judge: it failed")
    for side, ids in (("people", matching.only_human), ("the judge", matching.only_judge)):
        if ids:
            told.append(f"{len(ids)} units were labelled by {side} alone: {some(ids)}")
    labelled = {rating.topic_id for rating in human.ratings.values() if rating.label is not None}
    without = [topic for topic in judge.topics if topic not in labelled]
    if without:
        told.append(f"{len(without)} of the judge's topics have no human label: {some(without)}")
    return told


def tie_caution(tied: Sequence[str]) -> list[str]:
    """Warn of units on which annotators are divided."""
    if not tied:
        return []
    told = (
        "units on which annotators are divided are left out of agreement, which flatters the judge"
    )
    return [f"{len(tied)} {told}; they are in the pairs of raters: {some(tied)}"]


def adjudication_caution(humans: Sequence[Rater]) -> list[str]:
    """Warn of labels that were given where raters differ, with the others' labels in sight."""
    settled = {key for rater in humans if rater.adjudicates for key in rater.labels}
    if not settled:
        return []
    labelled = {key for rater in humans for key in rater.labels}
    told = "human labels settle disagreements, with the judge's label in sight: they are no sample"
    return [f"{len(settled)} of {len(labelled)} {told}, and agreement on them alone means nothing"]


def family_cautions(models: Sequence[str], generators: Mapping[str, str]) -> list[str]:
    """Warn where a system's answers were written by a model of the judge's family."""
    if not models:
        return ["which model judged is not known: run directories say it, files of labels do not"]
    return [
        f"the judge ({', '.join(models)}) and the generator of {some(runs)} are of one family, "
        f"{family}: judges favour their own"
        for family, runs in same_family(models, generators).items()
    ]


def calibration_cautions(calibration: Calibration, human: Rater) -> list[str]:
    """Warn where a calibration is tried on the units it was fitted on."""
    labels = human.labels
    seen = calibration.overlap(labels)
    if not seen:
        return []
    told = "units with human labels were used to fit the calibration: tuned and tested on the same"
    return [f"{seen} of {len(labels)} {told}; its own evaluation is on topics left out"]


def some(ids: Sequence[str]) -> str:
    """The first three of several ids."""
    return ", ".join(map(repr, ids[:EXAMPLES])) + (", ..." if len(ids) > EXAMPLES else "")


def _numbers(rater: Rater) -> list[Label]:
    return [label for label in set(rater.labels.values()) if isinstance(label, int)]
