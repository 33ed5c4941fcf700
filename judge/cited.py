"""Labels of what an answer cites: nuggets with their grounds, and citations weighed as ALCE does.

They are put together from several judgments: of the answer, and of the documents that it cites.
"""

from typing import Literal

from judge.types import NuggetLabel, Record, Support

Grounds = Literal[
    "not in the answer",  # the answer does not hold the nugget
    "no sentence named",  # it holds it, but the judge named no sentence that does
    "no citation",  # no sentence that holds it cites anything
    "citation out of range",  # these cite nothing but what points at no document
    "cited document does not hold it",
    "judgment failed",  # of the answer, or of a cited document that decides
]


class GroundedNugget(NuggetLabel):
    """A nugget, whether one answer holds it, and whether the answer cites a document that does.

    `sentences` are the 0-based places of those that hold it. `grounded` is None where that is
    not known; `reason` says why it is not True.
    """

    sentences: tuple[int, ...] = ()
    grounded: bool | None
    reason: Grounds | None = None


class GroundedAnswer(Record):
    """All nuggets of a topic, labelled for one answer and for the documents that it cites."""

    run_id: str
    topic_id: str
    nuggets: tuple[GroundedNugget, ...]


class WeighedCitation(Record):
    """A citation and what rests on it.

    `alone` says whether the document by itself supports the sentence, `without` whether the
    others that it cites do; None: no label was had. docid is None where it points at nothing.
    """

    mention: str
    docid: str | None
    alone: Support | None = None
    without: Support | None = None


class WeighedSentence(Record):
    """A sentence, whether all it cites `together` supports it, and each citation weighed.

    Labels that cannot matter need not be had: `together` of a sentence that cites no document;
    `alone` where `together` does not support it, or where it cites one document; `without`
    where `alone` does.
    """

    text: str
    citations: tuple[WeighedCitation, ...] = ()
    together: Support | None = None


class WeighedAnswer(Record):
    """An answer whose citations are weighed, as ALCE does."""

    run_id: str
    topic_id: str
    sentences: tuple[WeighedSentence, ...]
