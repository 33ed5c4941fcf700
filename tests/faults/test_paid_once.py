"""Equal calls are paid for once, also when they come at the same time; Ctrl-C ends what is paid."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import judge
from tests.faults.obliging import oblige
from tests.faults.server import Response, Script, ScriptedServer, chat

Serve = Callable[[Script], ScriptedServer]
SENTENCES = [{"text": f"Fact number {n}.", "citations": [0]} for n in range(5)]


def slow(request: dict[str, Any], hit: int) -> Response:
    return Response(chat(oblige(request, hit)), delay=0.1)


def write(folder: Path, runs: int) -> dict[str, Any]:
    """The same answer under several run ids."""
    (folder / "topics.jsonl").write_text(json.dumps({"id": "1", "title": "What is it?"}))
    (folder / "corpus.jsonl").write_text(json.dumps({"docid": "d", "text": "It is a thing."}))
    lines = [
        json.dumps({"run_id": f"r{n}", "topic_id": "1", "references": ["d"], "answer": SENTENCES})
        for n in range(runs)
    ]
    (folder / "answers.jsonl").write_text("\n".join(lines))
    return {
        "answers": [str(folder / "answers.jsonl")],
        "corpus": [str(folder / "corpus.jsonl")],
        "cache": folder / "cache",
        "model": "openai/judge",
        "concurrency": 16,
    }


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_equal_calls_in_flight_are_paid_for_once(serve: Serve, tmp_path: Path) -> None:
    server, given = serve(slow), write(tmp_path, runs=4)
    topics = str(tmp_path / "topics.jsonl")
    result = judge.support(topics, out=tmp_path / "run", base_url=server.url, **given)
    assert set(server.hits_by_prompt.values()) == {1}
    assert server.hits == len(SENTENCES)
    tally = result.tallies["support"]
    assert (tally.units, tally.calls, tally.cached, tally.n_failed) == (20, 5, 0, 0)


def test_an_interrupted_run_lets_paid_calls_end(serve: Serve, tmp_path: Path) -> None:
    server, given = serve(slow), write(tmp_path, runs=1)
    topics = str(tmp_path / "topics.jsonl")
    given["concurrency"] = 2

    async def interrupted() -> None:
        work = judge.support_async(topics, out=tmp_path / "run", base_url=server.url, **given)
        running = asyncio.create_task(work)
        await asyncio.to_thread(server.wait_for_hits, 1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(interrupted())
    hits = server.hits
    assert 1 <= hits <= 2
    assert len((tmp_path / "run" / "judgments.jsonl").read_text().splitlines()) == hits
    judge.support(topics, out=tmp_path / "run", base_url=server.url, **given)
    assert server.hits == len(SENTENCES)
