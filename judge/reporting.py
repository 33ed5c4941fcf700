"""Who is told how judging goes; what is shown, and where, is up to the caller."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

Notice = Callable[[str], None]
"""Takes one line for people."""


class Progress(Protocol):
    """Told how judging goes; every number is what came on top since the last time."""

    def begin(self, task: str, total: int, done: int) -> None:
        """A task starts: `total` units, `done` of them judged in an earlier session."""

    def advance(self, units: int, failed: int, cost: float | None) -> None:
        """A call ended that was for `units` units; `cost` in US dollars, None if unknown."""

    def end(self) -> None:
        """The task is over."""


class Silent:
    """A progress display that shows nothing."""

    def begin(self, task: str, total: int, done: int) -> None:
        """Nothing."""

    def advance(self, units: int, failed: int, cost: float | None) -> None:
        """Nothing."""

    def end(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Reporter:
    """A progress display, lines for people, and the command line as the manifest keeps it."""

    progress: Progress
    notice: Notice
    command: str = ""


QUIET = Reporter(progress=Silent(), notice=lambda text: None)
