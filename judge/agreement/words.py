"""How much of a claim stands in a text, by words alone: the baseline that a judge must beat."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’][^\W_]+)*")
_STOP_WORDS = frozenset(
    """
    a about above after again all also although am an and any are as at be because been before
    being below between both but by can could did do does doing down during each either every few
    for from further had has have having he her here hers him his how however i if in into is it
    its itself just may me might more most must my neither no nor not now of off on once only onto
    or other our ours out over own per same she should since so some such than that the their
    theirs them then there these they this those though through thus to too toward towards under
    until up upon us very was we were what when where which while who whom whose why will with
    within without would yet you your yours
    """.split()  # noqa: SIM905
)


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that are no stop words, in NFKC and case-folded.

    Numbers are words. In Chinese, Japanese and Korean each character is one.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(_WORD.findall(folded)) - _STOP_WORDS


def overlap(claim: str, reference: str) -> float | None:
    """Return the share of the claim's content words that the reference has, in [0, 1].

    None where the claim has no content word.
    """
    wanted = content_words(claim)
    if not wanted:
        return None
    return len(wanted & _reference_words(reference)) / len(wanted)


@lru_cache(maxsize=4096)
def _reference_words(reference: str) -> frozenset[str]:
    return content_words(reference)
