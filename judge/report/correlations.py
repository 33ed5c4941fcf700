"""Correlations in the terminal: Pearson first, the others beside it, each above its interval."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from judge.correlating import Correlation, Report
from judge.metrics.correlation import Coefficient

_CAPTION = "below each its 95% bootstrap interval over {}"
_RESAMPLED = {"system": "systems", "topic": "systems (a topic) or topics (mean, pooled)"}
_NAMED = 3
_ROWS = {"pooled": "all points pooled", "topics": "mean over topics"}


def correlation_tables(report: Report) -> Group:
    """A table a retrieval measure, or, by topic, a table a pair of measures."""
    tables = [_table(title, rows) for title, rows in _blocks(report).items()]
    if any(c.pearson.ci_low is not None for c in report.correlations):
        tables[-1].caption = Text(_CAPTION.format(_RESAMPLED[report.by]))
    return Group(*tables)


def correlation_remarks(report: Report) -> list[str]:
    """What must be known to read the correlations."""
    told = [*report.notes]
    sides = (
        ("retrieval", report.unmatched_retrieval, report.n_withheld_retrieval),
        ("RAG", report.unmatched_rag, report.n_withheld_rag),
    )
    for name, unmatched, n_withheld in sides:
        if unmatched:
            told.append(f"{name} runs without a match: {len(unmatched)} ({', '.join(unmatched)})")
        if n_withheld:
            told.append(f"{name} scores without a value, left out: {n_withheld}")
    return [*told, *_reasons(report.correlations)]


def _blocks(report: Report) -> dict[str, list[tuple[str, Correlation]]]:
    blocks: dict[str, list[tuple[str, Correlation]]] = {}
    for found in report.correlations:
        if report.by == "system":
            blocks.setdefault(f"{found.retrieval} with", []).append((found.rag, found))
        else:
            title = f"{found.retrieval} with {found.rag}"
            name = found.topic_id or _ROWS[found.over]
            blocks.setdefault(title, []).append((name, found))
    return blocks


def _table(title: str, rows: Sequence[tuple[str, Correlation]]) -> Table:
    table = Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        caption_justify="left",
        pad_edge=False,
    )
    table.add_column("", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for name in ("Pearson", "Spearman", "Kendall"):
        style = "bold" if name == "Pearson" else ""
        table.add_column(name, justify="right", no_wrap=True, style=style)
    for name, found in rows:
        cells = map(_cell, (found.pearson, found.spearman, found.kendall))
        table.add_row(Text(name), str(found.n), *cells)
    return table


def _cell(found: Coefficient) -> str:
    if found.value is None:
        return "–"
    if found.ci_low is None or found.ci_high is None:
        return f"{found.value:+.3f}"
    return f"{found.value:+.3f}\n{found.ci_low:+.2f} to {found.ci_high:+.2f}"


def _reasons(correlations: Sequence[Correlation]) -> Iterator[str]:
    """Yield each reason for a missing value or interval once, with the rows it stands for."""
    rows: dict[str, dict[str, None]] = {}
    for found in correlations:
        where = "" if found.topic_id is None else f", topic {found.topic_id}"
        for coefficient in (found.pearson, found.spearman, found.kendall):
            if coefficient.reason is not None:
                name = f"{found.retrieval} with {found.rag}{where}"
                rows.setdefault(coefficient.reason, {})[name] = None
    for reason, names in rows.items():
        if len(names) <= _NAMED:
            yield f"{reason}: {'; '.join(names)}"
        else:
            yield f"{reason}: {len(names)} of {len(correlations)} rows"
