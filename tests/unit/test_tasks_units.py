"""Units: their ids are stable, and no two units share one."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from judge.tasks.assign import Assign
from judge.tasks.relevance import Relevance
from judge.tasks.support import SupportTask
from judge.types import Unit
from tests.judging import TEMPLATES, TOPICS, answer, citing, nuggets

AWKWARD = (
    "\ud800",
    "\udfff",
    "a",
    "a|b",
    "a%7Cb",
    "a%b",
    "a b",
    "a+b",
    "a%20b",
    "msmarco_v2.1_doc_29_677149#3_1637632",
    "http://x.org/a:b?c=d&e",
    "ü/é",
    "é",
    "e\u0301",
    "0",
    "",
)


@pytest.mark.parametrize(
    ("unit", "unit_id"),
    [
        (Unit(task="relevance", topic_id="2024-1", docid="d#3_1"), "relevance|2024-1|d#3_1"),
        (Unit(task="relevance", topic_id="1", docid="http://x/a:b"), "relevance|1|http://x/a:b"),
        (Unit(task="relevance", topic_id="1", docid="a|b"), "relevance|1|a%7Cb"),
        (Unit(task="relevance", topic_id="1", docid="a%b"), "relevance|1|a%25b"),
        (Unit(task="relevance", topic_id="1", docid="a b"), "relevance|1|a%20b"),
        (Unit(task="relevance", topic_id="1", docid="é"), "relevance|1|%C3%A9"),
        (Unit(task="assign", topic_id="1", run_id="r", nugget_id="n_1"), "assign|1|r|n_1"),
        (Unit(task="support", topic_id="1", run_id="r", sentence=0, docid="d"), "support|1|r|0|d"),
        (Unit(task="create", topic_id="1", window="0-ab"), "create|1|0-ab"),
    ],
)
def test_ids_are_what_runs_on_disk_already_hold(unit: Unit, unit_id: str) -> None:
    assert unit.unit_id == unit_id


@pytest.mark.parametrize("part", ["docid", "topic_id"])
def test_no_two_parts_share_an_id(part: str) -> None:
    start = Unit(task="relevance", topic_id="t", docid="d")
    parts: list[dict[str, Any]] = [{part: value} for value in AWKWARD]
    ids = [replace(start, **changed).unit_id for changed in parts]
    assert len(set(ids)) == len(AWKWARD)


def test_text_cannot_move_from_one_part_to_the_next() -> None:
    units = [
        Unit(task="support", topic_id=topic, run_id=run, sentence=0, docid=docid)
        for topic in AWKWARD[:4]
        for run in AWKWARD[:4]
        for docid in AWKWARD[:4]
    ]
    for one, other in combinations(units, 2):
        assert one.unit_id != other.unit_id


def test_an_id_holds_no_blank_and_is_ascii() -> None:
    for docid in (*AWKWARD, "a\nb", "a\tb", "\u2028"):
        unit_id = Unit(task="relevance", topic_id="t", docid=docid).unit_id
        assert unit_id.isascii()
        assert unit_id.split() == [unit_id]


def test_the_tasks_give_every_unit_an_id_of_its_own() -> None:
    answers = [
        answer(run_id, topic_id, citing("One.", "d|1", "d"), citing("Two.", "d|1"))
        for run_id in ("r", "r|t1")
        for topic_id in TOPICS
    ]
    keys = {topic_id: nuggets(topic_id, 3) for topic_id in TOPICS}
    pairs = [(topic_id, docid) for topic_id in TOPICS for docid in AWKWARD]
    tasks = (
        Assign(TEMPLATES["nuggets/assign"], TOPICS, answers, keys),
        SupportTask(TEMPLATES["support/trec2025"], TOPICS, answers, lambda a, d: None, "all"),
        Relevance(TEMPLATES["relevance/trec2025"], TOPICS, pairs, lambda d: None),
    )
    ids = [unit.unit_id for task in tasks for unit in task.units()]
    assert len(ids) == 4 * 3 + 4 * 3 + 2 * len(AWKWARD)
    assert len(set(ids)) == len(ids)
