"""Agreement as JSON for programs: the names of the command line contract, and more beside them."""

import json
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from judge.agreeing.agree import Agreement
from judge.agreeing.labelling import LabellingPlan
from judge.agreement.calibration import Calibration
from judge.agreement.labels import Summary
from judge.agreement.ratings import EXAMPLES, Matching
from judge.metrics.inference import LEVEL, RESAMPLES


def agreement_json(agreement: Agreement) -> str:
    """Return the agreement as one JSON object; what is undefined is null, with a `reason`."""
    return json.dumps(agreement_data(agreement), ensure_ascii=False, indent=2, allow_nan=False)


def agreement_data(agreement: Agreement) -> dict[str, Any]:
    """Return the agreement as plain data.

    `confusion` has human labels in its rows; `unmatched` counts the units of both sides that the
    other lacks; an interval is [low, high].
    """
    return {
        **_matching(agreement.matching),
        **_plain(agreement.summary),
        "kind": agreement.kind,
        "human": agreement.human,
        "judge": agreement.judge,
        "n_tied": agreement.n_tied,
        "intervals": {
            **{name: _listed(value) for name, value in agreement.intervals.by_name.items()},
            "level": LEVEL,
            "resamples": RESAMPLES,
            "reason": agreement.intervals.reason,
        },
        "pairs": [
            {"first": p.first, "second": p.second, **_brief(p.summary)} for p in agreement.pairs
        ],
        "reliability": asdict(agreement.reliability),
        "topics": {name: asdict(group) for name, group in agreement.topics.items()},
        "systems": {name: asdict(group) for name, group in agreement.by_run.items()},
        "rankings": [asdict(system) for system in agreement.systems],
        "rankings_reason": agreement.systems_reason,
        "estimates": [asdict(estimate) for estimate in agreement.estimates],
        "lexical": None if agreement.lexical is None else _plain(agreement.lexical),
        "warnings": list(agreement.warnings),
        "calibration": _evaluation(agreement.calibration),
        "written": list(agreement.written),
    }


def plan_json(found: LabellingPlan) -> str:
    """Return a labelling plan as one JSON object."""
    plan = None if found.plan is None else asdict(found.plan)
    data = {"plan": plan, "n_chosen": len(found.chosen), "units": list(found.chosen)}
    return json.dumps({**data, "sheet": found.sheet}, ensure_ascii=False, indent=2)


def _evaluation(calibration: Calibration | None) -> dict[str, Any] | None:
    if calibration is None:
        return None
    return calibration.model_dump(mode="json", exclude={"units"})


def _matching(matching: Matching | None) -> dict[str, Any]:
    if matching is None:
        return {"unmatched": 0}
    return {
        "unmatched": matching.n_unmatched,
        "unmatched_human": len(matching.only_human),
        "unmatched_judge": len(matching.only_judge),
        "unmatched_examples": {
            "human": list(matching.only_human[:EXAMPLES]),
            "judge": list(matching.only_judge[:EXAMPLES]),
        },
        "n_human": matching.n_human,
        "n_judge": matching.n_judge,
        "n_failed": matching.n_failed,
    }


def _brief(summary: Summary) -> dict[str, Any]:
    wide = ("binary", "per_label", "labels", "confusion")
    return {name: value for name, value in _plain(summary).items() if name not in wide}


def _plain(value: Any) -> Any:
    """Dataclasses as objects, and tuples, named ones too, as lists."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _listed(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
