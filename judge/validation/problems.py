"""What is wrong with a file, and the report that lists it."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from judge.errors import InputError, shorten
from judge.formats.lines import Place

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_SOURCES = ("judge.formats", "judge.corpora")


@dataclass(frozen=True)
class Problem:
    """One thing to know of a file.

    An error keeps the file, or a part of it, from being used as it is; a warning is most likely
    not meant; an info is for the record. `line` is 1-based, None where it is of the whole file.
    """

    severity: Severity
    message: str
    line: int | None = None
    field: str | None = None
    expected: str | None = None
    found: str | None = None


@dataclass(frozen=True)
class FileReport:
    """What a file is and what is wrong with it; `kind` is None where it cannot be told."""

    file: str
    kind: str | None
    counts: Mapping[str, int]
    problems: tuple[Problem, ...]

    def number(self, severity: Severity) -> int:
        """How many problems of a severity there are."""
        return Counter(problem.severity for problem in self.problems)[severity]


@dataclass
class Problems:
    """Collects the problems of one file."""

    path: str
    found: list[Problem] = field(default_factory=list)

    def failed(self, error: InputError) -> None:
        """Add what a reader could not read; an `OnError`."""
        found = None if error.found is None else shorten(error.found)
        problem = Problem("error", error.message, error.line, error.field, error.expected, found)
        self.found.append(problem)

    def add(
        self,
        severity: Severity,
        message: str,
        place: Place | None = None,
        *,
        field: str | None = None,
        expected: str | None = None,
        found: object = None,
    ) -> None:
        """Add a problem at a place, or one of the whole file."""
        line = place.line or None if place else None
        text = None if found is None else shorten(found)
        self.found.append(Problem(severity, message, line, field, expected, text))

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Add what readers tell of in the log, instead of showing it."""
        handler = _Notes(self)
        loggers = [logging.getLogger(name) for name in _SOURCES]
        before = [(logger.level, logger.propagate) for logger in loggers]
        for logger in loggers:
            logger.setLevel(logging.INFO)
            logger.propagate = False
            logger.addHandler(handler)
        try:
            yield
        finally:
            for logger, (level, propagate) in zip(loggers, before, strict=True):
                logger.removeHandler(handler)
                logger.setLevel(level)
                logger.propagate = propagate

    def report(self, kind: str | None, counts: Mapping[str, int]) -> FileReport:
        """The report of the file, the worst first, then by line."""
        order = sorted(self.found, key=lambda p: (SEVERITIES.index(p.severity), p.line or 0))
        return FileReport(self.path, kind, counts, tuple(order))


class _Notes(logging.Handler):
    def __init__(self, problems: Problems) -> None:
        super().__init__(logging.INFO)
        self._problems = problems

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage().removeprefix(f"{self._problems.path}: ")
        severity: Severity = "warning" if record.levelno >= logging.WARNING else "info"
        self._problems.add(severity, message)
