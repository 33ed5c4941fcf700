"""The documents that answers cite, each text under one id, so that it is judged once.

An answer may carry its own text of a document. Where another answer or a collection has another
text under the same docid, it is called DOCID@HASH, with 8 hex digits of the text's sha256, as
`judge.corpora.inline` calls it.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from judge.corpora import Corpora
from judge.types import Answer, Document


class CitedDocuments:
    """Names and finds the documents that `answers` cite."""

    def __init__(self, corpora: Corpora, answers: Sequence[Answer]) -> None:
        self._corpora, self._answers = corpora, answers
        self._named: dict[str, Document] = {}
        self._texts: dict[str, set[str]] = {}
        for answer in answers:
            for document in answer.documents:
                self._texts.setdefault(document.docid, set()).add(document.text)

    def get(self, docid: str) -> Document | None:
        """Return the document of a name that `name` gave, or of a docid; None if there is none."""
        return self._named.get(docid) or self._corpora.get(docid)

    def name(self, answer: Answer, docid: str) -> str:
        """Return what the document is called that `answer` cites as `docid`."""
        own = next((d for d in answer.documents if d.docid == docid), None)
        if own is None or not self._has_another_text(own):
            return docid
        name = f"{docid}@{hashlib.sha256(own.text.encode()).hexdigest()[:8]}"
        self._named.setdefault(name, own.model_copy(update={"docid": name}))
        return name

    def by_topic(self, topics: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        """Yield (topic_id, name) of each document that is cited, once, in the order of `topics`."""
        cited: dict[str, dict[str, None]] = {topic_id: {} for topic_id in topics}
        for answer in self._answers:
            for sentence in answer.sentences:
                for citation in sentence.citations:
                    if citation.docid is not None:
                        cited[answer.topic_id][self.name(answer, citation.docid)] = None
        return ((topic_id, name) for topic_id, names in cited.items() for name in names)

    def _has_another_text(self, own: Document) -> bool:
        if len(self._texts[own.docid]) > 1:
            return True
        found = self._corpora.get(own.docid)
        return found is not None and found.text != own.text
