"""The stages: each judges its units, enters the manifest, and writes the field's own file."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from judge import stages
from judge.errors import RunError
from judge.executor import Tally
from judge.formats.assignments import read_assignments
from judge.formats.nuggets import read_nuggets
from judge.formats.qrels import read_qrels
from judge.formats.support import read_support
from judge.loading import Inputs, Pair
from judge.runs import RunDirectory, read_manifest
from judge.session import Session
from judge.tasks.support import Citations
from judge.types import Call, Failure, Qrel
from tests.judging import (
    ScriptedJudge,
    answer,
    assigned_text,
    citing,
    document,
    failure,
    inputs_of,
    manifest,
    nuggets,
    session_for,
)

T = TypeVar("T")
PAIRS = [Pair("t1", "d1"), Pair("t1", "d2"), Pair("t2", "gone")]
ANSWERS = [
    answer("r", "t1", citing("One.", "d1", "d2"), citing("Two.", "gone"), "Three."),
    answer("silent", "t1"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run"


def inputs() -> Inputs:
    key = {"t1": nuggets("t1", 3), "t2": nuggets("t2", 1)}
    return inputs_of([document("d1"), document("d2")], ANSWERS, key, PAIRS)


def work(path: Path, judge: ScriptedJudge, stage: Callable[[Session], Awaitable[T]]) -> T:
    async def go() -> T:
        with RunDirectory(path, manifest()) as run:
            return await stage(session_for(judge, run, []))

    return asyncio.run(go())


def grader(**grades: int) -> ScriptedJudge:
    """Grades documents; one without a grade fails."""

    def script(call: Call) -> str | Failure:
        grade = grades.get(call.units[0].docid or "")
        return failure("blocked") if grade is None else f"##final score: {grade}"

    return ScriptedJudge(script)


def relevance(path: Path, judge: ScriptedJudge) -> list[Qrel]:
    prompt = "relevance/trec2025"
    return work(path, judge, lambda s: stages.relevance(s, inputs(), prompt))


def test_relevance_writes_the_grades_and_no_row_for_a_failure(path: Path) -> None:
    rows = relevance(path, grader(d1=3))
    assert rows == [Qrel("t1", "d1", 3)]
    assert read_qrels(path / "qrels.txt") == rows


def test_relevance_taken_up_again_writes_all_rows(path: Path) -> None:
    relevance(path, grader(d1=3))
    again = grader(d2=0)
    assert relevance(path, again) == [Qrel("t1", "d1", 3), Qrel("t1", "d2", 0)]
    assert again.units_asked == ["relevance|t1|d2"]


def test_assign_writes_every_nugget_of_every_answer(path: Path) -> None:
    def script(call: Call) -> str:
        return assigned_text(["full", "partial", "none"][: len(call.units)])

    work(path, ScriptedJudge(script), lambda s: stages.assign(s, inputs()))
    told, silent = read_assignments(path / "assignments.jsonl")
    assert [n.label for n in told.nuggets] == ["full", "partial", "none"]
    assert [n.label for n in silent.nuggets] == ["none"] * 3
    assert {n.topic_id for n in read_nuggets(path / "nuggets.jsonl")} == {"t1", "t2"}


def test_a_failed_assignment_is_written_without_a_label(path: Path) -> None:
    judge = ScriptedJudge(lambda call: failure("refused"))
    work(path, judge, lambda s: stages.assign(s, inputs()))
    told, _ = read_assignments(path / "assignments.jsonl")
    assert [n.label for n in told.nuggets] == [None] * 3


def support(path: Path, citations: Citations = "first") -> ScriptedJudge:
    judge = ScriptedJudge(lambda call: "label: partial")
    prompt = "support/trec2025"
    work(path, judge, lambda s: stages.support(s, inputs(), citations, prompt))
    return judge


def test_support_writes_every_citation_with_what_became_of_it(path: Path) -> None:
    judge = support(path)
    told, silent = read_support(path / "support.jsonl")
    found = [(c.docid, c.status, c.label) for s in told.sentences for c in s.citations]
    assert found == [
        ("d1", "ok", "partial"),
        ("d2", "unjudged", None),
        ("gone", "failed", None),
    ]
    assert silent.sentences == ()
    assert judge.units_asked == ["support|t1|r|0|d1"]


def test_other_citations_in_the_same_run_are_refused(path: Path) -> None:
    support(path)
    with pytest.raises(RunError, match=r"choices: .*'first'.*'all'"):
        support(path, "all")


def test_the_manifest_says_what_each_stage_rests_on(path: Path) -> None:
    relevance(path, grader(d1=3))
    support(path)
    found = read_manifest(path)
    assert found is not None
    assert set(found.stages) == {"relevance", "support"}
    assert found.stages["relevance"].choices == {"pairs": 3}
    assert found.stages["support"].choices == {"citations": "first"}
    assert found.stages["support"].template == "support/trec2025"


# --- the session ---------------------------------------------------------------------------------


def complaint(path: Path, *tallies: Tally) -> str | None:
    with RunDirectory(path, manifest()) as run:
        session = session_for(ScriptedJudge(lambda call: ""), run, [])
        session.tallies = {tally.task: tally for tally in tallies}
        return session.complaint()


def tally(units: int, failed: int, left: int = 0, task: str = "assign") -> Tally:
    made = Tally(task, units=units, left=left)
    made.failed.update({"parse": failed} if failed else {})
    return made


def test_a_session_complains_above_the_share_allowed(path: Path) -> None:
    assert complaint(path, tally(100, 5)) is None
    told = complaint(path, tally(100, 0, task="support"), tally(100, 6))
    assert told is not None
    assert told.startswith("6 of 100 assign judgments failed")


def test_what_the_limit_left_out_is_no_success(path: Path) -> None:
    assert complaint(path, tally(100, 1, left=90)) is not None


def test_a_session_without_units_has_no_complaint(path: Path) -> None:
    assert complaint(path) is None
    assert complaint(path, tally(0, 0), tally(5, 0, left=5, task="support")) is None


def test_replaying_names_the_units_that_have_no_stored_reply(path: Path) -> None:
    async def go(count: int) -> str | None:
        with RunDirectory(path, manifest()) as run:
            session = session_for(ScriptedJudge(lambda call: failure("offline")), run, [])
            pairs = [Pair("t1", f"d{i}") for i in range(count)]
            found = inputs_of([document(pair.docid) for pair in pairs], pairs=pairs)
            await stages.relevance(session, found, "relevance/trec2025")
            return session.complaint()

    told = asyncio.run(go(23))
    assert told is not None
    first, *units, more = told.splitlines()
    assert first.startswith("23 units have no stored reply")
    assert [unit.strip() for unit in units] == [f"relevance|t1|d{i}" for i in range(20)]
    assert more.strip() == "and 3 more"
