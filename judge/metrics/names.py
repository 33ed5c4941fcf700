"""Canonical names: from `sub_narrative_coverage(denominator=official,new=false)` to a measure.

There are two lists of them, the measures of answers and those of rankings.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any, Generic, TypeVar

from judge.errors import UsageError
from judge.metrics import citations, coverage, nuggets, rankings, support
from judge.metrics.measure import Measure, Named, Param, Value, did_you_mean, params_of
from judge.metrics.rankings import RankingMeasure

_NAME = re.compile(r"([^\s(),@]+)(?:\(([^()]*)\))?(?:@([0-9]{1,9}))?")
_BETWEEN = re.compile(r"[\s,]+(?![^()]*\))")  # not followed by the end of a parenthesis

N = TypeVar("N", bound=Named)


class Names(Generic[N]):
    """A list of measures by their names, which it reads."""

    def __init__(self, what: str, measures: Iterable[type[N]]) -> None:
        self.what = what
        self.by_name = {measure.name: measure for measure in measures}
        self.others: Sequence[Names[Any]] = ()

    def parse_all(self, text: str) -> Iterator[N]:
        """Yield the measures named in `text`, separated by spaces or commas, each once."""
        names = [name for name in _BETWEEN.split(text) if name]
        if not names:
            raise UsageError(f"no measure is named; measures: {', '.join(self.by_name)}")
        return iter(dict.fromkeys(self.parse(name) for name in names))

    def parse(self, text: str) -> N:
        """Return the measure named `text`."""
        match = _NAME.fullmatch(text.strip())
        if match is None:
            raise UsageError(
                f"{text!r} is not a measure: write name or name(parameter=value,...), "
                "with @k behind it for the k documents from the top"
            )
        name, arguments, cutoff = match.groups()
        if name not in self.by_name:
            raise UsageError(f"there is no measure {name!r}{self._hint(name)}")
        measure = self.by_name[name]
        values: dict[str, Any] = _values(name, params_of(measure), arguments or "")
        if cutoff is not None:
            if "cutoff" not in (each.name for each in fields(measure)):
                raise UsageError(f"there is no measure {text.strip()!r}: {name} takes no cutoff")
            values["cutoff"] = int(cutoff)
        return measure(**values)

    def _hint(self, name: str) -> str:
        for other in self.others:
            if name in other.by_name:
                return f" {self.what}: it is one {other.what}"
        return f"{did_you_mean(name, self.by_name)}; measures: {', '.join(self.by_name)}"


_ANSWERS: Names[Measure[Any]] = Names(
    "of answers",
    (m for module in (nuggets, coverage, support, citations) for m in module.MEASURES),
)
_RANKINGS: Names[RankingMeasure[Any]] = Names("of rankings", rankings.MEASURES)
_ANSWERS.others, _RANKINGS.others = [_RANKINGS], [_ANSWERS]


def all_measures() -> list[Measure[Any]]:
    """Return every measure of answers there is, with its parameters at their defaults."""
    return [measure() for measure in _ANSWERS.by_name.values()]


def parse_measures(text: str) -> list[Measure[Any]]:
    """Return the measures of answers named in `text`, separated by spaces or commas, each once.

    Raises:
        UsageError: if a name cannot be read, or `text` holds none.
    """
    return list(_ANSWERS.parse_all(text))


def parse_measure(text: str) -> Measure[Any]:
    """Return the measure of answers named `text`: `support_recall(citations=all,hard=true)`.

    Raises:
        UsageError: if no measure is called so, or it takes no such parameter or value.
    """
    return _ANSWERS.parse(text)


def all_ranking_measures() -> list[RankingMeasure[Any]]:
    """Return every measure of rankings, without a cutoff where it does not need one."""
    measures = _RANKINGS.by_name.values()
    return [measure(cutoff=20 if measure.needs_cutoff else None) for measure in measures]


def parse_ranking_measures(text: str) -> list[RankingMeasure[Any]]:
    """Return the measures of rankings named in `text`, separated by spaces or commas, each once.

    Raises:
        UsageError: if a name cannot be read, or `text` holds none.
    """
    return list(_RANKINGS.parse_all(text))


def parse_ranking_measure(text: str) -> RankingMeasure[Any]:
    """Return the measure of rankings named `text`, such as `alpha_nDCG(alpha=0.3)@20`.

    Raises:
        UsageError: if no measure is called so, or it takes no such parameter, value or cutoff.
    """
    return _RANKINGS.parse(text)


def _values(measure: str, params: Iterable[Param], arguments: str) -> dict[str, Value]:
    """Return the parameters given in "name=value,name=value"."""
    known = {param.name: param for param in params}
    values: dict[str, Value] = {}
    for argument in arguments.split(",") if arguments.strip() else ():
        name, equals, value = (piece.strip() for piece in argument.partition("="))
        if not equals:
            raise UsageError(f"{measure}: {argument.strip()!r} is not parameter=value")
        if name not in known:
            takes = f"it takes {', '.join(map(str, known.values()))}" if known else "it takes none"
            raise UsageError(
                f"{measure} has no parameter {name!r}{did_you_mean(name, known)}; {takes}"
            )
        if name in values:
            raise UsageError(f"{measure}: parameter {name} is given twice")
        values[name] = known[name].read(value)
    return values
