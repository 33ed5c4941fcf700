"""Support by contrast: how much more a judge believes a statement with the passage than without.

Small models say yes too readily, and to some statements more than to others, whatever the passage
is. So two questions, whether all of the statement is backed and whether any of it is, are each
asked with the passage and again with none. What the passage adds to the log-odds of a yes is left
when what the statement and the wording do by themselves is taken away (contextual calibration:
Zhao et al., ICML 2021, arXiv:2102.09690).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from judge.types import Support, Verdict

Extent = Literal["all", "any"]

LEAST_GAIN: Mapping[Extent, float] = {"all": 1.3, "any": 0.7}
"""What a passage must add to the log-odds of a yes for all, or any, to count as backed.

Chosen for the embedded model of 1.5 billion parameters, by accuracy on the half of the claims that
`scripts/bench quality` calls "tuned on".
"""

_LEAST = 1e-4  # below it, a probability is hardly more than that the token was not listed


class Question(NamedTuple):
    """Whether all or any of a statement is backed, by the passage or by none."""

    extent: Extent
    with_passage: bool


QUESTIONS = (
    Question("all", with_passage=True),
    Question("any", with_passage=True),
    Question("all", with_passage=False),
    Question("any", with_passage=False),
)
"""In the order in which they are asked: those with the passage share the head of their prompts."""


def composed(answers: Sequence[Verdict]) -> Verdict:
    """Return what the answers to `QUESTIONS`, in their order, say together.

    Full support is as likely as the gain for "all" is above its least, on the logistic scale; full
    or partial support likewise by "any", and at least as likely as full. The label is the highest
    that is as likely as not.

    Args:
        answers: with probabilities of `YES_NO`.

    Returns:
        A verdict whose detail holds `yes`, the probabilities with and without the passage, and
        `gain`, both by extent.
    """
    all_with, any_with, all_without, any_without = map(_likely, answers)
    yes = {"all": [all_with, all_without], "any": [any_with, any_without]}
    gain = {extent: log_odds(given) - log_odds(none) for extent, (given, none) in yes.items()}
    full = _logistic(gain["all"] - LEAST_GAIN["all"])
    some = max(full, _logistic(gain["any"] - LEAST_GAIN["any"]))
    return Verdict(
        label=_label(full, some),
        reason=_in_words(yes),
        probabilities={"none": 1 - some, "partial": some - full, "full": full},
        detail={**answers[0].detail, "yes": yes, "gain": gain},
    )


def log_odds(probability: float) -> float:
    """Return the natural log-odds of a probability, which is kept from 0 and 1 by 0.0001."""
    kept = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(kept / (1 - kept))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def _likely(answer: Verdict) -> float:
    if answer.probabilities is None:
        raise ValueError("an answer without probabilities is no answer here")
    return answer.probabilities["yes"]


def _label(full: float, some: float) -> Support:
    return "full" if full >= 0.5 else "partial" if some >= 0.5 else "none"


def _in_words(yes: Mapping[str, Sequence[float]]) -> str:
    parts = [
        f"{extent} of it backed: {given:.2f} with the passage, {none:.2f} without"
        for extent, (given, none) in yes.items()
    ]
    return "; ".join(parts)
