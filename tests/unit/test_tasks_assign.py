"""Assign: every nugget asked gets its own label, or the whole reply fails."""

import json
from typing import Any

import pytest

from judge.errors import ReadError
from judge.tasks.assign import Assign
from judge.types import Answer, Verdict
from tests.judging import EVIL, TEMPLATES, TOPICS, answer, assigned_text, call_for, nuggets

HEAD = TEMPLATES["nuggets/assign"].head


def task(*answers: Answer, count: int = 2, batch_size: int = 10) -> Assign:
    keys = {topic_id: nuggets(topic_id, count) for topic_id in TOPICS}
    return Assign(TEMPLATES["nuggets/assign"], TOPICS, answers, keys, batch_size)


def read(text: str, *, count: int = 2) -> dict[str, Verdict]:
    assign = task(answer("r", "t1", "One.", "Two.", "Three."), count=count)
    return assign.read(call_for(assign), text)


def reply(**second: Any) -> str:
    """A reply for two nuggets whose second entry is as given."""
    return json.dumps({"1": {"label": "none", "sentences": []}, "2": second})


# --- units and calls -----------------------------------------------------------------------------


def test_an_answer_without_sentences_has_no_units() -> None:
    assign = task(answer("empty", "t1"), answer("r", "t1", "One."))
    assert {unit.run_id for unit in assign.units()} == {"r"}


def test_a_topic_without_nuggets_has_no_units() -> None:
    keys = {"t2": nuggets("t2", 1)}
    answers = [answer("r", "t1", "One."), answer("r", "t2", "One.")]
    assign = Assign(TEMPLATES["nuggets/assign"], TOPICS, answers, keys)
    assert [unit.topic_id for unit in assign.units()] == ["t2"]


@pytest.mark.parametrize(
    ("count", "sizes"), [(1, [1]), (10, [10]), (11, [10, 1]), (23, [10, 10, 3])]
)
def test_batches_hold_at_most_ten(count: int, sizes: list[int]) -> None:
    assign = task(answer("r", "t1", "One."), count=count)
    assert [len(call.units) for call in assign.calls(assign.units())] == sizes


def test_a_batch_never_spans_answers_or_topics() -> None:
    answers = [answer(r, t, f"Of {r} {t}.") for r in ("a", "b") for t in TOPICS]
    assign = task(*answers, count=3)
    calls = list(assign.calls(assign.units()))
    assert len(calls) == 4
    for call in calls:
        (owner,) = {(unit.run_id, unit.topic_id) for unit in call.units}
        assert f"Of {owner[0]} {owner[1]}." in call.prompt.messages[-1].content


def test_calls_cover_every_unit_once() -> None:
    answers = [answer(r, t, "One.") for r in ("a", "b") for t in TOPICS]
    assign = task(*answers, count=13)
    asked = [unit for call in assign.calls(assign.units()) for unit in call.units]
    assert asked == list(assign.units())


def test_the_prompt_numbers_the_nuggets_of_this_call() -> None:
    assign = task(answer("r", "t1", "One."), count=12)
    second = list(assign.calls(assign.units()))[1]
    user = second.prompt.messages[-1].content
    assert "1. fact 11\n2. fact 12" in user
    assert "fact 10" not in user
    assert "from 1 to 2" in user


def test_the_reply_may_grow_with_the_batch() -> None:
    assign = task(answer("r", "t1", "One."), count=3)
    assert call_for(assign).max_tokens == HEAD.max_tokens + 3 * HEAD.max_tokens_per_item


def test_the_schema_asks_for_exactly_the_nuggets_and_sentences_there_are() -> None:
    schema = call_for(task(answer("r", "t1", "One.", "Two."))).reply_schema or {}
    assert schema["required"] == ["1", "2"]
    assert schema["additionalProperties"] is False
    item = schema["properties"]["2"]
    assert item["properties"]["label"]["enum"] == ["full", "partial", "none"]
    assert item["properties"]["sentences"]["items"]["enum"] == [1, 2]
    assert item["required"] == ["label", "sentences"]


def test_a_suspicious_answer_is_flagged() -> None:
    flags = call_for(task(answer("r", "t1", "Fine.", EVIL))).flags
    assert "injection_suspected:output_marker" in flags
    assert "injection_suspected:delimiter" in flags


# --- replies -------------------------------------------------------------------------------------


def test_labels_go_to_the_units_by_number() -> None:
    verdicts = read(
        '{"2": {"label": "full", "sentences": [3, 1, 3]}, "1": {"label": "none", "sentences": []}}'
    )
    assert {unit_id: v.label for unit_id, v in verdicts.items()} == {
        "assign|t1|r|n1": "none",
        "assign|t1|r|n2": "full",
    }
    assert verdicts["assign|t1|r|n2"].detail == {"sentences": [0, 2]}


def test_ten_labels_are_not_mixed_up() -> None:
    labels = ["full", "partial", "none", "full", "full", "none", "partial", "none", "full", "none"]
    verdicts = read(assigned_text(labels), count=10)
    assert [verdicts[f"assign|t1|r|n{i}"].label for i in range(1, 11)] == labels


def test_a_label_that_names_no_sentence_is_flagged() -> None:
    verdicts = read(reply(label="full", sentences=[]))
    assert verdicts["assign|t1|r|n2"].flags == ("no_sentence_named",)
    assert verdicts["assign|t1|r|n1"].flags == ()


@pytest.mark.parametrize(
    "entry",
    [
        {"label": "full"},
        {"sentences": [1]},
        {"label": "full", "sentences": None},
        {"label": "full", "sentences": 1},
        {"label": "full", "sentences": "1"},
        {"label": "full", "sentences": ["1"]},
        {"label": "full", "sentences": [True]},
        {"label": "full", "sentences": [1.0]},
        {"label": "full", "sentences": [0]},
        {"label": "full", "sentences": [-1]},
        {"label": "full", "sentences": [4]},
        {"label": "full", "sentences": [1, 4]},
        {"label": True, "sentences": [1]},
        {"label": None, "sentences": []},
        {"label": 2, "sentences": [1]},
        {"label": "mostly", "sentences": [1]},
        {"label": "", "sentences": []},
        {"label": ["full"], "sentences": [1]},
    ],
)
def test_an_entry_that_is_not_as_asked_fails(entry: dict[str, Any]) -> None:
    with pytest.raises(ReadError):
        read(reply(**entry))


@pytest.mark.parametrize("entry", ["full", 1, None, [], True])
def test_an_entry_that_is_no_object_fails(entry: Any) -> None:
    with pytest.raises(ReadError):
        read(json.dumps({"1": {"label": "none", "sentences": []}, "2": entry}))


@pytest.mark.parametrize("ids", [["1"], ["1", "3"], ["1", "2", "3"], ["0", "1"], ["n1", "n2"], []])
def test_other_ids_than_those_asked_fail(ids: list[str]) -> None:
    entry = {"label": "none", "sentences": []}
    with pytest.raises(ReadError):
        read(json.dumps(dict.fromkeys(ids, entry)))


def test_a_complaint_names_nugget_and_sentence() -> None:
    with pytest.raises(ReadError, match="nugget 2 names sentence 9, but the answer has 1 to 3"):
        read(reply(label="full", sentences=[9]))
