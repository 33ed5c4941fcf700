"""How the sub-narratives that nuggets name go with the official ones of their topics.

A nugget names its sub-narrative by its text. It is the official one where the two texts are the
same, or the same once they are folded (`judge.metrics.subnarratives.fold`), which is how scores
are computed. What names neither an official nor a "New: ..." one is reported with the nearest
official text, and never taken for it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from judge.metrics.subnarratives import fold, group_of
from judge.types import Nugget, Topic

How = Literal["same", "folded", "new", "none", "unknown"]
HOWS: dict[How, str] = {
    "same": "official word for word",
    "folded": "official after folding",
    "new": 'in "New: ..." groups',
    "none": "without one",
    "unknown": "of no official text",
}


class Link(NamedTuple):
    """What a nugget's sub-narrative is; `official` is the text of the official one it names.

    `nearest` is the official text most like one that is unknown, None where the topic has none.
    """

    nugget: Nugget
    how: How
    official: str | None = None
    nearest: str | None = None


def link_nuggets(nuggets: Iterable[Nugget], topics: Mapping[str, Topic]) -> Iterator[Link]:
    """Yield how each nugget goes with its topic; nuggets of no topic in `topics` are left out."""
    officials = {
        topic_id: {fold(part.text): part.text for part in topic.sub_narratives}
        for topic_id, topic in topics.items()
    }
    for nugget in nuggets:
        if nugget.topic_id in officials:
            yield _link(nugget, officials[nugget.topic_id])


def summary(links: Sequence[Link]) -> str | None:
    """Return one line on the links; None where no topic has official sub-narratives."""
    if not any(link.official or link.nearest for link in links):
        return None
    counted = Counter(link.how for link in links)
    parts = [f"{counted[how]} {words}" for how, words in HOWS.items() if counted[how]]
    return f"sub-narratives of {len(links)} nuggets: {', '.join(parts)}"


def doubts(nuggets: Iterable[Nugget], topics: Mapping[str, Topic]) -> str | None:
    """Return one line on nuggets that do not name their sub-narrative word for word, if any."""
    links = list(link_nuggets(nuggets, topics))
    if not any(link.official or link.nearest for link in links):
        return None
    if unknown := [link for link in links if link.how == "unknown"]:
        first = unknown[0].nugget
        named = f"such as {first.sub_narrative!r} of topic {first.topic_id}"
        return f"{summary(links)}, {named}; `rag-judge validate --topics` lists them"
    return summary(links) if any(link.how == "folded" for link in links) else None


def _link(nugget: Nugget, officials: Mapping[str, str]) -> Link:
    group = group_of(nugget.sub_narrative)
    if group is None:
        return Link(nugget, "none")
    if group.new:
        return Link(nugget, "new")
    official = officials.get(group.key)
    if official is None:
        return Link(nugget, "unknown", nearest=_nearest(group.key, officials))
    return Link(nugget, "same" if official == nugget.sub_narrative else "folded", official)


def _nearest(key: str, officials: Mapping[str, str]) -> str | None:
    if not officials:
        return None
    return officials[max(officials, key=lambda other: SequenceMatcher(None, other, key).ratio())]
