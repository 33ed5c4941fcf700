"""Retrieval runs: the six columns of TREC, their ranking and their pool."""

from collections.abc import Iterable
from pathlib import Path

from judge.errors import UsageError
from judge.formats.columns import read_rows
from judge.formats.lines import Unique
from judge.types import Ranked

_FORM = "topic Q0 docid rank score tag"


def read_run(path: str | Path) -> list[Ranked]:
    """Read one run, in the order of the file.

    Raises:
        InputError: the file cannot be read, a rank or score is no number, a document stands
            twice in a topic, or the rows are of more than one run.
    """
    unique = Unique("the document of (topic, docid)")
    rows: list[Ranked] = []
    for row in read_rows(path, _FORM, widths=[6]):
        topic_id, _, docid, _, _, tag = row.cells
        unique.add((topic_id, docid), row.place, "docid")
        if rows and tag != rows[0].run_id:
            raise row.error(5, "tag", f"the run {rows[0].run_id!r}: one file holds one run")
        rows.append(Ranked(topic_id, docid, row.integer(3, "rank"), row.number(4, "score"), tag))
    return rows


def ranking(rows: Iterable[Ranked]) -> dict[str, list[str]]:
    """Return topic_id -> its docids as trec_eval ranks the rows of one run.

    By score descending, ties by docid descending; the rank column plays no part.
    """
    ordered = sorted(rows, key=lambda row: (row.score, row.docid), reverse=True)
    topics: dict[str, list[str]] = {}
    for row in ordered:
        topics.setdefault(row.topic_id, []).append(row.docid)
    return topics


def pool(runs: Iterable[Iterable[Ranked]], depth: int) -> list[tuple[str, str]]:
    """Return the (topic_id, docid) pairs among the first `depth` of any of several runs.

    Ordered by topic, then by the best rank in any run, then by docid.

    Raises:
        UsageError: `depth` is below 1.
    """
    if depth < 1:
        raise UsageError(f"the depth of a pool must be at least 1, not {depth}")
    best: dict[tuple[str, str], int] = {}
    for rows in runs:
        for topic_id, docids in ranking(rows).items():
            for rank, docid in enumerate(docids[:depth]):
                best[topic_id, docid] = min(rank, best.get((topic_id, docid), rank))
    return sorted(best, key=lambda pair: (pair[0], best[pair], pair[1]))
