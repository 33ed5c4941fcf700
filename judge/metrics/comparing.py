"""Two runs on the same topics: is one better, and by how much?

The differences are taken topic by topic, and tested as Smucker, Allan and Carterette (CIKM 2007)
recommend; see `judge.metrics.inference`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

from judge.errors import UsageError
from judge.metrics.inference import holm, mean_interval, randomisation_test
from judge.metrics.measure import did_you_mean
from judge.metrics.rows import ALL_TOPICS, Rules
from judge.types import Record, Score

LEAST_TOPICS = 2

Pair = tuple[str, str]
Rows = tuple[Score, Score]  # those of two runs on one topic
Table = dict[str, dict[str, Score]]  # run_id -> topic_id -> row


class Comparison(Record):
    """How run A differs from run B by one measure, over the topics that both have a value for.

    `difference` is `mean_a` - `mean_b`; `low` and `high` bound it over every outcome of the failed
    units; `ci_low` to `ci_high` is its paired bootstrap interval at 95%. `p` is that of the
    two-sided paired randomisation test, `p_holm` the same, adjusted over the comparisons that
    were made by this measure at once.

    `n_topics` were used; to `n_missing_a` and `n_missing_b` of them the run has no answer, which
    counts 0. `n_undefined` were left out since the measure is undefined there for one of the
    runs, `n_unlabelled` since all judgments of one failed. Where there are fewer than 2 topics, or
    too many units failed, there are no numbers, and `reason` says why.
    """

    measure: str
    run_a: str
    run_b: str
    mean_a: float | None = None
    mean_b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    n_topics: int
    n_missing_a: int
    n_missing_b: int
    n_undefined: int
    n_unlabelled: int
    n_judged: int
    n_failed: int
    reason: str | None = None


def choose_pairs(
    runs: Sequence[str],
    *,
    pair: Pair | None = None,
    baseline: str | None = None,
    every: bool = False,
) -> list[Pair]:
    """Return the pairs of runs to compare: one, each run against a baseline, or all there are.

    Raises:
        UsageError: not exactly one of the three is asked for, a run is not known, or a run would be
            compared with itself.
    """
    if (pair is not None) + (baseline is not None) + every != 1:
        raise UsageError("compare one pair of runs, all with a baseline, or all pairs: choose one")
    known = list(dict.fromkeys(runs))
    for run in (*(pair or ()), *([baseline] if baseline is not None else ())):
        if run not in known:
            hint = did_you_mean(run, known)
            raise UsageError(f"there is no run {run!r}{hint}; runs: {', '.join(known)}")
    if pair is not None and pair[0] == pair[1]:
        raise UsageError(f"run {pair[0]!r} cannot be compared with itself")
    if len(known) < 2:
        raise UsageError(f"there is nothing to compare run {known[0]!r} with: it is the only one")
    if pair is not None:
        return [pair]
    if baseline is not None:
        return [(run, baseline) for run in known if run != baseline]
    return list(combinations(known, 2))


def compare(scores: Iterable[Score], pairs: Sequence[Pair], rules: Rules) -> list[Comparison]:
    """Return the comparison of each pair of runs by each measure.

    Args:
        scores: rows as `judge.metrics.score` gives them with allow_incomplete, so that a topic
            has a value whatever share of its units failed; `rules` are then asked of all topics
            of a run together, as for a mean. The rows of means tell of missing answers.
        pairs: the runs to compare, as `choose_pairs` gives them.
        rules: how many failed units a comparison may rest on.

    Raises:
        UsageError: no pair has 2 topics in common by any measure.
    """
    found: list[Comparison] = []
    for measure, table in _tables(scores).items():
        found += _adjusted([_compared(measure, pair, table, rules) for pair in pairs])
    if all(comparison.n_topics < LEAST_TOPICS for comparison in found):
        reason = found[0].reason if found else "there are no scores"
        raise UsageError(f"these runs cannot be compared: {reason}")
    return found


def _tables(scores: Iterable[Score]) -> dict[str, Table]:
    """Return measure -> run_id -> topic_id -> row."""
    tables: dict[str, Table] = {}
    for score in scores:
        runs = tables.setdefault(score.measure, {})
        runs.setdefault(score.run_id, {})[score.topic_id] = score
    return tables


def _compared(measure: str, pair: Pair, table: Table, rules: Rules) -> Comparison:
    a, b = (table.get(run, {}) for run in pair)
    both = [(a[topic], b[topic]) for topic in a if topic in b and topic != ALL_TOPICS]
    defined = [rows for rows in both if None not in (rows[0].low, rows[1].low)]
    used = [rows for rows in defined if None not in (rows[0].value, rows[1].value)]
    reason = _too_few(pair, table, len(used)) or _withheld(pair, both, rules)
    return Comparison(
        measure=measure,
        run_a=pair[0],
        run_b=pair[1],
        n_topics=len(used),
        n_missing_a=_missing(a),
        n_missing_b=_missing(b),
        n_undefined=len(both) - len(defined),
        n_unlabelled=len(defined) - len(used),
        n_judged=sum(x.n_judged + y.n_judged for x, y in both),
        n_failed=sum(x.n_failed + y.n_failed for x, y in both),
        reason=reason,
        **_bounds(defined),
        **(_tested(used) if reason is None else {}),
    )


def _tested(used: Sequence[Rows]) -> dict[str, Any]:
    """Return the means, their difference, its interval and its p."""
    a, b = _column(used, 0, "value"), _column(used, 1, "value")
    differences = [x - y for x, y in zip(a, b, strict=True)]
    interval = mean_interval(differences)
    return {
        "mean_a": fmean(a),
        "mean_b": fmean(b),
        "difference": fmean(differences),
        "ci_low": interval and interval.low,
        "ci_high": interval and interval.high,
        "p": randomisation_test(differences),
    }


def _bounds(defined: Sequence[Rows]) -> dict[str, Any]:
    """Return the difference with A at its worst and B at its best, and the other way round."""
    if not defined:
        return {}
    return {
        "low": fmean(_column(defined, 0, "low")) - fmean(_column(defined, 1, "high")),
        "high": fmean(_column(defined, 0, "high")) - fmean(_column(defined, 1, "low")),
    }


def _missing(rows: Mapping[str, Score]) -> int:
    return (rows[ALL_TOPICS].n_missing or 0) if ALL_TOPICS in rows else 0


def _column(rows: Sequence[Rows], side: int, name: str) -> list[float]:
    """Return a column of the rows of one run, which all have it."""
    return [getattr(pair[side], name) for pair in rows]


def _too_few(pair: Pair, table: Table, n: int) -> str | None:
    if lacking := [run for run in pair if run not in table]:
        return f"run {lacking[0]!r} has no labels for it"
    if n < LEAST_TOPICS:
        return f"{n} topics with a value for both runs, and a comparison takes {LEAST_TOPICS}"
    return None


def _withheld(pair: Pair, both: Sequence[Rows], rules: Rules) -> str | None:
    """Return which run has too many failed units, None if neither has."""
    for side, run in enumerate(pair):
        rows = [rows[side] for rows in both]
        n_judged, n_failed = (
            sum(getattr(row, n) for row in rows) for n in ("n_judged", "n_failed")
        )
        if said := rules.too_many(n_judged, n_failed):
            return f"{run}: {said}"
    return None


def _adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with their p adjusted over those that have one."""
    adjusted = iter(holm([c.p for c in comparisons if c.p is not None]))
    return [
        c if c.p is None else c.model_copy(update={"p_holm": next(adjusted)}) for c in comparisons
    ]
