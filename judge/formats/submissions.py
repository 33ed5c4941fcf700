"""Answers written in the forms that the field's tracks take them in."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from judge.errors import InputError
from judge.formats.citations import write_citations
from judge.formats.lines import write_json
from judge.types import Answer

AnswerForm = Literal["rag24", "rag25", "neuclir24", "ragtime"]


def write_answers(path: str | Path, answers: Iterable[Answer], form: AnswerForm) -> None:
    """Write answers, a line each, in one of the field's forms.

    rag24: {run_id, topic_id, references, answer}; rag25 (and 26): {metadata: {run_id,
    narrative_id}, references, answer}; ragtime: {metadata: {run_id, topic_id}, references,
    responses, documents}; neuclir24: {request_id, run_id, sentences}, which has docids alone.

    Raises:
        InputError: the form cannot hold an answer: inline documents outside of ragtime, or a
            citation of neuclir24 that points at no document.
        UsageError: the file cannot be written.
    """
    write_json(path, (_written(path, answer, form) for answer in answers))


def _written(path: str | Path, answer: Answer, form: AnswerForm) -> dict[str, Any]:
    if answer.documents and form != "ragtime":
        expected = "an answer without inline documents, or the form ragtime"
        raise InputError("cannot be written", path=path, expected=expected, found=answer.run_id)
    return _WRITERS[form](path, answer)


def _write_rag24(path: str | Path, answer: Answer) -> dict[str, Any]:
    del path
    start = {"run_id": answer.run_id, "topic_id": answer.topic_id}
    length = sum(len(sentence.text.split()) for sentence in answer.sentences)
    return {**start, **_listed(answer), "response_length": length, "answer": _items(answer)}


def _write_rag25(path: str | Path, answer: Answer) -> dict[str, Any]:
    del path
    start = {"metadata": {"run_id": answer.run_id, "narrative_id": answer.topic_id}}
    return {**start, **_listed(answer), "answer": _items(answer)}


def _write_ragtime(path: str | Path, answer: Answer) -> dict[str, Any]:
    del path
    start = {"metadata": {"run_id": answer.run_id, "topic_id": answer.topic_id}}
    documents = {
        d.docid: {"id": d.docid, **d.model_dump(exclude={"docid"}, exclude_defaults=True)}
        for d in answer.documents
    }
    rest = {"documents": documents} if documents else {}
    return {**start, **_listed(answer), "responses": _items(answer), **rest}


def _write_neuclir(path: str | Path, answer: Answer) -> dict[str, Any]:
    for sentence in answer.sentences:
        for citation in sentence.citations:
            if citation.docid is None:
                expected = "a citation that points at a document"
                found = citation.mention
                raise InputError("cannot be written", path=path, expected=expected, found=found)
    sentences = [
        {"text": s.text, "citations": [c.docid for c in s.citations]} for s in answer.sentences
    ]
    return {"request_id": answer.topic_id, "run_id": answer.run_id, "sentences": sentences}


_WRITERS: dict[AnswerForm, Callable[[str | Path, Answer], dict[str, Any]]] = {
    "rag24": _write_rag24,
    "rag25": _write_rag25,
    "ragtime": _write_ragtime,
    "neuclir24": _write_neuclir,
}


def _listed(answer: Answer) -> dict[str, Any]:
    """Return the field `references`; a list that is empty says that no docid is valid."""
    cited = (c.docid for sentence in answer.sentences for c in sentence.citations)
    if not answer.references and any(docid is not None for docid in cited):
        return {}
    return {"references": list(answer.references)}


def _items(answer: Answer) -> list[dict[str, Any]]:
    return [
        {"text": s.text, "citations": write_citations(s.citations, answer.references)}
        for s in answer.sentences
    ]
