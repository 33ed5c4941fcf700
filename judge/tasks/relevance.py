"""Relevance: how well a document serves a topic, as a grade.

The template's head says how the judge is asked, and so how its reply reads: `output` "score-line"
for a grade from 0 to `highest` (4 in TREC 2025, arXiv:2603.09891; 3 in TREC 2024), and
"sub-narratives" for a finding on each part of the topic, from which the grade is computed.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from judge.parsing import SCORE_MARKER, final_score
from judge.tasks import itemised
from judge.tasks.base import (
    KNOWN,
    Lookup,
    Topics,
    flags_of,
    reply_tokens,
    require_form,
    texts_of,
    without_document,
    without_text,
)
from judge.tasks.grades import HIGHEST, LOWEST
from judge.templates import Template
from judge.types import Call, Document, Judgment, Unit, Verdict


class Relevance:
    """Grade each (topic_id, docid) of `pairs`.

    Attributes:
        itemised: whether a finding on each sub-narrative is asked for, instead of a grade.

    Raises:
        UsageError: the template is of another task, or asks about sub-narratives which a topic
            lacks.
    """

    name = "relevance"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        pairs: Sequence[tuple[str, str]],
        documents: Lookup,
    ) -> None:
        require_form(template, self.name, "score-line", "sub-narratives")
        self.template = template
        self._topics, self._pairs, self._documents = topics, pairs, documents
        self.itemised = template.head.output == "sub-narratives"
        if self.itemised:
            asked = dict.fromkeys(topic_id for topic_id, _ in pairs)
            itemised.require_parts((topics[topic_id] for topic_id in asked), template.head.name)

    @property
    def scale(self) -> dict[str, str]:
        """The scale of the grades, {"scale": "0 to 3"}; empty for that of 0 to 4."""
        highest = self.template.head.highest
        return {} if highest == HIGHEST else {"scale": f"{LOWEST} to {highest}"}

    def units(self) -> Iterator[Unit]:
        """One unit a pair."""
        for topic_id, docid in self._pairs:
            yield Unit(task=self.name, topic_id=topic_id, docid=docid)

    def calls(self, units: Iterable[Unit]) -> Iterator[Call | Judgment]:
        """One call a unit."""
        for unit in units:
            document = self._documents(unit.docid or "")
            if document is None:
                yield without_document(unit)
            elif not self.template.shows(document):
                yield without_text(unit, document)
            else:
                yield self._call(unit, document)

    def _call(self, unit: Unit, document: Document) -> Call:
        topic = self._topics[unit.topic_id]
        items = len(topic.sub_narratives) if self.itemised else 1
        return Call(
            units=(unit,),
            prompt=self.template.render(topic=topic, document=document),
            reply_schema=itemised.schema(topic) if self.itemised else None,
            max_tokens=reply_tokens(self.template, items),
            flags=flags_of(*texts_of(document)),
            labels=tuple(range(LOWEST, self.template.head.highest + 1)),
        )

    def read(self, call: Call, text: str) -> dict[str, Verdict]:
        """The grade, with what it rests on as the reason."""
        unit = call.units[0]
        if self.itemised:
            return {unit.unit_id: itemised.read(text, self._topics[unit.topic_id])}
        return {unit.unit_id: _scored(text, self.template.head.highest)}


@lru_cache(maxsize=KNOWN)
def _scored(text: str, highest: int) -> Verdict:
    """The grade of the last line; what stands before it is kept as the reason."""
    line = final_score(text, low=0, high=highest)
    flags = ("conflicting_markers",) if line.conflicting else ()
    reason = text.strip().rpartition("\n")[0].strip() or None
    return Verdict(label=line.score, reason=reason, flags=flags, marks=(SCORE_MARKER,))
