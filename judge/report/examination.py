"""What was found of a model, as a table or as JSON."""

import json as writer

from rich import box
from rich.table import Table
from rich.text import Text

from judge.doctor import Examination
from judge.report.account import dollars
from judge.report.terminal import stdout

_SIGNS = {True: "yes", False: "no", None: "?"}


def print_examination(examination: Examination, *, json: bool) -> None:
    """Print it to stdout."""
    if json:
        data = {
            "model": examination.identity.name,
            "base_url": examination.identity.base_url,
            "findings": [finding._asdict() for finding in examination.findings],
            "calls": examination.calls,
            "cost": examination.cost,
        }
        print(writer.dumps(data, indent=2, ensure_ascii=False))  # noqa: T201
        return
    out = stdout()
    address = examination.identity.base_url
    title = examination.identity.name + (f" at {address}" if address else "")
    out.print(Text(title, style="bold"), soft_wrap=True)
    out.print(_table(examination))
    unknown = examination.cost is None
    cost = dollars(examination.cost or 0.0, unpriced=unknown)
    out.print(f"{examination.calls} calls, cost {cost}", highlight=False)


def _table(examination: Examination) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("", "works", "found", "what to do"):
        table.add_column(name, vertical="top", no_wrap=name in ("", "works"), overflow="fold")
    for what, works, found, advice in examination.findings:
        table.add_row(*map(Text, (what, _SIGNS[works], found, advice)))
    return table
