"""Several sources of documents asked as one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from judge.corpora.datasets import DatasetCorpus
from judge.corpora.inline import InlineCorpus
from judge.corpora.jsonl import JsonlCorpus
from judge.corpora.kept import log
from judge.corpora.msmarco import MsMarcoCorpus
from judge.corpora.sources import Sources, find_sources
from judge.errors import InputError
from judge.types import Answer, Document

_NAMED = 10


class Corpus(Protocol):
    """A collection of documents, found by docid."""

    @property
    def path(self) -> str | Path:
        """Where it comes from."""

    def get(self, docid: str) -> Document | None:
        """Return a document, None where there is none of this id."""

    def close(self) -> None:
        """Give back what is held open; nothing can be read after that."""


class Corpora:
    """The collections a user names, and the documents that answers carry with them.

    A context manager, which closes the collections. What was asked for and not found is told then.

    Args:
        corpora: the collections.
        inline: the documents of the answers, asked where no collection has a docid.

    Attributes:
        shown: hears of every document of a collection that is given out.
    """

    def __init__(self, corpora: Sequence[Corpus], inline: InlineCorpus) -> None:
        self._corpora, self._inline = tuple(corpora), inline
        self._missing: dict[str, None] = {}
        self.shown: Callable[[Document], None] = lambda document: None

    def get(self, docid: str) -> Document | None:
        """Return a document: from the collections, else from the answers, else None.

        Raises:
            InputError: two collections have different texts under the docid.
        """
        found = [(c.path, d) for c in self._corpora if (d := c.get(docid)) is not None]
        if not found:
            return self._carried(docid)
        (first, document), *others = found
        for path, other in others:
            if other.text != document.text:
                message = f"the docid {docid!r} has another text here than in {first}"
                raise InputError(f"{message}; leave one of the two out", path=path)
        self.shown(document)
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
    def missing(self) -> list[str]:
        """The docids that were asked for and not found, in the order of asking."""
        return list(self._missing)

    @property
    def empty(self) -> bool:
        """Whether there is no collection, and no answer carries a document."""
        return not self._corpora and len(self._inline) == 0

    def close(self) -> None:
        """Close all collections."""
        for corpus in self._corpora:
            corpus.close()
        if self._missing:
            named = ", ".join(map(repr, self.missing[:_NAMED]))
            more = ", ..." if len(self._missing) > _NAMED else ""
            count = len(self._missing)
            log.warning("documents in none of the corpora (%d): %s%s", count, named, more)
            self._missing.clear()

    def _carried(self, docid: str) -> Document | None:
        document = self._inline.get(docid)
        if document is None:
            self._missing[docid] = None
        return document

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_corpora(specs: Sequence[str | Path] | Sources, answers: Iterable[Answer] = ()) -> Corpora:
    """Open collections of documents; a docid that answers carry with several texts is told.

    Args:
        specs: what `judge.corpora.sources.find_sources` takes, or has found.
        answers: answers that may carry documents.

    Raises:
        InputError: a file cannot be read as documents.
        UsageError: something that must be installed is not.
    """
    sources = specs if isinstance(specs, Sources) else find_sources(specs)
    with ExitStack() as stack:
        corpora: list[Corpus] = []
        for corpus in _opened(sources):
            stack.callback(corpus.close)
            corpora.append(corpus)
        inline = InlineCorpus(answers)
        inline.warn()
        stack.pop_all()
        return Corpora(corpora, inline)


def _opened(sources: Sources) -> Iterator[Corpus]:
    """Open one collection after the other."""
    for folder, shards in sources.shards.items():
        yield MsMarcoCorpus(folder, shards)
    for path in sources.files:
        yield JsonlCorpus(path)
    for name in sources.datasets:
        yield DatasetCorpus(name)
