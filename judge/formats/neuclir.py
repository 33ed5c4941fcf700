"""NeuCLIR 2024's nugget questions: with their accepted answers, or the bare questions.

Items that share a question_id ask the same for another answer each: they become nuggets of one
group. The gold answers of an item are wordings of one answer, so that any of them will do.
"""

from collections.abc import Iterator

from judge.formats.fields import Fields
from judge.formats.forms import Form, has_fields
from judge.formats.nugget_fields import NuggetGroup, NuggetIds, importance, nugget_id
from judge.types import Importance, Nugget, NuggetAnswer


def _items(record: Fields) -> Iterator[NuggetGroup]:
    record.skip("test_collection", "query_text", "hash", "info")
    topic_id = record.ident("query_id")
    ids = NuggetIds()
    nuggets = tuple(_nugget(item, topic_id, ids) for item in record.records("items"))
    yield NuggetGroup(topic_id, nuggets)


def _nugget(item: Fields, topic_id: str, ids: NuggetIds) -> Nugget:
    item.skip("query_id")
    question_id = item.ident("question_id")
    answers = (NuggetAnswer(text=text) for text in item.texts("gold_answers"))
    return Nugget(
        nugget_id=ids.next(question_id),
        topic_id=topic_id,
        text=item.text("question_text", empty=False),
        importance=_importance(item),
        answers=tuple(answers),
        aggregator="OR",
        group=question_id,
    )


def _importance(item: Fields) -> Importance | None:
    """Return the importance in an item's `info`; "NA" is none."""
    if not item.has("info"):
        return None
    info = item.record("info")
    info.skip("used")
    return None if info.get("importance") == "NA" else importance(info)


def _is_questions(record: Fields) -> bool:
    lists = list(record.peek().values())
    return bool(lists) and all(
        isinstance(value, list) and all(isinstance(item, str) for item in value) for value in lists
    )


def _questions(record: Fields) -> Iterator[NuggetGroup]:
    for topic_id in record.names:
        ids = NuggetIds()
        yield NuggetGroup(topic_id, tuple(_bare(topic_id, t, ids) for t in record.texts(topic_id)))


def _bare(topic_id: str, text: str, ids: NuggetIds) -> Nugget:
    return Nugget(nugget_id=ids.next(nugget_id(text)), topic_id=topic_id, text=text)


ITEMS: Form[NuggetGroup] = Form(
    "query_id and items with question_id, question_text and gold_answers",
    has_fields("query_id", "items"),
    _items,
)
QUESTIONS: Form[NuggetGroup] = Form("topic -> questions", _is_questions, _questions)
