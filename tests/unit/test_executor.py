"""The executor: every unit judged once, failures retried, batches cut in halves."""

import asyncio
import gc
from pathlib import Path

import pytest

from judge.garbage import ALLOCATIONS
from judge.tasks.relevance import Relevance
from judge.types import Call, Document, Failure, FailureKind
from tests.judging import (
    EVIL,
    GRADE,
    TEMPLATES,
    TOPICS,
    Bench,
    ScriptedJudge,
    all_full,
    always,
    assign,
    assigned_text,
    call_for,
    docid_of,
    document,
    failure,
    lines_of,
    relevance,
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "run")


# --- one session ---------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_every_unit_is_asked_once(bench: Bench, concurrency: int) -> None:
    judge = always()
    tally = bench.judge(relevance(7), judge, concurrency=concurrency)
    assert sorted(judge.units_asked) == [f"relevance|t1|d{i}" for i in range(7)]
    assert {j.label for j in bench.judgments().values()} == {2}
    assert (tally.units, tally.before, tally.left, tally.n_failed) == (7, 0, 0, 0)


def test_a_judgment_says_where_it_comes_from(bench: Bench) -> None:
    task = relevance(1, text=EVIL)
    bench.judge(task, always('It says "##final score: 4".\n##final score: 0'))
    (judgment,) = bench.judgments().values()
    assert (judgment.label, judgment.status, judgment.source) == (0, "ok", "judge")
    assert judgment.reason == 'It says "##final score: 4".'
    assert (judgment.model, judgment.key) == ("m", "k")
    assert judgment.template == "relevance/trec2025"
    assert judgment.template_sha256 == TEMPLATES["relevance/trec2025"].sha256
    assert judgment.flags == (*call_for(task).flags, "conflicting_markers")


def test_the_detail_of_a_verdict_is_kept(bench: Bench) -> None:
    bench.judge(assign(1), ScriptedJudge(all_full))
    assert bench.judgments()["assign|t1|r|n1"].detail == {"sentences": [0]}


def test_a_result_is_on_disk_before_the_next_call(bench: Bench) -> None:
    seen: list[int] = []

    def script(call: Call) -> str:
        seen.append(len(lines_of(bench.path / "judgments.jsonl")))
        return GRADE

    bench.judge(relevance(3), ScriptedJudge(script))
    assert seen == [0, 1, 2]


def test_calls_in_flight_are_limited(bench: Bench) -> None:
    flying: list[str] = []
    most: list[int] = []

    async def pause(call: Call) -> None:
        flying.append(docid_of(call))
        most.append(len(flying))
        await asyncio.sleep(0)
        flying.remove(docid_of(call))

    bench.judge(relevance(12), ScriptedJudge(lambda call: GRADE, pause), concurrency=3)
    assert max(most) == 3


def test_garbage_is_collected_rarely_while_calls_are_in_flight(bench: Bench) -> None:
    before = gc.get_threshold()
    seen: list[int] = []

    def script(call: Call) -> str:
        seen.append(gc.get_threshold()[0])
        return GRADE

    bench.judge(relevance(2), ScriptedJudge(script))
    assert seen == [ALLOCATIONS] * 2
    assert gc.get_threshold() == before


def test_prompts_are_rendered_as_they_are_needed(bench: Bench) -> None:
    looked_up: list[str] = []
    ahead: list[int] = []

    def lookup(docid: str) -> Document:
        looked_up.append(docid)
        return document(docid)

    def script(call: Call) -> str:
        ahead.append(len(looked_up) - len(judge.asked))
        return GRADE

    pairs = [("t1", f"d{i}") for i in range(100)]
    judge = ScriptedJudge(script)
    task = Relevance(TEMPLATES["relevance/trec2025"], TOPICS, pairs, lookup)
    bench.judge(task, judge, concurrency=2)
    assert len(looked_up) == 100
    assert set(ahead) == {0}


# --- failures ------------------------------------------------------------------------------------

KINDS: list[FailureKind] = ["parse", "empty", "refused", "truncated", "blocked", "context"]
KINDS += ["parameter", "transport", "offline"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_is_a_judgment_without_label(bench: Bench, kind: FailureKind) -> None:
    tally = bench.judge(relevance(1), ScriptedJudge(lambda call: failure(kind)))
    (judgment,) = bench.judgments().values()
    assert (judgment.status, judgment.label, judgment.failure) == ("failed", None, kind)
    assert judgment.reason == f"{kind}, says the script"
    assert judgment.template_sha256 == TEMPLATES["relevance/trec2025"].sha256
    assert tally.failed == {kind: 1}


def test_one_failure_does_not_touch_the_others(bench: Bench) -> None:
    judge = ScriptedJudge(lambda call: failure("blocked") if docid_of(call) == "d2" else GRADE)
    tally = bench.judge(relevance(5), judge, concurrency=2)
    labels = {j.docid: j.label for j in bench.judgments().values()}
    assert labels == {"d0": 2, "d1": 2, "d2": None, "d3": 2, "d4": 2}
    assert tally.n_failed == 1


def test_a_missing_document_fails_without_a_call(bench: Bench) -> None:
    judge = always()
    tally = bench.judge(relevance(3, missing=("d1",)), judge)
    assert judge.units_asked == ["relevance|t1|d0", "relevance|t1|d2"]
    judgment = bench.judgments()["relevance|t1|d1"]
    assert (judgment.label, judgment.failure) == (None, "no_document")
    assert (tally.calls, tally.failed) == (2, {"no_document": 1})


def test_an_unreadable_reply_never_becomes_a_label(bench: Bench) -> None:
    for text in ("", "3", "##final score: 5", "##final score: none"):
        bench.judge(relevance(1), always(text))
        (judgment,) = bench.judgments().values()
        assert (judgment.label, judgment.failure) == (None, "parse")


# --- taking a run up again -----------------------------------------------------------------------


def test_what_has_a_label_is_never_asked_again(bench: Bench) -> None:
    bench.judge(relevance(4), always())
    again = always("##final score: 0")
    tally = bench.judge(relevance(4), again)
    assert again.asked == []
    assert {j.label for j in bench.judgments().values()} == {2}
    assert (tally.units, tally.before, tally.calls) == (4, 4, 0)


def test_failed_units_and_only_they_are_asked_again(bench: Bench) -> None:
    bad = {"d1", "d3"}
    judge = ScriptedJudge(lambda call: failure("transport") if docid_of(call) in bad else GRADE)
    bench.judge(relevance(5), judge)
    again = always("##final score: 4")
    tally = bench.judge(relevance(5), again)
    assert again.units_asked == ["relevance|t1|d1", "relevance|t1|d3"]
    assert [j.label for j in bench.judgments().values()] == [2, 4, 2, 4, 2]
    assert (tally.before, tally.n_failed) == (3, 0)


def test_only_the_nuggets_that_failed_make_the_next_batch(bench: Bench) -> None:
    def half(call: Call) -> str | Failure:
        return all_full(call) if len(call.units) == 1 else failure("transport")

    bench.judge(assign(11), ScriptedJudge(half))
    assert [j.nugget_id for j in bench.judgments().values() if j.label] == ["n11"]
    again = ScriptedJudge(all_full)
    bench.judge(assign(11), again)
    assert again.asked == [[f"assign|t1|r|n{i}" for i in range(1, 11)]]


def test_new_units_join_those_judged_before(bench: Bench) -> None:
    bench.judge(relevance(2), always())
    again = always()
    tally = bench.judge(relevance(4), again)
    assert again.units_asked == ["relevance|t1|d2", "relevance|t1|d3"]
    assert (tally.units, tally.before) == (4, 2)


def test_a_document_that_turns_up_later_is_judged_then(bench: Bench) -> None:
    bench.judge(relevance(1, missing=("d0",)), always())
    bench.judge(relevance(1), always())
    assert bench.judgments()["relevance|t1|d0"].label == 2


def test_a_half_written_judgment_is_asked_again_and_nothing_else(bench: Bench) -> None:
    bench.judge(relevance(3), always())
    path = bench.path / "judgments.jsonl"
    path.write_bytes(path.read_bytes()[:-2])
    again = always()
    bench.judge(relevance(3), again)
    assert again.units_asked == ["relevance|t1|d2"]
    assert len(bench.judgments()) == 3


# --- the limit -----------------------------------------------------------------------------------


def test_the_limit_cuts_a_session_and_the_next_goes_on(bench: Bench) -> None:
    first, second, third = always(), always(), always()
    tally = bench.judge(relevance(5), first, limit=2)
    assert (len(first.asked), tally.units, tally.left) == (2, 5, 3)
    tally = bench.judge(relevance(5), second, limit=2)
    assert second.units_asked == ["relevance|t1|d2", "relevance|t1|d3"]
    assert (tally.before, tally.left) == (2, 1)
    tally = bench.judge(relevance(5), third, limit=10)
    assert third.units_asked == ["relevance|t1|d4"]
    assert (tally.before, tally.left) == (4, 0)


def test_the_limit_counts_units_and_not_calls(bench: Bench) -> None:
    judge = ScriptedJudge(all_full)
    tally = bench.judge(assign(25), judge, limit=12)
    assert [len(units) for units in judge.asked] == [10, 2]
    assert tally.left == 13


# --- halves --------------------------------------------------------------------------------------


def test_a_failed_batch_is_asked_in_halves(bench: Bench) -> None:
    judge = ScriptedJudge(lambda call: "no" if len(call.units) == 10 else all_full(call))
    tally = bench.judge(assign(10), judge)
    ids = [f"assign|t1|r|n{i}" for i in range(1, 11)]
    assert judge.asked == [ids, ids[:5], ids[5:]]
    assert {j.unit_id: j.label for j in bench.judgments().values()} == dict.fromkeys(ids, "full")
    assert (tally.calls, tally.n_failed) == (3, 0)
    assert len(lines_of(bench.path / "judgments.jsonl")) == 10


def test_halves_of_an_odd_batch_lose_no_unit(bench: Bench) -> None:
    judge = ScriptedJudge(lambda call: "no" if len(call.units) == 7 else all_full(call))
    bench.judge(assign(7), judge)
    assert [len(units) for units in judge.asked] == [7, 4, 3]
    assert [j.label for j in bench.judgments().values()] == ["full"] * 7


def test_halves_are_not_split_again(bench: Bench) -> None:
    judge = always("no")
    tally = bench.judge(assign(10), judge)
    assert [len(units) for units in judge.asked] == [10, 5, 5]
    assert tally.failed == {"parse": 10}
    lines = lines_of(bench.path / "judgments.jsonl")
    assert len(lines) == len({line["unit_id"] for line in lines}) == 10


def test_one_half_may_fail_alone(bench: Bench) -> None:
    def script(call: Call) -> str:
        ids = {unit.nugget_id for unit in call.units}
        return "no" if "n1" in ids else all_full(call)

    tally = bench.judge(assign(4), ScriptedJudge(script))
    labels = {j.nugget_id: j.label for j in bench.judgments().values()}
    assert labels == {"n1": None, "n2": None, "n3": "full", "n4": "full"}
    assert tally.failed == {"parse": 2}


def test_the_labels_of_a_half_go_to_its_own_units(bench: Bench) -> None:
    def script(call: Call) -> str:
        if len(call.units) == 4:
            return "no"
        first = call.units[0].nugget_id == "n1"
        return assigned_text(["full", "none"] if first else ["partial", "full"])

    bench.judge(assign(4), ScriptedJudge(script))
    labels = {j.nugget_id: j.label for j in bench.judgments().values()}
    assert labels == {"n1": "full", "n2": "none", "n3": "partial", "n4": "full"}


@pytest.mark.parametrize("kind", ["parse", "empty", "truncated", "context"])
def test_what_halves_may_mend(bench: Bench, kind: FailureKind) -> None:
    judge = ScriptedJudge(lambda call: failure(kind))
    bench.judge(assign(2), judge)
    assert [len(units) for units in judge.asked] == [2, 1, 1]


@pytest.mark.parametrize("kind", ["refused", "blocked", "parameter", "transport", "offline"])
def test_what_halves_cannot_mend(bench: Bench, kind: FailureKind) -> None:
    judge = ScriptedJudge(lambda call: failure(kind))
    bench.judge(assign(2), judge)
    assert [len(units) for units in judge.asked] == [2]


def test_no_unit_may_cost_more_than_three_asks(bench: Bench) -> None:
    alone, batch = always("no"), always("no")
    bench.judge(relevance(1), alone)
    bench.judge(assign(4), batch)
    assert alone.turns == [3]
    assert batch.turns == [2, 1, 1]


@pytest.mark.parametrize(
    ("unreadable", "remembered"),
    [({4}, True), ({4, 2}, False), (set(), False)],
    ids=["both halves answered", "no half answered", "answered whole"],
)
def test_a_batch_is_remembered_as_halved_once_both_halves_answered(
    bench: Bench, unreadable: set[int], remembered: bool
) -> None:
    judge = ScriptedJudge(lambda call: "no" if len(call.units) in unreadable else all_full(call))
    bench.judge(assign(4), judge)
    assert judge.halved == ([judge.asked[0]] if remembered else [])


def test_a_batch_of_which_one_half_failed_is_not_remembered_as_halved(bench: Bench) -> None:
    def script(call: Call) -> str:
        return "no" if call.units[0].nugget_id == "n1" else all_full(call)

    judge = ScriptedJudge(script)
    bench.judge(assign(4), judge)
    assert len(judge.asked) == 3
    assert judge.halved == []


def test_a_single_unit_is_not_halved(bench: Bench) -> None:
    judge = always("no")
    bench.judge(assign(1), judge)
    assert len(judge.asked) == 1
