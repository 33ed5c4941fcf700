"""How likely each label was at the place where a reply states one, by the tokens it is made of.

The tokens of a reply come with their log-probabilities and those of the likeliest others in their
place. At the token that begins a label, the alternatives that begin a label of the closed set are
summed by label and made to add up to 1.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from judge.parsing.labels import SUPPORT_LABELS
from judge.parsing.thinking import thinking_end
from judge.types import SUPPORTS, Label, Token

_CERTAIN = 0.999
_EDGES = " \t\r\n*_\"'`:#"


class Likelihood(NamedTuple):
    """Probabilities of labels, which add up to 1, and the share of all that they were before."""

    probabilities: dict[str, float]
    mass: float


def likelihood(
    tokens: Sequence[Token], marks: Sequence[str], labels: Sequence[Label]
) -> Likelihood | None:
    """Return the likelihood of each label; None where the token of the label is not found.

    Args:
        tokens: those of the whole reply, thinking included, in order.
        marks: what stands before the label, each after the one before it; the last place where
            the first one stands is taken.
        labels: the closed set, in the form of `Verdict.label`.
    """
    text = "".join(token.text for token in tokens)
    start = _after(text, marks)
    token = None if start is None else _token_at(tokens, text, start)
    if token is None:
        return None
    alternatives = {token.text: token.logprob, **token.top}
    masses = _masses(alternatives, _wordings(labels))
    mass = math.fsum(masses.values())
    if not mass or (len(alternatives) == 1 and mass < _CERTAIN):
        return None  # nothing is known of the other labels
    return Likelihood({label: value / mass for label, value in masses.items()}, min(mass, 1.0))


def in_batch(number: str) -> tuple[str, ...]:
    """Return the marks before the label of an item of a batch, which is named by its number."""
    return (json.dumps(number), ":")


def _after(text: str, marks: Sequence[str]) -> int | None:
    """Where the value after all the marks begins."""
    folded = text.casefold() if text.isascii() else text
    at = thinking_end(text)
    for place, mark in enumerate(marks):
        mark = mark.casefold() if text.isascii() else mark
        found = folded.rfind(mark) if place == 0 else folded.find(mark, at)
        if found < 0:
            return None
        at = found + len(mark)
    nested = re.compile(r'\s*\{\s*"label"\s*:').match(text, at)
    return nested.end() if nested else at


def _token_at(tokens: Sequence[Token], text: str, start: int) -> Token | None:
    """The token that holds the first character of the value that begins at or after `start`."""
    while start < len(text) and text[start] in _EDGES:
        start += 1
    if start == len(text):
        return None
    ends = accumulate(len(token.text) for token in tokens)
    return next(token for token, end in zip(tokens, ends, strict=True) if end > start)


def _wordings(labels: Sequence[Label]) -> dict[str, str]:
    """Each wording of a label, with the label it stands for."""
    names = {str(label): str(label) for label in labels}
    if set(names) <= set(SUPPORTS):
        more: Mapping[str, str] = SUPPORT_LABELS
        names |= {wording: label for wording, label in more.items() if label in names}
    return names


def _masses(alternatives: Mapping[str, float], wordings: Mapping[str, str]) -> dict[str, float]:
    """The probability of each label; what begins no label, or several, counts for none."""
    masses = dict.fromkeys(wordings.values(), 0.0)
    for text, logprob in alternatives.items():
        meant = _meant(text.strip(_EDGES).casefold(), wordings.items())
        if len(meant) == 1:
            masses[meant.pop()] += math.exp(min(logprob, 0.0))
    return masses


def _meant(start: str, wordings: Iterable[tuple[str, str]]) -> set[str]:
    return {label for wording, label in wordings if start and wording.startswith(start)}
