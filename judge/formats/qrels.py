"""Relevance judgments: TREC qrels, relevance submissions of TREC RAG 2025, and diversity qrels.

Ordinary and diversity qrels both have four columns. What is an iteration in the second column of
the one, and means nothing, is a subtopic in the other; `Judged.form` tells them apart.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from judge.errors import InputError
from judge.formats.blocks import Block, read_blocks
from judge.formats.columns import write_rows
from judge.formats.lines import Place, log
from judge.types import Qrel

_FORM = "topic iteration docid grade [confidence run_id]; or topic subtopic docid grade"
_UNSAID = {"0", "Q0", "q0"}  # no subtopic is called so
_ITERATIONS = {*_UNSAID, "1"}

Form = Literal["ordinary", "subtopics"]


def read_qrels(path: str | Path) -> list[Qrel]:
    """Read ordinary qrels, in the order of the file; grades are kept as they are, negative too.

    The second column is not looked at, nor are confidence and run_id where there are six. A
    pair that stands again with the same grade is left out, with one warning a file.

    Raises:
        InputError: the file cannot be read, a grade is no whole number, or a pair stands twice
            with different grades.
    """
    judged = Judged(path)
    grades = judged.grades()
    pairs = ((topic_id, docid) for topic_id, docids in grades.items() for docid in docids)
    ordered = sorted(pairs, key=lambda pair: judged.first_line(*pair))
    return [Qrel(topic_id, docid, grades[topic_id][docid]) for topic_id, docid in ordered]


def write_qrels(path: str | Path, rows: Iterable[Qrel]) -> None:
    """Write qrels in four columns, the second being 0.

    Raises:
        InputError: an id is empty or holds a blank.
        UsageError: the file cannot be written.
    """
    write_rows(path, ((row.topic_id, "0", row.docid, row.grade) for row in rows))


class Judged:
    """All that a qrels file of either form says.

    Raises:
        InputError: the file cannot be read, a grade is no whole number, or a row stands twice
            with different grades.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self._six = False
        self._seconds: dict[str, int] = {}  # what stands in the second column, numbered
        self._topics: dict[str, dict[str, dict[int, tuple[int, int]]]] = {}
        self._repeated = sum(map(self._add, read_blocks(path, _FORM, widths=[4, 6])))
        if self._six and self._is_ranked():
            raise InputError(
                "this is a retrieval run: its fourth column counts 1, 2, 3, ... in every topic",
                path=path,
                expected="qrels, with grades there",
            )

    def form(self, *, subtopics: bool) -> Form:
        """Return which form the file has.

        It is ordinary where it has six columns, or nothing but 0 and Q0 in the second one. Else
        it is by subtopic if measures of subtopics are asked for. If they are not, it is by
        subtopic where a document stands with several of them, and ordinary where it never does
        and the second column has nothing but 0, 1 and Q0, as iterations are written.

        Args:
            subtopics: whether a measure that needs subtopics is asked for.

        Raises:
            InputError: it cannot be told, or an ordinary file is asked for subtopics.
        """
        seconds = self._seconds.keys()
        if self._six or seconds <= _UNSAID:
            if subtopics and self._topics:
                raise self._no_form("they have no subtopics, which a measure needs")
            return "ordinary"
        if seconds <= _ITERATIONS and not subtopics and not self._shared():
            return "ordinary"
        if seconds <= _ITERATIONS or not (subtopics or self._shared()):
            raise self._no_form("it cannot be told whether the second column holds subtopics")
        return "subtopics"

    def grades(self) -> dict[str, dict[str, int]]:
        """Return topic_id -> docid -> grade, the second column playing no part.

        Raises:
            InputError: a pair stands twice with different grades.
        """
        grades: dict[str, dict[str, int]] = {}
        repeated = self._repeated
        for topic_id, docids in self._topics.items():
            for entries in docids.values():
                if len(entries) > 1:
                    repeated += len(entries) - 1
                    self._check_one_grade(entries.values())
            grades[topic_id] = {d: next(iter(e.values()))[0] for d, e in docids.items()}
        self._tell(repeated)
        return grades

    def held(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """Return topic_id -> judged docid -> the subtopics it holds, those with a grade above 0.

        Subtopics are numbered in the order in which they first stand in the file.
        """
        self._tell(self._repeated)
        return {
            topic_id: {docid: _positive(entries) for docid, entries in docids.items()}
            for topic_id, docids in self._topics.items()
        }

    def first_line(self, topic_id: str, docid: str) -> int:
        """Return the line where a document first stands in a topic."""
        return next(iter(self._topics[topic_id][docid].values()))[1]

    def _add(self, block: Block) -> int:
        """Add the rows of a block, and return how many were there already."""
        self._six = self._six or len(block.columns) > 4
        topics, repeated = self._topics, 0
        for topic_id, docid, second, entry in self._rows(block):
            docids = topics.get(topic_id)
            if docids is None:
                docids = topics[topic_id] = {}
            entries = docids.get(docid)
            if entries is None:
                docids[docid] = {second: entry}
            elif entries.setdefault(second, entry) is not entry:
                self._check_one_grade((entries[second], entry))
                repeated += 1
        return repeated

    def _rows(self, block: Block) -> Iterator[tuple[str, str, int, tuple[int, int]]]:
        seconds = block.columns[1]
        for second in dict.fromkeys(seconds):
            self._seconds.setdefault(second, len(self._seconds))
        entries = zip(block.integers(3, "grade"), block.lines, strict=True)
        numbers = map(self._seconds.__getitem__, seconds)
        return zip(block.columns[0], block.columns[2], numbers, entries, strict=True)

    def _is_ranked(self) -> bool:
        """Tell whether the grades of every topic are the ranks of its documents."""
        grades = [
            sorted(entry[0] for entries in docids.values() for entry in entries.values())
            for docids in self._topics.values()
        ]
        ranks = all(listed == list(range(listed[0], listed[0] + len(listed))) for listed in grades)
        starts = {listed[0] for listed in grades} <= {0, 1}
        return ranks and starts and sum(len(listed) - 1 for listed in grades) > 1

    def _shared(self) -> bool:
        """Tell whether a document of a topic stands with several things in the second column."""
        judged = (entries for docids in self._topics.values() for entries in docids.values())
        return any(len(entries) > 1 for entries in judged)

    def _no_form(self, message: str) -> InputError:
        few = ", ".join(list(self._seconds)[:3])
        return InputError(
            message,
            path=self._path,
            expected="a subtopic there; say --subtopics if it is one, --no-subtopics if not",
            found=few + (", ..." if len(self._seconds) > 3 else ""),
        )

    def _check_one_grade(self, entries: Iterable[tuple[int, int]]) -> None:
        (first, place), *others = entries
        for grade, line in others:
            if grade != first:
                expected = f"{first}, as at {Place(self._path, place)}; keep one of them"
                found = str(grade)
                raise Place(self._path, line).error(
                    "wrong value", field="grade", expected=expected, found=found
                )

    def _tell(self, repeated: int) -> None:
        if repeated:
            log.warning("%s: ignored %d repeated lines", self._path, repeated)


def _positive(entries: Mapping[int, tuple[int, int]]) -> tuple[int, ...]:
    return tuple(sorted([number for number, (grade, _) in entries.items() if grade > 0]))
