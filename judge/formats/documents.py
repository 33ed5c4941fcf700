"""Documents: JSON records with one of the usual names for the id and the text.

A record is one document, a video with what is said and shown in it, or a request of rank_llm
that holds the documents of a topic as its candidates.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.formats.fields import Fields
from judge.types import Document

_IDS = ("docid", "id", "docno", "_id")
_TEXTS = ("text", "segment", "contents", "body")
_VIDEO = ("transcript", "ocr", "images")
_OFFSETS = ("start_char", "end_char")


def to_documents(record: Fields) -> Iterator[Document]:
    """Yield the documents of a record: its candidates, if it has some, else itself.

    Raises:
        InputError: a field is missing or wrong.
    """
    if not record.has("candidates"):
        yield to_document(record)
        return
    record.skip("query")
    for candidate in record.records("candidates"):
        candidate.skip("score", "rank")
        docid = candidate.ident(candidate.first(*_IDS))
        yield to_document(candidate.record("doc"), docid)


def to_document(record: Fields, docid: str | None = None) -> Document:
    """Return the document of a record {docid, text, title?, url?, headings?}.

    The id may also be called id, docno or _id, and the text segment, contents or body; the first
    of these names that is there counts. A video has {transcript?, ocr?, images?} instead of or
    beside a text: its text is then made of them (each may be a list of texts, its lines), and its
    images are paths, which stand relative to the file of the record.

    Args:
        record: the record.
        docid: the id, where it is known from elsewhere; then the record need not have one.

    Raises:
        InputError: a field is missing or wrong.
    """
    record.skip(*_IDS, *_OFFSETS)
    return Document(
        docid=docid if docid is not None else record.ident(record.first(*_IDS)),
        title=record.optional_text("title"),
        url=record.optional_text("url"),
        headings=record.optional_text("headings"),
        **(_video(record) if any(map(record.has, _VIDEO)) else {"text": _text(record)}),
    )


def _text(record: Fields) -> str:
    return record.text(record.first(*_TEXTS))


def _video(record: Fields) -> dict[str, Any]:
    """The fields of a video; `text` is what a judge of text is shown of it."""
    transcript, ocr = _joined(record, "transcript"), _joined(record, "ocr")
    parts = [
        _text(record) if any(map(record.has, _TEXTS)) else "",
        f"Transcript:\n{transcript}" if transcript else "",
        f"Text on screen:\n{ocr}" if ocr else "",
    ]
    return {
        "text": "\n\n".join(filter(None, parts)),
        "transcript": transcript,
        "ocr": ocr,
        "images": tuple(_image(record, path) for path in record.idents("images")),
    }


def _joined(record: Fields, name: str) -> str:
    """An optional text; where it is a list of texts, they become its lines."""
    if not isinstance(record.get(name), list):
        return record.optional_text(name)
    return "\n".join(record.idents(name))


def _image(record: Fields, path: str) -> str:
    if "://" in path or path.startswith("data:"):
        return path
    return str(Path(record.place.path).parent / path)
