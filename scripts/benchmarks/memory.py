"""Peak memory of judging from the store, of scoring and of agreement, as units grow."""

import argparse
import multiprocessing
import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from judge.llm.replies import Replies, tag_of
from judge.llm.turns import first_request
from judge.types import (
    SUPPORTS,
    Call,
    CitationLabel,
    Qrel,
    Support,
    SupportedAnswer,
    SupportedSentence,
)
from judge_cache import open_store
from scripts.benchmarks._table import report
from scripts.benchmarks.replay import (
    IDENTITY,
    SETTINGS,
    TEMPLATE,
    Share,
    answer,
    peak,
    replay,
)

TOPICS, SENTENCES, CITATIONS = 100, 5, 2
"""Topics of what is scored; an answer has so many sentences, and these so many citations each."""

GRADES = 5


class Work(NamedTuple):
    """What is measured: files are written by one process, and read by another one."""

    write: Callable[[Path, int], None]
    read: Callable[[Path, int], None]


def write_store(folder: Path, units: int) -> None:
    """Store a reply to every unit."""
    task = Share(0, units, units).task()
    with open_store(folder / "store") as store:
        replies = Replies(store)
        for number, call in enumerate(task.calls(task.units())):
            if not isinstance(call, Call):
                raise TypeError("every document is there")
            request = first_request(call, IDENTITY, SETTINGS)
            replies.keep(request, answer(number), before=(), tag=tag_of(IDENTITY, TEMPLATE))


def judge_stored(folder: Path, units: int) -> None:
    """Judge every unit from the store."""
    replay(folder, Share(0, units, units), "run")


def write_support_labels(folder: Path, units: int) -> None:
    """Write the support labels of as many citations, every system answering every topic."""
    from judge.formats.support import write_support

    chance = random.Random(units)  # noqa: S311
    answers = units // (SENTENCES * CITATIONS)
    write_support(
        folder / "support.jsonl",
        (_supported(n // TOPICS, n % TOPICS, chance) for n in range(answers)),
    )


def _supported(system: int, topic: int, chance: random.Random) -> SupportedAnswer:
    sentences = tuple(
        SupportedSentence(
            text=f"Sentence {n} of what system {system} says of topic {topic}.",
            citations=tuple(_citation(chance) for _ in range(CITATIONS)),
        )
        for n in range(SENTENCES)
    )
    return SupportedAnswer(run_id=f"system{system}", topic_id=f"t{topic}", sentences=sentences)


def _citation(chance: random.Random) -> CitationLabel:
    docid = f"msmarco_v2.1_doc_{chance.randrange(60):02}_{chance.randrange(10**9)}"
    label: Support = chance.choice(SUPPORTS)
    return CitationLabel(mention=docid, docid=docid, status="ok", label=label)


def score_labels(folder: Path, units: int) -> None:
    """Score all systems."""
    from judge.scoring import compute, read_labels

    del units
    compute(read_labels(support=[folder / "support.jsonl"], keep=False))


def write_two_qrels(folder: Path, units: int) -> None:
    """Write two graders' qrels of as many pairs."""
    from judge.formats.qrels import write_qrels

    chance = random.Random(units)  # noqa: S311
    docids = [f"msmarco_v2.1_doc_{n % 60:02}_{chance.randrange(10**9)}" for n in range(units)]
    for name in ("human", "judge"):
        rows = (
            Qrel(f"t{n * TOPICS // units}", docid, chance.randrange(GRADES))
            for n, docid in enumerate(docids)
        )
        write_qrels(folder / name, rows)


def compare_qrels(folder: Path, units: int) -> None:
    """Compare both graders."""
    from judge.agreeing.agree import agree

    if agree([str(folder / "human")], [str(folder / "judge")]).summary.n != units:
        raise RuntimeError("a pair was not compared")


WORKS = {
    "judging from the store": Work(write_store, judge_stored),
    "scoring support labels": Work(write_support_labels, score_labels),
    "agreement of two qrels": Work(write_two_qrels, compare_qrels),
}


def _then_peak(act: Callable[[Path, int], None], folder: Path, units: int) -> float:
    act(folder, units)
    return peak()


def measured(work: Work, units: int) -> float:
    """The most memory that the process which reads has had, in MB."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for act in work:
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                most = process.submit(_then_peak, act, folder, units).result()
    return most


def main() -> None:
    """Measure each work at each size; what a unit takes is told by the two largest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--only", help="a word of the work to measure alone")
    parser.add_argument("--record", action="store_true", help="keep the table")
    options = parser.parse_args()
    sizes: list[int] = sorted(options.units)
    rows = []
    for name, work in WORKS.items():
        if options.only is None or options.only in name:
            peaks = [measured(work, units) for units in sizes]
            rows.append((name, *(f"{most:.0f} MB" for most in peaks), _each(sizes, peaks)))
    note = (
        "Peak resident memory of a process, its imports included; what a unit takes is the growth "
        f"from the size before to the largest. Support labels are of {TOPICS} topics, "
        f"{SENTENCES * CITATIONS} an answer; qrels of as many topics, both sides grading each pair."
    )
    report("memory", ("what", *(f"{units:,} units" for units in sizes), "a unit"), rows, note)


def _each(sizes: list[int], peaks: list[float]) -> str:
    if len(sizes) < 2:
        return "–"
    return f"{(peaks[-1] - peaks[-2]) * 2**20 / (sizes[-1] - sizes[-2]):.0f} bytes"


if __name__ == "__main__":
    main()
