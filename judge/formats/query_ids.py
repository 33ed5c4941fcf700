"""Topics that runs and qrels know by another id: WikiVideo's `query_id` of a topic's name."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Protocol, Self, TypeVar

from judge.errors import InputError
from judge.formats.samples import sample
from judge.formats.wikivideo import TOPIC

T = TypeVar("T")


class ByTopic(Protocol):
    """A row of a topic, such as a `Qrel` or a `Ranked`."""

    @property
    def topic_id(self) -> str:
        """The topic's id."""

    def _replace(self, *, topic_id: str) -> Self: ...


Row = TypeVar("Row", bound=ByTopic)


class QueryIds:
    """The topics' own ids, by the query ids that stand for them in other files.

    Args:
        topics: query id -> topic id.
    """

    def __init__(self, topics: Mapping[str, str] | None = None) -> None:
        self._topics = dict(topics or {})

    def topic(self, name: str) -> str:
        """Return the topic that a query id stands for; any other id is a topic's own."""
        return self._topics.get(name, name)

    def rows(self, rows: Iterable[Row], path: str | Path) -> list[Row]:
        """Return the rows of a file under the topics' own ids.

        Raises:
            InputError: the file names a topic by both of its ids.
        """
        given = list(rows)
        self._refuse_both({row.topic_id for row in given}, path)
        return [
            row._replace(topic_id=self._topics[row.topic_id])
            if row.topic_id in self._topics
            else row
            for row in given
        ]

    def by_topic(self, values: Mapping[str, T], path: str | Path) -> Mapping[str, T]:
        """Return what a file has by topic under the topics' own ids.

        Raises:
            InputError: the file names a topic by both of its ids.
        """
        self._refuse_both(values.keys(), path)
        return {self.topic(name): value for name, value in values.items()}

    def _refuse_both(self, names: Collection[str], path: str | Path) -> None:
        for name in names:
            if name in self._topics and self._topics[name] in names:
                raise InputError(
                    f"a topic stands under its query_id {name!r} and under its own id",
                    path=path,
                    expected="one of both",
                    found=self._topics[name],
                )


def read_query_ids(path: str | Path) -> QueryIds:
    """Return the query ids that a topics file gives; none, if it is not of WikiVideo's form.

    Raises:
        InputError: the file cannot be read, or a query id stands for two topics.
    """
    record = sample(path).record
    if record is None or not TOPIC.fits(record):
        return QueryIds()
    topics: dict[str, str] = {}
    for name in record.names:
        part = record.record(name)
        if part.has("query_id"):
            query_id = part.ident("query_id")
            if query_id in record.names or query_id in topics:
                expected = "an id of this topic alone"
                raise part.error("query_id", "wrong value", expected=expected, found=query_id)
            topics[query_id] = name
    return QueryIds(topics)
