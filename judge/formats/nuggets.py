"""Nuggets: the form of TREC RAG 2025, that of nuggetizer, and our own with ids and documents."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from judge.formats.fields import Fields, read_records
from judge.formats.lines import Unique, write_json
from judge.formats.nugget_fields import (
    NuggetIds,
    importance,
    nugget_id,
    sub_narrative,
    write_sub_narrative,
)
from judge.types import Nugget

__all__ = ["nugget_id", "read_nuggets", "write_nuggets"]


def read_nuggets(path: str | Path) -> list[Nugget]:
    """Read JSONL of {qid, nuggets: [{text, importance, mapped_sub_narrative, source}]}.

    A nugget's `id` and `docids`, which this tool writes, are read where they stand; otherwise
    the id is made from the text (see `NuggetIds`).

    Raises:
        InputError: the file cannot be read, a field is wrong, or a topic stands twice.
    """
    unique = Unique("the topic")
    nuggets: list[Nugget] = []
    for record in read_records(path):
        record.skip("query")
        unique.add(record.ident("qid"), record.place, "qid")
        nuggets.extend(_nuggets(record))
    return nuggets


def write_nuggets(path: str | Path, nuggets: Iterable[Nugget], queries: Mapping[str, str]) -> None:
    """Write nuggets, a line a topic in the order the topics first appear.

    Args:
        path: the file.
        nuggets: the nuggets of any number of topics.
        queries: topic_id -> the text written as its query; a topic without one gets no query.

    Raises:
        UsageError: the file cannot be written.
    """
    topics: dict[str, list[Nugget]] = {}
    for nugget in nuggets:
        topics.setdefault(nugget.topic_id, []).append(nugget)
    write_json(path, (_line(topic_id, group, queries) for topic_id, group in topics.items()))


def _nuggets(record: Fields) -> Iterator[Nugget]:
    topic_id, ids = record.ident("qid"), NuggetIds()
    for item in record.records("nuggets"):
        text = item.text("text", empty=False)
        yield Nugget(
            nugget_id=ids.of(item, text),
            topic_id=topic_id,
            text=text,
            importance=importance(item),
            sub_narrative=sub_narrative(item),
            docids=item.idents("docids"),
            source=item.optional_text("source"),
        )


def _line(topic_id: str, nuggets: list[Nugget], queries: Mapping[str, str]) -> dict[str, Any]:
    query = {"query": queries[topic_id]} if topic_id in queries else {}
    return {**query, "qid": topic_id, "nuggets": [_item(nugget) for nugget in nuggets]}


def _item(nugget: Nugget) -> dict[str, Any]:
    return {
        "id": nugget.nugget_id,
        "text": nugget.text,
        "mapped_sub_narrative": write_sub_narrative(nugget.sub_narrative),
        "importance": nugget.importance,
        "source": nugget.source,
        "docids": list(nugget.docids),
    }
