"""Importance and mapping: one label a nugget, in batches that stay within a topic."""

import json
from typing import Any

import pytest

from judge.errors import ReadError
from judge.tasks.importance import Importance
from judge.tasks.mapping import Mapping, sub_narrative
from judge.types import Label, Topic
from tests.judging import TEMPLATES, TOPICS, call_for, nuggets

PLAIN = Topic(topic_id="plain", narrative="A request without parts.")


def importance(**counts: int) -> Importance:
    keys = {topic_id: nuggets(topic_id, count) for topic_id, count in counts.items()}
    return Importance(TEMPLATES["nuggets/importance"], TOPICS, keys)


def mapping(**counts: int) -> Mapping:
    keys = {topic_id: nuggets(topic_id, count) for topic_id, count in counts.items()}
    return Mapping(TEMPLATES["nuggets/mapping"], {**TOPICS, "plain": PLAIN}, keys)


def labels(task: Importance | Mapping, said: Any) -> list[Label]:
    return [v.label for v in task.read(call_for(task), json.dumps(said)).values()]


def test_batches_hold_at_most_ten_of_one_topic() -> None:
    task = importance(t1=12, t2=3)
    calls = list(task.calls(task.units()))
    assert [len(call.units) for call in calls] == [10, 2, 3]
    assert all(len({unit.topic_id for unit in call.units}) == 1 for call in calls)
    assert [unit for call in calls for unit in call.units] == list(task.units())


def test_the_same_nugget_id_in_two_topics_is_two_units() -> None:
    task = importance(t1=1, t2=1)
    assert [unit.unit_id for unit in task.units()] == ["importance|t1|n1", "importance|t2|n1"]


def test_importance_and_mapping_do_not_share_units() -> None:
    assert not {u.unit_id for u in importance(t1=2).units()} & {
        u.unit_id for u in mapping(t1=2).units()
    }


def test_importance_labels() -> None:
    assert labels(importance(t1=2), {"1": "okay", "2": "Vital."}) == ["okay", "vital"]


@pytest.mark.parametrize(
    "said",
    [
        {"1": "okay"},
        {"1": "okay", "2": "okay", "3": "okay"},
        {"1": "okay", "2": "important"},
        {"1": "okay", "2": ""},
        {"1": "okay", "2": 1},
        {"1": "okay", "2": None},
        {"1": "okay", "2": True},
        {"1": "okay", "2": ["vital"]},
        {},
    ],
)
def test_an_importance_reply_that_is_not_as_asked_fails(said: Any) -> None:
    with pytest.raises(ReadError):
        labels(importance(t1=2), said)


def test_mapping_labels() -> None:
    said = {"1": "2", "2": "None", "3": " new:  how   they mate "}
    assert labels(mapping(t1=3), said) == ["2", "none", "New: how they mate"]


@pytest.mark.parametrize("label", ["3", "0", "New:", "New:   ", "", "part 1", 1])
def test_a_part_that_there_is_not_fails(label: Any) -> None:
    with pytest.raises(ReadError):
        labels(mapping(t1=1), {"1": label})


def test_topics_without_parts_are_not_mapped() -> None:
    assert [unit.topic_id for unit in mapping(plain=2, t1=1).units()] == ["t1"]


def test_a_label_names_the_text_of_its_sub_narrative() -> None:
    topic = TOPICS["t1"]
    assert sub_narrative(topic, "2") == "What do they eat?"
    assert sub_narrative(topic, "New: mating") == "New: mating"
    assert sub_narrative(topic, "none") is None
