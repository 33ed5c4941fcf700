"""The executor when it is stopped, and what it says of the work: on disk, tallied, shown."""

import asyncio
import json
from pathlib import Path

import pytest

from judge.errors import InputError, StoppedError
from judge.executor import Tally, to_judgments
from judge.llm import CallStoppedError
from judge.runs import RunDirectory
from judge.tasks.relevance import Relevance
from judge.types import Call, Document, Failure, Reply, Verdict
from tests.judging import (
    GRADE,
    TEMPLATES,
    TOPICS,
    Bench,
    ScriptedJudge,
    all_full,
    always,
    assign,
    attempt,
    call_for,
    docid_of,
    document,
    executor_for,
    failure,
    lines_of,
    manifest,
    relevance,
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "run")


# --- stopping ------------------------------------------------------------------------------------


def refuse() -> str:
    raise StoppedError("no credit")


def stopping(at: int) -> ScriptedJudge:
    def script(call: Call) -> str:
        return GRADE if len(judge.asked) < at else refuse()

    judge = ScriptedJudge(script)
    return judge


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_refusing_provider_ends_all_and_what_was_judged_is_kept(
    bench: Bench, concurrency: int
) -> None:
    judge = stopping(at=6)
    with pytest.raises(StoppedError, match="no credit"):
        bench.judge(relevance(50), judge, concurrency=concurrency)
    assert len(judge.asked) <= 6 + concurrency
    judged = bench.judgments()
    assert len(judged) >= 6 - concurrency
    assert all(judgment.status == "ok" for judgment in judged.values())
    again = always()
    bench.judge(relevance(50), again)
    assert set(again.units_asked) == {f"relevance|t1|d{i}" for i in range(50)} - set(judged)


def test_stopping_ends_workers_that_wait(bench: Bench) -> None:
    async def pause(call: Call) -> None:
        await asyncio.sleep(0 if docid_of(call) == "d0" else 3600)

    judge = ScriptedJudge(lambda call: refuse(), pause, under_way=False)
    with pytest.raises(StoppedError):
        bench.judge(relevance(3), judge, concurrency=3)
    assert bench.judgments() == {}


def test_stopping_in_a_half_keeps_the_other_half(bench: Bench) -> None:
    def script(call: Call) -> str:
        if call.units[0].nugget_id == "n3":
            refuse()
        return "no" if len(call.units) == 4 else all_full(call)

    with pytest.raises(StoppedError):
        bench.judge(assign(4), ScriptedJudge(script))
    assert [j.nugget_id for j in bench.judgments().values()] == ["n1", "n2"]
    again = ScriptedJudge(all_full)
    bench.judge(assign(4), again)
    assert again.asked == [["assign|t1|r|n3", "assign|t1|r|n4"]]


def test_attempts_before_a_stop_are_in_the_ledger(bench: Bench) -> None:
    def script(call: Call) -> str:
        spent = attempt(failure="parse", message="no grade", raw="hm")
        raise CallStoppedError("no credit", (spent, attempt(failure="quota", message="", cost=0.0)))

    with pytest.raises(StoppedError):
        bench.judge(relevance(1), ScriptedJudge(script))
    assert [line["failure"] for line in lines_of(bench.path / "ledger.jsonl")] == ["parse", "quota"]


def test_an_unexpected_error_in_reading_leaves_what_was_judged(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Relevance.read

    def broken(task: Relevance, call: Call, text: str) -> dict[str, Verdict]:
        if docid_of(call) == "d3":
            raise ZeroDivisionError
        return read(task, call, text)

    monkeypatch.setattr(Relevance, "read", broken)
    with pytest.raises(ZeroDivisionError):
        bench.judge(relevance(5), always())
    monkeypatch.undo()
    assert [j.docid for j in bench.judgments().values()] == ["d0", "d1", "d2"]
    again = always()
    bench.judge(relevance(5), again)
    assert again.units_asked == ["relevance|t1|d3", "relevance|t1|d4"]


def test_an_error_while_making_calls_leaves_what_was_judged(bench: Bench) -> None:
    def lookup(docid: str) -> Document:
        if docid == "d2":
            raise InputError("two texts")
        return document(docid)

    pairs = [("t1", f"d{i}") for i in range(5)]
    task = Relevance(TEMPLATES["relevance/trec2025"], TOPICS, pairs, lookup)
    with pytest.raises(InputError, match="two texts"):
        bench.judge(task, always())
    assert [j.docid for j in bench.judgments().values()] == ["d0", "d1"]


def test_a_second_interrupt_waits_for_nothing_and_leaves_what_was_judged(bench: Bench) -> None:
    async def interrupted() -> None:
        async def pause(call: Call) -> None:
            if docid_of(call) == "d2":
                running.cancel()
                asyncio.get_running_loop().call_later(0.05, running.cancel)
                await asyncio.sleep(3600)

        with RunDirectory(bench.path, manifest()) as run:
            executor = executor_for(ScriptedJudge(lambda call: GRADE, pause), run)
            running = asyncio.ensure_future(executor.run(relevance(5)))
            await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert [j.docid for j in bench.judgments().values()] == ["d0", "d1"]


# --- what it cost --------------------------------------------------------------------------------


def test_a_tally_adds_up_attempts(bench: Bench) -> None:
    attempts = (
        attempt(failure="parse", message="no", raw="hm"),
        attempt(cached=True, cost=0.0),
        attempt(failure="transport", message="lost", cost=0.0),
    )
    tally = bench.judge(relevance(2), ScriptedJudge(lambda call: failure("transport", *attempts)))
    assert (tally.calls, tally.cached, tally.retries) == (4, 2, 2)
    assert (tally.prompt_tokens, tally.completion_tokens, tally.cost) == (400, 40, 1.0)
    assert len(lines_of(bench.path / "ledger.jsonl")) == 6
    assert len(lines_of(bench.path / "failures.jsonl")) == 4


def test_an_unknown_price_makes_the_cost_unknown(bench: Bench) -> None:
    def script(call: Call) -> Failure:
        return failure("transport", attempt(cost=None if docid_of(call) == "d1" else 1.0))

    assert bench.judge(relevance(3), ScriptedJudge(script)).cost is None


def test_the_price_of_a_batch_that_was_split_counts(bench: Bench) -> None:
    judge = ScriptedJudge(lambda call: "no" if len(call.units) == 4 else all_full(call))
    assert bench.judge(assign(4), judge).cost == 1.5


def test_tallies_add_up() -> None:
    one = Tally("create", units=3, before=1, calls=2, spent=0.5)
    one.failed["parse"] = 1
    other = Tally("create", units=4, left=2, calls=1, spent=0.25)
    other.failed.update(parse=1, empty=1)
    both = one + other
    assert (both.task, both.units, both.before, both.left, both.calls) == ("create", 7, 1, 2, 3)
    assert both.cost == 0.75
    assert both.failed == {"parse": 2, "empty": 1}
    unknown = one + Tally("create", unpriced=1)
    assert (unknown.cost, unknown.spent) == (None, 0.5)
    assert one.failed == {"parse": 1}


def test_a_summary_is_json() -> None:
    tally = Tally("create", units=3)
    tally.failed["parse"] = 1
    data = json.loads(json.dumps(tally.summary()))
    assert data["failed"] == {"parse": 1}
    assert data["units"] == 3


class Watching:
    """A progress display that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def begin(self, task: str, total: int, done: int) -> None:
        self.told.append(("begin", task, total, done))

    def advance(self, units: int, failed: int, cost: float | None) -> None:
        self.told.append(("advance", units, failed, cost))

    def end(self) -> None:
        self.told.append(("end",))


def test_progress_reaches_the_total(tmp_path: Path) -> None:
    watching = Watching()
    bench = Bench(tmp_path / "run", watching)
    bench.judge(relevance(1), always())
    watching.told.clear()
    judge = ScriptedJudge(lambda call: GRADE if docid_of(call) == "d1" else failure("empty"))
    bench.judge(relevance(4, missing=("d3",)), judge)
    assert watching.told == [
        ("begin", "relevance", 4, 1),
        ("advance", 1, 0, 0.5),
        ("advance", 1, 1, 0),
        ("advance", 1, 1, 0.0),
        ("end",),
    ]


def test_progress_of_a_split_batch_counts_each_unit_once(tmp_path: Path) -> None:
    watching = Watching()
    judge = ScriptedJudge(lambda call: "no" if len(call.units) == 4 else all_full(call))
    Bench(tmp_path / "run", watching).judge(assign(4), judge)
    assert [told[1] for told in watching.told if told[0] == "advance"] == [0, 2, 2]


def test_progress_ends_when_judging_stops(tmp_path: Path) -> None:
    watching = Watching()
    with pytest.raises(StoppedError):
        Bench(tmp_path / "run", watching).judge(relevance(2), stopping(at=0))
    assert watching.told == [("begin", "relevance", 2, 0), ("end",)]


# --- from a reply to judgments -------------------------------------------------------------------


def test_a_reply_that_lacks_a_unit_is_never_passed_over() -> None:
    call = next(assign(2).calls(assign(2).units()))
    verdicts = {call.units[0].unit_id: Verdict(label="full")}
    reply = Reply(key="k", model="m", text="", verdicts=verdicts, attempts=())
    with pytest.raises(KeyError):
        to_judgments(call, reply)


@pytest.mark.parametrize("label", [0, "none", ""])
def test_the_lowest_label_is_a_label(label: int | str) -> None:
    call = call_for(relevance(1))
    verdicts = {call.units[0].unit_id: Verdict(label=label)}
    reply = Reply(key="k", model="m", text="", verdicts=verdicts, attempts=())
    (judgment,) = to_judgments(call, reply)
    assert (judgment.label, judgment.status) == (label, "ok")
