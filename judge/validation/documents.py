"""Check that the documents a file names are in the corpora; those of answers: `answers`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from judge.formats.forms import Located
from judge.formats.lines import Place
from judge.types import Nugget, Qrel, Ranked, Rating, SubtopicQrel, SupportedAnswer
from judge.validation.context import Context
from judge.validation.problems import Problems


def check_named(
    kind: str, records: Sequence[Located[Any]], context: Context, problems: Problems
) -> None:
    """Add an error for each document of a file that is in none of the corpora, where it is first.

    Args:
        kind: of the file; one whose records name no documents has none missing.
        records: what the file holds.
        context: with the corpora; without any nothing is checked.
        problems: where the errors go.
    """
    names = NAMED.get(kind)
    if context.corpora is None or names is None:
        return
    first: dict[str, Place] = {}
    for place, record in records:
        for docid in names(record):
            first.setdefault(docid, place)
    for docid, place in first.items():
        if context.corpora.get(docid) is None:
            problems.add("error", "a document that is in none of the corpora", place, found=docid)


def _of_row(row: Ranked | Qrel | SubtopicQrel | Rating) -> Iterator[str]:
    yield row.docid


def _of_nugget(nugget: Nugget) -> Iterator[str]:
    yield from nugget.docids
    for answer in nugget.answers:
        yield from answer.docids


def _of_labels(answer: SupportedAnswer) -> Iterator[str]:
    for sentence in answer.sentences:
        for citation in sentence.citations:
            if citation.docid is not None:
                yield citation.docid


NAMED: Mapping[str, Callable[[Any], Iterator[str]]] = {
    "run": _of_row,
    "qrels": _of_row,
    "subtopics": _of_row,
    "ratings": _of_row,
    "nuggets": _of_nugget,
    "support": _of_labels,
}
"""The documents that a record names, by the kind of its file."""
