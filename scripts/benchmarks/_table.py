"""A benchmark's table: printed, and kept in scripts/bench-results.md when that is asked for."""

import os
import platform
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).resolve().parent.parent / "bench-results.md"


def report(name: str, header: Sequence[str], rows: Iterable[Sequence[object]], note: str) -> None:
    """Print a table in Markdown and, with --record on the command line, keep it.

    Args:
        name: the benchmark, as `scripts/bench` calls it; the heading of its section.
        header: names of the columns.
        rows: the cells; numbers are shown as they are, so round them before.
        note: what was measured, in a paragraph: inputs, repetitions, what a ratio is of.
    """
    lines = [_row(header), _row(["---"] * len(header)), *(_row(list(map(str, r))) for r in rows)]
    section = "\n".join([f"## {name}", "", f"{_where()}. {note}", "", *lines, ""])
    print(section)
    if "--record" in sys.argv:
        _keep(name, section)


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _where() -> str:
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    return (
        f"{date}, Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    )


def _keep(name: str, section: str) -> None:
    """Put `section` in the place of the one with the same heading, or at the end."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "# Benchmarks\n"
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    kept = [part for part in parts if not part.startswith(f"## {name}\n")]
    place = next((n for n, part in enumerate(parts) if part.startswith(f"## {name}\n")), len(kept))
    kept.insert(place, section + "\n")
    RESULTS.write_text("\n\n".join(part.strip() for part in kept) + "\n", encoding="utf-8")
