"""Reading and writing the reply store, against plain diskcache with the same bytes as values."""

import argparse
import hashlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import diskcache

from judge_cache import Store, open_store
from judge_cache.codec import encode
from scripts.benchmarks._table import report

WORDS = 300
"""Words of a request: about 2 kB, as a prompt for one passage."""

Entry = dict[str, Any]


def entry(number: int, rng: random.Random) -> Entry:
    """An entry as judging keeps it, with a prompt of its own."""
    text = " ".join(f"{rng.randrange(4000):x}ing" for _ in range(WORDS))
    request = {"model": "judge", "messages": [{"role": "user", "content": text}], "sample": number}
    reply = {"text": f"Some of it is there.\n##final score: {number % 5}", "model": "judge"}
    return {"request": request, "reply": {**reply, "finish_reason": "stop"}}


def seconds(act: Callable[[], object]) -> float:
    """How long `act` takes."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def measure(folder: Path, entries: dict[str, Entry]) -> dict[str, float]:
    """Seconds of each operation on all of `entries`, in a new store and a new diskcache."""
    values = {key: encode(each) for key, each in entries.items()}
    plain = diskcache.Cache(str(folder / "plain"), eviction_policy="none", tag_index=1)
    with plain, open_store(folder / "store") as store:
        return {
            "diskcache set": seconds(lambda: [plain.set(k, v, tag="m") for k, v in values.items()]),
            "put": seconds(lambda: [store.put(k, e, tag="m") for k, e in entries.items()]),
            "diskcache get": seconds(lambda: [plain.get(key) for key in values]),
            "get": seconds(lambda: [store.get(key) for key in values]),
            "recall": seconds(lambda: [store.recall(key) for key in values]),
            "stats": seconds(store.groups),
            "open": seconds(lambda: Store.close(open_store(folder / "store"))),
        }


def main() -> None:
    """Measure three times and report medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--record", action="store_true", help="keep the table")
    number = parser.parse_args().entries
    rng = random.Random(0)  # noqa: S311
    entries = {hashlib.sha256(b"%d" % n).hexdigest(): entry(n, rng) for n in range(number)}
    runs = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(measure(Path(folder), entries))
    took = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    per = {name: took[name] / number * 1e6 for name in ("put", "get", "recall")}
    against = {"put": "diskcache set", "get": "diskcache get", "recall": "diskcache get"}
    rows: list[tuple[object, ...]] = [
        (name, f"{per[name]:.1f} µs", f"{took[name] / took[against[name]]:.2f} x {against[name]}")
        for name in per
    ]
    rows += [(name, f"{took[name] * 1e3:.1f} ms", "") for name in ("open", "stats")]
    note = f"{number:,} entries with prompts of {WORDS} words; medians of three."
    report("store", ("operation", "time", "ratio"), rows, note)


if __name__ == "__main__":
    main()
