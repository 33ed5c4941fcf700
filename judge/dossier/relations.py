"""What stands beside the scores: how retrieval goes with them, and how people agree."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from judge.errors import InputError
from judge.formats.fields import read_records
from judge.formats.leaderboards import read_values
from judge.metrics.correlation import correlate
from judge.metrics.rows import ALL_TOPICS
from judge.types import Score

_SHEET = ("unit_id", "topic_id", "run_id", "docid", "human", "judge", "reason", "claim")


def retrieval(path: Path, scores: Iterable[Score]) -> dict[str, Any]:
    """Set the means of retrieval measures against the means of RAG measures, by system.

    Args:
        path: scores of retrieval runs, as `judge.formats.leaderboards.read_values` reads them.
        scores: those of the run.

    Returns:
        {measures, rag, points: {retrieval: {rag: [[run_id, x, y]]}}, correlations: {the
        same: {n, pearson, spearman, kendall}}, unmatched}: `unmatched` are systems of the run
        without a retrieval run of their name.

    Raises:
        InputError: the file cannot be read, holds no means, or no run is on both sides.
    """
    x = _means(read_values(path))
    y = _means(scores)
    if not x:
        raise InputError("holds no mean (topic all) of a retrieval run", path=path)
    runs = list(dict.fromkeys(run for column in y.values() for run in column))
    held = {run for column in x.values() for run in column}
    if not held.intersection(runs):
        message = "no retrieval run has the name of a system of the run"
        raise InputError(message, path=path, expected=", ".join(runs), found=", ".join(held))
    points = {
        one: {
            other: [[run, x[one][run], y[other][run]] for run in y[other] if run in x[one]]
            for other in y
        }
        for one in x
    }
    return {
        "measures": list(x),
        "rag": list(y),
        "points": points,
        "correlations": {
            one: {other: _correlated(dots) for other, dots in row.items()}
            for one, row in points.items()
        },
        "unmatched": [run for run in runs if run not in held],
    }


def _means(rows: Iterable[Any]) -> dict[str, dict[str, float]]:
    """Means by measure and run."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.topic_id == ALL_TOPICS and row.value is not None:
            found.setdefault(row.measure, {})[row.run_id] = row.value
    return found


def _correlated(dots: Sequence[Sequence[Any]]) -> dict[str, Any]:
    return correlate([[(dot[1], dot[2])] for dot in dots]).model_dump(mode="json")


def read_agreement(path: Path) -> dict[str, Any]:
    """Read what `rag-judge agree --json` printed.

    Raises:
        InputError: it is something else.
    """
    expected = "the output of rag-judge agree --json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (ValueError, OSError) as error:
        raise InputError(f"cannot be read: {error}", path=path, expected=expected) from error
    if not isinstance(data, dict) or not _is_square(data.get("labels"), data.get("confusion")):
        raise InputError("is no agreement", path=path, expected=expected)
    return data


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number of JSON")


def _is_square(labels: Any, confusion: Any) -> bool:
    """Whether a confusion matrix has a row and a column of counts for each label."""
    if not isinstance(labels, list) or not isinstance(confusion, list):
        return False
    rows = [row for row in confusion if isinstance(row, list) and len(row) == len(labels)]
    return len(rows) == len(confusion) == len(labels) and all(
        type(count) is int for row in rows for count in row
    )


def read_disagreements(path: Path) -> list[dict[str, Any]]:
    """Read a sheet of disagreements, as `rag-judge agree --disagreements F.jsonl` writes it.

    Raises:
        InputError: it cannot be read, or a row has no unit_id.
    """
    rows = []
    for record in read_records(path):
        record.skip(*record.names)
        row = {name: record.get(name) for name in _SHEET if record.has(name)}
        if not isinstance(row.get("unit_id"), str):
            raise record.error("unit_id", "is missing", expected="the id of a unit")
        rows.append(row)
    return rows
