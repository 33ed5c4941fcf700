"""Calls that are saved because equal ones are asked once: what `plan` tells, and HTTP requests.

Each task is planned, then judged through a server on 127.0.0.1 that counts requests, then judged
again into a run directory of its own, which the store alone answers.
"""

import argparse
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import assign_nuggets, relevance, support
from judge.formats.answers import read_answers
from judge.formats.qrels import write_qrels
from judge.formats.runs import read_run
from judge.planning import Asked
from judge.types import Answer, Qrel
from judge.verbs import Result
from scripts.benchmarks._table import report
from scripts.benchmarks.replay import text, topic
from tests.faults.obliging import oblige
from tests.faults.server import ScriptedServer

RAG24 = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "rag24"
DEPTH = 20
"""How far down a run is pooled; every system also answers from these passages."""

PASSAGE, SENTENCE = 8, 1
"""Sentences of a passage, and of a sentence that a system writes itself."""


@dataclass(frozen=True)
class Size:
    """A world of systems that is made up.

    Attributes:
        systems: each with a run and an answer to each topic.
        topics: how many there are.
        passages: relevant to a topic at all; systems find the same ones first.
        sentences: of an answer.
        nuggets: of a topic.
        quoting: the share of sentences that are taken from the passage they cite.
        resubmitting: every so manieth system hands in the answers of the one before it, but for
            half of the topics.
    """

    systems: int = 20
    topics: int = 10
    passages: int = 120
    sentences: int = 8
    nuggets: int = 15
    quoting: float = 0.15
    resubmitting: int = 5


@dataclass(frozen=True)
class World:
    """The files of what is judged; without runs the cited documents are graded."""

    name: str
    topics: Path
    corpus: Path
    answers: Path
    runs: tuple[Path, ...] = ()
    nuggets: Path | None = None


@dataclass(frozen=True)
class Row:
    """What one task came to.

    Attributes:
        task: its name.
        wanted: labels that systems need, each for itself: a document for each run that found it.
        units: that are judged.
        asked: the plan.
        hits: HTTP requests.
        hits_again: the same, judged again into another run directory.
    """

    task: str
    wanted: int
    units: int
    asked: Asked
    hits: int
    hits_again: int

    @property
    def calls(self) -> int:
        """Calls if every unit, or batch of them, were asked for itself."""
        return (self.asked.paid + self.asked.saved).number


# --- worlds ------------------------------------------------------------------------------------


def made_up(folder: Path, size: Size, seed: int = 20260701) -> World:
    """Write a world of systems that find the same passages, and partly write the same."""
    drawn = random.Random(seed)  # noqa: S311
    ids = [f"t{number}" for number in range(size.topics)]
    found = {(s, t): _ranking(drawn, t, size) for s in range(size.systems) for t in ids}
    _write(folder / "topics.jsonl", (_topic(number) for number in range(size.topics)))
    every = sorted({docid for docids in found.values() for docid in docids})
    _write(folder / "corpus.jsonl", ({"docid": d, "text": text(d, PASSAGE)} for d in every))
    _write(folder / "answers.jsonl", _answers(drawn, found, ids, size))
    _write(folder / "nuggets.jsonl", (_nuggets(t, size.nuggets) for t in ids))
    runs = tuple(folder / f"run.s{system}.txt" for system in range(size.systems))
    for system, path in enumerate(runs):
        path.write_text("".join(_run(system, {t: found[system, t] for t in ids})))
    names = ("topics.jsonl", "corpus.jsonl", "answers.jsonl")
    topics, corpus, answers = (folder / name for name in names)
    return World("made up", topics, corpus, answers, runs, folder / "nuggets.jsonl")


def rag24(folder: Path) -> World:
    """The answers of a system of TREC RAG 2024; the passages they cite are made up."""
    answers = RAG24 / "answers.gpt-4o.jsonl"
    cited = {docid for answer in read_answers(answers) for docid in _cited(answer)}
    corpus = folder / "rag24.jsonl"
    _write(corpus, ({"docid": d, "text": text(d, PASSAGE)} for d in sorted(cited)))
    return World("rag24, one system", RAG24 / "topics.tsv", corpus, answers)


def _ranking(drawn: random.Random, topic_id: str, size: Size) -> list[str]:
    """The first documents of a system: those that suit a topic well come early with most."""
    suits = {f"{topic_id}-d{n}": 1 / (n + 5) for n in range(size.passages)}
    noise = {docid: drawn.random() ** (1 / suit) for docid, suit in suits.items()}
    return sorted(noise, key=lambda docid: -noise[docid])[:DEPTH]


def _answers(
    drawn: random.Random, found: dict[tuple[int, str], list[str]], ids: list[str], size: Size
) -> Iterator[dict[str, Any]]:
    before: dict[str, dict[str, Any]] = {}
    for system in range(size.systems):
        again = system % size.resubmitting == size.resubmitting - 1
        for place, topic_id in enumerate(ids):
            answer = _answer(drawn, f"s{system}", topic_id, found[system, topic_id], size)
            if again and place % 2 == 0:
                answer = {**before[topic_id], "run_id": f"s{system}"}
            before[topic_id] = answer
            yield answer


def _answer(
    drawn: random.Random, run_id: str, topic_id: str, docids: list[str], size: Size
) -> dict[str, Any]:
    sentences = []
    for number in range(size.sentences):
        cited = drawn.sample(range(len(docids)), drawn.choice((1, 1, 2)))
        said = text(f"{run_id} {topic_id} {number}", SENTENCE)
        if drawn.random() < size.quoting:
            said = drawn.choice(text(docids[cited[0]], PASSAGE).split(". ")).rstrip(".") + "."
        sentences.append({"text": said, "citations": cited})
    return {"run_id": run_id, "topic_id": topic_id, "references": docids, "answer": sentences}


def _topic(number: int) -> dict[str, Any]:
    made = topic(number)
    return {"id": made.topic_id, "title": made.topic_id, "narrative": made.narrative}


def _nuggets(topic_id: str, count: int) -> dict[str, Any]:
    texts = [text(f"{topic_id} nugget {n}", 1) for n in range(count)]
    return {"qid": topic_id, "nuggets": [{"text": t, "importance": "vital"} for t in texts]}


def _run(system: int, ranked: dict[str, list[str]]) -> Iterator[str]:
    for topic_id, docids in ranked.items():
        for rank, docid in enumerate(docids, start=1):
            yield f"{topic_id} Q0 {docid} {rank} {1 / rank:.4f} s{system}\n"


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _cited(answer: Answer) -> list[str]:
    """The docid of every citation of an answer."""
    citations = (c for sentence in answer.sentences for c in sentence.citations)
    return [citation.docid for citation in citations if citation.docid is not None]


# --- measuring ---------------------------------------------------------------------------------


class Bench:
    """Judges one world in `folder` through `server`, task by task."""

    def __init__(self, world: World, folder: Path, server: ScriptedServer, **settings: Any) -> None:
        self._world, self._folder, self._server = world, folder, server
        self._answers = list(read_answers(world.answers))
        self._given: dict[str, Any] = {
            "model": "openai/judge",
            "base_url": server.url,
            "cache": folder / "cache",
            **settings,
        }

    def rows(self) -> Iterator[Row]:
        """What every task came to."""
        world = self._world
        corpus, answers = [str(world.corpus)], [str(world.answers)]
        runs = [str(path) for path in world.runs]
        if runs:
            pooled: dict[str, Any] = {"pool": runs, "depth": DEPTH}
            wanted = sum(len(read_run(path)) for path in world.runs)
        else:
            pooled = {"pairs": str(self._pairs())}
            wanted = sum(map(len, map(_cited, self._answers)))
        yield self._row("relevance", relevance, wanted, **pooled, corpus=corpus)
        if world.nuggets is not None:
            given = {"nuggets": str(world.nuggets), "answers": answers}
            yield self._row("assign", assign_nuggets, None, **given)
        given = {"answers": answers, "corpus": corpus, "citations": "all"}
        yield self._row("support", support, None, **given)

    def _row(
        self, task: str, verb: Callable[..., Result], wanted: int | None, **choices: Any
    ) -> Row:
        def judged(name: str, **more: Any) -> tuple[Result, int]:
            before = self._server.hits
            out = self._folder / f"{task}-{name}"
            result = verb(str(self._world.topics), out=out, **choices, **self._given, **more)
            return result, self._server.hits - before

        planned, _ = judged("planned", plan=True)
        if planned.plan is None:
            raise RuntimeError("a plan was asked for")
        result, hits = judged("first")
        _, again = judged("again")
        units = result.tallies[task].units
        asked = planned.plan.tasks[task]
        return Row(task, units if wanted is None else wanted, units, asked, hits, again)

    def _pairs(self) -> Path:
        """The documents that answers cite, as the pairs to grade."""
        pairs = {(a.topic_id, docid): None for a in self._answers for docid in _cited(a)}
        path = self._folder / "pairs.txt"
        write_qrels(path, [Qrel(topic_id, docid, 0) for topic_id, docid in pairs])
        return path


def measured(
    world: World, folder: Path, concurrency: int, **settings: Any
) -> tuple[list[Row], ScriptedServer]:
    """Every task of a world, and the server that was asked."""
    os.environ.setdefault("OPENAI_API_KEY", "sk-of-the-benchmark")
    folder.mkdir(parents=True, exist_ok=True)
    with ScriptedServer(oblige) as server:
        return list(
            Bench(world, folder, server, concurrency=concurrency, **settings).rows()
        ), server


def _cells(world: World, row: Row) -> Sequence[object]:
    saved = row.asked.saved
    return (
        world.name,
        row.task,
        f"{row.wanted:,}",
        f"{row.units:,}",
        f"{row.calls:,}",
        f"{row.asked.equal.number:,}",
        f"{row.asked.paid.number:,}",
        f"{row.hits:,}",
        f"{row.hits_again:,}",
        f"{saved.prompt_tokens + saved.reply_tokens:,}",
    )


def main() -> None:
    """Measure both worlds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--record", action="store_true", help="keep the table")
    concurrency, size = parser.parse_args().concurrency, Size()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        worlds = [made_up(folder, size)]
        if RAG24.is_dir():
            worlds.append(rag24(folder))
        else:
            print("rag24: left out, as ../shared/data/rag24 is absent")
        cells = [
            _cells(world, row)
            for number, world in enumerate(worlds)
            for row in measured(world, folder / str(number), concurrency)[0]
        ]
    header = (
        "collection",
        "task",
        "labels wanted",
        "units",
        "calls, one by one",
        "equal to another",
        "calls planned",
        "HTTP requests",
        "judged again",
        "tokens saved at most",
    )
    note = (
        f"Made up with a fixed seed: {size.systems} systems, {size.topics} topics, runs pooled to "
        f"{DEPTH}, {size.nuggets} nuggets a topic, {size.sentences} sentences an answer, "
        f"{size.quoting:.0%} of them quoted from the passage they cite, every "
        f"{size.resubmitting}th system half a resubmission. rag24: the citations of 60 answers, "
        "with passages that are made up. A label wanted is one for each run that found a document "
        "or for each citation; a call one by one is that of a unit, or of a batch of nuggets. "
        f"{concurrency} calls in flight. The last column is what the plan says of calls alone; "
        "pairs that are pooled are no calls."
    )
    report("same_work", header, cells, note)


if __name__ == "__main__":
    main()
