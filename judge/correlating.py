"""How retrieval scores and RAG scores of the same systems go together, from two leaderboards."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

from judge.errors import InputError, UsageError
from judge.formats.leaderboards import Value, read_values
from judge.formats.lines import Unique, read_lines
from judge.metrics.correlation import Correlated, correlate, mean_over_topics
from judge.metrics.measure import did_you_mean
from judge.metrics.rows import ALL_TOPICS
from judge.runs import SCORES
from judge.types import Record

By = Literal["system", "topic"]
Over = Literal["systems", "topic", "topics", "pooled"]


class Correlation(Correlated):
    """How a retrieval measure and a RAG measure go together.

    `over` says what the points are: "systems", their means over topics; "topic", the systems on
    `topic_id`; "topics", the mean of these over topics (`n` topics then); "pooled", all systems on
    all topics. `n` counts the points.
    """

    retrieval: str
    rag: str
    over: Over
    topic_id: str | None = None


class Dot(NamedTuple):
    """A system's two scores; `topic_id` is "all" for its means."""

    run_id: str
    topic_id: str
    x: float
    y: float


class Report(Record):
    """All correlations, and what did not enter them.

    `runs` are the RAG runs that have a retrieval run; the unmatched are those that have none on
    the other side. `n_withheld_*` rows had no value. `notes` are to be read beside the numbers.
    """

    by: By
    correlations: tuple[Correlation, ...]
    runs: tuple[str, ...]
    unmatched_retrieval: tuple[str, ...]
    unmatched_rag: tuple[str, ...]
    n_withheld_retrieval: int
    n_withheld_rag: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A report with the points it rests on: those of each (retrieval, RAG) pair of measures."""

    report: Report
    points: Mapping[tuple[str, str], Sequence[Dot]]


def study(
    retrieval: str | Path,
    rag: str | Path,
    *,
    by: By = "system",
    measures: Sequence[str] = (),
    mapping: str | Path | None = None,
) -> Study:
    """Correlate every retrieval measure with every RAG measure.

    Args:
        retrieval: scores of retrieval runs, as `judge.formats.leaderboards.read_values` reads them.
        rag: scores of RAG runs, likewise, or a run directory.
        by: the systems' means over topics; or each topic, their mean, and all points pooled.
        measures: names to take, on either side; all if none are named.
        mapping: a file of `RAG run<TAB>retrieval run`; runs not in it are matched by their name.

    Raises:
        InputError: a file cannot be read, or a RAG run stands twice in `mapping`.
        UsageError: no run is on both sides, a measure is on neither, or by topic none is common.
    """
    left, right = _Side(retrieval, measures), _Side(rag, measures)
    _check_measures(measures, left, right)
    if by == "topic":
        _check_topics(left, right)
    named = {} if mapping is None else _read_map(mapping)
    matched = {run: named.get(run, run) for run in right.runs if named.get(run, run) in left.runs}
    if not matched:
        raise UsageError(_no_match(left, right))
    points = {
        (x, y): list(_dots(left.tables[x], right.tables[y], matched, by))
        for x in left.tables
        for y in right.tables
    }
    found = [row for pair, dots in points.items() for row in _correlated(pair, dots, by)]
    report = Report(
        by=by,
        correlations=tuple(found),
        runs=tuple(matched),
        unmatched_retrieval=tuple(run for run in left.runs if run not in matched.values()),
        unmatched_rag=tuple(run for run in right.runs if run not in matched),
        n_withheld_retrieval=left.n_withheld,
        n_withheld_rag=right.n_withheld,
        notes=tuple(_notes(left, right, by)),
    )
    return Study(report, points)


Table = dict[str, dict[str, float]]  # run_id -> topic_id -> value


class _Side:
    """The scores of one side: measure -> run_id -> topic_id -> value, without the withheld ones."""

    def __init__(self, path: str | Path, measures: Sequence[str]) -> None:
        self.path = Path(path) / SCORES if Path(path).is_dir() else Path(path)
        values = read_values(self.path)
        if not values:
            raise InputError("holds no scores", path=self.path)
        self.measures = list(dict.fromkeys(value.measure for value in values))
        wanted = [v for v in values if not measures or v.measure in measures]
        self.n_withheld = sum(value.value is None for value in wanted)
        self.runs = list(dict.fromkeys(value.run_id for value in values))
        self.tables = _tables(wanted)

    @property
    def topics(self) -> set[str]:
        """The topics that any run has a value for, the mean not among them."""
        each = (topics for table in self.tables.values() for topics in table.values())
        return {topic for topics in each for topic in topics} - {ALL_TOPICS}


def _tables(values: Iterable[Value]) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for value in values:
        if value.value is not None:
            runs = tables.setdefault(value.measure, {})
            runs.setdefault(value.run_id, {})[value.topic_id] = value.value
    return tables


def _dots(x: Table, y: Table, matched: Mapping[str, str], by: By) -> Iterator[Dot]:
    """Yield a point for each matched run, and for each topic where that is wanted."""
    if by == "system":
        x, y = _means(x), _means(y)
    for rag_run, retrieval_run in matched.items():
        mine, theirs = y.get(rag_run, {}), x.get(retrieval_run, {})
        for topic_id in mine:
            if topic_id in theirs and (topic_id == ALL_TOPICS) == (by == "system"):
                yield Dot(rag_run, topic_id, theirs[topic_id], mine[topic_id])


def _means(table: Table) -> Table:
    """Return the mean of each run: the one given, or, where no run has one, that of its topics."""
    if any(ALL_TOPICS in topics for topics in table.values()):
        return table
    return {run: {ALL_TOPICS: fmean(topics.values())} for run, topics in table.items()}


def _correlated(pair: tuple[str, str], dots: Sequence[Dot], by: By) -> Iterator[Correlation]:
    def row(over: Over, found: Correlated, topic_id: str | None = None) -> Correlation:
        numbers = {name: getattr(found, name) for name in Correlated.model_fields}
        return Correlation(retrieval=pair[0], rag=pair[1], over=over, topic_id=topic_id, **numbers)

    if by == "system":
        yield row("systems", correlate([[(dot.x, dot.y)] for dot in dots]))
        return
    topics: dict[str, list[tuple[float, float]]] = {}
    for dot in dots:
        topics.setdefault(dot.topic_id, []).append((dot.x, dot.y))
    each = {topic: correlate([[point] for point in topics[topic]]) for topic in sorted(topics)}
    yield row("pooled", correlate(list(topics.values())))
    yield row("topics", mean_over_topics(list(each.values())))
    for topic_id, found in each.items():
        yield row("topic", found, topic_id)


def _read_map(path: str | Path) -> dict[str, str]:
    """Return RAG run -> retrieval run."""
    named: dict[str, str] = {}
    unique = Unique("the RAG run")
    for line in read_lines(path):
        cells = [cell.strip() for cell in line.text.split("\t")]
        if len(cells) != 2 or not all(cells):
            raise line.place.error(
                "wrong line", expected="RAG run<TAB>retrieval run", found=line.text
            )
        unique.add(cells[0], line.place)
        named[cells[0]] = cells[1]
    return named


def _check_measures(measures: Sequence[str], left: _Side, right: _Side) -> None:
    known = [*left.measures, *right.measures]
    for name in measures:
        if name not in known:
            hint = did_you_mean(name, known)
            raise UsageError(
                f"neither file has the measure {name!r}{hint}; {_measures(left, right)}"
            )
    for side, what in ((left, "retrieval"), (right, "RAG")):
        if not side.tables:
            raise UsageError(
                f"no value of a {what} measure is left to correlate; {_measures(left, right)}"
            )


def _measures(left: _Side, right: _Side) -> str:
    return f"retrieval: {', '.join(left.measures)}; RAG: {', '.join(right.measures)}"


def _no_match(left: _Side, right: _Side) -> str:
    return (
        f"no run is in both files: {left.path} has {', '.join(left.runs)}; {right.path} has "
        f"{', '.join(right.runs)}; name the retrieval run of each RAG run with --map"
    )


def _check_topics(left: _Side, right: _Side) -> None:
    if not left.topics & right.topics:
        raise UsageError(
            "the two files have no topic in common; write both with --per-topic, "
            "or correlate the means with --by system"
        )


def _notes(left: _Side, right: _Side, by: By) -> Iterator[str]:
    """Say where the two sides do not rest on the same topics."""
    one, other = left.topics, right.topics
    if one and other and one != other:
        both = len(one & other)
        what = "the means are over" if by == "system" else "the files have"
        yield f"{what} {len(one)} topics (retrieval) and {len(other)} (RAG), {both} of them common"
