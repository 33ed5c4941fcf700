"""What files are checked against: topics, corpora, a track's limits, and the files before them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judge.corpora import Corpora
from judge.formats.lines import Place
from judge.formats.query_ids import QueryIds
from judge.types import Topic
from judge.validation.problems import Problems


@dataclass(frozen=True)
class Limits:
    """What a track allows of an answer; None where it says nothing."""

    words: int
    references: int | None = None
    citations: int | None = None


TRACKS: Mapping[str, Limits] = {
    "rag24": Limits(words=400),
    "rag25": Limits(words=400, references=100),
    "rag26": Limits(words=1024, references=100, citations=3),
}


@dataclass(frozen=True)
class Context:
    """What files are checked against; None is not checked.

    `answered` are the answers of all files up to now, by run and topic; `query_ids` are other ids
    of the topics, by which runs and qrels may name them.
    """

    topics: Mapping[str, Topic] | None = None
    query_ids: QueryIds = field(default_factory=QueryIds)
    corpora: Corpora | None = None
    limits: Limits | None = None
    answered: dict[tuple[str, str], Place] = field(default_factory=dict)

    def tell_unknown(self, places: Mapping[str, Place], what: str, problems: Problems) -> None:
        """Add an error for each topic that the topics file lacks, by where it stands first."""
        if self.topics is None:
            return
        for topic_id, place in places.items():
            if self.query_ids.topic(topic_id) not in self.topics:
                message = f"{what} of topic {topic_id!r}, which the topics file lacks"
                problems.add("error", message, place)

    def tell_missing(self, topic_ids: Iterable[str], message: str, problems: Problems) -> None:
        """Add one warning with the topics that are not among `topic_ids`."""
        missing = sorted(set(self.topics or ()).difference(map(self.query_ids.topic, topic_ids)))
        if missing:
            named = ", ".join(missing[:10]) + (", ..." if len(missing) > 10 else "")
            problems.add("warning", f"{message}: {len(missing)} topics: {named}")
