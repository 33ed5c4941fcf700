"""Checks of retrieval runs and qrels, beyond what their readers refuse."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from judge.formats.forms import Located
from judge.formats.lines import Place
from judge.types import Qrel, Ranked
from judge.validation.context import Context
from judge.validation.problems import Problems


def check_run(records: Sequence[Located[Ranked]], context: Context, problems: Problems) -> None:
    """Add the problems of a run: ranks that the scores contradict, ties, topics."""
    topics: dict[str, list[Located[Ranked]]] = {}
    for located in records:
        topics.setdefault(located.record.topic_id, []).append(located)
    for topic_id, rows in topics.items():
        _check_ranks(topic_id, rows, problems)
    _check_ties(topics, problems)
    context.tell_unknown({t: rows[0].place for t, rows in topics.items()}, "documents", problems)
    context.tell_missing(topics, "no documents, and scores 0", problems)


def check_qrels(records: Sequence[Located[Qrel]], context: Context, problems: Problems) -> None:
    """Add the problems of qrels: pairs that stand again, negative grades, topics."""
    first: dict[tuple[str, str], Place] = {}
    for place, qrel in records:
        before = first.setdefault((qrel.topic_id, qrel.docid), place)
        if before != place:
            message = f"the pair ({qrel.topic_id}, {qrel.docid}) stands again, first at {before}"
            problems.add("warning", message, place)
    negative = sum(qrel.grade < 0 for _, qrel in records)
    if negative:
        message = f"{negative} grades are negative: they count as not relevant"
        problems.add("info", message)
    places: dict[str, Place] = {}
    for place, qrel in records:
        places.setdefault(qrel.topic_id, place)
    context.tell_unknown(places, "grades", problems)


def _check_ranks(topic_id: str, rows: Sequence[Located[Ranked]], problems: Problems) -> None:
    seen: dict[int, Place] = {}
    for place, row in rows:
        before = seen.setdefault(row.rank, place)
        if before != place:
            message = f"topic {topic_id} has the rank {row.rank} twice, first at {before}"
            problems.add("warning", message, place, field="rank")
    by_rank = sorted(rows, key=lambda located: located.record.rank)
    for (_, above), (place, row) in pairwise(by_rank):
        if row.score > above.score and row.rank != above.rank:
            message = f"topic {topic_id} has a higher score below a lower one: the score decides"
            problems.add("warning", message, place, field="score", found=row.score)
            return


def _check_ties(topics: dict[str, list[Located[Ranked]]], problems: Problems) -> None:
    tied = {topic_id: _n_tied(rows) for topic_id, rows in topics.items()}
    n = sum(tied.values())
    if n:
        message = f"{n} documents of {sum(map(bool, tied.values()))} topics share their score"
        problems.add("info", f"{message} with another: the docid decides, descending")


def _n_tied(rows: Sequence[Located[Ranked]]) -> int:
    counted = Counter(row.score for _, row in rows)
    return sum(count for count in counted.values() if count > 1)
