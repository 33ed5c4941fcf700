"""alpha_nDCG@20 and StRecall@20 of ten runs of 100 topics x 1000 documents, against pyndeval."""

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyndeval

from judge import retrieving
from scripts.benchmarks._table import report

TOPICS, DOCUMENTS, SUBTOPICS, RUNS = 100, 1000, 20, 10
TIMES = 3
MEASURES = {"alpha_nDCG@20": "alpha-nDCG@20", "StRecall@20": "strec@20"}

Means = dict[str, list[float]]


def generate(folder: Path, *, negatives: bool) -> tuple[Path, list[Path]]:
    """Write qrels of 0 to 5 subtopics a document, the others as 0 if wanted, and runs."""
    chance = random.Random(1)  # noqa: S311
    docids = {t: [_docid(chance) for _ in range(DOCUMENTS)] for t in range(TOPICS)}
    qrels = folder / "qrels.txt"
    with qrels.open("w", encoding="utf-8") as file:
        for topic, listed in docids.items():
            for docid in listed:
                positive = set(
                    chance.sample(range(SUBTOPICS), chance.choice((0, 0, 0, 1, 1, 2, 5)))
                )
                shown = range(SUBTOPICS) if negatives else sorted(positive)
                file.writelines(f"{topic} {s + 1} {docid} {int(s in positive)}\n" for s in shown)
    runs = [folder / f"run{number}.txt" for number in range(RUNS)]
    for path in runs:
        with path.open("w", encoding="utf-8") as file:
            for topic, listed in docids.items():
                for rank, docid in enumerate(chance.sample(listed, DOCUMENTS), start=1):
                    file.write(f"{topic} Q0 {docid} {rank} {1 / rank:.9f} {path.stem}\n")
    return qrels, runs


def _docid(chance: random.Random) -> str:
    shard, offset = chance.randrange(60), chance.randrange(10**9)
    return f"msmarco_v2.1_doc_{shard:02}_{offset}#{chance.randrange(20)}_{chance.randrange(10**9)}"


def ours(qrels: Path, runs: list[Path]) -> Means:
    """The means of each measure by rag-judge, with standard errors and intervals beside them."""
    scores = retrieving.evaluate(qrels, list(runs), measures=" ".join(MEASURES))
    means: Means = {measure: [] for measure in MEASURES}
    for score in scores:
        if score.topic_id == "all" and score.value is not None:
            means[score.measure].append(score.value)
    return means


def theirs(qrels: Path, runs: list[Path]) -> Means:
    """The same means as a script has them from pyndeval."""
    evaluator = pyndeval.RelevanceEvaluator(list(_qrels(qrels)), MEASURES.values())
    means: Means = {measure: [] for measure in MEASURES}
    for path in runs:
        values = evaluator.evaluate(_run(path)).values()
        for measure, name in MEASURES.items():
            means[measure].append(sum(value[name] for value in values) / len(values))
    return means


def _qrels(path: Path) -> Iterator[tuple[str, str, str, int]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            topic, subtopic, docid, grade = line.split()
            yield topic, subtopic, docid, int(grade)


def _run(path: Path) -> Iterator[tuple[str, str, float]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            topic, _, docid, _, score, _ = line.split()
            yield topic, docid, float(score)


def seconds(work: Callable[[Path, list[Path]], Means], *files: object) -> tuple[float, Means]:
    """The seconds of processor time that `work` takes, and what it returns."""
    start = time.process_time()
    means = work(*files)  # type: ignore[arg-type]
    return time.process_time() - start, means


def main() -> None:
    """Measure both in turn, three times, on both kinds of qrels."""
    rows = []
    for name, negatives in (("positive rows alone", False), ("all rows", True)):
        with tempfile.TemporaryDirectory() as folder:
            files = generate(Path(folder), negatives=negatives)
            n_rows = sum(1 for _ in files[0].open(encoding="utf-8"))
            times: list[tuple[float, float]] = []
            for _ in range(TIMES):
                (mine, ours_), (other, theirs_) = seconds(ours, *files), seconds(theirs, *files)
                worst = max(
                    abs(a - b) for m in MEASURES for a, b in zip(ours_[m], theirs_[m], strict=True)
                )
                times.append((mine, other))
        ratio = statistics.median(mine / other for mine, other in times)
        medians = [f"{statistics.median(column):.2f} s" for column in zip(*times, strict=True)]
        rows.append([f"{name}, {n_rows:,}", *medians, f"{ratio:.2f}", f"{worst:.0e}"])
    note = (
        f"{RUNS} runs of {TOPICS} topics x {DOCUMENTS} documents, {SUBTOPICS} subtopics a topic; "
        "files parsed on both sides; processor time, ratio in one process, median of "
        f"{TIMES}; the last column is the greatest difference between two means."
    )
    header = ["qrels", "rag-judge", "pyndeval", "ratio", "difference"]
    report("metrics", header, rows, note)


if __name__ == "__main__":
    main()
