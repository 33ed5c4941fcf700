"""Nuggets as they are asked about: an AND question one answer at a time, anything else whole.

An AND question asks for the whole set of its answers. Each answer is then a part with a label of
its own, and the question's label follows from theirs by the rules of ARGUE
(`judge.metrics.grounding.question_label`). An OR question is asked about with all its answers, any
one of which will do; a statement has none.
"""

from collections.abc import Iterable, Mapping, Sequence

from judge.errors import InputError
from judge.metrics.grounding import question_label
from judge.types import Nugget, Support

Nuggets = Mapping[str, Sequence[Nugget]]


def parts(nugget: Nugget) -> tuple[Nugget, ...]:
    """The parts of a nugget that get a label each, with ids of their own; itself if it is one.

    Where no answer names documents, those of the question are the documents of every part.
    """
    if nugget.aggregator != "AND" or len(nugget.answers) < 2:
        return (nugget,)
    shared = () if any(answer.docids for answer in nugget.answers) else nugget.docids
    return tuple(
        nugget.model_copy(
            update={
                "nugget_id": f"{nugget.nugget_id}&{number}",
                "answers": (answer,),
                "docids": answer.docids or shared,
            }
        )
        for number, answer in enumerate(nugget.answers, start=1)
    )


def whole(labels: Sequence[Support | None]) -> Support | None:
    """The label of a nugget from those of its parts, None where it hangs on one that has none."""
    return labels[0] if len(labels) == 1 else question_label("AND", labels)


def parts_by_id(nuggets: Iterable[Nugget]) -> dict[tuple[str, str], Nugget]:
    """The parts of all nuggets by topic and id.

    Raises:
        InputError: two have the same id, so that their labels could not be told apart.
    """
    found: dict[tuple[str, str], Nugget] = {}
    for part in (part for nugget in nuggets for part in parts(nugget)):
        key = part.topic_id, part.nugget_id
        if found.setdefault(key, part) != part:
            raise InputError(
                f"topic {part.topic_id!r} has two nuggets of the id {part.nugget_id!r}; "
                "give one of them another id"
            )
    return found
