"""The measures there are, told from their own docstrings."""

import json
import re
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from judge.metrics.measure import Named, NumberParam, Param, spell
from judge.metrics.names import (
    all_measures,
    all_ranking_measures,
    parse_measure,
    parse_ranking_measure,
)
from judge.report.terminal import stdout


def every_measure() -> list[Named]:
    """All measures, of answers and of rankings, with their parameters at their defaults."""
    return [*all_measures(), *all_ranking_measures()]


def measure_called(text: str) -> Named:
    """The measure of a name, which may lack a cutoff where scoring would need one.

    Raises:
        UsageError: there is none, or it takes no such parameter.
    """
    for measure in every_measure():
        if measure.name == text.strip():
            return measure
    rankings = {measure.name for measure in all_ranking_measures()}
    of_rankings = re.split(r"[(@]", text.strip())[0] in rankings
    return parse_ranking_measure(text) if of_rankings else parse_measure(text)


def print_measures(measures: Sequence[Named]) -> None:
    """Print a table for each kind of measures: its name, its parameters, what it is."""
    console = stdout()
    for kind in dict.fromkeys(measure.kind for measure in measures):
        table = Table(
            title=Text(f"{kind}", style="bold"),
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        for heading in ("measure", "parameters", "value"):
            table.add_column(heading, no_wrap=heading != "value")
        for measure in measures:
            if measure.kind == kind:
                parameters = "\n".join(map(str, measure.params))
                table.add_row(*map(Text, (str(measure), parameters, summary(measure))))
        console.print(table)
    console.print("rag-judge measures NAME tells all of one", highlight=False)


def explain(measure: Named) -> None:
    """Print all that is known of one measure."""
    console = stdout()
    low, high = measure.range
    most = "no end" if high is None else f"{high:g}"
    better = "higher" if measure.higher_is_better else "lower"
    lines = [
        str(measure),
        "",
        f"kind: {measure.kind}; range: {low:g} to {most}; {better} is better",
        *(
            f"{parameter}, by default {spell(parameter.default)}: {parameter.doc}"
            for parameter in measure.params
        ),
        "",
        measure.doc,
    ]
    console.print("\n".join(lines), highlight=False, markup=False)


def measures_json(measures: Sequence[Named]) -> str:
    """The measures as a JSON list."""
    return json.dumps([_data(measure) for measure in measures], ensure_ascii=False, indent=2)


def summary(measure: Named) -> str:
    """The first paragraph of what a measure is: its formula."""
    return " ".join(measure.doc.split("\n\n")[0].split())


def _data(measure: Named) -> dict[str, Any]:
    return {
        "name": str(measure),
        "kind": measure.kind,
        "range": list(measure.range),
        "higher_is_better": measure.higher_is_better,
        "parameters": [_parameter(parameter) for parameter in measure.params],
        "summary": summary(measure),
        "doc": measure.doc,
    }


def _parameter(parameter: Param) -> dict[str, Any]:
    """The parameter as data, with its choices, or, if it is a number, its range (null: no end)."""
    takes: dict[str, Any] = {"choices": list(parameter.choices)}
    if isinstance(parameter, NumberParam):
        takes = {"range": [parameter.low, parameter.high]}
    return {"name": parameter.name, **takes, "default": parameter.default, "doc": parameter.doc}
