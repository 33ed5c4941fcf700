"""Topics: TREC RAG topics and narratives, NeuCLIR, RAGTIME and AutoJudge requests, queries, TSV."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from judge.errors import InputError
from judge.formats import attribution, wikivideo
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, each_record, has_fields
from judge.formats.lines import (
    Line,
    OnError,
    Unique,
    raise_error,
    read_lines,
    write_json,
    write_lines,
)
from judge.formats.nugget_fields import importance
from judge.types import SubNarrative, Topic

TopicForm = Literal["narratives", "titles", "requests", "queries"]


def read_topics(path: str | Path) -> list[Topic]:
    """Read topics, in the order of the file.

    The form is told from the content: records (JSONL or one JSON list) of {id, title},
    {id, narrative, sub_narratives}, {request_id, problem_statement, background, title} or
    {qid, query}; or lines of id<TAB>text. A lone title or query becomes the narrative. See
    `judge.formats.wikivideo` and `attribution` for two more.

    Raises:
        InputError: the file cannot be read, is of no such form, or has a topic id twice.
    """
    return [topic for _, topic in each_topic(path)]


def each_topic(path: str | Path, on_error: OnError = raise_error) -> Iterator[Located[Topic]]:
    """Yield topics and where they stand; see `read_topics`."""
    unique = Unique("the topic")
    for located in _topics(path, on_error):
        if unique.accepts(located.record.topic_id, located.place, on_error):
            yield located


def write_topics(path: str | Path, topics: Iterable[Topic], form: TopicForm = "narratives") -> None:
    """Write topics as JSONL, in our own form or in one of the field's, which holds less.

    narratives: {id, title, background, narrative, sub_narratives}; titles: {id, title};
    requests: {request_id, title, background, problem_statement}; queries: {qid, query}.

    Raises:
        InputError: a topic has what the form cannot hold.
        UsageError: the file cannot be written.
    """
    write_json(path, (_written(path, topic, form) for topic in topics))


def write_topics_tsv(path: str | Path, topics: Iterable[Topic]) -> None:
    """Write topics as lines of id<TAB>text.

    Raises:
        InputError: a topic has what the form cannot hold.
        UsageError: the file cannot be written.
    """
    write_lines(path, (_tsv(path, topic) for topic in topics))


def _topics(path: str | Path, on_error: OnError) -> Iterator[Located[Topic]]:
    lines = read_lines(path, on_error)
    first = next(lines, None)
    if first is None:
        return
    everything = chain([first], lines)
    if first.text.lstrip().startswith(("{", "[")):
        yield from each_record(path, "a topic", FORMS, on_error, everything)
    else:
        yield from _from_tsv(everything, on_error)


def _title(record: Fields) -> Iterator[Topic]:
    yield Topic(topic_id=record.ident("id"), narrative=record.text("title", empty=False))


def _query(record: Fields) -> Iterator[Topic]:
    record.skip("original_query")
    yield Topic(topic_id=record.ident("qid"), narrative=record.text("query", empty=False))


def _request(record: Fields) -> Iterator[Topic]:
    record.skip("collection_ids", "limit")
    yield Topic(
        topic_id=record.ident("request_id"),
        narrative=record.text("problem_statement", empty=False),
        title=record.optional_text("title"),
        background=record.optional_text("background"),
    )


def _narrative(record: Fields) -> Iterator[Topic]:
    parts = record.records("sub_narratives") if record.has("sub_narratives") else []
    yield Topic(
        topic_id=record.ident("id"),
        narrative=record.text("narrative", empty=False),
        title=record.optional_text("title"),
        background=record.optional_text("background"),
        sub_narratives=tuple(_sub_narrative(part, i) for i, part in enumerate(parts, start=1)),
    )


def _sub_narrative(record: Fields, number: int) -> SubNarrative:
    text = record.text("text", empty=False)
    return SubNarrative(sub_id=str(number), text=text, importance=importance(record))


FORMS: tuple[Form[Topic], ...] = (
    attribution.TOPIC,
    wikivideo.TOPIC,
    Form("request_id and problem_statement", has_fields("request_id"), _request),
    Form("id and narrative", has_fields("narrative"), _narrative),
    Form("qid and query", has_fields("query"), _query),
    Form("id and title", has_fields("title"), _title),
)


def _from_tsv(lines: Iterable[Line], on_error: OnError) -> Iterator[Located[Topic]]:
    for line in lines:
        topic_id, _, text = line.text.partition("\t")
        if topic_id.strip() and text.strip():
            yield Located(line.place, Topic(topic_id=topic_id, narrative=text))
        else:
            on_error(line.place.error("not a topic", expected="id<TAB>text", found=line.text))


def _written(path: str | Path, topic: Topic, form: TopicForm) -> dict[str, Any]:
    written = _WRITERS[form](topic)
    if not _held(topic, *_HOLDS[form]):
        expected = f"a topic without more than the form {form} holds"
        raise InputError("cannot be written", path=path, expected=expected, found=topic.topic_id)
    return written


def _held(topic: Topic, *names: str) -> bool:
    """Tell whether a topic has nothing beyond its id, its narrative and the fields `names`."""
    rest = topic.model_dump(exclude={"topic_id", "narrative", *names})
    return not any(rest.values())


def _write_narrative(topic: Topic) -> dict[str, Any]:
    parts = [{"text": p.text, "importance": p.importance} for p in topic.sub_narratives]
    return {
        "id": topic.topic_id,
        "title": topic.title,
        "background": topic.background,
        "narrative": topic.narrative,
        "sub_narratives": parts,
    }


def _write_request(topic: Topic) -> dict[str, Any]:
    return {
        "request_id": topic.topic_id,
        "title": topic.title,
        "background": topic.background,
        "problem_statement": topic.narrative,
    }


_WRITERS: Mapping[TopicForm, Callable[[Topic], dict[str, Any]]] = {
    "narratives": _write_narrative,
    "titles": lambda topic: {"id": topic.topic_id, "title": topic.narrative},
    "requests": _write_request,
    "queries": lambda topic: {"qid": topic.topic_id, "query": topic.narrative},
}
_HOLDS: Mapping[TopicForm, tuple[str, ...]] = {
    "narratives": ("title", "background", "sub_narratives"),
    "titles": (),
    "requests": ("title", "background"),
    "queries": (),
}


def _tsv(path: str | Path, topic: Topic) -> str:
    line = f"{topic.topic_id}\t{topic.narrative}"
    taken_for_other = line.lstrip().startswith(("{", "[", "\ufeff"))
    if taken_for_other or "\t" in topic.topic_id or "\n" in line or line.endswith("\r"):
        expected = "an id and one line of text, without tab, bracket or brace at its beginning"
        raise InputError("cannot be written", path=path, expected=expected, found=line)
    if not _held(topic):
        expected = "a topic of an id and a text alone"
        raise InputError("cannot be written", path=path, expected=expected, found=topic.topic_id)
    return line
