"""What was asked, what failed and what it cost: the last lines of every judging command."""

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add

from rich import box
from rich.table import Table

from judge.executor import Tally

_COLUMNS = (
    "units",
    "judged before",
    "failed",
    "calls sent",
    "from store",
    "asked again",
    "prompt tokens",
    "reply tokens",
    "cost",
)


def account(tallies: Iterable[Tally]) -> Table:
    """One line a task, and their sum."""
    rows = [tally for tally in tallies if tally.units]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("task", no_wrap=True, vertical="bottom")
    for name in _COLUMNS:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True, vertical="bottom")
    for tally in rows:
        table.add_row(*_cells(tally.task, tally))
    if len(rows) > 1:
        table.add_section()
        table.add_row(*_cells("all", reduce(add, rows)), style="bold")
    return table


def left_out(tallies: Iterable[Tally]) -> str | None:
    """What the limit of units left for another time, in a line; None if it left nothing."""
    left = [(tally.task, tally.left) for tally in tallies if tally.left]
    if not left:
        return None
    told = ", ".join(f"{task} {number:,}" for task, number in left)
    return f"units left out by --limit: {told}; run again without it to judge them"


def failures(tallies: Iterable[Tally]) -> str | None:
    """Failed units by kind, in a line; None if there are none."""
    kinds = reduce(add, (tally.failed for tally in tallies), Tally("").failed)
    if not kinds:
        return None
    return "failed: " + ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())


def flags(tallies: Iterable[Tally]) -> str | None:
    """Judgments that something was noticed about, in a line; None if there are none."""
    kinds = reduce(add, (tally.flagged for tally in tallies), Tally("").flagged)
    if not kinds:
        return None
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    return f"flagged: {told} (see flags in judgments.jsonl)"


def samples(tallies: Iterable[Tally]) -> str | None:
    """How far the samples of units agree, in a line; None if nothing was asked several times."""
    alike, pairs = map(sum, zip(*((t.alike, t.pairs) for t in tallies), strict=True))
    if not pairs:
        return None
    return f"samples: {alike} of {pairs} pairs have the same label ({alike / pairs:.0%})"


def skipped_lines(skipped: Mapping[str, str]) -> list[str]:
    """A line for each stage that did not run."""
    return [f"{stage} skipped: {reason}" for stage, reason in skipped.items()]


def dollars(spent: float, *, unpriced: bool = False) -> str:
    """A cost in US dollars, as far as it is known: `unpriced` calls came on top."""
    if unpriced and not spent:
        return "unknown"
    return ("≥ " if unpriced else "") + (f"${spent:.4f}" if spent else "$0")


def _cells(name: str, tally: Tally) -> list[str]:
    numbers = (tally.units, tally.before, tally.n_failed, tally.calls, tally.cached, tally.retries)
    tokens = (tally.prompt_tokens, tally.completion_tokens)
    return [name, *(f"{n:,}" for n in (*numbers, *tokens)), _cost(tally)]


def _cost(tally: Tally) -> str:
    return dollars(tally.spent, unpriced=tally.unpriced > 0)
