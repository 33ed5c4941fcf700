"""Whether the nuggets that an answer holds are grounded in what it cites, told from labels.

Two judgments meet here: which sentences of the answer hold a nugget, and which documents do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from judge.cited import GroundedAnswer, GroundedNugget, Grounds
from judge.errors import InputError
from judge.types import SUPPORTS, AssignedAnswer, Citation, Nugget, NuggetLabel, Support

Holds = Callable[[str, str], bool | None]
"""(nugget_id, docid) -> whether the document holds the nugget; None: not known."""

Aggregator = Literal["AND", "OR"]

_EXTREMES: tuple[Support, Support] = ("none", "full")


def held_by_labels(labels: Mapping[tuple[str, str], Support | None]) -> Holds:
    """Return what labels of (nugget_id, docid) say: a document holds a nugget if it is full.

    A pair without a label, whether it failed or was never asked, is not known.
    """

    def holds(nugget_id: str, docid: str) -> bool | None:
        label = labels.get((nugget_id, docid))
        return None if label is None else label == "full"

    return holds


def held_by_gold(nuggets: Iterable[Nugget]) -> Holds:
    """Return what the nuggets' own lists of documents say; nothing of a nugget without a list."""
    gold = {nugget.nugget_id: frozenset(nugget.docids) for nugget in nuggets if nugget.docids}

    def holds(nugget_id: str, docid: str) -> bool | None:
        return docid in gold[nugget_id] if nugget_id in gold else None

    return holds


def ground(
    answer: AssignedAnswer,
    carriers: Mapping[str, Sequence[int]],
    citations: Sequence[Sequence[Citation]],
    holds: Holds,
) -> GroundedAnswer:
    """Return the answer's nuggets, each with its grounds.

    A nugget that is full or partial is grounded if any sentence that carries it cites a document
    that holds it. It is not known to be where its label failed, no sentence was named, or none
    of the documents cited is known to hold it and of one that is not known.

    Args:
        answer: the labels of its nuggets.
        carriers: nugget_id -> 0-based places of the sentences that hold the nugget.
        citations: the citations of each sentence of the answer.
        holds: what is known of a nugget and a document.

    Raises:
        InputError: a carrier is no sentence of the answer.
    """
    nuggets = []
    for nugget in answer.nuggets:
        places = tuple(sorted(set(carriers.get(nugget.nugget_id, ()))))
        if outside := [place for place in places if not 0 <= place < len(citations)]:
            raise InputError(
                f"run {answer.run_id!r}, topic {answer.topic_id!r}: nugget {nugget.nugget_id!r} "
                f"is said to stand in sentence {outside[0]} (from 0); "
                f"the answer has {len(citations)} sentences"
            )
        cited = [citation for place in places for citation in citations[place]]
        grounded, reason = _grounds(nugget, places, cited, holds)
        nuggets.append(
            GroundedNugget(
                **nugget.model_dump(), sentences=places, grounded=grounded, reason=reason
            )
        )
    return GroundedAnswer(run_id=answer.run_id, topic_id=answer.topic_id, nuggets=tuple(nuggets))


def _grounds(
    nugget: NuggetLabel, places: Sequence[int], cited: Sequence[Citation], holds: Holds
) -> tuple[bool | None, Grounds | None]:
    if nugget.label is None:
        return None, "judgment failed"
    if nugget.label == "none":
        return False, "not in the answer"
    if not places:
        return None, "no sentence named"
    docids = {citation.docid for citation in cited if citation.docid is not None}
    if not docids:
        return False, "citation out of range" if cited else "no citation"
    return _grounded_in({holds(nugget.nugget_id, docid) for docid in docids})


def _grounded_in(held: set[bool | None]) -> tuple[bool | None, Grounds | None]:
    if True in held:
        return True, None
    return (None, "judgment failed") if None in held else (False, "cited document does not hold it")


def question_label(aggregator: Aggregator, answers: Sequence[Support | None]) -> Support | None:
    """Return the label of a question from those of its answers, by the rules of ARGUE.

    An OR question asks for any one of its answers: its label is the best of theirs. An AND question
    asks for the whole set: it is full if all are full, none if all are none, else partial. ARGUE
    knows matched and not matched alone, which is full and anything else (credit=full).

    None where it hangs on an answer without a label.

    Source: J. Mayfield et al., "On the evaluation of machine-generated reports", SIGIR 2024.

    Raises:
        InputError: the question has no answers.
    """
    if not answers:
        raise InputError("a question without answers has no label; leave it out of the bank")
    worst, best = (_aggregated(aggregator, answers, fill) for fill in _EXTREMES)
    return best if worst == best else None


def _aggregated(
    aggregator: Aggregator, answers: Sequence[Support | None], fill: Support
) -> Support:
    labels = [fill if label is None else label for label in answers]
    if aggregator == "OR":
        return min(labels, key=SUPPORTS.index)
    return labels[0] if len(set(labels)) == 1 else "partial"
