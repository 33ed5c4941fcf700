"""Canonical names: from `sub_narrative_coverage(denominator=official,new=false)` to a measure."""

import re
from collections.abc import Iterable
from typing import Any

from judge.errors import UsageError
from judge.metrics import nuggets, support
from judge.metrics.measure import Measure, Param, Value, did_you_mean, params_of

_MEASURES: dict[str, type[Measure[Any]]] = {
    measure.name: measure for measure in (*nuggets.MEASURES, *support.MEASURES)
}
_NAME = re.compile(r"([^\s(),]+)(?:\(([^()]*)\))?")
_BETWEEN = re.compile(r"[\s,]+(?![^()]*\))")  # not followed by the end of a parenthesis


def all_measures() -> list[Measure[Any]]:
    """Return every measure there is, with its parameters at their defaults."""
    return [measure() for measure in _MEASURES.values()]


def parse_measures(text: str) -> list[Measure[Any]]:
    """Return the measures named in `text`, separated by spaces or commas, each once.

    Raises:
        UsageError: if a name cannot be read, or `text` holds none.
    """
    names = [name for name in _BETWEEN.split(text) if name]
    if not names:
        raise UsageError(f"no measure is named; measures: {', '.join(_MEASURES)}")
    return list(dict.fromkeys(parse_measure(name) for name in names))


def parse_measure(text: str) -> Measure[Any]:
    """Return the measure named `text`, such as `support_recall(citations=all,hard=true)`.

    Raises:
        UsageError: if no measure is called so, or it takes no such parameter or value.
    """
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a measure: write name or name(parameter=value,...)")
    name, arguments = match.groups()
    if name not in _MEASURES:
        hint = did_you_mean(name, _MEASURES)
        raise UsageError(f"there is no measure {name!r}{hint}; measures: {', '.join(_MEASURES)}")
    measure = _MEASURES[name]
    return measure(**_values(name, params_of(measure), arguments or ""))


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
