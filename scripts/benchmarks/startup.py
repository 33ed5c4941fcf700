"""How long commands that ask no model take to start, against a bare Typer app; what they import."""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts.benchmarks._table import report

BARE = """
import typer

app = typer.Typer()


@app.command()
def first(number: int = 1) -> None:
    "One command."


@app.command()
def second(name: str = "x") -> None:
    "Another one."


app()
"""
WATCHED = (
    "openai", "litellm", "pandas", "matplotlib", "xllamacpp", "numpy", "scipy", "pydantic",
    "jinja2", "diskcache", "aiohttp", "httpx",
)  # fmt: skip
PROBE = """
import atexit, runpy, sys
watched = {watched!r}
atexit.register(lambda: print(*[m for m in watched if m in sys.modules], file=sys.stderr))
sys.argv = {words!r}
runpy.run_path(sys.argv[0], run_name="__main__")
"""
TIMES = 9
RAG_JUDGE = str(Path(sys.executable).with_name("rag-judge"))
RETRIEVED = ["t1 Q0 d1 1 3 sparse", "t1 Q0 d2 2 2 sparse", "t2 Q0 d1 1 3 sparse"]
JUDGED = ["t1 0 d1 2", "t1 0 d2 0", "t2 0 d1 1"]


def commands(folder: Path) -> dict[str, list[str]]:
    """What is measured, on small files that are written to `folder`; the bare app first."""
    bare, run, qrels, ranking = (folder / name for name in ("bare.py", "run", "qrels", "ranking"))
    bare.write_text(BARE, encoding="utf-8")
    qrels.write_text("\n".join(JUDGED) + "\n", encoding="utf-8")
    ranking.write_text("\n".join(RETRIEVED) + "\n", encoding="utf-8")
    replay = [RAG_JUDGE, "demo", "--replay", "--out", str(run)]
    subprocess.run(replay, check=True, capture_output=True)  # noqa: S603
    return {
        "bare app --help": [str(bare), "--help"],
        "--help": [RAG_JUDGE, "--help"],
        "score": [RAG_JUDGE, "score", str(run)],
        "score --json": [RAG_JUDGE, "score", str(run), "--json"],
        "agree": [RAG_JUDGE, "agree", "--human", str(run), "--judge", str(run), "--kind", "assign"],
        "retrieval": [RAG_JUDGE, "retrieval", "--qrels", str(qrels), "--run", str(ranking)],
    }


def seconds(words: list[str]) -> float:
    """How long a process takes."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)  # noqa: S603
    return time.perf_counter() - start


def imported(words: list[str]) -> str:
    """Which of the watched packages the process imports."""
    code = PROBE.format(watched=WATCHED, words=words)
    probe = [sys.executable, "-c", code]
    done = subprocess.run(probe, check=True, capture_output=True, text=True)  # noqa: S603
    return ", ".join(done.stderr.splitlines()[-1].split()) or "none"


def main() -> None:
    """Start each command in turn, so often, and report medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="keep the table")
    parser.parse_args()
    os.environ.setdefault("COLUMNS", "160")
    with tempfile.TemporaryDirectory() as name:
        measured = commands(Path(name))
        took: dict[str, list[float]] = {what: [] for what in measured}
        for _ in range(TIMES + 1):  # the first fills the caches of the system
            for what, words in measured.items():
                took[what].append(seconds(words))
        packages = {what: imported(words) for what, words in measured.items()}
    medians = {what: statistics.median(times[1:]) for what, times in took.items()}
    bare = medians["bare app --help"]
    rows = [
        (what, f"{median:.2f} s", f"{median / bare:.2f}", packages[what])
        for what, median in medians.items()
    ]
    note = (
        f"Whole processes, taken in turns; medians of {TIMES}. The bare app is one of Typer with "
        "two commands; score and agree are on the replayed demo, retrieval on three rows. "
        f"Looked for: {', '.join(WATCHED)}."
    )
    report("startup", ("command", "time", "of the bare app's", "imports"), rows, note)


if __name__ == "__main__":
    main()
