"""Every task's `read` over any reply: only `ReadError`, and no label that no marker states."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from judge.errors import ReadError
from judge.injection import neutralise
from judge.parsing import SUPPORT_LABELS, after_thinking
from judge.tasks import Task
from judge.tasks.assign import Assign
from judge.tasks.create import Create
from judge.tasks.importance import Importance
from judge.tasks.mapping import Mapping as MappingTask
from judge.tasks.support import SupportTask
from judge.types import Call, Verdict
from tests.judging import (
    TEMPLATES,
    TOPICS,
    answer,
    assigned_text,
    call_for,
    citing,
    document,
    nuggets,
    relevance,
)

ANY_PACE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
KEY = {"t1": nuggets("t1", 3)}
ANSWER = answer("r", "t1", citing("Bees cluster.", "d"), "They eat honey.")
DOCUMENT = document("d")

TASKS: Mapping[str, Task] = {
    "relevance": relevance(1),
    "assign": Assign(TEMPLATES["nuggets/assign"], TOPICS, [ANSWER], KEY),
    "support": SupportTask(
        TEMPLATES["support/trec2025"], TOPICS, [ANSWER], lambda answer, docid: DOCUMENT
    ),
    "create": Create(TEMPLATES["nuggets/create"], TOPICS, 0, {"t1": [DOCUMENT]}, {"t1": []}),
    "importance": Importance(TEMPLATES["nuggets/importance"], TOPICS, KEY),
    "mapping": MappingTask(TEMPLATES["nuggets/mapping"], TOPICS, KEY),
}
CALLS: Mapping[str, Call] = {name: call_for(task) for name, task in TASKS.items()}
WELL_FORMED = {
    "relevance": "##final score: 3",
    "assign": assigned_text(["full", "partial", "none"]),
    "support": "label: full support",
    "create": '{"nuggets": ["bees cluster"]}',
    "importance": '{"1": "vital", "2": "okay", "3": "okay"}',
    "mapping": '{"1": "1", "2": "none", "3": "New: wax"}',
}
PIECES = [
    *WELL_FORMED.values(),
    *('{"1": ', '"label"', ": ", '"full"', "}", "{", "[", "]", ",", '"sentences": [1]', "[9]"),
    *("1", "3", "99999999999999999999", "-1", "true", "null", "NaN", '"vital"', '"New: "', "\\"),
    *("##final score", "label", "Label: none", "\n", " ", "<think>", "</think>", "```json", "**"),
    *("I cannot help with that.", "\ud800", "\u200b", "³", "３", "#", "No Support"),
]
TEXTS = st.one_of(
    st.text(),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12).map("".join),
)
VALUES = st.recursive(
    st.sampled_from(["full", "vital", "1", "None", "New: ", "", 1, -1, True, None, 2.5, 10**14]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["label", "sentences", "1"]), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.sampled_from(["1", "2", "3", "4", "labels", "nuggets"]), VALUES)


def verdicts(name: str, text: str) -> dict[str, Verdict] | None:
    """What a task reads, checked for its form, or None for a `ReadError`."""
    read = said(name, text)
    if isinstance(read, str):
        assert read
        assert "\n" not in read
        assert len(read) < 400
        return None
    assert list(read) == [unit.unit_id for unit in CALLS[name].units]
    assert all(_is_label(name, verdict) for verdict in read.values())
    json.dumps([{**v._asdict(), "detail": dict(v.detail)} for v in read.values()]).encode()
    return read


def said(name: str, text: str) -> dict[str, Verdict] | str:
    """What a task reads, or the message of its `ReadError`."""
    try:
        return TASKS[name].read(CALLS[name], text)
    except ReadError as error:
        return str(error)


def _is_label(name: str, verdict: Verdict) -> bool:
    label = verdict.label
    if name == "relevance":
        return type(label) is int and 0 <= label <= 4
    if name == "create":
        return label == len(verdict.detail["nuggets"])
    if name == "mapping":
        return label in ("1", "2", "none") or str(label).startswith("New: ")
    return label in {"importance": ("vital", "okay")}.get(name, ("full", "partial", "none"))


@pytest.mark.parametrize("name", TASKS)
def test_a_well_formed_reply_gives_one_verdict_a_unit(name: str) -> None:
    assert verdicts(name, WELL_FORMED[name]) is not None


@ANY_PACE
@given(TEXTS)
def test_no_text_raises_anything_but_a_read_error(text: str) -> None:
    for name in TASKS:
        verdicts(name, text)


@ANY_PACE
@given(OBJECTS)
@example({"1": "full", "2": "full", "3": "full"})
@example({"labels": {"1": "vital"}})
@example({"1": {"label": "full", "sentences": [10**14]}, "2": None, "3": None})
def test_no_object_raises_anything_but_a_read_error(value: dict[str, Any]) -> None:
    for name in TASKS:
        verdicts(name, json.dumps(value))


@ANY_PACE
@given(TEXTS)
def test_no_text_without_a_marker_yields_a_label(text: str) -> None:
    bare = re.sub("[#＃﹟{}｛｝﹛﹜]", "", text)
    for name in TASKS.keys() - {"support"}:
        assert verdicts(name, bare) is None
    plain = re.sub("(?i)[lｌ]abel", "", bare)
    read = verdicts("support", plain)
    if read is not None:  # a label alone
        letters = "".join(filter(str.isalpha, after_thinking(plain))).casefold()
        assert letters in {wording.replace(" ", "") for wording in SUPPORT_LABELS}


@ANY_PACE
@given(st.text())
def test_a_reply_that_only_repeats_a_neutralised_document_gives_no_verdict(text: str) -> None:
    for form in WELL_FORMED.values():
        repeated = f"The passage says: {neutralise(f'{form} {text} {form}')}"
        for name in TASKS:
            assert verdicts(name, repeated) is None
