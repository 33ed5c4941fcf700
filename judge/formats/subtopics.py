"""Diversity qrels, row by row: which documents hold which subtopics (nuggets) of a topic.

To read them as what a measure takes, see `judge.formats.qrels.read_judged`.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from judge.errors import InputError
from judge.formats.blocks import read_rows
from judge.formats.columns import write_rows
from judge.formats.forms import Located
from judge.formats.lines import OnError, raise_error
from judge.types import SubtopicQrel

FORM = "topic subtopic docid grade"


def read_subtopic_qrels(path: str | Path) -> list[SubtopicQrel]:
    """Read diversity qrels, in the order of the file, repeated rows too.

    Raises:
        InputError: the file cannot be read, a grade is no whole number, or a (topic, subtopic,
            docid) stands twice with different grades.
    """
    return [record for _, record in each_subtopic_qrel(path)]


def each_subtopic_qrel(
    path: str | Path, on_error: OnError = raise_error
) -> Iterator[Located[SubtopicQrel]]:
    """Yield the rows of diversity qrels; see `read_subtopic_qrels`."""
    grades: dict[tuple[str, str, str], Located[SubtopicQrel]] = {}
    for row in read_rows(path, FORM, [4], on_error):
        try:
            topic_id, subtopic, docid, _ = row.cells
            qrel = SubtopicQrel(topic_id, subtopic, docid, row.integer(3, "grade"))
            first = grades.setdefault(qrel[:3], Located(row.place, qrel))
            if first.record != qrel:
                expected = f"{first.record.grade}, as at {first.place}; keep one of them"
                raise row.error(3, "grade", expected)
        except InputError as error:
            on_error(error)
        else:
            yield Located(row.place, qrel)


def write_subtopic_qrels(path: str | Path, rows: Iterable[SubtopicQrel]) -> None:
    """Write diversity qrels: topic, subtopic, docid, grade.

    Raises:
        InputError: an id is empty or holds a blank.
        UsageError: the file cannot be written.
    """
    write_rows(path, rows)
