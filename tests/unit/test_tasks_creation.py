"""Creating nuggets: windows, lists kept over them, weights, parts, and lists that broke off."""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from judge.corpora import open_corpora
from judge.creation import Nuggets, best_first, create_nuggets, merged
from judge.errors import StoppedError
from judge.executor import Tally
from judge.formats.nuggets import nugget_id, read_nuggets, write_nuggets
from judge.runs import CREATED, NUGGETS, RunDirectory
from judge.types import Call, Document, Failure, Qrel, Unit
from tests.judging import (
    ScriptedJudge,
    answer,
    document,
    failure,
    inputs_of,
    manifest,
    nuggets,
    session_for,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run"


def documents(topic_id: str, count: int) -> list[Document]:
    return [document(f"{topic_id}-d{i}", f"Text {topic_id} {i}.") for i in range(count)]


def grades(topic_id: str, count: int, grade: int = 1) -> list[Qrel]:
    return [Qrel(topic_id, d.docid, grade) for d in documents(topic_id, count)]


def number_of(unit: Unit) -> int:
    return int((unit.window or "0").partition("-")[0])


def plain(unit_id: str) -> str:
    """The id without the digest of what stands in the window."""
    return re.sub(r"^(create\|t\d\|\d+)-[0-9a-f]{8}$", r"\1", unit_id)


def said(call: Call) -> str:
    """A list that grows by a nugget a window; every nugget vital and of the first part."""
    first = call.units[0]
    if first.task == "create":
        window = number_of(first)
        return json.dumps({"nuggets": [f"{first.topic_id} fact {i}" for i in range(window + 1)]})
    label = "vital" if first.task == "importance" else "1"
    return json.dumps({str(i): label for i in range(1, len(call.units) + 1)})


def window_of(call: Call) -> str:
    """Topic and number of a call's window; empty for what is no window."""
    first = call.units[0]
    number = (first.window or "").partition("-")[0]
    return f"{first.topic_id} {number}" if number else ""


def windows(judge: ScriptedJudge) -> list[str]:
    """Topic and number of each window that was asked about, in order."""
    ids = [unit_id.split("|") for unit_id in judge.units_asked]
    return [f"{i[1]} {i[2].partition('-')[0]}" for i in ids if i[0] == "create"]


class Creating:
    """Creates nuggets in a run directory, a session for each time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notices: list[str] = []
        self.tallies: dict[str, Tally] = {}

    def __call__(self, judge: ScriptedJudge, rows: Sequence[Qrel], min_grade: int = 1) -> Nuggets:
        async def go() -> Nuggets:
            found = [*documents("t1", 40), *documents("t2", 40)]
            with RunDirectory(self.path, manifest()) as run:
                session = session_for(judge, run, self.notices)
                self.tallies = session.tallies
                return await create_nuggets(session, inputs_of(found), rows, min_grade)

        return asyncio.run(go())


@pytest.fixture
def create(path: Path) -> Creating:
    return Creating(path)


# --- one go --------------------------------------------------------------------------------------


def test_a_list_is_kept_over_windows_of_ten(create: Creating) -> None:
    judge = ScriptedJudge(said)
    found = create(judge, grades("t1", 21))
    assert [plain(unit_id) for unit_id in judge.units_asked if unit_id.startswith("create")] == [
        "create|t1|0",
        "create|t1|1",
        "create|t1|2",
    ]
    assert [nugget.text for nugget in found["t1"]] == ["t1 fact 0", "t1 fact 1", "t1 fact 2"]


def test_a_nugget_keeps_the_documents_of_the_window_it_came_from(create: Creating) -> None:
    found = create(ScriptedJudge(said), grades("t1", 12))
    docids = [d.docid for d in documents("t1", 12)]
    assert [list(nugget.docids) for nugget in found["t1"]] == [docids[:10], docids[10:]]


def test_nuggets_are_weighed_mapped_and_written(create: Creating) -> None:
    found = create(ScriptedJudge(said), [*grades("t1", 1), *grades("t2", 1)])
    written = read_nuggets(create.path / "nuggets.jsonl")
    assert written == [*found["t1"], *found["t2"]]
    assert {(n.importance, n.sub_narrative) for n in written} == {
        ("vital", "How do bees overwinter?")
    }
    assert [n.nugget_id for n in written] == [nugget_id("t1 fact 0"), nugget_id("t2 fact 0")]
    assert {n.source for n in written} == {"judge"}


def test_the_next_window_sees_the_list_so_far(create: Creating) -> None:
    prompts: list[str] = []

    def script(call: Call) -> str:
        prompts.append(call.prompt.messages[-1].content)
        return said(call)

    create(ScriptedJudge(script), grades("t1", 11))
    assert "- t1 fact 0" not in prompts[0]
    assert "- t1 fact 0" in prompts[1]
    assert "Text t1 10." in prompts[1]
    assert "Text t1 9." not in prompts[1]


def test_the_windows_of_all_topics_are_tallied_together(create: Creating) -> None:
    create(ScriptedJudge(said), [*grades("t1", 21), *grades("t2", 5)])
    assert create.tallies["create"].units == 4
    assert create.tallies["create"].calls == 4


def test_without_relevant_documents_there_are_no_nuggets(create: Creating) -> None:
    judge = ScriptedJudge(said)
    assert create(judge, grades("t1", 3, grade=0)) == {}
    assert judge.asked == []
    assert read_nuggets(create.path / "nuggets.jsonl") == []


def test_documents_come_best_first_and_only_from_the_grade_asked() -> None:
    corpora = open_corpora([], [answer("r", "t1", documents=tuple(documents("t1", 4)))])
    rows = [
        Qrel("t1", "t1-d0", 1),
        Qrel("t1", "t1-d1", 3),
        Qrel("t2", "t1-d0", 0),
        Qrel("t1", "t1-d2", -1),
        Qrel("t1", "gone", 4),
        Qrel("t1", "t1-d3", 3),
    ]
    found, missing = best_first(corpora, rows, 1)
    assert {t: [d.docid for d in ds] for t, ds in found.items()} == {
        "t1": ["t1-d1", "t1-d3", "t1-d0"]
    }
    assert missing == {"t1": ["gone"]}
    assert best_first(corpora, rows, 5) == ({}, {})


def test_a_missing_document_is_a_failed_unit_and_told(create: Creating) -> None:
    rows = [*grades("t1", 2), Qrel("t1", "gone", 3), Qrel("t2", "lost", 2)]
    found = create(ScriptedJudge(said), rows)
    assert set(found) == {"t1"}
    assert create.tallies["create"].failed == {"no_document": 2}
    assert create.tallies["create"].units == 3
    assert create.notices == ["no document of at least grade 1 for 1 topics: t2"]


# --- failures ------------------------------------------------------------------------------------


def test_a_topic_whose_list_broke_off_gets_no_nuggets(create: Creating) -> None:
    def script(call: Call) -> str | Failure:
        broken = plain(call.units[0].unit_id) == "create|t1|1"
        return failure("blocked") if broken else said(call)

    judge = ScriptedJudge(script)
    found = create(judge, [*grades("t1", 25), *grades("t2", 25)])
    assert {topic_id: len(listed) for topic_id, listed in found.items()} == {"t2": 3}
    assert "create|t1|2" not in map(plain, judge.units_asked)
    assert create.notices == ["topic t1: window 2 failed, no nuggets"]
    assert {n.topic_id for n in read_nuggets(create.path / "nuggets.jsonl")} == {"t2"}


def test_a_list_that_broke_off_is_taken_up_where_it_did(create: Creating) -> None:
    def script(call: Call) -> str | Failure:
        broken = plain(call.units[0].unit_id) == "create|t1|1"
        return failure("transport") if broken else said(call)

    create(ScriptedJudge(script), grades("t1", 25))
    again = ScriptedJudge(said)
    found = create(again, grades("t1", 25))
    assert [*map(plain, again.units_asked[:2])] == ["create|t1|1", "create|t1|2"]
    assert [nugget.text for nugget in found["t1"]] == ["t1 fact 0", "t1 fact 1", "t1 fact 2"]


def test_creating_again_asks_nothing_and_finds_the_same(create: Creating) -> None:
    first = create(ScriptedJudge(said), grades("t1", 12))
    again = ScriptedJudge(said)
    assert create(again, grades("t1", 12)) == first
    assert again.asked == []


@pytest.mark.parametrize(
    ("task", "field"), [("importance", "importance"), ("mapping", "sub_narrative")]
)
def test_a_nugget_that_could_not_be_weighed_or_mapped_stays_without(
    create: Creating, task: str, field: str
) -> None:
    def script(call: Call) -> str | Failure:
        return failure("refused") if call.units[0].task == task else said(call)

    (nugget,) = create(ScriptedJudge(script), grades("t1", 1))["t1"]
    assert getattr(nugget, field) is None
    assert nugget.text == "t1 fact 0"


def test_a_stop_in_a_later_window_keeps_the_earlier_ones(create: Creating) -> None:
    def script(call: Call) -> str:
        if number_of(call.units[0]) == 1 and call.units[0].task == "create":
            raise StoppedError("no credit")
        return said(call)

    with pytest.raises(StoppedError):
        create(ScriptedJudge(script), grades("t1", 12))
    assert not (create.path / "nuggets.jsonl").exists()
    again = ScriptedJudge(said)
    create(again, grades("t1", 12))
    assert "create|t1|0" not in map(plain, again.units_asked)


def test_a_window_with_other_documents_is_asked_again(create: Creating) -> None:
    create(ScriptedJudge(said), grades("t1", 2))
    again = ScriptedJudge(said)
    found = create(again, grades("t1", 5))
    assert windows(again) == ["t1 0"]
    assert len(found["t1"][0].docids) == 5


# --- edits of people -----------------------------------------------------------------------------


def test_the_created_list_stands_beside_the_one_that_counts(create: Creating) -> None:
    create(ScriptedJudge(said), grades("t1", 12))
    both = [(create.path / name).read_bytes() for name in (CREATED, NUGGETS)]
    assert both[0] == both[1]


def test_edits_are_never_overwritten(create: Creating) -> None:
    create(ScriptedJudge(said), grades("t1", 12))
    first, second = read_nuggets(create.path / NUGGETS)
    edits = [
        first.model_copy(update={"importance": "okay"}),
        second.model_copy(update={"text": "t1 fact one, said well"}),
        second.model_copy(update={"text": "added", "nugget_id": "mine"}),
    ]
    write_nuggets(create.path / NUGGETS, edits, {})
    before = (create.path / NUGGETS).read_bytes()
    found = create(ScriptedJudge(said), grades("t1", 12))["t1"]
    assert (create.path / NUGGETS).read_bytes() == before
    assert [n.text for n in found] == ["t1 fact 0", "t1 fact one, said well", "added"]
    assert {n.source for n in found} == {"post-edit"}
    assert found[0].importance == "okay"
    assert [n.nugget_id for n in found] == [
        first.nugget_id,
        nugget_id("t1 fact one, said well"),
        "mine",
    ]
    assert any("was edited and stays as it is" in notice for notice in create.notices)


def test_a_longer_list_of_the_judge_replaces_an_unedited_one(create: Creating) -> None:
    create(ScriptedJudge(said), grades("t1", 2))
    create(ScriptedJudge(said), grades("t1", 12))
    assert len(read_nuggets(create.path / NUGGETS)) == 2
    assert not any("edited" in notice for notice in create.notices)


def test_removing_a_nugget_is_an_edit(create: Creating) -> None:
    create(ScriptedJudge(said), grades("t1", 12))
    write_nuggets(create.path / NUGGETS, read_nuggets(create.path / NUGGETS)[:1], {})
    assert len(create(ScriptedJudge(said), grades("t1", 12))["t1"]) == 1
    assert len(read_nuggets(create.path / CREATED)) == 2


def test_near_duplicates_are_told_and_kept(create: Creating) -> None:
    def script(call: Call) -> str:
        twice = ["bees cluster tightly in winter", "in winter bees cluster"]
        task = call.units[0].task
        return json.dumps({"nuggets": twice}) if task == "create" else said(call)

    assert len(create(ScriptedJudge(script), grades("t1", 1))["t1"]) == 2
    (told,) = [n for n in create.notices if "nearly say the same" in n]
    assert told.startswith("1 pairs")
    assert "'in winter bees cluster'" in told


# --- lists ---------------------------------------------------------------------------------------


def test_merging_keeps_known_nuggets_and_follows_the_new_order() -> None:
    before = nuggets("t1", 2)
    listed = merged("t1", before, [("new", []), ("Fact 2.", [])], ["d0", "d1"])
    assert [nugget.text for nugget in listed] == ["new", "fact 2"]
    assert listed[1] == before[1]
    assert listed[0].docids == ("d0", "d1")


def test_a_nugget_has_the_documents_of_all_windows_that_say_it() -> None:
    before = merged("t1", [], [("bees cluster", ["d1"])], ["d1", "d2"])
    (again,) = merged("t1", before, [("bees cluster", ["d3", "d1"])], ["d3", "d4"])
    assert again.docids == ("d1", "d3")
    assert again.nugget_id == before[0].nugget_id


def test_a_nugget_said_otherwise_takes_over_the_documents_of_the_one_it_replaces() -> None:
    before = merged("t1", [], [("bees cluster tightly in winter", ["d1"])], ["d1", "d2"])
    words = [("in winter bees cluster", ["d3"]), ("they eat honey", ["d4"])]
    reworded, new = merged("t1", before, words, ["d3", "d4"])
    assert reworded.docids == ("d1", "d3")
    assert new.docids == ("d4",)
    kept = [("bees cluster tightly in winter", []), *words]
    assert merged("t1", before, kept, ["d3", "d4"])[1].docids == ("d3",)
