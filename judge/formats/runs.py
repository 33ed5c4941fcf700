"""Retrieval runs: the six columns of TREC, their ranking and their pool."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import gt
from pathlib import Path
from typing import NamedTuple

from judge.errors import InputError, UsageError
from judge.formats.blocks import Block, read_blocks
from judge.formats.lines import Place, Unique, log
from judge.types import Ranked

_FORM = "topic Q0 docid rank score tag"


class Rankings(NamedTuple):
    """A run: topic_id -> its docids, the best first."""

    run_id: str
    topics: Mapping[str, Sequence[str]]


def read_run(path: str | Path) -> list[Ranked]:
    """Read one run, in the order of the file.

    Raises:
        InputError: the file cannot be read, a rank or score is no number, a document stands
            twice in a topic, or the rows are of more than one run.
    """
    run = _Run(path)
    run.check_unique()
    rows = [
        (line, Ranked(topic_id, docid, int(rank), score, run.run_id))
        for topic_id, topic in run.topics.items()
        for line, docid, rank, score in zip(*topic, strict=True)
    ]
    return [row for _, row in sorted(rows)]


def read_rankings(path: str | Path, *, by_rank: bool = False, dedup: bool = False) -> Rankings:
    """Read one run as what it ranks.

    Args:
        path: the file.
        by_rank: order by the rank column instead of as `ranking` does.
        dedup: keep the first row of a document that stands twice in a topic, and warn.

    Raises:
        InputError: as `read_run`, but for what `dedup` allows; the file is empty; or, `by_rank`,
            two documents of a topic have the same rank.
    """
    run = _Run(path)
    if not run.topics:
        raise InputError("the run is empty", path=path, expected=f"rows of {_FORM}")
    if dedup:
        run.drop_repeated()
    run.check_unique()
    if by_rank:
        run.check_ranks()
        return Rankings(run.run_id, {t: _by_rank(topic) for t, topic in run.topics.items()})
    by_score = {t: _by_score(topic.docids, topic.scores) for t, topic in run.topics.items()}
    return Rankings(run.run_id, by_score)


def ranking(rows: Iterable[Ranked]) -> dict[str, list[str]]:
    """Return topic_id -> its docids as trec_eval ranks the rows of one run.

    By score descending, ties by docid descending; the rank column plays no part. As trec_eval
    does, scores are compared in single precision: those that differ further behind are ties.
    """
    topics: dict[str, tuple[list[str], list[float]]] = {}
    for row in rows:
        docids, scores = topics.setdefault(row.topic_id, ([], []))
        docids.append(row.docid)
        scores.append(row.score)
    return {topic_id: _by_score(*columns) for topic_id, columns in topics.items()}


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


class _Topic(NamedTuple):
    """The rows of a topic, column by column."""

    lines: list[int]
    docids: list[str]
    ranks: list[str]  # whole numbers, as they are written
    scores: list[float]


class _Run:
    """The rows of a run by topic: in whole stretches, as a run may have millions."""

    def __init__(self, path: str | Path) -> None:
        self._path = str(path)
        self.run_id = ""
        self.topics: dict[str, _Topic] = {}
        for block in read_blocks(path, _FORM, widths=[6]):
            self._check_tag(block)
            self._add(block)

    def check_unique(self) -> None:
        """Refuse a document that stands twice in a topic."""
        for topic_id, topic in self.topics.items():
            if len(set(topic.docids)) < len(topic.docids):
                unique = Unique("the document of (topic, docid)")
                for line, docid in zip(topic.lines, topic.docids, strict=True):
                    unique.add((topic_id, docid), Place(self._path, line), "docid")

    def check_ranks(self) -> None:
        """Refuse a rank that stands twice in a topic."""
        for topic_id, topic in self.topics.items():
            ranks = list(map(int, topic.ranks))
            if len(set(ranks)) < len(ranks):
                unique = Unique("the rank of (topic, rank)")
                for line, rank in zip(topic.lines, ranks, strict=True):
                    unique.add((topic_id, rank), Place(self._path, line), "rank")

    def drop_repeated(self) -> None:
        """Keep the first row of each document in a topic."""
        dropped = 0
        for topic_id, topic in self.topics.items():
            places = {docid: place for place, docid in reversed(list(enumerate(topic.docids)))}
            kept = sorted(places.values())
            dropped += len(topic.docids) - len(kept)
            self.topics[topic_id] = _Topic(
                [topic.lines[place] for place in kept],
                [topic.docids[place] for place in kept],
                [topic.ranks[place] for place in kept],
                [topic.scores[place] for place in kept],
            )
        if dropped:
            log.warning("%s: left out %d repeated documents", self._path, dropped)

    def _add(self, block: Block) -> None:
        block.check_integers(3, "rank")
        _, _, docids, ranks, _, _ = block.columns
        scores = block.numbers(4, "score")
        start = 0
        for topic_id, stretch in groupby(block.columns[0]):
            end = start + len(list(stretch))
            topic = self.topics.get(topic_id) or _Topic([], [], [], [])
            topic.lines.extend(block.lines[start:end])
            topic.docids.extend(docids[start:end])
            topic.ranks.extend(ranks[start:end])
            topic.scores.extend(scores[start:end])
            self.topics[topic_id] = topic
            start = end

    def _check_tag(self, block: Block) -> None:
        tags = block.columns[5]
        self.run_id = self.run_id or tags[0]
        if tags.count(self.run_id) == len(tags):
            return
        for row in block.rows():
            if row.cells[5] != self.run_id:
                raise row.error(5, "tag", f"the run {self.run_id!r}: one file holds one run")


def _by_rank(topic: _Topic) -> list[str]:
    return [docid for _, docid in sorted(zip(map(int, topic.ranks), topic.docids, strict=True))]


def _by_score(docids: Sequence[str], scores: Sequence[float]) -> list[str]:
    single = array("f", scores).tolist()
    if all(map(gt, single, single[1:])):  # as most runs are written
        return list(docids)
    return [docid for _, docid in sorted(zip(single, docids, strict=True), reverse=True)]
