"""Tables for papers: CSV for programs, and LaTeX with the rules of booktabs.

    leaderboard    means over topics, systems by measures
    uncertainty    each mean with its standard error, interval and bounds
    topics         the first measure, topic by topic
    labels         how often each label was given, by task and system
    agreement-*    people against the judge: statistics, and confusion

What the run has no data for is not written.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.dossier import Dossier
from judge.errors import UsageError
from judge.metrics.rows import ALL_TOPICS
from judge.runs import write_whole
from judge.types import Score

Cell = str | int | float | None

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
_STATISTICS = (
    *("n", "exact", "kappa", "kappa_linear", "kappa_quadratic"),
    *("alpha_nominal", "alpha_ordinal", "mae", "bias"),
)
_SPREAD = ("se", "ci_low", "ci_high", "low", "high")
_COUNTS = ("n_topics", "n_missing", "n_undefined", "n_judged", "n_failed")


@dataclass(frozen=True)
class Table:
    """A table: `rows` under `heads`; the first column names, the others hold numbers."""

    name: str
    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def write_tables(dossier: Dossier, folder: Path) -> list[Path]:
    """Write every table the run has data for, as CSV and as LaTeX.

    Raises:
        UsageError: a file cannot be written.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for table in tables(dossier):
            for suffix, text in ((".csv", to_csv(table)), (".tex", to_latex(table))):
                written.append(folder / f"{table.name}{suffix}")
                write_whole(written[-1], text)
    except OSError as error:
        where = error.filename or folder
        raise UsageError(f"{where}: cannot be written: {error.strerror or error}") from error
    return written


def tables(dossier: Dossier) -> list[Table]:
    """Return the tables that the run has data for."""
    data, scores = dossier.overview, dossier.scores
    found: list[Table] = []
    if scores:
        found += [_leaderboard(data, scores), _uncertainty(scores), _topics(data, scores)]
    found += [_labels(data)] if data["health"]["tasks"] else []
    for place, agreement in enumerate(data["agreements"], start=1):
        name = f"agreement-{agreement.get('kind') or place}"
        found += [_statistics(name, agreement), _confusion(f"{name}-confusion", agreement)]
    return found


def to_csv(table: Table) -> str:
    """Return a table as CSV, numbers at full precision; what is not known is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.heads)
    writer.writerows(table.rows)
    return text.getvalue()


def to_latex(table: Table) -> str:
    """Return a table as LaTeX, numbers at three decimals; it needs the package booktabs."""
    columns = "l" + "r" * (len(table.heads) - 1)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(table.caption)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(table.heads),
        r"\midrule",
        *map(_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return `text` so that LaTeX prints it as it is."""
    return "".join(_SPECIAL.get(char, char) for char in text)


def _row(cells: Sequence[Cell]) -> str:
    return " & ".join(map(_printed, cells)) + r" \\"


def _printed(cell: Cell) -> str:
    if cell is None:
        return "--"
    return f"{cell:.3f}" if isinstance(cell, float) else escaped(str(cell))


def _leaderboard(data: Mapping[str, Any], scores: Sequence[Score]) -> Table:
    means = {(s.run_id, s.measure): s.value for s in scores if s.topic_id == ALL_TOPICS}
    measures = data["measures"]
    rows = [[run, *(means.get((run, measure)) for measure in measures)] for run in data["runs"]]
    return Table("leaderboard", "Means over topics", ["system", *measures], rows)


def _uncertainty(scores: Sequence[Score]) -> Table:
    heads = ("system", "measure", "mean", *_SPREAD, *_COUNTS)
    rows = [
        [s.run_id, s.measure, s.value, *(getattr(s, name) for name in (*_SPREAD, *_COUNTS))]
        for s in scores
        if s.topic_id == ALL_TOPICS
    ]
    caption = "Means over topics: standard error, 95% bootstrap interval, bounds over failed units"
    return Table("uncertainty", caption, heads, rows)


def _topics(data: Mapping[str, Any], scores: Sequence[Score]) -> Table:
    measure = data["measures"][0]
    values = {(s.topic_id, s.run_id): s.value for s in scores if s.measure == measure}
    topics = [topic["topic_id"] for topic in data["topics"]]
    rows = [
        [topic, *(values.get((topic, run)) for run in data["runs"])]
        for topic in (*topics, ALL_TOPICS)
    ]
    return Table("topics", f"{measure} by topic", ["topic", *data["runs"]], rows)


def _labels(data: Mapping[str, Any]) -> Table:
    rows: list[list[Cell]] = []
    for task in data["health"]["tasks"]:
        counted = {"all": task["labels"], **task["by_run"]}
        for run, labels in counted.items():
            rows += [[task["task"], run, label, n] for label, n in sorted(labels.items())]
        if task["failed"]:
            rows.append([task["task"], "all", "failed", task["failed"]])
    return Table("labels", "Labels by task and system", ["task", "system", "label", "units"], rows)


def _statistics(name: str, agreement: Mapping[str, Any]) -> Table:
    intervals = agreement.get("intervals") or {}
    rows: list[list[Cell]] = [
        [statistic, agreement.get(statistic), *(intervals.get(statistic) or (None, None))]
        for statistic in _STATISTICS
    ]
    caption = f"Agreement of {agreement.get('judge')} with {agreement.get('human')}"
    return Table(name, caption, ["statistic", "value", "low", "high"], rows)


def _confusion(name: str, agreement: Mapping[str, Any]) -> Table:
    labels = [str(label) for label in agreement["labels"]]
    rows = [[label, *row] for label, row in zip(labels, agreement["confusion"], strict=True)]
    return Table(name, "Human labels in rows, the judge's in columns", ["human", *labels], rows)
