"""The progress bar: one line that shows rate, cost and failures, and survives what is printed."""

import io
import re

import pytest
from rich.console import Console

from judge.report.progress import Bar


def bar_on(*, terminal: bool) -> tuple[Bar, Console, io.StringIO]:
    output = io.StringIO()
    console = Console(file=output, force_terminal=terminal, width=120, color_system=None)
    return Bar(console), console, output


def visible(text: str) -> list[str]:
    """The lines that a terminal shows in the end."""
    screen, row = [""], 0
    for piece in re.findall(r"\x1b\[[0-9;?]*[a-zA-Z]|\n|\r|[^\x1b\n\r]+", text):
        if piece == "\n":
            row += 1
            screen += [""] * (row == len(screen))
        elif piece == "\x1b[1A":
            row -= 1
        elif piece in ("\x1b[2K", "\r"):
            screen[row] = "" if piece == "\x1b[2K" else screen[row]
        elif not piece.startswith("\x1b"):
            screen[row] = piece
    return [line.rstrip() for line in screen if line.strip()]


def test_it_shows_units_cost_and_failures() -> None:
    bar, console, output = bar_on(terminal=True)
    bar.begin("support", total=10, done=2)
    bar.advance(3, 1, 0.25)
    console.print("look")
    bar.end()
    shown = output.getvalue()
    assert "support" in shown
    assert "5/10" in shown
    assert "cost $0.2500  1 failed" in shown


def test_a_line_printed_meanwhile_stands_alone_and_the_bar_is_gone_at_the_end() -> None:
    bar, console, output = bar_on(terminal=True)
    bar.begin("support", total=10, done=0)
    bar.advance(1, 0, None)
    console.print("a notice", highlight=False)
    bar.advance(1, 0, None)
    bar.end()
    console.print("the end")
    assert visible(output.getvalue()) == ["a notice", "the end"]


def test_an_unknown_cost_is_no_zero() -> None:
    bar, console, output = bar_on(terminal=True)
    bar.begin("support", total=3, done=0)
    bar.advance(1, 0, None)
    console.print("x")
    bar.end()
    assert "cost unknown" in output.getvalue()
    assert "$0" not in output.getvalue()


def test_where_there_is_no_terminal_a_line_is_all() -> None:
    bar, _, output = bar_on(terminal=False)
    bar.begin("support", total=10, done=2)
    for _ in range(8):
        bar.advance(1, 1, 0.1)
    bar.end()
    assert output.getvalue() == "support: 8 of 10 units to judge\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_is_shown_where_there_is_nothing_to_do(terminal: bool) -> None:
    bar, _, output = bar_on(terminal=terminal)
    bar.begin("support", total=10, done=10)
    bar.advance(0, 0, 0.0)
    bar.end()
    assert output.getvalue() == ""
