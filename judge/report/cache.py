"""What the reply store holds, and what was done to it, in the terminal."""

from collections.abc import Callable, Iterable
from functools import singledispatch
from itertools import groupby
from typing import TypeVar

from rich import box
from rich.console import Console
from rich.table import Table

from judge.caching import Exported, Merged, Pruned, Share, Stats, Verification
from judge.report.terminal import stderr, stdout
from judge.types import Record

Key = TypeVar("Key", str, tuple[str, str])

_LISTED = 100
"""Faults shown to people; --json has all."""


def notice(line: str) -> None:
    """Print a line for people on stderr."""
    stderr().print(line, highlight=False, markup=False, soft_wrap=True)


def show(result: Record, *, json: bool) -> None:
    """Print what a command found or did: for people, or as JSON."""
    console = stdout()
    if json:
        print(result.model_dump_json(indent=2))  # noqa: T201
    else:
        _print(result, console)


@singledispatch
def _print(result: Record, console: Console) -> None:
    raise TypeError(f"nothing is shown of {type(result).__name__}")


@_print.register
def _(result: Stats, console: Console) -> None:
    if result.shares:
        console.print(_by_model(result.shares))
        console.print(_by_date(result.shares))
    _say(
        console,
        f"{result.entries:,} entries, {size(result.bytes)} of replies and requests",
        f"reply store {result.store}: {size(result.file_bytes)} on disk",
    )
    if result.foreign_rows:
        _say(console, f"{result.foreign_rows:,} rows of other programs; `cache verify` tells more")


@_print.register
def _(result: Verification, console: Console) -> None:
    for fault in result.faults[:_LISTED]:
        _say(console, f"{fault.key}: {fault.fault}")
    if (more := len(result.faults) - _LISTED) > 0:
        _say(console, f"... and {more:,} more; --json lists all")
    if result.foreign_rows:
        _say(console, f"{result.foreign_rows:,} rows of other programs, which are never read")
    good = result.entries - len(result.faults)
    _say(console, f"{good:,} of {result.entries:,} entries of {result.store} verify")


@_print.register
def _(result: Exported, console: Console) -> None:
    _say(console, f"{result.entries:,} entries written to {result.file}")


@_print.register
def _(result: Merged, console: Console) -> None:
    _say(console, f"{result.new:,} new entries, {result.same:,} were there already")
    if result.differing:
        whose = "replaced by the file's" if result.replaced else "kept; --theirs replaces them"
        _say(console, f"{result.differing:,} were there with another reply: {whose}")
    if result.orphans:
        _say(
            console,
            f"{result.orphans:,} replies that entries lead to are in neither; they are asked "
            "again when they are needed, and `cache prune --orphans` drops those entries",
        )


@_print.register
def _(result: Pruned, console: Console) -> None:
    what = f"{result.entries:,} entries, {size(result.bytes)}"
    if result.deleted:
        _say(console, f"deleted {what}; the files are {size(result.freed_bytes)} smaller")
    else:
        _say(console, f"would delete {what}; nothing was deleted: add --yes to do it")


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _by_model(shares: Iterable[Share]) -> Table:
    table = _table("model", "template", numbers=("entries", "size"), dates=("first", "last"))
    for (model, template), rows in _grouped(shares, lambda s: (s.model, s.template)):
        days = sorted(share.date or "unknown" for share in rows)
        table.add_row(model, template, *_sums(rows), days[0], days[-1])
    return table


def _by_date(shares: Iterable[Share]) -> Table:
    table = _table("stored on (UTC)", numbers=("entries", "size"))
    for date, rows in _grouped(shares, lambda share: share.date or "unknown"):
        table.add_row(date, *_sums(rows))
    return table


def _table(*names: str, numbers: tuple[str, ...], dates: tuple[str, ...] = ()) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in names:
        table.add_column(name, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    for name in dates:
        table.add_column(name, no_wrap=True)
    return table


def _grouped(shares: Iterable[Share], key: Callable[[Share], Key]) -> list[tuple[Key, list[Share]]]:
    ordered = sorted(shares, key=key)
    return [(name, list(rows)) for name, rows in groupby(ordered, key)]


def _sums(rows: Iterable[Share]) -> tuple[str, str]:
    rows = list(rows)
    return f"{sum(r.entries for r in rows):,}", size(sum(r.bytes for r in rows))


def size(number: float) -> str:
    """A number of bytes in the unit that suits it: 999 B, 1.5 kB, 2.3 MB."""
    if number < 1000:
        return f"{number:.0f} B"
    for unit in ("kB", "MB"):
        number /= 1000
        if number < 999.95:
            return f"{number:.1f} {unit}"
    return f"{number / 1000:.1f} GB"
