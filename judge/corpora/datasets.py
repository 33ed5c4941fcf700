"""The documents of a dataset of ir_datasets, a catalogue of collections (an optional extra)."""

import threading
from typing import Any

from judge.errors import UsageError
from judge.types import Document

PREFIX = "ir_datasets:"
_TEXTS = ("text", "segment", "contents", "body")


class DatasetCorpus:
    """The documents of one dataset, such as "ir_datasets:msmarco-document-v2".

    ir_datasets builds its own store of documents the first time, which may download the
    collection. Any number of threads may ask at once.

    Args:
        path: the name of the dataset, after "ir_datasets:".

    Raises:
        UsageError: ir_datasets is not installed, does not know the dataset, or has no documents
            of it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._store = _open(path)
        self._lock = threading.Lock()

    def get(self, docid: str) -> Document | None:
        """Return a document, None where the dataset has none of this id."""
        with self._lock:
            try:
                found = self._store.get(docid)
            except KeyError:
                return None
        return _document(docid, found)

    def close(self) -> None:
        """Give back what the store holds in memory."""
        self._store.clear_cache()


def _open(path: str) -> Any:
    try:
        import ir_datasets
    except ModuleNotFoundError as error:
        message = f"{path}: takes ir_datasets; pip install 'rag-judge[ir-datasets]'"
        raise UsageError(message) from error
    try:
        dataset = ir_datasets.load(path.removeprefix(PREFIX))
    except KeyError as error:
        raise UsageError(f"{path}: ir_datasets knows no such dataset") from error
    if not dataset.has_docs():
        raise UsageError(f"{path}: the dataset has no documents")
    return dataset.docs_store()


def _document(docid: str, found: Any) -> Document:
    """The fields of a dataset's own document; `default_text` where none is called a text."""
    texts = (getattr(found, name, None) for name in _TEXTS)
    text = next((text for text in texts if isinstance(text, str)), None)
    return Document(
        docid=docid,
        text=found.default_text() if text is None else text,
        title=_text(found, "title"),
        url=_text(found, "url"),
        headings=_text(found, "headings"),
    )


def _text(found: Any, name: str) -> str:
    value = getattr(found, name, None)
    return value if isinstance(value, str) else ""
