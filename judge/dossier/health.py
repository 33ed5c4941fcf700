"""How the judge did: labels, failures, flags, samples that differ, and what it all took."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from judge.formats.lines import log, read_lines
from judge.json_lines import read_object
from judge.types import Judgment

Attempts = Mapping[str, list[dict[str, Any]]]
"""unit_id -> its attempts that gave nothing usable, as {failure, message, raw}."""

_AMOUNTS = ("prompt_tokens", "completion_tokens", "seconds")


def health(judgments: Iterable[Judgment], attempts: Attempts) -> dict[str, Any]:
    """Return what is to be known of the judge.

    Returns:
        {tasks: [{task, ok, failed, labels, by_run, failures, flags, attempts, samples}]}: counts
        of units by label, by run and label, by failure kind, by flag; `attempts` counts the
        unusable attempts by kind, repaired ones too; `samples` is {units, differing} of units
        that were asked several times.
    """
    tasks: dict[str, _Tally] = defaultdict(_Tally)
    for judgment in judgments:
        tasks[judgment.task].add(judgment, attempts.get(judgment.unit_id, ()))
    return {"tasks": [{"task": task, **tally.data()} for task, tally in tasks.items()]}


class _Tally:
    def __init__(self) -> None:
        self.ok = self.failed = 0
        self.labels: Counter[str] = Counter()
        self.by_run: dict[str, Counter[str]] = defaultdict(Counter)
        self.failures: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.attempts: Counter[str] = Counter()
        self.sampled = self.differing = 0

    def add(self, judgment: Judgment, attempts: Iterable[dict[str, Any]]) -> None:
        if judgment.status == "ok":
            self.ok += 1
            self.labels[str(judgment.label)] += 1
            if judgment.run_id is not None:
                self.by_run[judgment.run_id][str(judgment.label)] += 1
        else:
            self.failed += 1
            self.failures[str(judgment.failure)] += 1
        self.flags.update(judgment.flags)
        self.attempts.update(str(attempt["failure"]) for attempt in attempts)
        samples = samples_of(judgment)
        self.sampled += bool(samples)
        self.differing += len(set(samples)) > 1

    def data(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "failed": self.failed,
            "labels": dict(self.labels),
            "by_run": {run: dict(labels) for run, labels in self.by_run.items()},
            "failures": dict(self.failures.most_common()),
            "flags": dict(self.flags.most_common()),
            "attempts": dict(self.attempts.most_common()),
            "samples": {"units": self.sampled, "differing": self.differing},
        }


def samples_of(judgment: Judgment) -> list[str]:
    """Return the labels of the samples of a unit that was asked several times, else none."""
    samples = judgment.detail.get("samples")
    if isinstance(samples, dict):
        return [str(label) for label, count in samples.items() for _ in range(count)]
    return [str(label) for label in samples] if isinstance(samples, list) else []


def read_attempts(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Read the attempts of a run that failed, by unit; none where there is no file."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in _entries(path):
        attempt = {name: entry.get(name) for name in ("failure", "message", "raw")}
        for unit_id in entry.get("unit_ids", ()):
            found[unit_id].append(attempt)
    return dict(found)


def account(path: Path) -> list[dict[str, Any]]:
    """Sum up a ledger by task.

    Returns:
        [{task, sent, stored, unusable, prompt_tokens, completion_tokens, seconds, cost,
        unpriced}]: requests sent and replies taken from the store; attempts without a usable
        reply; US dollars, and how many requests have no known cost.
    """
    tasks: dict[str, Counter[str]] = defaultdict(Counter)
    costs: dict[str, float] = defaultdict(float)
    for entry in _entries(path):
        task, sums = str(entry.get("task", "")), tasks[str(entry.get("task", ""))]
        cached = bool(entry.get("cached"))
        sums["stored" if cached else "sent"] += 1
        sums["unusable"] += entry.get("failure") is not None
        sums["unpriced"] += entry.get("cost") is None
        costs[task] += entry.get("cost") or 0.0
        if not cached:
            for name in _AMOUNTS:
                sums[name] += entry.get(name) or 0
    names = ("sent", "stored", "unusable", *_AMOUNTS, "unpriced")
    return [
        {"task": task, "cost": costs[task], **{name: sums[name] for name in names}}
        for task, sums in tasks.items()
    ]


def _entries(path: Path) -> Iterable[dict[str, Any]]:
    """The objects of a JSONL file; a half-written last line is left out, and told."""
    if not path.is_file() or not path.stat().st_size:
        return
    for line in read_lines(path):
        try:
            yield read_object(line.text.encode())
        except ValueError:
            log.warning("%s: left out a damaged line", line.place)
