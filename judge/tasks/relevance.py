"""Relevance: how well a document serves a topic, graded 0 to 4 (arXiv:2603.09891)."""

from collections.abc import Iterable, Iterator, Sequence

from judge.parsing import final_score
from judge.tasks.base import Lookup, Topics, flags_of, reply_tokens, without_document
from judge.templates import Template
from judge.types import Call, Document, Judgment, Unit, Verdict


class Relevance:
    """Grade each (topic_id, docid) of `pairs`."""

    name = "relevance"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        pairs: Sequence[tuple[str, str]],
        documents: Lookup,
    ) -> None:
        self.template = template
        self._topics, self._pairs, self._documents = topics, pairs, documents

    def units(self) -> Iterator[Unit]:
        """One unit a pair."""
        for topic_id, docid in self._pairs:
            yield Unit(task=self.name, topic_id=topic_id, docid=docid)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """One call a unit."""
        for unit in units:
            document = self._documents(unit.docid or "")
            yield without_document(unit) if document is None else self._call(unit, document)

    def _call(self, unit: Unit, document: Document) -> Call:
        return Call(
            units=(unit,),
            prompt=self.template.render(topic=self._topics[unit.topic_id], document=document),
            max_tokens=reply_tokens(self.template, 1),
            flags=flags_of(document.title, document.text),
        )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """The grade of the last line; what stands before it is kept as the reason."""
        line = final_score(text, low=0, high=4)
        flags = ("conflicting_markers",) if line.conflicting else ()
        reason = text.strip().rpartition("\n")[0].strip() or None
        return {call.units[0].unit_id: Verdict(label=line.score, reason=reason, flags=flags)}
