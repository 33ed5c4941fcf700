"""Relevance judgments: TREC qrels, and the relevance submissions of TREC RAG 2025."""

from collections.abc import Iterable
from pathlib import Path

from judge.formats.columns import read_rows, write_rows
from judge.formats.lines import Place, log
from judge.types import Qrel

_FORM = "topic iteration docid grade [confidence run_id]"


def read_qrels(path: str | Path) -> list[Qrel]:
    """Read qrels, in the order of the file; grades are kept as they are, negative ones too.

    The second column is not looked at, nor are confidence and run_id where there are six. A
    pair that stands again with the same grade is left out, with one warning a file.

    Raises:
        InputError: the file cannot be read, a grade is no whole number, or a pair stands twice
            with different grades.
    """
    grades: dict[tuple[str, str], tuple[int, Place]] = {}
    repeated = 0
    for row in read_rows(path, _FORM, widths=[4, 6]):
        grade = row.integer(3, "grade")
        first, place = grades.setdefault((row.cells[0], row.cells[2]), (grade, row.place))
        if first != grade:
            expected = f"{first}, as at {place}; keep one of them"
            raise row.error(3, "grade", expected)
        repeated += place != row.place
    if repeated:
        log.warning("%s: ignored %d repeated lines", path, repeated)
    return [Qrel(topic_id, docid, grade) for (topic_id, docid), (grade, _) in grades.items()]


def write_qrels(path: str | Path, rows: Iterable[Qrel]) -> None:
    """Write qrels in four columns, the second being 0.

    Raises:
        InputError: an id is empty or holds a blank.
        UsageError: the file cannot be written.
    """
    write_rows(path, ((row.topic_id, "0", row.docid, row.grade) for row in rows))
