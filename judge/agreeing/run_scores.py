"""What retrieval runs score by people's grades and by the judge's, on the pairs both graded."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from judge.agreeing.comparing import Compared
from judge.agreeing.system_scores import SystemScores
from judge.agreement.ratings import Rating
from judge.agreement.scale import Ints
from judge.errors import InputError, UsageError
from judge.formats.paths import expand
from judge.formats.runs import read_rankings
from judge.metrics.names import parse_ranking_measures
from judge.metrics.rankings import Gold, RankingMeasure, score_runs
from judge.metrics.rows import ALL_TOPICS

USUAL = "nDCG@20 AP"

Grades = Mapping[str, Mapping[str, int]]
"""topic_id -> docid -> grade."""


def run_scores(compared: Compared, runs: Sequence[str], measures: str | None) -> SystemScores:
    """Score retrieval runs by the grades of both sides.

    Args:
        compared: grades of people and of a judge.
        runs: files, folders or globs of runs.
        measures: retrieval measures; without, nDCG@20 and AP.

    Raises:
        InputError: a run cannot be read, or two are of one name.
        UsageError: the labels are no grades, or a measure is not known.
    """
    if compared.kind != "relevance":
        raise UsageError(
            f"retrieval runs are scored by grades, and these are {compared.kind} labels"
        )
    units, human, judge = compared.both()
    rankings = _read(runs)
    chosen = parse_ranking_measures(measures or USUAL)
    return SystemScores(
        human=_values(chosen, rankings, _grades(compared, units, human)),
        judge=_values(chosen, rankings, _grades(compared, units, judge)),
        topics=tuple(dict.fromkeys(unit.topic_id for unit in units)),
    )


def _read(runs: Sequence[str]) -> dict[str, Mapping[str, Sequence[str]]]:
    rankings: dict[str, Mapping[str, Sequence[str]]] = {}
    for path in expand(runs):
        run = read_rankings(path)
        if run.run_id in rankings:
            raise InputError(f"another file holds a run {run.run_id!r} too", path=path)
        rankings[run.run_id] = run.topics
    return rankings


def _grades(compared: Compared, units: Sequence[Rating], codes: Ints) -> Grades:
    """One side's grades; the document of a unit is the last part of its id."""
    grades: dict[str, dict[str, int]] = {}
    for unit, code in zip(units, codes, strict=True):
        docid = unquote(unit.unit_id.rpartition("|")[2])
        grades.setdefault(unit.topic_id, {})[docid] = int(compared.table.scale.labels[code])
    return grades


def _values(
    measures: Sequence[RankingMeasure[Any]],
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    grades: Grades,
) -> dict[str, dict[str, dict[str, float]]]:
    table: dict[str, dict[str, dict[str, float]]] = {}
    for row in score_runs(measures, runs, Gold(grades)):
        if row.topic_id != ALL_TOPICS and row.value is not None:
            by_run = table.setdefault(row.measure, {})
            by_run.setdefault(row.run_id, {})[row.topic_id] = row.value
    return table
