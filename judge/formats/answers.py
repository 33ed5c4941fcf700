"""Answers with citations: TREC RAG 2024 to 2026, RAGTIME and AutoJudge reports, NeuCLIR reports.

The two forms that are no JSONL submissions, WikiVideo's predictions and AttributionBench's
claims, have modules of their own.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from judge.formats import attribution, wikivideo
from judge.formats.citations import References, read_citations
from judge.formats.documents import to_document
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, each_record, has_fields
from judge.formats.lines import OnError, Unique, raise_error
from judge.types import Answer, Citation, Document, Sentence


def read_answers(path: str | Path) -> list[Answer]:
    """Read the answers of a file, in its order; see `read_all_answers`."""
    return read_all_answers([path])


def read_all_answers(paths: Iterable[str | Path]) -> list[Answer]:
    """Read the answers of several files; each record's form is told from its fields.

    Forms: {run_id, topic_id, references, answer}; {metadata: {run_id, narrative_id or topic_id},
    references, answer or responses, documents}; {request_id, run_id, sentences}. Each sentence
    is {text, citations: [place or docid] or {docid: confidence}}; what is cited twice in one
    counts once. Without references, the documents that the answer carries take their place;
    without those too, every docid is valid. See `judge.formats.wikivideo` and `attribution`
    for two more.

    Raises:
        InputError: a file cannot be read, a field is wrong, or two answers, wherever they stand,
            have the same run and topic.
    """
    return [answer for _, answer in each_answer(paths)]


def each_answer(
    paths: Iterable[str | Path], on_error: OnError = raise_error
) -> Iterator[Located[Answer]]:
    """Yield the answers of several files and where they stand; see `read_all_answers`."""
    unique = Unique("the answer of (run_id, topic)")
    for path in paths:
        for located in each_record(path, "an answer", FORMS, on_error):
            answer = located.record
            if unique.accepts((answer.run_id, answer.topic_id), located.place, on_error):
                yield located


def _sentences(record: Fields, name: str, references: References) -> tuple[Sentence, ...]:
    return tuple(_sentence(item, references) for item in record.records(name))


def _sentence(item: Fields, references: References) -> Sentence:
    """A sentence; where errors are listed, what of it can be read, so that places stay right."""
    citations: tuple[Citation, ...] = ()
    text = "?"
    with item.part():
        citations = read_citations(item, references)
    with item.part():
        text = item.text("text")
    return Sentence(text=text, citations=citations)


def _answer(record: Fields, run_id: str, topic_id: str, sentences: str) -> Answer:
    documents = tuple(_documents(record))
    references = _references(record, documents)
    return Answer(
        run_id=run_id,
        topic_id=topic_id,
        sentences=_sentences(record, sentences, references),
        references=references.docids,
        documents=documents,
    )


def _with_metadata(record: Fields) -> Iterator[Answer]:
    meta = record.record("metadata")
    meta.skip("team_id", "type", "narrative", "prompt", "narrative_id", "topic_id")
    topic_id = meta.ident(meta.first("topic_id", "narrative_id"))
    yield _answer(record, meta.ident("run_id"), topic_id, record.first("answer", "responses"))


def _neuclir(record: Fields) -> Iterator[Answer]:
    record.skip("collection_ids")
    yield _answer(record, record.ident("run_id"), record.ident("request_id"), "sentences")


def _rag24(record: Fields) -> Iterator[Answer]:
    record.skip("topic", "response_length")
    yield _answer(record, record.ident("run_id"), record.ident("topic_id"), "answer")


FORMS: tuple[Form[Answer], ...] = (
    Form("metadata and answer or responses", has_fields("metadata"), _with_metadata),
    Form("run_id, request_id and sentences", has_fields("request_id"), _neuclir),
    Form("run_id, topic_id and answer", has_fields("topic_id"), _rag24),
    wikivideo.PREDICTION,
    attribution.ANSWER,
)


def _documents(record: Fields) -> Iterator[Document]:
    if record.has("documents"):
        documents = record.record("documents")
        for name in documents.names:
            docid = documents.to_ident(name, name)
            yield to_document(documents.record(name), docid)


def _references(record: Fields, documents: tuple[Document, ...]) -> References:
    if record.has("references"):
        return References(record.idents("references"), closed=True)
    return References(tuple(document.docid for document in documents), closed=bool(documents))
