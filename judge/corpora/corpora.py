"""Several sources of documents asked as one."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from judge.corpora.inline import InlineCorpus
from judge.corpora.jsonl import JsonlCorpus
from judge.errors import InputError
from judge.formats.paths import expand
from judge.types import Answer, Document


class Corpus(Protocol):
    """A collection of documents, found by docid; `path` is where it comes from."""

    path: str | Path

    def get(self, docid: str) -> Document | None:
        """Return a document, None where there is none of this id."""

    def close(self) -> None:
        """Give back what is held open; nothing can be read after that."""


class Corpora:
    """The collections a user names, and the documents that answers carry with them.

    A context manager, which closes the collections.

    Args:
        corpora: the collections.
        inline: the documents of the answers, asked where no collection has a docid.
    """

    def __init__(self, corpora: Sequence[Corpus], inline: InlineCorpus) -> None:
        self._corpora, self._inline = tuple(corpora), inline

    def get(self, docid: str) -> Document | None:
        """Return a document: from the collections, else from the answers, else None.

        Raises:
            InputError: two collections have different texts under the docid.
        """
        found = [(c.path, d) for c in self._corpora if (d := c.get(docid)) is not None]
        if not found:
            return self._inline.get(docid)
        (first, document), *others = found
        for path, other in others:
            if other.text != document.text:
                message = f"the docid {docid!r} has another text here than in {first}"
                raise InputError(f"{message}; leave one of the two out", path=path)
        return document

    def cited(self, answer: Answer, docid: str) -> Document | None:
        """Return the document that `answer` cites as `docid`: its own, else as `get` does."""
        own = self._inline.cited(answer, docid)
        return own if own is not None else self.get(docid)

    def documents_of(self, topic_id: str) -> list[Document]:
        """Return the distinct documents that the answers to a topic carry.

        `get` finds them by the ids they have here, except where a collection has the id too.
        """
        return self._inline.documents_of(topic_id)

    @property
    def empty(self) -> bool:
        """Whether there is no collection, and no answer carries a document."""
        return not self._corpora and len(self._inline) == 0

    def close(self) -> None:
        """Close all collections."""
        for corpus in self._corpora:
            corpus.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_corpora(paths: Sequence[str | Path], answers: Iterable[Answer] = ()) -> Corpora:
    """Open collections of documents.

    Args:
        paths: files, folders or glob patterns, as `judge.formats.paths.expand` takes them.
        answers: answers that may carry documents.

    Raises:
        InputError: a file cannot be read as documents.
    """
    with ExitStack() as stack:
        corpora = []
        for path in expand(paths):
            corpora.append(JsonlCorpus(path))
            stack.callback(corpora[-1].close)
        opened = Corpora(corpora, InlineCorpus(answers))
        stack.pop_all()
        return opened
