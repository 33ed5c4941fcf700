"""Scores of retrieval runs, from qrels of either form and run files."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from judge.errors import InputError
from judge.formats.paths import expand, expand_one
from judge.formats.qrels import Judged
from judge.formats.query_ids import QueryIds, read_query_ids
from judge.formats.runs import Rankings, read_rankings
from judge.formats.topics import read_topics
from judge.metrics.names import parse_ranking_measures
from judge.metrics.rankings import Gold, RankingMeasure, score_runs
from judge.types import Score

_log = logging.getLogger(__name__)

_BY_GRADE = "nDCG@20 RR AP R@100 judged@20"
_BY_SUBTOPIC = "alpha_nDCG@20 StRecall@20 nDCG@20 judged@20"

Measures = Sequence[RankingMeasure[Any]]
Runs = Mapping[str, Mapping[str, Sequence[str]]]


def evaluate(
    qrels: str | Path,
    runs: Sequence[str | Path],
    *,
    measures: str | None = None,
    topics: str | Path | None = None,
    subtopics: bool | None = None,
    by_rank: bool = False,
    dedup: bool = False,
    empty_as_zero: bool = False,
) -> list[Score]:
    """Score retrieval runs.

    Args:
        qrels: ordinary or diversity qrels.
        runs: files, folders or globs of runs; the tag in the file is the run's name.
        measures: their names; the usual ones for the form of the qrels if none are given.
        topics: the official topics, over which the means run; else those of the qrels. Where the
            file gives topics a `query_id` too, qrels and runs may name them by it.
        subtopics: whether the second column of the qrels holds subtopics; told from the measures
            and the content if it is not given, see `judge.formats.qrels.Judged.form`.
        by_rank: rank by the rank column, instead of by score (in single precision) and then docid,
            both descending, as trec_eval does.
        dedup: keep the first row of a document that stands twice for a topic, instead of an error.
        empty_as_zero: count topics without a relevant document, or a subtopic, as 0.

    Returns:
        One row per measure, run and topic, each run's followed by its mean.

    Raises:
        InputError: a file cannot be read, two files hold runs of one name, or runs, qrels and
            topics have no topic in common.
        UsageError: a measure's name cannot be read.
    """
    named = parse_ranking_measures(measures) if measures else None
    query_ids = QueryIds() if topics is None else read_query_ids(expand_one(topics))
    chosen, gold = _read_gold(expand_one(qrels), named, subtopics, query_ids)
    official = list(gold.grades)
    if topics is not None:
        official = [topic.topic_id for topic in read_topics(expand_one(topics))]
        _check_overlap(gold.grades, official, f"the qrels {qrels}")
    read = partial(_read_rankings, by_rank=by_rank, dedup=dedup, query_ids=query_ids)
    rankings = _read_runs(map(read, expand(runs)), official, _depth(chosen))
    for run_id, run in rankings.items():
        _tell_unjudged(run_id, run, gold)
    return score_runs(chosen, rankings, gold, topics=official, empty_as_zero=empty_as_zero)


def _read_gold(
    path: Path, named: Measures | None, subtopics: bool | None, query_ids: QueryIds
) -> tuple[Measures, Gold]:
    """Return the measures to compute, and what was judged."""
    judged = Judged(path)
    if subtopics is None:
        wanted = any(measure.kind == "subtopics" for measure in named or ())
        subtopics = judged.form(subtopics=wanted) == "subtopics"
    if subtopics:
        gold = Gold.of_subtopics(query_ids.by_topic(judged.held(), path))
    else:
        gold = Gold(query_ids.by_topic(judged.grades(), path))
    if not gold.grades:
        raise InputError("there are no judgments", path=path)
    measures = named or parse_ranking_measures(_BY_SUBTOPIC if subtopics else _BY_GRADE)
    if subtopics and any(measure.kind == "grades" for measure in measures):
        _log.warning("%s: the grade of a document is the number of subtopics it holds", path)
    return measures, gold


def _depth(measures: Measures) -> int | None:
    """Return how far down any measure looks, None if one looks at all."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max(filter(None, cutoffs))


def _read_rankings(
    path: Path, *, by_rank: bool, dedup: bool, query_ids: QueryIds
) -> tuple[Path, Rankings]:
    """Return a file and the run in it, its topics under their own ids."""
    run = read_rankings(path, by_rank=by_rank, dedup=dedup)
    return path, run._replace(topics=query_ids.by_topic(run.topics, path))


def _read_runs(
    given: Iterable[tuple[Path, Rankings]], official: Sequence[str], depth: int | None
) -> Runs:
    """Return the runs by name, down to `depth`, after a check that each has an official topic."""
    found: dict[str, Path] = {}
    runs: dict[str, Mapping[str, Sequence[str]]] = {}
    for path, run in given:
        if run.run_id in found:
            raise InputError(
                f"{found[run.run_id]} and {path} both hold a run {run.run_id!r}; "
                "change the tag in one of them"
            )
        _check_overlap(run.topics, official, f"the run {path}")
        found[run.run_id] = path
        runs[run.run_id] = {topic_id: docids[:depth] for topic_id, docids in run.topics.items()}
    return runs


def _tell_unjudged(run_id: str, run: Mapping[str, Sequence[str]], gold: Gold) -> None:
    """Warn of a run without any judged document: its docids may be those of another corpus."""
    pairs = ((gold.grades.get(topic_id, {}), docids) for topic_id, docids in run.items())
    if all(docid not in judged for judged, docids in pairs for docid in docids):
        told = "no document of the run %s is judged: it has %s; the qrels have %s"
        theirs = next(iter(gold.grades.values()))
        _log.warning(told, run_id, _three(next(iter(run.values()))), _three(list(theirs)))


def _check_overlap(mine: Iterable[str], official: Sequence[str], what: str) -> None:
    """Warn of topics that are not official; that none is one is an error."""
    known, ids = set(official), list(mine)
    outside = [topic_id for topic_id in ids if topic_id not in known]
    if len(outside) == len(ids):
        raise InputError(
            f"no topic of {what} is an official one: it has {_three(ids)}; "
            f"the official topics are {_three(official)}"
        )
    if outside:
        told = "%d topics of %s are not official and are left out: %s"
        _log.warning(told, len(outside), what, _three(outside))


def _three(ids: Sequence[str]) -> str:
    """Return the first three ids in words."""
    return ", ".join(map(repr, ids[:3])) + (", ..." if len(ids) > 3 else "")
