"""One progress bar on stderr: units done, rate, time left, failures, cost so far."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from judge.report.account import dollars


class Bar:
    """Shows the progress of one task at a time; quiet where stderr is not a terminal."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._failed, self._cost = 0, 0.0
        self._priced = True

    def begin(self, task: str, total: int, done: int) -> None:
        """Start the bar of a task, with `done` of `total` units judged before."""
        if done == total:
            return
        if not self._console.is_terminal:
            self._console.print(
                f"{task}: {total - done} of {total} units to judge", highlight=False
            )
            return
        self._failed = 0
        self._progress = Progress(
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            _Rate(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[told]}"),
            console=self._console,
            transient=True,
        )
        self._progress.add_task(task, total=total, completed=done, told="")
        self._progress.start()

    def advance(self, units: int, failed: int, cost: float | None) -> None:
        """Move on by `units`."""
        self._failed += failed
        self._cost += cost or 0.0
        self._priced = self._priced and cost is not None
        if self._progress is not None:
            spent = dollars(self._cost, unpriced=not self._priced)
            told = f"cost {spent}  {self._failed} failed"
            self._progress.update(self._progress.task_ids[0], advance=units, told=told)

    def end(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


class _Rate(ProgressColumn):
    """Units a second, or a minute where there are few."""

    def render(self, task: Task) -> Text:
        speed = task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{speed * 60:.1f}/min")
