"""A reply that opens by declining gives no answer, even where a well-formed one follows.

A judge that will not judge often still fills in the form, with the lowest value. That value is no
judgment. What counts as declining is closed: the first sentence must be a refusal and nothing
else. A sentence that merely begins like one ("I cannot give more than 2, as ...") is reasoning.
"""

import re

from judge.errors import ReadError, shorten

_SORRY = r"(?:(?:(?:i'm|i am) (?:very |so |really )?)?sorry|(?:my )?apologies|unfortunately)"
_MODEL = r"as an? (?:ai|artificial intelligence)(?: language)?(?: model| assistant)?"
_CANNOT = (
    r"i (?:can't|cannot|can not|won't|will not|(?:am|was) (?:unable|not able) to)"
    r"|i'm (?:unable|not able) to"
)
_DO = (
    r"help|assist|comply|continue|engage|answer|do|fulfill?|provide|judge|grade|rate|score|label"
    r"|mark|evaluate|assess|decide"
)
_WHAT = (
    r"(?:that|this|it|(?:that|this|the|your) "
    r"(?:request|question|task|passage|document|answer|text|content|statement|material|citation))"
)
_REFUSAL = re.compile(
    rf"(?:{_SORRY}[,.]? (?:but )?)?(?:{_MODEL},? )?(?:{_CANNOT}) (?:{_DO})"
    rf"(?: you)?(?: (?:with |on )?{_WHAT})?(?:[.!;]|$)"
)
_LONGEST = 200


def without_refusal(text: str) -> str:
    """Return `text`, unless it opens with a sentence that declines to judge.

    Raises:
        ReadError: it does.
    """
    first = text.lstrip(" \t\r\n*_>#-\"'“‘")[:_LONGEST].partition("\n")[0]
    if _REFUSAL.match(" ".join(first.replace("’", "'").casefold().split())):
        raise ReadError(
            f"the reply declines to judge ({shorten(first)}); judge the material as it stands"
        )
    return text
