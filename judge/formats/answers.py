"""Answers with citations: TREC RAG 2024 to 2026, RAGTIME and AutoJudge reports, NeuCLIR reports.

Whole numbers among the citations are 0-based places in the list of references, as all of these
formats define it; strings are docids. What points at no reference is kept, with docid None.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from judge.formats.documents import to_document
from judge.formats.fields import Fields, read_records
from judge.formats.lines import Unique
from judge.types import Answer, Citation, Document, Sentence


def read_answers(path: str | Path) -> list[Answer]:
    """Read the answers of a JSONL file, in its order; see `read_all_answers`."""
    return read_all_answers([path])


def read_all_answers(paths: Iterable[str | Path]) -> list[Answer]:
    """Read the answers of several JSONL files; each record's form is told from its fields.

    Forms: {run_id, topic_id, references, answer}; {metadata: {run_id, narrative_id or topic_id},
    references, answer or responses, documents}; {request_id, run_id, sentences}. Each sentence
    is {text, citations: [place or docid] or {docid: confidence}}; what is cited twice in one
    counts once. Without references, the documents that the answer carries take their place;
    without those too, every docid is valid.

    Raises:
        InputError: a file cannot be read, a field is wrong, or two answers, wherever they stand,
            have the same run and topic.
    """
    unique = Unique("the answer of (run_id, topic)")
    answers = []
    for path in paths:
        for record in read_records(path):
            answer = _answer(record)
            unique.add((answer.run_id, answer.topic_id), record.place)
            answers.append(answer)
    return answers


class _Header(NamedTuple):
    """Whose answer a record is, to which topic, and the field that holds its sentences."""

    run_id: str
    topic_id: str
    sentences: str


class _References(NamedTuple):
    """What can be cited; `closed` tells whether a docid outside of `docids` is invalid."""

    docids: tuple[str, ...]
    closed: bool


def _answer(record: Fields) -> Answer:
    header = _header(record)
    documents = tuple(_documents(record))
    references = _references(record, documents)
    items = record.records(header.sentences)
    return Answer(
        run_id=header.run_id,
        topic_id=header.topic_id,
        sentences=tuple(_sentence(item, references) for item in items),
        references=references.docids,
        documents=documents,
    )


def _header(record: Fields) -> _Header:
    if record.has("metadata"):
        meta = record.record("metadata")
        meta.skip("team_id", "type", "narrative", "prompt", "narrative_id", "topic_id")
        topic_id = meta.ident(meta.first("topic_id", "narrative_id"))
        return _Header(meta.ident("run_id"), topic_id, record.first("answer", "responses"))
    if record.has("request_id"):
        record.skip("collection_ids")
        return _Header(record.ident("run_id"), record.ident("request_id"), "sentences")
    if record.has("topic_id"):
        record.skip("topic", "response_length")
        return _Header(record.ident("run_id"), record.ident("topic_id"), "answer")
    raise record.place.error(
        "not an answer",
        expected="metadata and answer or responses; run_id, topic_id and answer; "
        "or run_id, request_id and sentences",
        found=record.names,
    )


def _documents(record: Fields) -> Iterator[Document]:
    if record.has("documents"):
        documents = record.record("documents")
        for name in documents.names:
            docid = documents.to_ident(name, name)
            yield to_document(documents.record(name), docid)


def _references(record: Fields, documents: tuple[Document, ...]) -> _References:
    if record.has("references"):
        return _References(record.idents("references"), closed=True)
    return _References(tuple(document.docid for document in documents), closed=bool(documents))


def _sentence(record: Fields, references: _References) -> Sentence:
    citations: dict[object, Citation] = {}
    for citation in _citations(record, references):
        # a docid and a mention that points at nothing may read the same: 3 and "3"
        key = (citation.docid is None, citation.docid or citation.mention)
        citations.setdefault(key, citation)
    return Sentence(text=record.text("text"), citations=tuple(citations.values()))


def _citations(record: Fields, references: _References) -> Iterator[Citation]:
    cited = record.get("citations")
    if isinstance(cited, dict):
        cited = _by_confidence(record, cited)
    elif cited is not None:
        cited = record.items("citations")
    for i, item in enumerate(cited or []):
        if isinstance(item, int) and not isinstance(item, bool):
            yield _by_place(item, references)
        else:
            yield _by_docid(record.to_ident(f"citations[{i}]", item), references)


def _by_confidence(record: Fields, cited: dict[str, object]) -> list[str]:
    """Return docids by confidence descending; sorting is stable, so ties stay as written."""
    confidence = {
        docid: record.to_number(f"citations[{docid}]", value) for docid, value in cited.items()
    }
    return sorted(confidence, key=lambda docid: -confidence[docid])


def _by_place(place: int, references: _References) -> Citation:
    inside = 0 <= place < len(references.docids)
    return Citation(mention=str(place), docid=references.docids[place] if inside else None)


def _by_docid(docid: str, references: _References) -> Citation:
    valid = not references.closed or docid in references.docids
    return Citation(mention=docid, docid=docid if valid else None)
