"""What a command would ask and cost, as a table and as JSON data."""

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.table import Table

from judge.executor import Tally
from judge.planning import Asked, Plan
from judge.report.account import dollars
from judge.settings import Settings

_COLUMNS = (
    "units",
    "judged before",
    "to judge",
    "from store",
    "calls to pay",
    "equal calls joined",
    "prompt tokens",
    "reply tokens at most",
    "cost at most",
)
_HOSTED = 16


def plan_table(plan: Plan, tallies: Mapping[str, Tally]) -> Table:
    """One line a task, and their sum."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("task", no_wrap=True, vertical="bottom")
    for name in _COLUMNS:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True, vertical="bottom")
    for row in _rows(plan, tallies):
        if row["task"] == "all":
            table.add_section()
        cells = [f"{row[name.replace(' ', '_')]:,}" for name in _COLUMNS[:-1]]
        table.add_row(row["task"], *cells, _dollars(row["cost_at_most"]))
    return table


def plan_data(plan: Plan, tallies: Mapping[str, Tally], settings: Settings) -> dict[str, Any]:
    """All of it as JSON data; costs in US dollars, null where the price is not known."""
    return {
        "tasks": _rows(plan, tallies),
        "minutes": round(_minutes(plan, settings), 2),
        "seconds_a_call": plan.seconds,
    }


def time_line(plan: Plan, settings: Settings) -> str:
    """How long it takes, and what that rests on."""
    if not plan.total().calls:
        return "no call is to be paid: everything is judged or stored"
    if plan.seconds is not None:
        rests_on = f"{plan.seconds:.1f} s a call, as in this run up to now"
    elif _is_local(settings):
        rests_on = "64 prompt and 10 reply tokens a second"
    else:
        rests_on = "2 s a call, which is assumed"
    return f"time: about {_span(_minutes(plan, settings))}, at {_limits(settings)}{rests_on}"


def remarks(plan: Plan) -> list[str]:
    """What the numbers do not cover."""
    open_ended = [task for task in ("relevance", "create", "weigh") if task in plan.tasks]
    return [
        f"{task}: what rests on its labels is counted only as far as they are had; plan again "
        "afterwards"
        for task in open_ended
        if plan.tasks[task].calls
    ]


def _rows(plan: Plan, tallies: Mapping[str, Tally]) -> list[dict[str, Any]]:
    rows = [_row(task, plan, tallies[task], asked) for task, asked in plan.tasks.items()]
    if len(rows) > 1:
        whole = sum(tallies.values(), Tally(""))
        rows.append(_row("all", plan, whole, plan.total()))
    return rows


def _row(task: str, plan: Plan, tally: Tally, asked: Asked) -> dict[str, Any]:
    return {
        "task": task,
        "units": tally.units,
        "judged_before": tally.before,
        "to_judge": tally.units - tally.before - tally.left,
        "from_store": tally.cached,
        "calls_to_pay": asked.calls,
        "equal_calls_joined": asked.joined,
        "prompt_tokens": asked.prompt_tokens,
        "reply_tokens_at_most": asked.reply_tokens,
        "cost_at_most": plan.cost(asked),
    }


def _minutes(plan: Plan, settings: Settings) -> float:
    if _is_local(settings):
        return plan.local_minutes()
    concurrency = settings.concurrency or _HOSTED
    return plan.minutes(concurrency=concurrency, rpm=settings.rpm, tpm=settings.tpm)


def _is_local(settings: Settings) -> bool:
    return settings.model.startswith("local/")


def _limits(settings: Settings) -> str:
    if _is_local(settings):
        return ""
    told = [f"{settings.concurrency or _HOSTED} calls in flight"]
    told += [f"{settings.rpm:g} calls a minute"] if settings.rpm else []
    told += [f"{settings.tpm:,.0f} tokens a minute"] if settings.tpm else []
    return ", ".join(told) + ", "


def _span(minutes: float) -> str:
    if minutes < 1:
        return f"{max(1, round(minutes * 60))} s"
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _dollars(cost: float | None) -> str:
    return "unknown" if cost is None else dollars(cost)
