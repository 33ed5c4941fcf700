"""Locate: which nuggets each document is asked about, and how a reply reads."""

import json
from typing import Any

import pytest

from judge.errors import InputError, ReadError
from judge.tasks.locate import Locate
from judge.tasks.questions import parts, whole
from judge.templates import load_template
from judge.types import Call, Document, Judgment, Nugget, NuggetAnswer, Support, Verdict
from tests.judging import EVIL, TOPICS, call_for, document, nuggets

TEMPLATE = load_template("nuggets/locate")
DOCUMENTS = {docid: document(docid, f"Text of {docid}.") for docid in ("d1", "d2")}
VIDEO = Document(docid="video", text="", images=("frame.jpg",))


def task(asked: dict[str, list[Nugget]], topic_id: str = "t1") -> Locate:
    pairs = {(topic_id, docid): listed for docid, listed in asked.items()}
    return Locate(TEMPLATE, TOPICS, pairs, {**DOCUMENTS, "video": VIDEO}.get)


def question(aggregator: str | None, *answers: str, nugget_id: str = "q") -> Nugget:
    return Nugget.model_validate(
        {
            "nugget_id": nugget_id,
            "topic_id": "t1",
            "text": "What do bees eat?",
            "aggregator": aggregator,
            "answers": [NuggetAnswer(text=text, docids=(f"d-{text}",)) for text in answers],
            "docids": [f"d-{text}" for text in answers],
        }
    )


def read(text: str, count: int = 2) -> dict[str, Verdict]:
    locate = task({"d1": nuggets("t1", count)})
    return locate.read(call_for(locate), text)


def test_one_unit_a_nugget_and_document() -> None:
    locate = task({"d1": nuggets("t1", 2), "d2": nuggets("t1", 1)})
    assert [unit.unit_id for unit in locate.units()] == [
        "locate|t1|n1|d1",
        "locate|t1|n2|d1",
        "locate|t1|n1|d2",
    ]


@pytest.mark.parametrize(("count", "sizes"), [(1, [1]), (10, [10]), (23, [10, 10, 3])])
def test_batches_hold_at_most_ten_nuggets_of_one_document(count: int, sizes: list[int]) -> None:
    listed = nuggets("t1", count)
    locate = task({"d1": listed, "d2": listed})
    calls = [call for call in locate.calls(locate.units()) if isinstance(call, Call)]
    assert [len(call.units) for call in calls] == sizes * 2
    for call in calls:
        (docid,) = {unit.docid for unit in call.units}
        assert f"<passage>\nText of {docid}.\n</passage>" in call.prompt.messages[-1].content
    assert [unit for call in calls for unit in call.units] == list(locate.units())


def test_what_a_document_has_in_common_stands_before_its_nuggets() -> None:
    locate = task({"d1": nuggets("t1", 20)})
    first, second = (
        call.prompt.messages[-1].content
        for call in locate.calls(locate.units())
        if isinstance(call, Call)
    )
    head = first.partition("1. fact 1\n")[0]
    assert "Text of d1." in head
    assert second.startswith(head)
    assert "1. fact 11\n" in second


def test_a_missing_document_fails_all_its_nuggets() -> None:
    locate = task({"gone": nuggets("t1", 2)})
    found = list(locate.calls(locate.units()))
    assert all(isinstance(judgment, Judgment) for judgment in found)
    assert {j.failure for j in found if isinstance(j, Judgment)} == {"no_document"}
    assert len(found) == 2


def test_a_document_of_images_alone_is_not_asked_without_them() -> None:
    locate = task({"video": nuggets("t1", 1)})
    (judgment,) = locate.calls(locate.units())
    assert isinstance(judgment, Judgment)
    assert "only 1 images" in (judgment.reason or "")


def test_a_suspicious_document_is_flagged() -> None:
    evil = {("t1", "e"): nuggets("t1", 1)}
    locate = Locate(TEMPLATE, TOPICS, evil, {"e": document("e", EVIL)}.get)
    assert "injection_suspected:output_marker" in call_for(locate).flags


def test_labels_go_to_the_units_by_number() -> None:
    verdicts = read('{"2": "full support", "1": "none"}')
    assert {unit_id: v.label for unit_id, v in verdicts.items()} == {
        "locate|t1|n1|d1": "none",
        "locate|t1|n2|d1": "full",
    }


@pytest.mark.parametrize(
    "reply",
    [
        {"1": "none"},
        {"1": "none", "3": "full"},
        {"1": "none", "2": "full", "3": "none"},
        {"1": "none", "2": "mostly"},
        {"1": "none", "2": 1},
        {"1": "none", "2": None},
        {"1": "none", "2": {"label": "full"}},
        {},
    ],
)
def test_anything_else_is_unreadable(reply: dict[str, Any]) -> None:
    with pytest.raises(ReadError):
        read(json.dumps(reply))


# --- questions -----------------------------------------------------------------------------------


def test_the_answers_of_a_question_are_shown() -> None:
    listed = [*nuggets("t1", 1), question("OR", "honey", "sugar\nwater"), question(None, "fondant")]
    listed[2] = listed[2].model_copy(update={"nugget_id": "q2"})
    user = call_for(task({"d1": listed})).prompt.messages[-1].content
    assert "1. fact 1\n2. What do bees eat?\n" in user
    assert "   to be said: honey / sugar water (any one of these)\n3." in user
    assert "   to be said: fondant\n</nuggets>" in user
    assert "A nugget that is a question" in user


def test_statements_are_shown_as_they_are() -> None:
    user = call_for(task({"d1": nuggets("t1", 2)})).prompt.messages[-1].content
    assert "1. fact 1\n2. fact 2\n</nuggets>" in user
    assert "question" not in user


def test_each_answer_of_an_and_question_is_asked_for() -> None:
    locate = task({"d1": [question("AND", "honey", "pollen")]})
    assert [unit.nugget_id for unit in locate.units()] == ["q&1", "q&2"]
    user = call_for(locate).prompt.messages[-1].content
    assert "1. What do bees eat?\n   to be said: honey\n2. What do bees eat?\n" in user
    assert "any one" not in user


def test_the_parts_of_an_and_question_have_their_own_documents() -> None:
    first, second = parts(question("AND", "honey", "pollen"))
    assert (first.docids, second.docids) == (("d-honey",), ("d-pollen",))
    bare = question("AND", "honey", "pollen").model_copy(
        update={"answers": (NuggetAnswer(text="honey"), NuggetAnswer(text="pollen"))}
    )
    assert {part.docids for part in parts(bare)} == {("d-honey", "d-pollen")}


@pytest.mark.parametrize(
    "nugget", [question("OR", "a", "b"), question(None, "a", "b"), question("AND", "a")]
)
def test_any_other_nugget_is_one_part(nugget: Nugget) -> None:
    assert parts(nugget) == (nugget,)


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        (["full"], "full"),
        ([None], None),
        (["full", "full"], "full"),
        (["full", "none"], "partial"),
        (["none", "none"], "none"),
        (["partial", "partial"], "partial"),
        (["full", None], None),
        (["full", "none", None], "partial"),
    ],
)
def test_a_set_is_complete_or_not(labels: list[Support | None], label: Support | None) -> None:
    assert whole(labels) == label


def test_ids_that_are_those_of_parts_are_refused() -> None:
    clash = nuggets("t1", 1)[0].model_copy(update={"nugget_id": "q&1"})
    with pytest.raises(InputError, match="two nuggets of the id 'q&1'"):
        task({"d1": [question("AND", "honey", "pollen"), clash]})
