"""Two runs compared, in the terminal and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from judge.agreement.changes import FAILED, Changes
from judge.differing import Change, Cost, Differences, Outcome
from judge.report.account import dollars
from judge.report.terminal import stderr, stdout

_MOST_LABELS = 12
"""Labels up to which a matrix is shown: counts of created nuggets have more."""


def show(found: Differences, *, most: int, json: bool) -> None:
    """Print the differences on stdout; of the changed units at most so many as a table."""
    if json:
        print(as_json(found))  # noqa: T201
        return
    errors = stderr()
    for line in found.warnings:
        errors.print(line, highlight=False, markup=False, soft_wrap=True)
    console = stdout()
    _say(console, f"A: {found.a}\nB: {found.b}")
    _show_made(console, found)
    for task in found.tasks:
        _show_task(console, task)
    _show_changed(console, found.changed, most)
    _show_scores(console, found)
    console.print(_costs(found.costs))


def as_json(found: Differences) -> str:
    """All of it as one JSON object."""
    data = found.model_dump()
    data["tasks"] = [asdict(task) for task in found.tasks]
    data["rankings"] = {name: asdict(ranking) for name, ranking in found.rankings.items()}
    return json.dumps(data, ensure_ascii=False, indent=2)


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _table(title: str, *columns: str, right: int = 0) -> Table:
    """A table whose last `right` columns are numbers."""
    table = Table(
        title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for place, name in enumerate(columns):
        number = place >= len(columns) - right
        table.add_column(name, justify="right" if number else "left", no_wrap=number)
    return table


def _show_made(console: Console, found: Differences) -> None:
    if not found.made:
        _say(console, "\nboth were made in the same way")
        return
    table = _table("made otherwise", "", "A", "B")
    for made in found.made:
        table.add_row(made.field, *(Text(_short(value)) for value in (made.a, made.b)))
    console.print(table)


def _short(value: Any) -> str:
    """A value, digests at their first digits."""
    if value is None:
        return "–"
    text = str(value)
    digest = text.removeprefix("sha256:")
    return digest[:12] if len(digest) == 64 else text


def _show_task(console: Console, task: Changes) -> None:
    kappas = {"kappa": task.kappa, "quadratic": task.kappa_quadratic}
    told = ", ".join(f"{name} {value:.3f}" for name, value in kappas.items() if value is not None)
    alone = [f"{n} in {side} alone" for side, n in (("A", task.only_a), ("B", task.only_b)) if n]
    parts = [f"{task.n:,} units", f"{len(task.changed):,} changed", told, *alone]
    title = f"{task.task}: " + ", ".join(filter(None, parts))
    if not task.changed or len(task.labels) > _MOST_LABELS:
        _say(console, title)
        return
    names = [*map(str, task.labels), FAILED]
    kept = [i for i, name in enumerate(names) if name != FAILED or _has_failed(task)]
    table = _table(title, "A \\ B", *(names[i] for i in kept), right=len(kept))
    for i in kept:
        table.add_row(names[i], *(_cell(task, i, j) for j in kept))
    console.print(table)


def _cell(task: Changes, row: int, column: int) -> Text:
    number = task.matrix[row][column]
    return Text(f"{number:,}" if number else "·", style="bold" if row == column else "")


def _has_failed(task: Changes) -> bool:
    return any(task.matrix[-1]) or any(row[-1] for row in task.matrix)


def _show_changed(console: Console, changed: tuple[Change, ...], most: int) -> None:
    shown = changed[:most]
    if not shown:
        return
    table = _table(
        "changed units, the largest changes first", "unit", "A", "B", "reason of A", "reason of B"
    )
    for change in shown:
        labels = (_label(change.a), _label(change.b))
        reasons = (_reason(change.a), _reason(change.b))
        table.add_row(*map(Text, (change.unit_id, *labels, *reasons)))
    if len(changed) > len(shown):
        more = len(changed) - len(shown)
        table.caption = Text(f"and {more:,} more: --show N, --out FILE or --json")
    console.print(table)


def _label(outcome: Outcome) -> str:
    return FAILED if outcome.label is None else str(outcome.label)


def _reason(outcome: Outcome) -> str:
    text = " ".join((outcome.reason or "–").split())
    return text if len(text) <= 120 else text[:119] + "…"


def _show_scores(console: Console, found: Differences) -> None:
    if found.scores_reason is not None:
        _say(console, f"no scores: {found.scores_reason}")
        return
    names = ("measure", "run", "A", "B", "B - A", "Kendall tau")
    table = _table("means over topics, and the ranking by them", *names, right=4)
    for measure, ranking in found.rankings.items():
        heads = [(measure, _number(ranking.kendall))]
        for score in (score for score in found.scores if score.measure == measure):
            name, tau = heads.pop() if heads else ("", "")
            numbers = (_number(score.a), _number(score.b), _number(score.difference, "+.3f"))
            table.add_row(*map(Text, (name, score.run_id, *numbers, tau)))
        table.add_section()
    console.print(table)
    for line in _why_not(found):
        _say(console, line)


def _why_not(found: Differences) -> Iterator[str]:
    """Why there is no value, or no ranking, a line each."""
    for score in found.scores:
        if score.reason and score.difference is None:
            yield f"{score.run_id}, {score.measure}: {score.reason}"
    for measure, ranking in found.rankings.items():
        if ranking.kendall is None:
            yield f"no ranking by {measure}: {ranking.reason}"


def _number(value: float | None, form: str = ".3f") -> str:
    return "–" if value is None else format(value, form)


def _costs(costs: tuple[Cost | None, Cost | None]) -> Table:
    names = ("calls sent", "from store", "prompt tokens", "reply tokens", "cost")
    table = _table("cost, over all sessions", "", *names, right=len(names))
    for side, cost in zip("AB", costs, strict=True):
        table.add_row(side, *(_spent(cost) if cost else ["unknown"]))
    return table


def _spent(cost: Cost) -> list[str]:
    numbers = (cost.sent, cost.from_store, cost.prompt_tokens, cost.completion_tokens)
    return [*(f"{number:,}" for number in numbers), dollars(cost.cost, unpriced=cost.unpriced > 0)]
