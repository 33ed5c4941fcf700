"""Nuggets: TREC RAG 2025, nuggetizer, and our own form with ids, documents and answers.

Nugget banks, NeuCLIR's questions and WikiVideo's claims have modules of their own.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from judge.formats import neuclir, nugget_banks, wikivideo
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, each_record, has_fields
from judge.formats.lines import OnError, Unique, raise_error, write_json
from judge.formats.nugget_fields import (
    NuggetGroup,
    NuggetIds,
    grouped,
    importance,
    nugget_id,
    sub_narrative,
    write_sub_narrative,
)
from judge.types import Aggregator, Nugget, NuggetAnswer

__all__ = ["each_nugget", "nugget_id", "read_nuggets", "write_nuggets"]

_AGGREGATORS: dict[str, Aggregator] = {"AND": "AND", "OR": "OR"}


def read_nuggets(path: str | Path) -> list[Nugget]:
    """Read the nuggets of a file, in its order; its form is told from its fields.

    JSONL of {qid, nuggets: [{text, importance, mapped_sub_narrative, source}]}. A nugget's `id`,
    `docids`, `answers`, `aggregator` and `group`, which this tool writes, are read where they
    stand; otherwise the id is made from the text (see `NuggetIds`). Further forms: see
    `judge.formats.nugget_banks`, `neuclir` and `wikivideo`.

    Raises:
        InputError: the file cannot be read, a field is wrong, or a topic stands twice.
    """
    return [nugget for _, nugget in each_nugget(path)]


def each_nugget(path: str | Path, on_error: OnError = raise_error) -> Iterator[Located[Nugget]]:
    """Yield nuggets and where they stand; see `read_nuggets`."""
    unique = Unique("the topic")
    for place, group in each_record(path, "nuggets", FORMS, on_error):
        if unique.accepts(group.topic_id, place, on_error):
            yield from (Located(place, nugget) for nugget in group.nuggets)


def write_nuggets(path: str | Path, nuggets: Iterable[Nugget], queries: Mapping[str, str]) -> None:
    """Write nuggets, a line a topic in the order the topics first appear.

    Args:
        path: the file.
        nuggets: the nuggets of any number of topics.
        queries: topic_id -> the text written as its query; a topic without one gets no query.

    Raises:
        UsageError: the file cannot be written.
    """
    topics = grouped(nuggets).items()
    write_json(path, (_line(topic_id, group, queries) for topic_id, group in topics))


def _group(record: Fields) -> Iterator[NuggetGroup]:
    record.skip("query")
    topic_id = record.ident("qid")
    yield NuggetGroup(topic_id, tuple(_nuggets(record, topic_id)))


def _nuggets(record: Fields, topic_id: str) -> Iterator[Nugget]:
    ids = NuggetIds()
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
            answers=tuple(_answers(item)),
            aggregator=_aggregator(item),
            group=item.ident("group") if item.has("group") else None,
        )


def _answers(item: Fields) -> Iterator[NuggetAnswer]:
    for answer in item.records("answers") if item.has("answers") else ():
        text = answer.text("text", empty=False)
        yield NuggetAnswer(text=text, docids=answer.idents("docids"))


def _aggregator(item: Fields) -> Aggregator | None:
    return item.choice("aggregator", _AGGREGATORS) if item.has("aggregator") else None


FORMS: tuple[Form[NuggetGroup], ...] = (
    Form("qid and nuggets", has_fields(one_of=("qid", "nuggets")), _group),
    nugget_banks.BANK,
    neuclir.ITEMS,
    wikivideo.CLAIMS,
    neuclir.QUESTIONS,
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
        **_question(nugget),
    }


def _question(nugget: Nugget) -> dict[str, Any]:
    answers = [{"text": a.text, "docids": list(a.docids)} for a in nugget.answers]
    more = {"answers": answers, "aggregator": nugget.aggregator, "group": nugget.group}
    return {name: value for name, value in more.items() if value}
