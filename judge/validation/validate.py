"""Files -> reports: what each is, what is in it, and everything that is wrong with it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from judge.corpora import open_corpora
from judge.errors import InputError, UsageError
from judge.formats.kinds import Kind, kind_named, recognise
from judge.formats.paths import expand, expand_one
from judge.formats.query_ids import QueryIds, read_query_ids
from judge.formats.topics import read_topics
from judge.types import Topic
from judge.validation.answers import check_answers
from judge.validation.context import TRACKS, Context, Limits
from judge.validation.documents import check_named
from judge.validation.nuggets import check_nuggets
from judge.validation.others import (
    check_assignments,
    check_support,
    check_topics,
    checked_documents,
)
from judge.validation.problems import FileReport, Problems
from judge.validation.tables import check_qrels, check_run

Check = Callable[[Sequence[Any], Context, Problems], None]

CHECKS: dict[str, Check] = {
    "topics": check_topics,
    "answers": check_answers,
    "nuggets": check_nuggets,
    "assignments": check_assignments,
    "support": check_support,
    "run": check_run,
    "qrels": check_qrels,
}


def validate(
    files: Sequence[str | Path],
    *,
    kind: str | None = None,
    topics: str | Path | None = None,
    corpus: Sequence[str | Path] = (),
    track: str | None = None,
) -> list[FileReport]:
    """Check files, and return a report of each.

    Args:
        files: files, folders or globs; "-" is stdin.
        kind: their kind; told from the content of each if it is not given.
        topics: the topics that answers, nuggets, labels, runs and qrels should be of.
        corpus: where the documents are that answers cite, and that runs, qrels, subtopic qrels,
            ratings, support labels and the lists of nuggets name.
        track: "rag24", "rag25" or "rag26", whose limits answers should keep.

    Raises:
        InputError: there is no such file, or topics or corpus cannot be read.
        UsageError: there is no such kind or track.
    """
    chosen = None if kind is None else kind_named(kind)
    limits = _limits(track)
    known = _topics(topics)
    query_ids = QueryIds() if topics is None else read_query_ids(expand_one(topics))
    reports = []
    with ExitStack() as stack:
        corpora = stack.enter_context(open_corpora(corpus)) if corpus else None
        context = Context(known, query_ids, corpora, limits)
        for path in expand(files):
            reports.append(_report(path, chosen, context))
        if corpora is not None:
            _close_quietly(stack)
    return reports


def _report(path: Path, kind: Kind | None, context: Context) -> FileReport:
    problems = Problems(str(path))
    with problems.noting():
        try:
            kind = kind or recognise(path)
        except InputError as error:
            problems.failed(error)
            return problems.report(None, {})
        counts = _checked(path, kind, context, problems)
    return problems.report(kind.name, counts)


def _checked(path: Path, kind: Kind, context: Context, problems: Problems) -> dict[str, int]:
    records: Iterator[Any] = kind.each(path, problems.failed)
    if kind.name == "documents":  # as they may be many, they pass one by one
        return kind.count(record for _, record in checked_documents(records, problems))
    listed = list(records)
    if kind.name in CHECKS:
        CHECKS[kind.name](listed, context, problems)
    check_named(kind.name, listed, context, problems)
    return kind.count(record for _, record in listed)


def _limits(track: str | None) -> Limits | None:
    if track is None:
        return None
    if track not in TRACKS:
        raise UsageError(f"there is no track {track!r}; the tracks are {', '.join(TRACKS)}")
    return TRACKS[track]


def _topics(path: str | Path | None) -> dict[str, Topic] | None:
    if path is None:
        return None
    return {topic.topic_id: topic for topic in read_topics(expand_one(path))}


def _close_quietly(stack: ExitStack) -> None:
    """Close the corpora without a word on the missing documents, which the reports list."""
    with Problems("").noting():
        stack.close()
