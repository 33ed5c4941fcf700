"""Runs that are killed, interrupted, or fail in the middle, and are then taken up again."""

import random
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import judge
from judge.errors import InputError
from judge.tasks.relevance import Relevance
from judge.types import Call, Verdict
from tests.faults.commands import (
    CALLS,
    MARKED,
    UNITS,
    Desk,
    Done,
    Serve,
    contents,
    desk,
    ended,
    interrupt_twice,
    judgments,
    key_of_body,
    known,
    labels,
    until,
)
from tests.faults.server import HANG, Action

ALL = sum(CALLS.values())


class Gate:
    """Answers `open_for` requests as `known` does; later ones wait for an answer in vain."""

    def __init__(self) -> None:
        self.open_for = 0
        self.answered = 0
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any], hit: int) -> str | Action:
        with self._lock:
            if self.answered >= self.open_for:
                return HANG
            self.answered += 1
        return known(request, hit)


def stop(at: Desk, gate: Gate, words: tuple[object, ...], answers: int, how: int) -> Done:
    """Start a run, let it have `answers` in all, and send it a signal while it waits for more."""
    gate.open_for = answers
    hits = at.server.hits
    process = at.start(*words)
    until(process, lambda: gate.answered >= answers and at.server.hits > hits)
    until(process, lambda: at.server.hits > answers)
    if how == signal.SIGINT:
        interrupt_twice(process)
    else:
        process.send_signal(how)
    return ended(process)


def hits_by_key(at: Desk) -> Counter[str]:
    """How often each request came in, under the key of its reply."""
    return Counter(key_of_body(at.server, body) for body in list(at.server.requests))


def keys(run: Path) -> set[str]:
    """The keys of all replies that judgments of a run rest on."""
    return {line["key"] for line in judgments(run)}


def undisturbed(at: Desk) -> Path:
    """The run directory of the same assessment, with a reply store of its own."""
    out = at.home / "undisturbed"
    judge.assess(
        at.config(),
        out=out,
        model="openai/judge",
        base_url=at.server.url,
        cache=at.home / "undisturbed-cache",
    )
    return out


@pytest.mark.parametrize("concurrency", [1, 32])
def test_a_run_killed_twice_pays_only_for_calls_in_flight_again(
    tmp_path: Path, serve: Serve, concurrency: int
) -> None:
    gate = Gate()
    at = desk(tmp_path, serve(gate))
    words = ("assess", at.config(), *at.model, "--out", "run", "--concurrency", concurrency)
    chosen = random.Random(concurrency)
    kept: dict[str, int | str] = {}
    paid: Counter[str] = Counter()
    for answers in (chosen.randrange(45), chosen.randrange(46, 80)):
        assert stop(at, gate, words, answers, signal.SIGKILL).code == -signal.SIGKILL
        found = labels(at.home / "run")
        assert found.items() >= kept.items()
        kept = found
        hits = hits_by_key(at)
        paid.update({key: hits[key] for key in keys(at.home / "run") - set(paid)})
    assert paid

    gate.open_for = 10**6
    done = at.run(*words, "--json")
    hits = hits_by_key(at)
    assert done.code == 0
    assert sum(tally["before"] for tally in done.json["tasks"].values()) == len(kept)
    assert len(hits) == ALL
    assert max(hits.values()) <= 3
    assert sum(hits.values()) <= ALL + 2 * concurrency
    assert {key: hits[key] for key in paid} == paid
    assert len(labels(at.home / "run")) == sum(UNITS.values())
    whole = undisturbed(at)
    assert labels(at.home / "run") == labels(whole)
    assert contents(at.home / "run", *MARKED) == contents(whole, *MARKED)


def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(tmp_path: Path, serve: Serve) -> None:
    gate = Gate()
    at = desk(tmp_path, serve(gate))
    words = ("assess", at.config(), *at.model, "--out", "run", "--concurrency", 8)
    done = stop(at, gate, words, 30, signal.SIGINT)
    assert done.code == 130
    assert "calls in flight are let end; Ctrl-C again stops at once" in done.err
    assert "interrupted; the same command goes on where it stopped" in done.err
    assert "Traceback" not in done.err
    assert done.out == ""
    before = labels(at.home / "run")
    assert 0 < len(before) <= 30

    gate.open_for = 10**6
    again = at.run(*words, "--json")
    assert again.code == 0
    assert again.json["tasks"]["relevance"]["before"] == len(before)
    hits = hits_by_key(at)
    assert max(hits.values()) <= 2
    assert sum(hits.values()) <= ALL + 8
    assert len(labels(at.home / "run")) == sum(UNITS.values())


def test_an_exception_in_the_middle_loses_only_calls_in_flight(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = desk(tmp_path, serve(known))
    config = at.config()
    choices: dict[str, Any] = {
        "out": tmp_path / "run",
        "model": "openai/judge",
        "base_url": at.server.url,
        "cache": tmp_path / "cache",
        "concurrency": 4,
        "only": ("relevance",),
    }
    read, count = Relevance.read, Counter[str]()

    def broken(self: Relevance, call: Call, text: str) -> dict[str, Verdict]:
        count["read"] += 1
        if count["read"] == 20:
            raise ZeroDivisionError("a bug in a task")
        return read(self, call, text)

    with monkeypatch.context() as patched:
        patched.setattr(Relevance, "read", broken)
        with pytest.raises(ZeroDivisionError, match="a bug in a task"):
            judge.assess(config, **choices)
    before, hits = labels(tmp_path / "run"), at.server.hits
    assert 19 <= len(before) <= 19 + 4
    assert hits <= len(before) + 2 * 4

    result = judge.assess(config, **choices)
    assert result.tallies["relevance"].before == len(before)
    assert len(labels(tmp_path / "run")) == UNITS["relevance"]
    assert max(at.server.hits_by_prompt.values()) <= 2
    assert at.server.hits <= UNITS["relevance"] + 2 * 4


def cut(path: Path, start: int, end: int | None) -> None:
    """Take the bytes from `start` to `end` out of a file."""
    data = path.read_bytes()
    path.write_bytes(data[:start] + (b"" if end is None else data[end:]))


def test_half_a_last_line_is_dropped_and_its_unit_answered_from_the_store(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(known))
    assert at.support("--out", "run").code == 0
    files = [at.home / "run" / f for f in ("judgments.jsonl", "ledger.jsonl")]
    whole = labels(at.home / "run")
    for path in files:
        cut(path, path.stat().st_size - 30, None)
    again = at.support("--out", "run", "--json")
    assert again.code == 0
    tally = again.json["tasks"]["support"]
    assert (tally["before"], tally["cached"], tally["calls"]) == (4, 1, 0)
    assert labels(at.home / "run") == whole
    assert at.server.hits == 5


def test_a_line_broken_in_the_middle_is_named_and_nothing_asked(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(known))
    assert at.support("--out", "run").code == 0
    path = at.home / "run" / "judgments.jsonl"
    second = path.read_bytes().index(b"\n") + 1
    cut(path, second + 40, second + 60)
    damaged = path.read_bytes()
    again = at.support("--out", "run")
    assert again.code == 2
    assert "run/judgments.jsonl:2: not a judgment" in again.told
    assert "Traceback" not in again.err
    assert path.read_bytes() == damaged
    assert at.server.hits == 5
    with pytest.raises(InputError, match=r"judgments\.jsonl:2"):
        judge.support(
            str(at.support_words()[1]),
            answers=[str(at.support_words()[3])],
            out=at.home / "run",
            model="openai/judge",
            base_url=at.server.url,
            cache=tmp_path / "cache",
        )
