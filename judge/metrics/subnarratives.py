"""Which sub-narrative a nugget belongs to, told from the text it is mapped to."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from judge.types import Topic

_NEW = "new:"
_EDGES = " \"'`“”„‘’‚«»"
_AROUND_MARK = re.compile(r" ?([,;:!?]) ?")


class Group(NamedTuple):
    """A sub-narrative by its folded text; `new` for a "New: ..." one, which is never official."""

    new: bool
    key: str


@lru_cache(maxsize=65536)
def group_of(text: str | None) -> Group | None:
    """Return the group that a nugget's `sub_narrative` names, None where it names none."""
    folded = fold(text or "")
    if not folded:
        return None
    if folded.startswith(_NEW):
        return Group(new=True, key=folded.removeprefix(_NEW).strip(_EDGES))
    return Group(new=False, key=folded)


def official_groups(topic: Topic) -> list[Group]:
    """Return the topic's official sub-narratives in their order, each text once."""
    groups = (Group(new=False, key=fold(sub.text)) for sub in topic.sub_narratives)
    return list(dict.fromkeys(groups))


def fold(text: str) -> str:
    """Return `text` in NFKC, case-folded, with single spaces, without surrounding quotes.

    There are no spaces around punctuation: where NFKC makes a comma of a full-width one, no space
    follows it.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = " ".join(unicodedata.normalize("NFKC", folded).split())
    return _AROUND_MARK.sub(r"\1", spaced).strip(_EDGES)
