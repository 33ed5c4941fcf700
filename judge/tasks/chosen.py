"""A task over some of its units alone."""

from collections.abc import Container, Iterable, Iterator

from judge.tasks.base import Task
from judge.templates import Template
from judge.types import Call, Judgment, Unit, Verdict


class Chosen:
    """`task`, but for the units whose ids are not among `unit_ids`."""

    def __init__(self, task: Task, unit_ids: Container[str]) -> None:
        self._task, self._unit_ids = task, unit_ids

    @property
    def name(self) -> str:
        """Name of the task."""
        return self._task.name

    @property
    def template(self) -> Template:
        """The prompt of the task."""
        return self._task.template

    def units(self) -> Iterator[Unit]:
        """The chosen units, in the order of the task."""
        return (unit for unit in self._task.units() if unit.unit_id in self._unit_ids)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """The calls of the task."""
        return self._task.calls(units)

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """What the task reads."""
        return self._task.read(call, text)
