"""Finding documents by docid in a large JSONL file, against a dict of the whole file."""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scripts.benchmarks._table import report

WAYS = {
    "none": "nothing opened",
    "dict": "dict of all documents",
    "made": "JsonlCorpus, index made",
    "kept": "JsonlCorpus, index kept",
}
WORDS = 100


def docid(number: int) -> str:
    """A docid as long as those of MS MARCO v2.1."""
    return f"collection_v2.1_doc_{number % 60:02}_{number * 3571}#{number % 9}_{number * 7919}"


def generate(path: Path, documents: int) -> None:
    """Write documents of 100 words."""
    chance = random.Random(7)  # noqa: S311
    words = [f"w{number:05}" for number in range(20_000)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(documents):
            text = " ".join(chance.choices(words, k=WORDS))
            row = {"docid": docid(number), "title": words[number % 20_000], "segment": text}
            file.write(json.dumps(row) + "\n")


def open_as(way: str, path: Path) -> Callable[[str], object]:
    """Open the file in one of `WAYS`; the function returned finds a document."""
    from judge.corpora import JsonlCorpus

    if way in ("made", "kept"):
        return JsonlCorpus(path).get
    documents: dict[str, object] = {}
    if way == "dict":
        with path.open(encoding="utf-8") as file:
            documents = {row["docid"]: row for row in map(json.loads, file)}
    return lambda docid: documents.get(docid)


def measure(way: str, path: Path, documents: int, lookups: int) -> None:
    """Open the file and find documents, in a process of its own; prints what it took."""
    numbers = random.Random(11).choices(range(documents), k=lookups)  # noqa: S311
    start = time.perf_counter()
    get = open_as(way, path)
    opened = time.perf_counter()
    found = sum(get(docid(number)) is not None for number in numbers)
    seconds = time.perf_counter() - opened
    if way != "none" and found != lookups:
        sys.exit(f"{way}: {found} of {lookups} documents found")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"open": opened - start, "rate": lookups / seconds, "peak": peak}))


def measured(way: str, path: Path, given: argparse.Namespace) -> dict[str, float]:
    """Medians of three processes that do `measure`."""
    command = [
        sys.executable,
        "-m",
        "scripts.benchmarks.corpora",
        "--way",
        way,
        "--file",
        str(path),
    ]
    sizes = [f"--documents={given.documents}", f"--lookups={given.lookups}"]
    runs = []
    for _ in range(3):
        if way == "made":
            for index in Path(os.environ["RAG_JUDGE_INDEXES"]).glob("*.offsets"):
                index.unlink()
        done = subprocess.run([*command, *sizes], check=True, stdout=subprocess.PIPE)  # noqa: S603
        runs.append(json.loads(done.stdout))
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def main() -> None:
    """Measure every way, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--lookups", type=int, default=10_000)
    parser.add_argument("--way", choices=list(WAYS), help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--record", action="store_true", help="keep the table")
    given = parser.parse_args()
    if given.way:
        measure(given.way, given.file, given.documents, given.lookups)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "documents.jsonl"
        os.environ["RAG_JUDGE_INDEXES"] = folder
        generate(path, given.documents)
        size = path.stat().st_size / 1e6
        results = {way: measured(way, path, given) for way in WAYS}
    rows = [
        [
            WAYS[way],
            f"{result['open']:.2f}" if way != "none" else "",
            f"{result['rate']:,.0f}" if way != "none" else "",
            f"{result['peak']:.0f}",
        ]
        for way, result in results.items()
    ]
    report(
        "corpora",
        ["", "opening, s", "documents found a second", "peak memory, MB"],
        rows,
        f"{given.lookups:,} random docids in a JSONL file of {given.documents:,} documents "
        f"({size:,.0f} MB, in the page cache); each cell is the median of three processes. "
        "The dict gives parsed JSON as it is, a corpus a checked `Document`.",
    )


if __name__ == "__main__":
    main()
