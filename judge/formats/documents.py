"""Documents: JSON records with one of the usual names for the id and the text."""

from judge.formats.fields import Fields
from judge.types import Document


def to_document(record: Fields, docid: str | None = None) -> Document:
    """Return the document of a record {docid, text, title?, url?, headings?}.

    The id may also be called id, docno or _id, and the text segment or contents; the first
    of these names that is there counts.

    Args:
        record: the record.
        docid: the id, where it is known from elsewhere; then the record need not have one.

    Raises:
        InputError: a field is missing or wrong.
    """
    text = record.text(record.first("text", "segment", "contents"))
    names = ("docid", "id", "docno", "_id")
    record.skip(*names)
    return Document(
        docid=docid if docid is not None else record.ident(record.first(*names)),
        text=text,
        title=record.optional_text("title"),
        url=record.optional_text("url"),
        headings=record.optional_text("headings"),
    )
