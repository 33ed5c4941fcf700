"""Which table a file without JSON is, and its rows, those that are wrong told one by one.

Runs and the relevance submissions of TREC RAG 2025 both have six columns, qrels, diversity qrels
and leaderboards four; they are told apart by what stands in the columns.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from judge.errors import InputError
from judge.formats.blocks import read_rows
from judge.formats.columns import Row
from judge.formats.forms import Located
from judge.formats.lines import OnError, Unique
from judge.formats.samples import Sample
from judge.types import Qrel, Ranked

RUN = "topic Q0 docid rank score tag"
QRELS = "topic iteration docid grade [confidence run_id]"
_ITERATIONS = {"0", "1", "Q0", "q0"}
_MOST_GRADE = 4


def is_tsv(head: Sample) -> bool:
    """Tell whether lines are an id, a tab and a text."""
    return not head.is_json and all(line.strip("\t").count("\t") == 1 for line in head.lines)


def is_run(head: Sample) -> bool:
    """Tell whether six columns are a run: ranks differ within a topic, grades do not."""
    rows = _rows(head, 6)
    return bool(rows) and not _are_graded(rows)


def is_qrels(head: Sample) -> bool:
    """Tell whether four or six columns are qrels, which say nothing in the second one."""
    six = _rows(head, 6)
    if six:
        return _are_graded(six)
    rows = _rows(head, 4)
    if not rows or any(row[1] not in _ITERATIONS for row in rows):
        return False
    return len({(row[0], row[2]) for row in rows}) == len({(*row[:3],) for row in rows})


def is_subtopics(head: Sample) -> bool:
    """Tell whether four columns are qrels with a subtopic in the second one."""
    rows = _rows(head, 4)
    return bool(rows) and not (is_qrels(head) or is_leaderboard(head))


def is_leaderboard(head: Sample) -> bool:
    """Tell whether four columns are scores: a header, means over "all", or decimal values."""
    rows = _rows(head, 4)
    if not rows or is_qrels(head):
        return False
    means = any("all" in row[1:3] for row in rows)
    return means or rows[0][0] == "run_id" or _most(not _is_whole(row[3]) for row in rows)


def each_ranked(path: str | Path, on_error: OnError) -> Iterator[Located[Ranked]]:
    """Yield the rows of a run; see `judge.formats.runs.read_run`."""
    unique, tag = Unique("the document of (topic, docid)"), None
    for row in read_rows(path, RUN, [6], on_error):
        try:
            ranked = _ranked(row, tag)
        except InputError as error:
            on_error(error)
            continue
        tag = ranked.run_id
        if unique.accepts((ranked.topic_id, ranked.docid), row.place, on_error, "docid"):
            yield Located(row.place, ranked)


def each_qrel(path: str | Path, on_error: OnError) -> Iterator[Located[Qrel]]:
    """Yield the rows of qrels, repeated ones too; see `judge.formats.qrels.read_qrels`."""
    grades: dict[tuple[str, str], Located[Qrel]] = {}
    for row in read_rows(path, QRELS, [4, 6], on_error):
        try:
            qrel = Qrel(row.cells[0], row.cells[2], row.integer(3, "grade"))
            first = grades.setdefault(qrel[:2], Located(row.place, qrel))
            if first.record.grade != qrel.grade:
                expected = f"{first.record.grade}, as at {first.place}; keep one of them"
                raise row.error(3, "grade", expected)
        except InputError as error:
            on_error(error)
        else:
            yield Located(row.place, qrel)


def _ranked(row: Row, tag: str | None) -> Ranked:
    topic_id, _, docid, _, _, own = row.cells
    if tag not in (None, own):
        raise row.error(5, "tag", f"the run {tag!r}: one file holds one run")
    return Ranked(topic_id, docid, row.integer(3, "rank"), row.number(4, "score"), own)


def _rows(head: Sample, width: int) -> Sequence[Sequence[str]]:
    """Return the cells of the lines, if most of them have `width` columns."""
    if head.is_json:
        return ()
    rows = [line.split() for line in head.lines]
    common = Counter(map(len, rows)).most_common(1)
    return [row for row in rows if len(row) == width] if common and common[0][0] == width else ()


def _are_graded(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the fourth column holds grades and the fifth confidences, not rank and score."""
    if not all(_is_whole(row[3]) and int(row[3]) <= _MOST_GRADE for row in rows):
        return False
    if any(row[1] != "Q0" for row in rows):
        return True
    ranks = Counter((row[0], row[3]) for row in rows)
    return max(ranks.values()) > 1 and all(_is_share(row[4]) for row in rows)


def _is_share(cell: str) -> bool:
    return re.fullmatch(r"0?\.[0-9]+|[01](\.0*)?", cell) is not None


def _is_whole(cell: str) -> bool:
    return cell.removeprefix("-").isdecimal() and len(cell) < 19


def _most(tests: Iterator[bool]) -> bool:
    counted = Counter(tests)
    return counted[True] > counted[False]
