"""Coverage put together: assign labels, what the sentences cite, and what the documents hold.

No model is asked. Whether a document holds a nugget is told by the nugget's own gold list of
documents, where it has one and gold is wanted, and else by the locate labels of the run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from judge.cited import GroundedAnswer, GroundedNugget
from judge.citing import CitedDocuments
from judge.errors import InputError
from judge.metrics.grounding import Holds, ground
from judge.outputs import Kept, nugget_label, support_of
from judge.tasks import assign, locate
from judge.tasks.locate import Asked
from judge.tasks.questions import Nuggets, parts, whole
from judge.types import Answer, AssignedAnswer, Nugget, SubtopicQrel

_PROVENANCE = ("judge", "post-edit")
"""Sources of nuggets whose documents are those they were made from, not all that hold them."""


def has_gold(nugget: Nugget) -> bool:
    """Whether the nugget's documents are a gold list, and not the ones it was made from."""
    return bool(nugget.docids) and nugget.source not in _PROVENANCE


def subtopics(judgments: Kept, asked: Asked, *, partial: bool = False) -> Iterator[SubtopicQrel]:
    """A row for each nugget asked of each document: 1 if it holds it in full, else 0.

    Args:
        judgments: those of the run; a nugget whose label failed has no row.
        asked: the nuggets by (topic_id, docid).
        partial: whether a nugget that is held in part is held.
    """
    for (topic_id, docid), nuggets in asked.items():
        for nugget in nuggets:
            units = (locate.unit_of(part, docid) for part in parts(nugget))
            label = whole([support_of(judgments.get(unit.unit_id)) for unit in units])
            if label is not None:
                held = label == "full" or (partial and label == "partial")
                yield SubtopicQrel(topic_id, nugget.nugget_id, docid, int(held))


def gold_rows(nuggets: Nuggets, documents: Iterable[tuple[str, str]]) -> Iterator[SubtopicQrel]:
    """The rows of nuggets with gold lists: 1 for the listed documents, 0 for the others.

    Args:
        nuggets: all of them, by topic.
        documents: (topic_id, docid) of the documents that are judged beside the listed ones.
    """
    others: dict[str, dict[str, None]] = {}
    for topic_id, docid in documents:
        others.setdefault(topic_id, {})[docid] = None
    for topic_id, listed in nuggets.items():
        for nugget in filter(has_gold, listed):
            for docid in {**dict.fromkeys(nugget.docids), **others.get(topic_id, {})}:
                yield SubtopicQrel(topic_id, nugget.nugget_id, docid, int(docid in nugget.docids))


class Grounding:
    """Grounds answers by the judgments of a run.

    Args:
        judgments: of the tasks assign and locate.
        cited: the documents that the answers cite.
        gold: whether the gold lists of nuggets stand for locate labels.
    """

    def __init__(self, judgments: Kept, cited: CitedDocuments, *, gold: bool) -> None:
        self._judgments, self._cited, self._gold = judgments, cited, gold

    def answers(self, answers: Sequence[Answer], nuggets: Nuggets) -> Iterator[GroundedAnswer]:
        """Every answer to a topic with nuggets, each nugget with its grounds."""
        for answer in answers:
            if listed := nuggets.get(answer.topic_id):
                yield self._answer(answer, listed)

    def needed(
        self, answers: Sequence[Answer], nuggets: Nuggets
    ) -> dict[tuple[str, str], list[Nugget]]:
        """What documents must be asked for the grounds alone: (topic_id, docid) -> nuggets.

        These are the nuggets that an answer holds at least in part, each in the documents that
        the sentences which carry it cite; not those with gold lists, where these are used.
        """
        pairs: dict[tuple[str, str], set[str]] = {}
        for answer in answers:
            for nugget in nuggets.get(answer.topic_id, ()):
                for docid in self._cited_for(answer, nugget):
                    pairs.setdefault((answer.topic_id, docid), set()).add(nugget.nugget_id)
        return {
            (topic_id, docid): [n for n in nuggets[topic_id] if n.nugget_id in ids]
            for (topic_id, docid), ids in pairs.items()
        }

    def _cited_for(self, answer: Answer, nugget: Nugget) -> Iterator[str]:
        if self._gold and has_gold(nugget):
            return
        places = {place for part in parts(nugget) for place in self._carriers(answer, part)}
        for place in sorted(places):
            for citation in answer.sentences[place].citations:
                if citation.docid is not None:
                    yield self._cited.name(answer, citation.docid)

    def _answer(self, answer: Answer, nuggets: Sequence[Nugget]) -> GroundedAnswer:
        asked = [part for nugget in nuggets for part in parts(nugget)]
        assigned = AssignedAnswer(
            run_id=answer.run_id,
            topic_id=answer.topic_id,
            nuggets=tuple(nugget_label(self._judgments, answer, part) for part in asked),
        )
        carriers = {part.nugget_id: self._carriers(answer, part) for part in asked}
        citations = [sentence.citations for sentence in answer.sentences]
        grounded = ground(assigned, carriers, citations, self._holds(answer, nuggets))
        by_id = {nugget.nugget_id: nugget for nugget in grounded.nuggets}
        wholes = (_whole(n, [by_id[part.nugget_id] for part in parts(n)]) for n in nuggets)
        return grounded.model_copy(update={"nuggets": tuple(wholes)})

    def _carriers(self, answer: Answer, part: Nugget) -> Sequence[int]:
        """The 0-based places of the sentences that hold a nugget, as the judge named them."""
        judgment = self._judgments.get(assign.unit_of(answer, part).unit_id)
        if judgment is None or judgment.label not in ("full", "partial"):
            return ()
        places, there = judgment.detail.get("sentences", ()), range(len(answer.sentences))
        listed = isinstance(places, list | tuple)
        if not listed or not all(type(place) is int and place in there for place in places):
            raise InputError(
                f"the judgment of {judgment.unit_id} names sentences that the answer does not have",
                expected=f"numbers from 0 to {len(there) - 1}",
                found=places,
            )
        return tuple(places)

    def _holds(self, answer: Answer, nuggets: Sequence[Nugget]) -> Holds:
        by_id = {part.nugget_id: (part, nugget) for nugget in nuggets for part in parts(nugget)}

        def holds(nugget_id: str, docid: str) -> bool | None:
            part, nugget = by_id[nugget_id]
            if self._gold and has_gold(nugget):
                return docid in part.docids
            unit = locate.unit_of(part, self._cited.name(answer, docid))
            label = support_of(self._judgments.get(unit.unit_id))
            return None if label is None else label == "full"

        return holds


def _whole(nugget: Nugget, found: Sequence[GroundedNugget]) -> GroundedNugget:
    """The grounds of a nugget from those of its parts: every part that is held needs its own."""
    if len(found) == 1:
        return found[0]
    label = whole([part.label for part in found])
    held = [part for part in found if part.label != "none"] or found
    decides = min(held, key=lambda part: _ORDER.index(part.grounded))
    return found[0].model_copy(
        update={
            "nugget_id": nugget.nugget_id,
            "label": label,
            "asked": all(part.asked for part in found),
            "sentences": tuple(sorted({place for part in found for place in part.sentences})),
            "grounded": decides.grounded,
            "reason": decides.reason,
        }
    )


_ORDER: tuple[bool | None, ...] = (False, None, True)


def account(answers: Iterable[GroundedAnswer]) -> str:
    """One line on how many nuggets are held and grounded, and why the others are not."""
    held = [n for answer in answers for n in answer.nuggets if n.label in ("full", "partial")]
    reasons = Counter(nugget.reason for nugget in held if nugget.reason is not None)
    why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    grounded = sum(nugget.grounded is True for nugget in held)
    line = f"coverage: {len(held)} nuggets held in full or in part, {grounded} of them grounded"
    return f"{line}; {why}" if why else line
