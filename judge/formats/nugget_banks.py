"""Nugget banks (AutoJudge, ARGUE): questions with their answers, and claims, a topic a record.

A question is a nugget with answers, a claim one without. Where two of a topic have the same text,
the bank is a list instead of an object. What it has no field for stands in `metadata`.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from judge.formats.fields import Fields
from judge.formats.forms import Form, has_fields
from judge.formats.lines import write_json
from judge.formats.nugget_fields import NuggetGroup, NuggetIds, grouped, importance
from judge.types import Aggregator, Nugget, NuggetAnswer

_AGGREGATORS: dict[str, Aggregator | None] = {"AND": "AND", "OR": "OR", "Default": None}


def write_nugget_banks(
    path: str | Path, nuggets: Iterable[Nugget], queries: Mapping[str, str]
) -> None:
    """Write nugget banks of version 3, a line a topic.

    Args:
        path: the file.
        nuggets: the nuggets of any number of topics; those without answers become claims.
        queries: topic_id -> the text of its query; a topic without one gets its id.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(
        path,
        (_line(topic, part, queries.get(topic, topic)) for topic, part in grouped(nuggets).items()),
    )


def _bank(record: Fields) -> Iterator[NuggetGroup]:
    record.skip("title_query", "full_query", "test_collection", "format_version")
    record.skip("creator", "metadata", "quality", "importance")
    topic_id, ids = record.ident("query_id"), NuggetIds()
    questions = [_nugget(item, topic_id, "question", ids) for item in _items(record, "nugget_bank")]
    claims = [_nugget(item, topic_id, "claim", ids) for item in _items(record, "claim_bank")]
    yield NuggetGroup(topic_id, (*questions, *claims))


def _items(record: Fields, name: str) -> Iterator[Fields]:
    if not record.has(name):
        return
    if isinstance(record.get(name), list):
        yield from record.records(name)
        return
    bank = record.record(name)
    for key in bank.names:
        yield bank.record(key)


def _nugget(item: Fields, topic_id: str, kind: str, ids: NuggetIds) -> Nugget:
    item.skip("query_id", "test_collection", "creator", "quality", f"{kind}_markup")
    text = item.text(kind, empty=False)
    answers = tuple(_answer(answer) for answer in _items(item, "answers"))
    docids = [*_references(item), *(docid for answer in answers for docid in answer.docids)]
    more = item.record("metadata") if item.has("metadata") else None
    return Nugget(
        nugget_id=ids.of(item, text, f"{kind}_id"),
        topic_id=topic_id,
        text=text,
        importance=importance(item),
        docids=tuple(dict.fromkeys(docids)),
        answers=answers,
        aggregator=_aggregator(item),
        sub_narrative=(more.optional_text("sub_narrative") or None) if more else None,
        source=more.optional_text("source") if more else "",
        group=(more.optional_text("group") or None) if more else None,
    )


def _answer(item: Fields) -> NuggetAnswer:
    item.skip("creator", "quality", "importance", "metadata")
    docids = dict.fromkeys(_references(item))
    return NuggetAnswer(text=item.text("answer", empty=False), docids=tuple(docids))


def _references(item: Fields) -> Iterator[str]:
    """Yield the docids of references, each an id or an object with a doc_id."""
    for i, reference in enumerate(item.items("references") if item.has("references") else ()):
        if isinstance(reference, dict):
            cited = item.child(f"references[{i}]", reference)
            cited.skip("collection", "text", "offsets", "quality", "importance", "creator")
            cited.skip("metadata")
            yield cited.ident("doc_id")
        else:
            yield item.to_ident(f"references[{i}]", reference)


def _aggregator(item: Fields) -> Aggregator | None:
    return item.choice("aggregator_type", _AGGREGATORS) if item.has("aggregator_type") else None


def _line(topic_id: str, nuggets: list[Nugget], query: str) -> dict[str, Any]:
    questions = [nugget for nugget in nuggets if nugget.answers]
    claims = [nugget for nugget in nuggets if not nugget.answers]
    return {
        "query_id": topic_id,
        "title_query": query,
        "full_query": query,
        "format_version": "v3",
        "nugget_bank": _keyed((_item(n, "question") for n in questions), "question"),
        "claim_bank": _keyed((_item(n, "claim") for n in claims), "claim"),
    }


def _item(nugget: Nugget, kind: str) -> dict[str, Any]:
    further = {
        "importance": nugget.importance,
        "aggregator_type": nugget.aggregator,
        "answers": _keyed(map(_written, nugget.answers), "answer"),
        "references": [{"doc_id": docid} for docid in nugget.docids],
        "metadata": _metadata(nugget),
    }
    return {
        kind: nugget.text,
        f"{kind}_id": nugget.nugget_id,
        "query_id": nugget.topic_id,
        **{name: value for name, value in further.items() if value},
    }


def _written(answer: NuggetAnswer) -> dict[str, Any]:
    return {"answer": answer.text, "references": [{"doc_id": docid} for docid in answer.docids]}


def _keyed(items: Iterable[dict[str, Any]], name: str) -> dict[str, Any] | list[dict[str, Any]]:
    """Return the items by their texts, or as a list where two have the same."""
    listed = list(items)
    keyed = {item[name]: item for item in listed}
    return keyed if len(keyed) == len(listed) else listed


def _metadata(nugget: Nugget) -> dict[str, str]:
    more = {"sub_narrative": nugget.sub_narrative, "source": nugget.source, "group": nugget.group}
    return {name: value for name, value in more.items() if value}


BANK: Form[NuggetGroup] = Form(
    "query_id and nugget_bank or claim_bank",
    has_fields("query_id", one_of=("nugget_bank", "claim_bank")),
    _bank,
)
