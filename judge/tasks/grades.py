"""The relevance grade that follows from what was found of a document, part by part."""

from typing import Literal

Extra = Literal["none", "some", "lot"]
"""How much of a document is beside the point of the topic."""

EXTRAS: tuple[Extra, ...] = ("none", "some", "lot")
LOWEST, HIGHEST = 0, 4


def grade(detailed: int, *, related: bool, extra: Extra) -> int:
    """Return the grade of a document for a topic with sub-narratives.

    4 for four or more sub-narratives answered in detail, 3 for two or three, 2 for one; with none,
    1 if the document is related to the narrative, else 0. Some irrelevant extra information takes
    1 off, a lot takes 2 off; the result stays within 0 to 4 (TREC 2025 RAG, arXiv:2603.09891).

    Args:
        detailed: how many sub-narratives are answered in detail, at least 0.
        related: whether the document is about the narrative at all; it is where it answers one.
        extra: how much irrelevant extra information there is.

    Raises:
        ValueError: `detailed` is below 0.
    """
    if detailed < 0:
        raise ValueError(f"{detailed} sub-narratives cannot be answered")
    full = _by_count(detailed) if detailed else int(related)
    return max(LOWEST, full - EXTRAS.index(extra))


def _by_count(detailed: int) -> int:
    if detailed >= 4:
        return HIGHEST
    return 3 if detailed >= 2 else 2
