"""How far a download is, on stderr: a bar for people, a line every tenth for logs."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from judge.llm.fetch import Progress

if TYPE_CHECKING:
    from rich.console import Console


@contextlib.contextmanager
def progress_on_stderr(title: str, console: "Console | None" = None) -> Iterator[Progress]:
    """Yield a callback that shows the progress of fetching `title`.

    Args:
        title: what is fetched, in words.
        console: where it is shown; stderr where not given.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = console or Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    if not console.is_terminal:
        yield _Lines(title, console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{title}: {text}")

        yield show


class _Lines:
    """Prints a line at the start and whenever a further tenth is done."""

    def __init__(self, title: str, console: "Console") -> None:
        self._title, self._console = title, console
        self._tenth = -1

    def __call__(self, done: int, total: int, text: str) -> None:
        tenth = 10 * done // total
        if tenth > self._tenth:
            self._tenth = tenth
            share = f"{tenth * 10}% of {total / 1e6:.0f} MB"
            self._console.print(f"fetching {self._title}: {share} ({text})")
