"""How far a judge agrees with people: labels, rankings, estimates, and what to beware of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judge.agreeing.calibrating import calibrate, read_calibration, write_calibration
from judge.agreeing.comparing import Compared, compare, read_judge
from judge.agreeing.estimating import MeanEstimate, measure_estimates, unit_estimates
from judge.agreeing.labelling import LabellingPlan, Texts, plan_labels, write_disagreements
from judge.agreeing.overlaps import lexical
from judge.agreeing.ratings import Kind, kind_named
from judge.agreeing.run_scores import run_scores
from judge.agreeing.system_scores import SystemScores, system_scores
from judge.agreement.annotators import Pair, Reliability, pairs, pooled, reliability
from judge.agreement.calibration import Calibration
from judge.agreement.cautions import (
    adjudication_caution,
    calibration_cautions,
    family_cautions,
    label_cautions,
    matching_cautions,
    scale_caution,
    tie_caution,
)
from judge.agreement.groups import GroupAgreement, by_group, counts_by
from judge.agreement.intervals import Intervals, intervals
from judge.agreement.labels import Summary, summary
from judge.agreement.lexical import Lexical
from judge.agreement.ratings import Matching, Table
from judge.agreement.scale import Floats
from judge.agreement.systems import SystemAgreement, system_agreement
from judge.errors import UsageError
from judge.formats.generators import read_generators
from judge.metrics import parse_measures


@dataclass(frozen=True)
class Inputs:
    """Files that an agreement can use beside the labels.

    `nuggets` and `topics` as for scoring; `corpus` holds the documents that support labels are
    about; `generators` says which model wrote each system's answers; `calibration` maps the
    judge's labels before they are compared; `runs` are retrieval runs, which both sides' grades
    rank.
    """

    nuggets: str | None = None
    topics: str | None = None
    corpus: tuple[str, ...] = ()
    generators: str | None = None
    calibration: str | None = None
    runs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outputs:
    """Files to write: a sheet of the units on which raters differ, and a calibration."""

    disagreements: str | None = None
    calibrate: str | None = None


@dataclass(frozen=True)
class Agreement:
    """What people and a judge have in common.

    Without a judge annotators are compared among themselves: `summary` then counts every pair of
    them, the first named in the rows, and `matching` is None.

    Attributes:
        kind: the kind of units.
        human: who stands in the rows of the confusion matrix.
        judge: who stands in its columns.
        summary: every statistic of the labels.
        intervals: 95% bootstrap intervals of the main ones, over topics.
        matching: how the units of both sides met.
        n_tied: units on which annotators are divided.
        pairs: every pair of raters.
        reliability: Krippendorff's alpha of all people, or of all raters where people are one.
        topics: agreement by topic.
        by_run: agreement by system, where units belong to systems.
        systems: agreement on systems, by measure.
        systems_reason: why there is none.
        estimates: means corrected by the human labels.
        lexical: the judge against word overlap; None for relevance.
        warnings: what to beware of, a line each.
        calibration: what was fitted, where that was asked for.
        written: the files that were written, and what they hold, a line each.
    """

    kind: Kind
    human: str
    judge: str
    summary: Summary
    intervals: Intervals
    matching: Matching | None
    n_tied: int
    pairs: tuple[Pair, ...]
    reliability: Reliability
    topics: Mapping[str, GroupAgreement]
    by_run: Mapping[str, GroupAgreement]
    systems: tuple[SystemAgreement, ...]
    systems_reason: str | None
    estimates: tuple[MeanEstimate, ...]
    lexical: Lexical | None
    warnings: tuple[str, ...]
    calibration: Calibration | None = None
    written: tuple[str, ...] = ()


def agree(
    human: Sequence[str],
    judge: Sequence[str] = (),
    *,
    kind: str | None = None,
    measures: str | None = None,
    inputs: Inputs | None = None,
    outputs: Outputs | None = None,
) -> Agreement:
    """Compare the labels of people and of a judge.

    Args:
        human: files, folders or globs of human labels, or run directories, each one rater
            unless its files name annotators.
        judge: the same of judges, the first of which is measured.
        kind: relevance, assign or support; None where the labels are of one kind alone.
        measures: measures to rank systems by; None for the usual ones.
        inputs: further files.
        outputs: files to write.

    Raises:
        InputError: a file cannot be read, or the sides have no unit in common.
        UsageError: there is nothing to compare, or labels of several kinds and no `kind`; or a
            file cannot be written.
    """
    given, wanted = inputs or Inputs(), outputs or Outputs()
    if given.calibration and wanted.calibrate:
        raise UsageError("calibrated labels are not calibrated again")
    calibration = None if given.calibration is None else read_calibration(given.calibration)
    compared = compare(human, judge, kind_named(kind), calibration)
    found = agreement_of(compared, measures, given, calibration)
    return replace(found, **_write(compared, given, wanted))


def refuse_outputs(outputs: Outputs) -> None:
    """Refuse files that a plan does not write.

    Raises:
        UsageError: there are any.
    """
    if outputs != Outputs():
        raise UsageError("a plan writes --sheet alone; leave out --disagreements and --calibrate")


def plan(
    human: Sequence[str],
    judge: Sequence[str],
    *,
    kind: str | None = None,
    width: float | None = None,
    labels: int | None = None,
    sheet: str | None = None,
    inputs: Inputs | None = None,
) -> LabellingPlan:
    """Say how many more human labels an interval takes, and choose units to label.

    Args:
        human: the human labels there are, as for `agree`; there may be none.
        judge: the judge's.
        kind: the kind of units.
        width: the wanted width of the 95% interval of the mean label.
        labels: how many units to choose, instead of a width.
        sheet: a file to write, to be filled in.
        inputs: where the texts of the sheet are found.

    Raises:
        InputError: a file cannot be read, or the sides have no unit in common.
        UsageError: there is nothing to plan, or the sheet cannot be written.
    """
    given, wanted = inputs or Inputs(), kind_named(kind)
    compared = compare(human, judge, wanted) if human else read_judge(judge, wanted)
    texts = Texts(given.topics, given.corpus)
    return plan_labels(compared, width=width, more=labels, sheet=sheet, texts=texts)


def agreement_of(
    compared: Compared,
    measures: str | None,
    inputs: Inputs,
    calibration: Calibration | None = None,
) -> Agreement:
    """Return the agreement of labels that have been brought together; see `agree`."""
    counts, topics, runs = _counted(compared)
    found = summary(counts.sum(axis=0), compared.table.scale)
    scores = _scores(compared, measures, inputs, calibration)
    systems = _systems(scores)
    baseline = lexical(compared, inputs.corpus)
    names = _names(compared)
    return Agreement(
        kind=compared.kind,
        human=names[0],
        judge=names[1],
        summary=found,
        intervals=intervals(counts, compared.table.scale),
        matching=compared.matching,
        n_tied=len(compared.tied),
        pairs=tuple(pairs(compared.table)),
        reliability=reliability(_people(compared)),
        topics=topics,
        by_run=runs,
        systems=systems,
        systems_reason=scores.reason,
        estimates=(*unit_estimates(compared), *measure_estimates(scores, compared)),
        lexical=baseline,
        warnings=tuple(_warnings(compared, found, inputs, calibration)),
    )


def _write(compared: Compared, inputs: Inputs, outputs: Outputs) -> dict[str, Any]:
    """Write what is asked for; what there is to tell of it."""
    written: list[str] = []
    calibration = None
    if outputs.disagreements is not None:
        texts = Texts(inputs.topics, inputs.corpus)
        count = write_disagreements(compared, outputs.disagreements, texts)
        written.append(f"{outputs.disagreements}: {count} units on which raters differ")
    if outputs.calibrate is not None:
        calibration = calibrate(compared)
        write_calibration(outputs.calibrate, calibration)
        written.append(f"{outputs.calibrate}: a calibration of {compared.kind} labels")
    return {"calibration": calibration, "written": tuple(written)}


def _counted(
    compared: Compared,
) -> tuple[Floats, dict[str, GroupAgreement], dict[str, GroupAgreement]]:
    """The counts of each topic, and the agreement by topic and by system."""
    table, scale = compared.table, compared.table.scale
    if compared.judge is None or not compared.humans:
        return pooled(table), {}, {}
    human, judge = compared.codes(compared.human), compared.codes(compared.judge)
    runs = [unit.run_id or "" for unit in table.units]
    return (
        counts_by(table.topics, human, judge, scale),
        by_group(table.topics, human, judge, scale),
        by_group(runs, human, judge, scale) if any(runs) else {},
    )


def _scores(
    compared: Compared,
    measures: str | None,
    inputs: Inputs,
    calibration: Calibration | None,
) -> SystemScores:
    if compared.judge is None or not compared.humans:
        return SystemScores({}, {}, reason="there is no judge, or no human, to rank systems by")
    if inputs.runs:
        return run_scores(compared, inputs.runs, measures)
    chosen: list[Any] = list(parse_measures(measures)) if measures else []
    return system_scores(
        compared.readings[1][0],
        compared.human,
        nuggets=inputs.nuggets,
        topics=inputs.topics,
        measures=chosen,
        calibration=calibration,
    )


def _systems(scores: SystemScores) -> tuple[SystemAgreement, ...]:
    return tuple(
        system_agreement(
            measure,
            scores.by_topic(scores.human, measure),
            scores.by_topic(scores.judge, measure),
        )
        for measure in scores.human
    )


def _people(compared: Compared) -> Table:
    """The table of people alone, or of all raters where there are not two people."""
    table, size = compared.table, len(compared.humans)
    if size < 2:
        return table
    return Table(table.scale, table.raters[:size], table.units, table.codes[:, :size])


def _names(compared: Compared) -> tuple[str, str]:
    if compared.judge is not None and compared.humans:
        return compared.human.name, compared.judge.name
    names = compared.table.raters
    return (names[0], names[1]) if len(names) == 2 else (f"{len(names)} raters", "each other")


def _warnings(
    compared: Compared, found: Summary, inputs: Inputs, calibration: Calibration | None
) -> list[str]:
    judge, matching = compared.judge, compared.matching
    told: list[str] = []
    if judge is not None and matching is not None:
        told += label_cautions(found)
        told += matching_cautions(matching, compared.human, judge)
        told += tie_caution(compared.tied)
        told += adjudication_caution(compared.humans)
        told += filter(None, [scale_caution(compared.human, judge)])
    if inputs.generators:
        told += family_cautions(compared.models, read_generators(inputs.generators))
    if calibration is not None:
        told += calibration_cautions(calibration, compared.human)
    blank = sum(reading.n_blank for side in compared.readings for reading in side)
    if blank:
        told.append(f"{blank} rows of sheets are not filled in")
    return told
