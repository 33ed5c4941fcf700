"""Documents that answers carry with them."""

import hashlib
import logging
from collections.abc import Iterable

from judge.types import Answer, Document

log = logging.getLogger("judge.corpora")


class InlineCorpus:
    """The documents inside of answers.

    Two answers may carry different texts under one docid. Each text is then a document of its
    own, with the id "DOCID@" and 8 hex digits of the sha256 of the text, and the bare docid
    stands for none of them; only within an answer it means the answer's own document.

    Args:
        answers: the answers of any number of runs and topics.
    """

    def __init__(self, answers: Iterable[Answer]) -> None:
        carried = [(a.topic_id, document) for a in answers for document in a.documents]
        texts: dict[str, set[str]] = {}
        for _, document in carried:
            texts.setdefault(document.docid, set()).add(document.text)
        self._ambiguous = {docid for docid, distinct in texts.items() if len(distinct) > 1}
        self._documents: dict[str, Document] = {}
        self._topics: dict[str, dict[str, Document]] = {}
        for topic_id, document in carried:
            self._add(topic_id, self._named(document))

    def __len__(self) -> int:
        return len(self._documents)

    def get(self, docid: str) -> Document | None:
        """Return the document of an id as `documents_of` gives it, None where there is none."""
        return self._documents.get(docid)

    def documents_of(self, topic_id: str) -> list[Document]:
        """Return the distinct documents that the answers to a topic carry, as first met."""
        return list(self._topics.get(topic_id, {}).values())

    @staticmethod
    def cited(answer: Answer, docid: str) -> Document | None:
        """Return the document that `answer` itself carries under a docid, if any."""
        return next((d for d in answer.documents if d.docid == docid), None)

    def warn(self) -> None:
        """Log which docids stand for different texts; for whoever opens the answers of a user."""
        if self._ambiguous:
            log.warning(
                "%d docids stand for different texts in different answers, such as %r; "
                "each text is a document DOCID@HASH of its own",
                len(self._ambiguous),
                min(self._ambiguous),
            )

    def _named(self, document: Document) -> Document:
        if document.docid not in self._ambiguous:
            return document
        digest = hashlib.sha256(document.text.encode()).hexdigest()[:8]
        return document.model_copy(update={"docid": f"{document.docid}@{digest}"})

    def _add(self, topic_id: str, document: Document) -> None:
        first = self._documents.setdefault(document.docid, document)
        self._topics.setdefault(topic_id, {}).setdefault(document.docid, first)
