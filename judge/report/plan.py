"""What a command would ask, cost and save, as tables and as JSON data."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from judge.executor import Tally
from judge.planning import Asked, Calls, Plan
from judge.report.account import dollars
from judge.settings import Settings

_ASKED = (
    "units",
    "judged before",
    "to judge",
    "calls to pay",
    "prompt tokens",
    "reply tokens at most",
    "cost at most",
)
_SAVED = (
    "calls asked",
    "equal calls joined",
    "from store",
    "calls to pay",
    "tokens saved at most",
    "cost saved at most",
)
_HOSTED = 16


def plan_table(plan: Plan, tallies: Mapping[str, Tally]) -> Table:
    """What is to be asked and paid: one line a task, and their sum."""
    return _table(_ASKED, _rows(plan, tallies))


def saving_table(plan: Plan, tallies: Mapping[str, Tally]) -> Table | None:
    """The calls that are saved, by task: asked less equal ones less stored ones are to be paid.

    None where none is saved.
    """
    return _table(_SAVED, _rows(plan, tallies)) if plan.total().saved.number else None


def _table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("task", no_wrap=True, vertical="bottom")
    for name in columns:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True, vertical="bottom")
    for row in rows:
        if row["task"] == "all":
            table.add_section()
        table.add_row(row["task"], *(_cell(row[name.replace(" ", "_")]) for name in columns))
    return table


def _cell(value: float | None) -> str:
    return f"{value:,}" if isinstance(value, int) else _dollars(value)


def plan_data(plan: Plan, tallies: Mapping[str, Tally], settings: Settings) -> dict[str, Any]:
    """All of it as JSON data; costs in US dollars, null where the price is not known."""
    return {
        "tasks": _rows(plan, tallies),
        "minutes": round(_minutes(plan, settings), 2),
        "seconds_a_call": plan.seconds,
    }


def time_line(plan: Plan, settings: Settings) -> str:
    """How long it takes, and what that rests on."""
    if not plan.total().paid.number:
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
        if plan.tasks[task].paid.number
    ]


def _rows(plan: Plan, tallies: Mapping[str, Tally]) -> list[dict[str, Any]]:
    rows = [_row(task, plan, tallies[task], asked) for task, asked in plan.tasks.items()]
    if len(rows) > 1:
        whole = sum(tallies.values(), Tally(""))
        rows.append(_row("all", plan, whole, plan.total()))
    return rows


def _row(task: str, plan: Plan, tally: Tally, asked: Asked) -> dict[str, Any]:
    saved = asked.saved
    return {
        "task": task,
        "units": tally.units,
        "judged_before": tally.before,
        "to_judge": tally.units - tally.before - tally.left,
        "calls_asked": (asked.paid + saved).number,
        "equal_calls_joined": asked.equal.number,
        "from_store": asked.stored.number,
        "calls_to_pay": asked.paid.number,
        "prompt_tokens": asked.paid.prompt_tokens,
        "reply_tokens_at_most": asked.paid.reply_tokens,
        "cost_at_most": plan.cost(asked.paid),
        "tokens_saved_at_most": saved.prompt_tokens + saved.reply_tokens,
        "cost_saved_at_most": plan.cost(saved),
        "saved": {"equal": _saved(plan, asked.equal), "stored": _saved(plan, asked.stored)},
    }


def _saved(plan: Plan, calls: Calls) -> dict[str, Any]:
    return {
        "calls": calls.number,
        "prompt_tokens": calls.prompt_tokens,
        "reply_tokens_at_most": calls.reply_tokens,
        "cost_at_most": plan.cost(calls),
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
