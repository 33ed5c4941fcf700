"""The progress of a download: a bar on a terminal, lines elsewhere."""

import io

import pytest
from rich.console import Console

from judge.llm.progress import progress_on_stderr


def shown(*, terminal: bool) -> str:
    written = io.StringIO()
    console = Console(file=written, force_terminal=terminal, width=100)
    with progress_on_stderr("tiny", console) as progress:
        for done in (0, 4, 9, 10, 55, 100):
            progress(done * 10**6, 100 * 10**6, f"part {done}")
    return written.getvalue()


def test_a_terminal_gets_a_bar() -> None:
    text = shown(terminal=True)
    assert "tiny: part 100" in text
    assert "100.0/100.0 MB" in text


def test_a_log_gets_a_line_for_each_further_tenth() -> None:
    assert shown(terminal=False).splitlines() == [
        "fetching tiny: 0% of 100 MB (part 0)",
        "fetching tiny: 10% of 100 MB (part 10)",
        "fetching tiny: 50% of 100 MB (part 55)",
        "fetching tiny: 100% of 100 MB (part 100)",
    ]


def test_nothing_is_shown_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_on_stderr("tiny") as progress:
        progress(1, 1, "all")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "fetching tiny: 100% of 0 MB (all)\n"
