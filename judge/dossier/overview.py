"""The overview of a run: what made it, who judged what, the scores, and what can be told apart.

    {run, manifest, templates, account, health, measures, runs, means, cells, topics,
     significance, retrieval, agreements, disagreements, notes}

`means` are the rows of means by measure and run, `cells` those of topics by measure, run and
topic, as [value, low, high, n_failed, reason]; `runs` stand best first by the first measure.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from judge.dossier.health import account, health
from judge.dossier.significance import significance
from judge.dossier.topic import TopicLabels
from judge.manifest import Manifest
from judge.metrics import Measure
from judge.metrics.rows import ALL_TOPICS
from judge.runs import LEDGER
from judge.scoring import Labels
from judge.types import Score

Data = dict[str, Any]
_NAMES = {"run_id", "topic_id", "measure"}


def overview(
    path: Path,
    manifest: Manifest | None,
    topics: Sequence[TopicLabels],
    scores: Sequence[Score],
    attempts: Mapping[str, list[Data]],
) -> Data:
    """Return all of it but what needs further files; see `judge.dossier.dossier`."""
    measures = list(dict.fromkeys(score.measure for score in scores))
    known = [run for topic in topics for run in topic.runs]
    known += [j.run_id for topic in topics for j in topic.judgments if j.run_id is not None]
    judgments = (judgment for topic in topics for judgment in topic.judgments)
    return {
        "run": path.resolve().name,
        "manifest": None if manifest is None else manifest.model_dump(mode="json"),
        "account": account(path / LEDGER),
        "health": health(judgments, attempts),
        "measures": measures,
        "runs": best_first(scores, known),
        "means": _means(scores),
        "cells": _cells(scores),
        "topics": [_topic(topic) for topic in topics],
    }


def differences(
    labels: Labels | None, measures: Sequence[Measure[Any]], runs: Sequence[str], rules: Data
) -> Data | None:
    """Return which systems differ by the first measure; None where nothing is scored."""
    if labels is None or not measures:
        return None
    return significance(labels, measures[0], runs, **rules)


def best_first(scores: Sequence[Score], known: Collection[str] = ()) -> list[str]:
    """Return all runs, best first by the mean of the first measure; those without one last."""
    means = [score for score in scores if score.topic_id == ALL_TOPICS]
    primary = means[0].measure if means else ""
    values = {s.run_id: s.value for s in means if s.measure == primary and s.value is not None}
    runs = dict.fromkeys([*(score.run_id for score in scores), *known])
    return sorted(runs, key=lambda run: (run not in values, -values.get(run, 0.0), run))


def templates(manifest: Manifest | None, folder: Path | None) -> list[Data]:
    """Return the templates of a run, with their text where it still has the same sha256."""
    stages = {} if manifest is None else manifest.stages
    return [
        {
            "task": task,
            "name": stage.template,
            "sha256": stage.template_sha256,
            "text": _template_text(stage.template, stage.template_sha256, folder),
        }
        for task, stage in stages.items()
    ]


def _template_text(name: str, sha256: str, folder: Path | None) -> str | None:
    roots = [resources.files("judge.prompts"), *([folder] if folder else [])]
    for root in roots:
        file = root.joinpath(*f"{name}.j2".split("/"))
        if file.is_file():
            text = file.read_text(encoding="utf-8").replace("\r\n", "\n")
            if hashlib.sha256(text.encode()).hexdigest() == sha256:
                return text
    return None


def _means(scores: Sequence[Score]) -> dict[str, dict[str, Data]]:
    found: dict[str, dict[str, Data]] = {}
    for score in scores:
        if score.topic_id == ALL_TOPICS:
            found.setdefault(score.measure, {})[score.run_id] = score.model_dump(exclude=_NAMES)
    return found


def _cells(scores: Sequence[Score]) -> dict[str, dict[str, dict[str, list[Any]]]]:
    found: dict[str, dict[str, dict[str, list[Any]]]] = {}
    for s in scores:
        if s.topic_id != ALL_TOPICS:
            runs = found.setdefault(s.measure, {})
            cell = [s.value, s.low, s.high, s.n_failed, s.reason]
            runs.setdefault(s.run_id, {})[s.topic_id] = cell
    return found


def _topic(labels: TopicLabels) -> Data:
    nuggets = labels.listed
    return {
        "topic_id": labels.topic.topic_id,
        "title": labels.topic.title,
        "narrative": labels.topic.narrative,
        "nuggets": len(nuggets),
        "vital": sum(nugget.importance == "vital" for nugget in nuggets),
        "sub_narratives": len(labels.topic.sub_narratives),
        "answers": len(labels.runs),
        "units": len(labels.judgments),
        "failed": sum(judgment.status == "failed" for judgment in labels.judgments),
    }
