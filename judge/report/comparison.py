"""Comparisons of runs in the terminal: a table a measure, a line a pair."""

from collections.abc import Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from judge.metrics.comparing import Comparison

_CAPTION = (
    "difference of the means over common topics; its paired bootstrap interval; two-sided p "
    "of the paired randomisation test, and the same adjusted over the pairs of a measure (Holm)"
)
_BOUNDS = "\n[low, high]: the difference if all failed judgments were the worst for A, or the best"


def comparison_tables(comparisons: Sequence[Comparison]) -> Group:
    """The comparisons as tables, no wider than 80 columns where names are short."""
    measures = list(dict.fromkeys(c.measure for c in comparisons))
    tables = [_table(measure, comparisons) for measure in measures]
    if tables:
        bounds = _BOUNDS if any(c.n_failed for c in comparisons) else ""
        tables[-1].caption = Text(_CAPTION + bounds)
    return Group(*tables)


def comparison_remarks(comparisons: Sequence[Comparison]) -> list[str]:
    """What must be known to read the comparisons: topics left out, and why there is no number."""
    return [
        f"{c.run_a} - {c.run_b}, {c.measure}: {'; '.join(said)}"
        for c in comparisons
        if (said := _said(c))
    ]


def _said(c: Comparison) -> list[str]:
    left_out = {
        "undefined for one of the two": c.n_undefined,
        "without any label for one of the two": c.n_unlabelled,
    }
    told = [f"topics left out, {why}: {n}" for why, n in left_out.items() if n]
    missing = {c.run_a: c.n_missing_a, c.run_b: c.n_missing_b}
    told += [f"no answer of {run} to {n} topics, counted 0" for run, n in missing.items() if n]
    return [*([c.reason] if c.reason else []), *told]


def _table(measure: str, comparisons: Sequence[Comparison]) -> Table:
    table = Table(
        title=Text(measure, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        caption_justify="left",
        pad_edge=False,
    )
    for name in ("A", "B"):
        table.add_column(name, no_wrap=True)
    for name in ("A - B", "95% interval", "p", "p Holm", "topics"):
        table.add_column(name, justify="right", no_wrap=True)
    for comparison in comparisons:
        if comparison.measure == measure:
            table.add_row(*map(Text, _cells(comparison)))
    return table


def _cells(c: Comparison) -> list[str]:
    difference = _signed(c.difference)
    if c.n_failed:
        difference += f" [{_signed(c.low, 2)}, {_signed(c.high, 2)}]"
    interval = f"{_signed(c.ci_low)} to {_signed(c.ci_high)}" if c.ci_low is not None else "–"
    p = [_chance(c.p), _chance(c.p_holm)]
    return [c.run_a, c.run_b, difference, interval, *p, str(c.n_topics)]


def _signed(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:+.{digits}f}"


def _chance(p: float | None) -> str:
    if p is None:
        return "–"
    return "<.0001" if p < 0.0001 else f"{p:.4f}"
