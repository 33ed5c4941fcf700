"""Two runs compared: how they were made, which labels changed, what that does, what each cost."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from judge import scoring
from judge.agreement.changes import Changes, changes
from judge.agreement.rankings import RankAgreement, rank_agreement
from judge.errors import InputError, UsageError
from judge.formats.lines import write_json
from judge.judgments import scan
from judge.manifest import Manifest
from judge.metrics import parse_measures
from judge.metrics.rows import ALL_TOPICS
from judge.recorded import manifest_of
from judge.runs import JUDGMENTS, LEDGER, QRELS, ledger_entries
from judge.types import FailureKind, Label, Record, Score

_NOT_COMPARED = {"format", "created", "commands", "named"}


class Made(Record):
    """Something in which the manifests differ; None where one of them lacks it."""

    field: str
    a: Any
    b: Any


class Outcome(Record):
    """What came of a unit: a label, or the kind of failure, and the judge's reason."""

    label: Label | None
    failure: FailureKind | None = None
    reason: str | None = None


class Change(Record):
    """A unit with another outcome in each run."""

    unit_id: str
    a: Outcome
    b: Outcome


class ScoreChange(Record):
    """A system's mean by one measure, from each run's labels.

    A side is None where there is no value; `reason` says why.
    """

    measure: str
    run_id: str
    a: float | None
    b: float | None
    difference: float | None
    reason: str | None = None


class Cost(Record):
    """What a run cost over all its sessions; `unpriced` calls are not in `cost` (US dollars)."""

    sent: int
    from_store: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    unpriced: int


class Differences(Record):
    """Everything in which two runs differ.

    Attributes:
        a: the first run directory.
        b: the second.
        made: how they were made otherwise.
        warnings: what to beware of, a line each.
        tasks: the labels, by task.
        changed: every unit with another outcome, by task, the largest changes first.
        scores: the means of every system by every measure.
        rankings: how the two rank the systems, by measure.
        scores_reason: why there are no scores, or None.
        costs: what each run cost, None where its ledger is gone.
    """

    a: str
    b: str
    made: tuple[Made, ...]
    warnings: tuple[str, ...]
    tasks: tuple[Changes, ...]
    changed: tuple[Change, ...]
    scores: tuple[ScoreChange, ...]
    rankings: dict[str, RankAgreement]
    scores_reason: str | None
    costs: tuple[Cost | None, Cost | None]


def differences(
    a: Path,
    b: Path,
    *,
    measures: str | None = None,
    runs: Sequence[str] = (),
    out: str | None = None,
) -> Differences:
    """Compare two run directories; they are only read.

    Args:
        a: one run directory, as a rule the earlier one.
        b: the other.
        measures: what to score by; without, the usual measures of the labels.
        runs: retrieval runs, which the grades of both rank.
        out: a file to write every changed unit to, as JSON lines.

    Raises:
        InputError: a run is damaged, or the two have no unit in common.
        UsageError: one is no run directory, or `out` cannot be written.
    """
    manifests = [manifest_of(run) for run in (a, b)]
    sides = [_Judged(run) for run in (a, b)]
    tasks = [
        changes(task, sides[0].outcomes[task], sides[1].outcomes[task]) for task in _shared(sides)
    ]
    if not any(task.n for task in tasks):
        raise InputError(f"{a} and {b} have no unit in common")
    changed = list(_changed(a, b, tasks))
    if out is not None:
        write_json(out, (change.model_dump() for change in changed))
    scores, reason = _scores(a, b, measures, runs)
    return Differences(
        a=str(a),
        b=str(b),
        made=tuple(_made(*manifests)),
        warnings=tuple(chain.from_iterable(side.mixed() for side in sides)),
        tasks=tuple(tasks),
        changed=tuple(changed),
        scores=tuple(scores),
        rankings=_rankings(scores),
        scores_reason=reason,
        costs=(_cost(a), _cost(b)),
    )


# --- labels ------------------------------------------------------------------------------------


class _Judged:
    """The outcomes of a run, and who gave them; reasons stay on disk."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self.outcomes: dict[str, dict[str, Label | None]] = {}
        by: dict[str, tuple[str, str | None, str | None]] = {}
        for _, data in scan(run / JUDGMENTS):
            self.outcomes.setdefault(data["task"], {})[data["unit_id"]] = data["label"]
            if data["label"] is not None:
                who = data["task"], data.get("model"), data.get("template_sha256")
                by[data["unit_id"]] = who
        self._by = Counter(by.values())

    def mixed(self) -> Iterator[str]:
        """A line for each task whose labels are of several models or texts of its prompt."""
        for task in self.outcomes:
            found = {who[1:]: n for who, n in self._by.items() if who[0] == task}
            if len(found) > 1:
                told = ", ".join(
                    f"{n} by {model} with the prompt {(sha or 'unknown')[:12]}"
                    for (model, sha), n in found.items()
                )
                yield f"{self._run}: the {task} labels are mixed: {told}"


def _shared(sides: Sequence[_Judged]) -> list[str]:
    """The tasks that both runs have."""
    return [task for task in sides[0].outcomes if task in sides[1].outcomes]


def _changed(a: Path, b: Path, tasks: Iterable[Changes]) -> Iterator[Change]:
    """The units with another outcome, with the reasons of both."""
    ids = [unit_id for task in tasks for unit_id in task.changed]
    first, second = (_outcomes(run, set(ids)) for run in (a, b))
    for unit_id in ids:
        yield Change(unit_id=unit_id, a=first[unit_id], b=second[unit_id])


def _outcomes(run: Path, wanted: set[str]) -> dict[str, Outcome]:
    return {
        data["unit_id"]: Outcome(
            label=data["label"], failure=data.get("failure"), reason=data.get("reason")
        )
        for _, data in scan(run / JUDGMENTS)
        if data["unit_id"] in wanted
    }


# --- how they were made ------------------------------------------------------------------------


def _made(a: Manifest, b: Manifest) -> Iterator[Made]:
    first, second = (
        dict(_leaves(manifest.model_dump(exclude=_NOT_COMPARED))) for manifest in (a, b)
    )
    for field in dict.fromkeys([*first, *second]):
        if first.get(field) != second.get(field):
            yield Made(field=field, a=first.get(field), b=second.get(field))


def _leaves(data: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that is no object, under the names that lead to it."""
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{name}{key}: ")
        else:
            yield f"{name}{key}", value


# --- what it does to scores --------------------------------------------------------------------


def _scores(
    a: Path, b: Path, measures: str | None, runs: Sequence[str]
) -> tuple[list[ScoreChange], str | None]:
    """The means of both, and why there are none."""
    if runs:
        from judge.retrieving import evaluate

        sides = [evaluate(run / QRELS, runs, measures=measures) for run in (a, b)]
        return list(_paired(*sides)), None
    try:
        labels = [scoring.read_labels(run) for run in (a, b)]
    except UsageError as error:
        return [], f"{error} (grades rank retrieval runs with --run)"
    chosen = parse_measures(measures) if measures else scoring.usual_measures(labels[0])
    return list(_paired(*(scoring.compute(side, chosen) for side in labels))), None


def _paired(a: Iterable[Score], b: Iterable[Score]) -> Iterator[ScoreChange]:
    first, second = (
        {(s.measure, s.run_id): s for s in side if s.topic_id == ALL_TOPICS} for side in (a, b)
    )
    for measure, run_id in dict.fromkeys([*first, *second]):
        scores = [side.get((measure, run_id)) for side in (first, second)]
        values = [None if score is None else score.value for score in scores]
        known = [value for value in values if value is not None]
        why = ["it has no such labels" if s is None else s.reason for s in scores]
        yield ScoreChange(
            measure=measure,
            run_id=run_id,
            a=values[0],
            b=values[1],
            difference=known[1] - known[0] if len(known) == 2 else None,
            reason="; ".join(f"{n}: {w}" for n, w in zip("AB", why, strict=True) if w) or None,
        )


def _rankings(scores: Iterable[ScoreChange]) -> dict[str, RankAgreement]:
    """How both rank the systems that have a value in both, by measure."""
    sides: dict[str, tuple[dict[str, float], dict[str, float]]] = {}
    for score in scores:
        first, second = sides.setdefault(score.measure, ({}, {}))
        if score.a is not None and score.b is not None:
            first[score.run_id], second[score.run_id] = score.a, score.b
    return {measure: rank_agreement(*both) for measure, both in sides.items()}


# --- what each cost ----------------------------------------------------------------------------


def _cost(run: Path) -> Cost | None:
    if not (run / LEDGER).is_file():
        return None
    sums: Counter[str] = Counter()
    cost = 0.0
    for entry in ledger_entries(run / LEDGER):
        if entry["cached"]:
            sums["from_store"] += 1
            continue
        sums["sent"] += 1
        sums["unpriced"] += entry.get("cost") is None
        cost += entry.get("cost") or 0.0
        for name in ("prompt_tokens", "completion_tokens"):
            sums[name] += entry.get(name) or 0
    names = ("sent", "from_store", "prompt_tokens", "completion_tokens", "unpriced")
    return Cost(cost=cost, **{name: sums[name] for name in names})
