"""Topics: TREC RAG topics and narratives, NeuCLIR, RAGTIME and AutoJudge requests, queries, TSV."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from judge.formats.fields import Fields, to_records
from judge.formats.lines import Line, Place, Unique, read_lines, write_json
from judge.formats.nugget_fields import importance
from judge.types import SubNarrative, Topic


def read_topics(path: str | Path) -> list[Topic]:
    """Read topics, in the order of the file.

    The form is told from the content: records (JSONL or one JSON list) of {id, title},
    {id, narrative, sub_narratives}, {request_id, problem_statement, background, title} or
    {qid, query}; or lines of id<TAB>text. A lone title or query becomes the narrative.

    Raises:
        InputError: the file cannot be read, is of no such form, or has a topic id twice.
    """
    unique = Unique("the topic")
    topics = []
    for place, topic in _topics(path):
        unique.add(topic.topic_id, place)
        topics.append(topic)
    return topics


def write_topics(path: str | Path, topics: Iterable[Topic]) -> None:
    """Write topics as JSONL of {id, title, background, narrative, sub_narratives}.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(path, (_line(topic) for topic in topics))


def _topics(path: str | Path) -> Iterator[tuple[Place, Topic]]:
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        return
    everything = chain([first], lines)
    if first.text.lstrip().startswith(("{", "[")):
        for record in to_records(path, everything):
            yield record.place, _from_record(record)
    else:
        yield from _from_tsv(everything)


def _from_record(record: Fields) -> Topic:
    if record.has("request_id"):
        return _request(record)
    if record.has("narrative"):
        return _narrative(record)
    if record.has("query"):
        record.skip("original_query")
        return Topic(topic_id=record.ident("qid"), narrative=record.text("query", empty=False))
    if record.has("title"):
        return Topic(topic_id=record.ident("id"), narrative=record.text("title", empty=False))
    raise record.place.error(
        "not a topic",
        expected="id and title, id and narrative, request_id and problem_statement, "
        "or qid and query",
        found=record.names,
    )


def _request(record: Fields) -> Topic:
    record.skip("collection_ids", "limit")
    return Topic(
        topic_id=record.ident("request_id"),
        narrative=record.text("problem_statement", empty=False),
        title=record.optional_text("title"),
        background=record.optional_text("background"),
    )


def _narrative(record: Fields) -> Topic:
    parts = record.records("sub_narratives") if record.has("sub_narratives") else []
    return Topic(
        topic_id=record.ident("id"),
        narrative=record.text("narrative", empty=False),
        title=record.optional_text("title"),
        background=record.optional_text("background"),
        sub_narratives=tuple(_sub_narrative(part, i) for i, part in enumerate(parts, start=1)),
    )


def _sub_narrative(record: Fields, number: int) -> SubNarrative:
    text = record.text("text", empty=False)
    return SubNarrative(sub_id=str(number), text=text, importance=importance(record))


def _from_tsv(lines: Iterable[Line]) -> Iterator[tuple[Place, Topic]]:
    for line in lines:
        topic_id, _, text = line.text.partition("\t")
        if not topic_id.strip() or not text.strip():
            raise line.place.error("not a topic", expected="id<TAB>text", found=line.text)
        yield line.place, Topic(topic_id=topic_id, narrative=text)


def _line(topic: Topic) -> dict[str, Any]:
    parts = [{"text": p.text, "importance": p.importance} for p in topic.sub_narratives]
    return {
        "id": topic.topic_id,
        "title": topic.title,
        "background": topic.background,
        "narrative": topic.narrative,
        "sub_narratives": parts,
    }
