"""How alike the texts of nuggets are, by their words: for people to look at, never to decide by."""

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from judge.agreement.words import content_words
from judge.types import Nugget

NEAR = 0.7
"""From where on two nuggets are told as nearly the same."""


class Near(NamedTuple):
    """Two nuggets of a topic that nearly say the same, and how alike they are, in [0, 1]."""

    first: Nugget
    second: Nugget
    likeness: float


def folded(text: str) -> str:
    """Return a text as it is compared: NFC, case and white space folded, without a full stop."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold().rstrip(".").rstrip()


def likeness(one: str, other: str) -> float:
    """Return |A and B| / |A or B| of the content words of two texts (Jaccard), in [0, 1].

    Texts that are the same once folded are 1, whatever their words; else it is 0 where one has no
    content word.
    """
    if folded(one) == folded(other):
        return 1.0
    mine, theirs = content_words(one), content_words(other)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else 0.0


def near_duplicates(nuggets: Iterable[Nugget], least: float = NEAR) -> list[Near]:
    """Return the pairs of nuggets of a topic that are at least this much alike, in their order."""
    topics: dict[str, list[Nugget]] = {}
    for nugget in nuggets:
        topics.setdefault(nugget.topic_id, []).append(nugget)
    pairs = (pair for listed in topics.values() for pair in combinations(listed, 2))
    found = (Near(a, b, likeness(_said(a), _said(b))) for a, b in pairs)
    return [near for near in found if near.likeness >= least]


def most_like(text: str, others: Sequence[Nugget], least: float) -> Nugget | None:
    """Return the nugget whose text is most like `text`, None where none is at least this much."""
    best = max(others, key=lambda other: likeness(text, other.text), default=None)
    return best if best is not None and likeness(text, best.text) >= least else None


def _said(nugget: Nugget) -> str:
    """All words of a nugget, the answers of a question too."""
    return " ".join([nugget.text, *(answer.text for answer in nugget.answers)])
