"""Thousands of units, one in ten of them failing: memory stays flat."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import judge
from judge.llm import Completion, Identity, Provider, Request

UNITS, EACH = 20_000, 5
CEILING = 32 * 2**20
"""Bytes that the resident set may grow by; the prompts alone are more."""


class Fast:
    """Stands in for a provider; of every ten sentences one gets nonsense."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity

    async def ready(self) -> None:
        """There is nothing to make."""

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        del timeout
        failing = "0 bees cluster.\n</sentence>" in request.messages[-1].content
        return Completion(text="Hm." if failing else "label: full", model="fast")

    async def aclose(self) -> None:
        """There is nothing to close."""


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def world(folder: Path, units: int) -> None:
    """One answer a topic, its sentences numbered through, each citing a passage of 6 kB."""
    topics: list[dict[str, Any]] = []
    answers: list[dict[str, Any]] = []
    for number in range(units // EACH):
        topics.append({"id": f"t{number}", "title": "Bees", "narrative": "Bees?"})
        numbers = range(number * EACH, (number + 1) * EACH)
        said = [{"text": f"{n} bees cluster.", "citations": [0]} for n in numbers]
        head = {"team_id": "x", "run_id": "r", "type": "automatic", "narrative": "Bees?"}
        metadata = {**head, "narrative_id": f"t{number}"}
        answers.append({"metadata": metadata, "references": ["d"], "answer": said})
    document = {"docid": "d", "text": "Bees cluster in winter. " * 250}
    files = {"topics.jsonl": topics, "answers.jsonl": answers, "corpus.jsonl": [document]}
    for name, rows in files.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / name).write_text(lines, encoding="utf-8")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
def test_memory_stays_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(model: str, base_url: str | None, *, parallel: int | None) -> Provider:
        return Fast(Identity(kind="openai", base_url=base_url, model=model))

    monkeypatch.setattr("judge.clients.open_provider", opened)
    world(tmp_path, UNITS)
    grown = 0
    for out, limit in (("first", 200), ("whole", None)):
        before = resident()
        result = judge.support(
            str(tmp_path / "topics.jsonl"),
            answers=[str(tmp_path / "answers.jsonl")],
            corpus=[str(tmp_path / "corpus.jsonl")],
            out=tmp_path / out,
            model="openai/fast",
            base_url="http://localhost:1/v1",
            cache=tmp_path / f"cache-{out}",
            concurrency=32,
            limit=limit,
        )
        grown = resident() - before
    tally = result.tallies["support"]
    assert tally.units == UNITS
    assert tally.failed == {"parse": UNITS // 10}
    assert tally.calls == UNITS + 2 * UNITS // 10
    assert grown < CEILING
