"""The kinds of files there are, and how each is told from the content, read and counted.

A new kind is one line in `KINDS`; a new form of a kind is one line in the table of its reader.
The order matters: the first kind that recognises a file has it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.errors import InputError, UsageError
from judge.formats import counts, neuclir, nugget_banks, ratings, tables, wikivideo
from judge.formats.answers import each_answer
from judge.formats.assignments import each_assignment
from judge.formats.documents import to_documents
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, each_record, has_fields
from judge.formats.grounded import each_grounded
from judge.formats.human import read_claims
from judge.formats.leaderboards import read_values
from judge.formats.lines import STDIN, OnError, Place, raise_error
from judge.formats.nuggets import each_nugget
from judge.formats.samples import Sample, sample
from judge.formats.scores import read_nugget_scores, read_scores
from judge.formats.subtopics import each_subtopic_qrel
from judge.formats.support import each_support
from judge.formats.topics import each_topic
from judge.formats.weighed import each_weighed
from judge.types import Document

Each = Callable[[str | Path, OnError], Iterator[Located[Any]]]
Test = Callable[[Sample], bool]


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        name: its name, as `--kind` takes it.
        recognises: tells from the beginning of a file whether it is of this kind.
        each: yields what the file holds, with its places, and tells of what cannot be read.
        count: says in numbers what was read.
    """

    name: str
    recognises: Test
    each: Each
    count: counts.Count


def recognise(path: str | Path) -> Kind:
    """Return the kind of a file by its content.

    Raises:
        InputError: the file cannot be read, is empty, or is of no kind that is known.
    """
    if str(path) != STDIN and Path(path).is_fifo():
        message = "a pipe can be read once only, so that its kind cannot be told"
        raise InputError(message, path=path, expected="its kind, or the pipe as stdin (-)")
    head = sample(path)
    if not head.lines:
        raise InputError("the file is empty, so that its kind cannot be told", path=path)
    for kind in KINDS:
        if kind.recognises(head):
            return kind
    raise _unknown(head)


def _unknown(head: Sample) -> InputError:
    """The error of a file of no kind: what is wrong with its first record, or what that is."""
    if head.record is None and head.damage is not None:
        damage = head.damage
        message = f"the kind of the file cannot be told, as no record is sound: {damage.message}"
        return InputError(message, path=damage.path, line=damage.line, found=damage.found)
    place, found = head.unknown
    return place.error(
        "the kind of the file cannot be told; name it",
        expected=" or ".join(kind.name for kind in KINDS),
        found=found,
    )


def kind_named(name: str) -> Kind:
    """Return the kind of a name.

    Raises:
        UsageError: there is none.
    """
    for kind in KINDS:
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in KINDS)
    raise UsageError(f"there is no kind {name!r}; the kinds are {known}")


def read(path: str | Path, kind: str | None = None) -> Iterator[Any]:
    """Yield what a file of any kind holds.

    Args:
        path: the file, gzip or not, "-" for stdin.
        kind: the name of its kind; told from the content if it is not given.

    Raises:
        InputError: the file cannot be read, or its kind cannot be told.
        UsageError: there is no such kind.
    """
    chosen = recognise(path) if kind is None else kind_named(kind)
    return (record for _, record in chosen.each(path, raise_error))


def _record(*tests: Callable[[Fields], bool]) -> Test:
    """Return a test for files whose first record passes one of `tests`."""

    def recognises(head: Sample) -> bool:
        return head.record is not None and any(test(head.record) for test in tests)

    return recognises


def _either(*tests: Test) -> Test:
    return lambda head: any(test(head) for test in tests)


def _whole(read_all: Callable[[str | Path], Any]) -> Each:
    """Return a reader of places from one that reads all or nothing."""

    def each(path: str | Path, on_error: OnError) -> Iterator[Located[Any]]:
        try:
            records = read_all(path)
        except InputError as error:
            on_error(error)
            return
        items = records.items() if isinstance(records, dict) else records
        yield from (Located(Place(str(path), 0), record) for record in items)

    return each


def _each_answer(path: str | Path, on_error: OnError) -> Iterator[Located[Any]]:
    return each_answer([path], on_error)


def _each_document(path: str | Path, on_error: OnError) -> Iterator[Located[Document]]:
    return each_record(path, "a document", DOCUMENTS, on_error)


def _is_document(record: Fields) -> bool:
    return any(map(record.holds, _IDS)) and any(map(record.holds, _CONTENTS))


def _is_weighed(record: Fields) -> bool:
    sentences = record.get("sentences")
    first = sentences[0] if isinstance(sentences, list) and sentences else None
    return isinstance(first, dict) and "together" in first


DOCUMENTS: tuple[Form[Document], ...] = (
    Form("docid and text, or candidates", has_fields(), to_documents),
)
_IDS = ("docid", "id", "docno", "_id")
_CONTENTS = ("text", "segment", "contents", "body", "transcript", "ocr", "images")

KINDS: tuple[Kind, ...] = (
    Kind("citations", _record(_is_weighed), each_weighed, counts.citations),
    Kind(
        "coverage",
        _record(has_fields("run_id", "topic_id", "nuggets")),
        each_grounded,
        counts.coverage,
    ),
    Kind(
        "support",
        _record(
            has_fields("claim", "references", "attribution_label"),
            has_fields("run_id", "sentences", one_of=("topic_id", "narrative_id")),
        ),
        each_support,
        counts.support,
    ),
    Kind(
        "answers",
        _record(
            has_fields("metadata", one_of=("answer", "responses")),
            has_fields("request_id", "run_id", "sentences"),
            has_fields("topic_id", "run_id", "answer"),
            wikivideo.PREDICTION.fits,
        ),
        _each_answer,
        counts.answers,
    ),
    Kind("claims", _record(wikivideo.is_labels), _whole(read_claims), counts.claims),
    Kind(
        "assignments",
        _record(has_fields("qid", "run_id", "nuggets")),
        each_assignment,
        counts.assignments,
    ),
    Kind(
        "nugget-scores",
        _record(has_fields("qid", "run_id", one_of=("strict_vital_score", "all_score"))),
        _whole(read_nugget_scores),
        counts.nugget_scores,
    ),
    Kind(
        "scores",
        _record(has_fields("run_id", "topic_id", "measure")),
        _whole(read_scores),
        counts.scores,
    ),
    Kind(
        "nuggets",
        _record(
            has_fields("qid", "nuggets"),
            nugget_banks.BANK.fits,
            neuclir.ITEMS.fits,
            neuclir.QUESTIONS.fits,
            wikivideo.CLAIMS.fits,
        ),
        each_nugget,
        counts.nuggets,
    ),
    Kind("ratings", _record(ratings.FORMS[0].fits), ratings.each_rating_row, counts.ratings),
    Kind(
        "documents",
        _record(_is_document, has_fields("candidates")),
        _each_document,
        counts.documents,
    ),
    Kind(
        "topics",
        _either(
            _record(
                has_fields("request_id", "problem_statement"),
                has_fields("id", one_of=("narrative", "title")),
                has_fields("qid", "query"),
            ),
            tables.is_tsv,
        ),
        each_topic,
        counts.topics,
    ),
    Kind("run", tables.is_run, tables.each_ranked, counts.run),
    Kind("qrels", tables.is_qrels, tables.each_qrel, counts.qrels),
    Kind("subtopics", tables.is_subtopics, each_subtopic_qrel, counts.subtopics),
    Kind("leaderboard", tables.is_leaderboard, _whole(read_values), counts.scores),
)
