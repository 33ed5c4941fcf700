"""Scores: our own lines, one a measure, and the lines of nuggetizer, one an answer."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from judge.formats.fields import read_records
from judge.formats.lines import Unique, read_json, read_lines, write_json, write_lines
from judge.types import Score

_NUGGETIZER = {
    "strict_vital_score": "strict_vital_recall",
    "strict_all_score": "strict_all_recall",
    "vital_score": "vital_recall",
    "all_score": "all_recall",
}


def read_scores(path: str | Path) -> list[Score]:
    """Read JSONL of scores as `write_scores` writes them.

    Raises:
        InputError: the file cannot be read, or a field is missing, unknown or wrong.
    """
    scores = []
    for place, value in read_json(read_lines(path)):
        try:
            scores.append(Score.model_validate(value))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or None
            raise place.error(f"not a score: {first['msg']}", field=field) from error
    return scores


def write_scores(path: str | Path, scores: Iterable[Score]) -> None:
    """Write scores, one a line; what is undefined is null.

    Raises:
        UsageError: the file cannot be written.
        ValueError: a value is NaN or infinite.
    """
    write_json(path, (score.model_dump() for score in scores))


def read_nugget_scores(path: str | Path) -> dict[tuple[str, str], dict[str, float | None]]:
    """Read JSONL of {qid, run_id, strict_vital_score, strict_all_score, vital_score, all_score}.

    Returns:
        (run_id, topic_id) -> measure -> value, the measures under our names for them
        (strict_vital_recall, strict_all_recall, vital_recall, all_recall); topic "all" is
        the mean.

    Raises:
        InputError: the file cannot be read, a field is missing or wrong, or an answer stands
            twice.
    """
    unique = Unique("the scores of (run_id, topic)")
    scores = {}
    for record in read_records(path):
        key = (record.ident("run_id"), record.ident("qid"))
        unique.add(key, record.place)
        scores[key] = {
            measure: record.number(name) if record.has(name) else None
            for name, measure in _NUGGETIZER.items()
        }
    return scores


def write_nugget_scores(path: str | Path, scores: Iterable[Score]) -> None:
    """Write the four measures that nuggetizer has, a line a (run, topic); others are left out.

    Raises:
        UsageError: the file cannot be written.
        ValueError: a value is NaN or infinite.
    """
    names = {measure: name for name, measure in _NUGGETIZER.items()}
    lines: dict[tuple[str, str], dict[str, str | float | None]] = {}
    for score in scores:
        if score.measure in names:
            start = {"qid": score.topic_id, "run_id": score.run_id}
            line = lines.setdefault((score.run_id, score.topic_id), {**start})
            line[names[score.measure]] = score.value
    write_json(path, lines.values())


def write_leaderboard(path: str | Path, scores: Iterable[Score]) -> None:
    """Write `run measure topic value` lines, as trec_eval's users know them.

    A score without a value has no line: the form has no way to say why.

    Raises:
        UsageError: the file cannot be written.
    """
    rows = (
        f"{s.run_id}\t{s.measure}\t{s.topic_id}\t{s.value}" for s in scores if s.value is not None
    )
    write_lines(path, rows)
