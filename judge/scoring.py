"""Scores from label files: those of a run directory, or any that are given."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from judge.errors import InputError, UsageError
from judge.formats.assignments import read_assignments
from judge.formats.nuggets import read_nuggets
from judge.formats.paths import expand, expand_one
from judge.formats.scores import write_leaderboard, write_scores
from judge.formats.support import read_support
from judge.formats.topics import read_topics
from judge.metrics import Measure, score
from judge.runs import ASSIGNMENTS, LEADERBOARD, NUGGETS, SCORES, SUPPORT, TOPICS
from judge.types import AssignedAnswer, Nugget, NuggetLabel, Score, Support, SupportedAnswer, Topic

LABELS = (ASSIGNMENTS, SUPPORT)

N = TypeVar("N", Nugget, NuggetLabel)


@dataclass(frozen=True)
class Labels:
    """What is scored.

    `topics` are the official ones, None where no topics file was given; `with_nuggets` are the
    ids of those that have nuggets, None where no nuggets file was.
    """

    assigned: Sequence[AssignedAnswer] = ()
    supported: Sequence[SupportedAnswer] = ()
    topics: Sequence[Topic] | None = None
    with_nuggets: frozenset[str] | None = None


def read_labels(
    run: Path | None = None,
    *,
    assignments: Sequence[str | Path] = (),
    support: Sequence[str | Path] = (),
    nuggets: str | Path | None = None,
    topics: str | Path | None = None,
) -> Labels:
    """Read the labels of a run directory; what is given stands for the run's own files.

    Labels may be files, folders or globs; topics and nuggets are one file each. Importance and
    sub-narratives are taken from a nuggets file, where there is one.

    Raises:
        InputError: a file cannot be read, or an assigned nugget is not among `nuggets`.
        UsageError: there is nothing to score.
    """
    nugget_labels = expand(assignments) or _own(run, ASSIGNMENTS)
    support_labels = expand(support) or _own(run, SUPPORT)
    if not nugget_labels and not support_labels:
        raise UsageError(_nothing(run))
    topics_file, nuggets_file = _one(run, TOPICS, topics), _one(run, NUGGETS, nuggets)
    assigned = [answer for path in nugget_labels for answer in read_assignments(path)]
    known = None if nuggets_file is None else read_nuggets(nuggets_file)
    if known is not None and nuggets_file is not None:
        assigned = list(_with_nuggets(assigned, known, nuggets_file))
    return Labels(
        assigned=assigned,
        supported=[answer for path in support_labels for answer in read_support(path)],
        topics=None if topics_file is None else read_topics(topics_file),
        with_nuggets=None if known is None else frozenset(n.topic_id for n in known),
    )


def compute(labels: Labels, measures: Sequence[Measure[Any]] = (), **rules: Any) -> list[Score]:
    """Score `labels`; without `measures`, the usual ones that the labels allow.

    `rules` are max_failed, allow_incomplete and empty_as_zero of `judge.metrics.score`.
    """
    topics = labels.topics
    return score(
        measures or usual_measures(labels),
        assigned=labels.assigned,
        supported=labels.supported,
        topics=None if topics is None else [topic.topic_id for topic in topics],
        with_nuggets=labels.with_nuggets,
        topic_records={topic.topic_id: topic for topic in topics or ()},
        **rules,
    )


def usual_measures(labels: Labels) -> list[Measure[Any]]:
    """The measures shown when none are named, the primary first."""
    from judge.metrics import parse_measures

    mapped = any(n.sub_narrative for answer in labels.assigned for n in answer.nuggets)
    names = [
        "strict_vital_recall" if labels.assigned else "",
        "sub_narrative_coverage" if mapped else "",
        "support_precision support_recall" if labels.supported else "",
        "strict_all_recall vital_recall all_recall weighted_recall" if labels.assigned else "",
    ]
    return parse_measures(" ".join(names))


def save(run: Path, scores: Sequence[Score]) -> None:
    """Write scores.jsonl and scores.txt of a run directory."""
    write_scores(run / SCORES, scores)
    write_leaderboard(run / LEADERBOARD, scores)


def _own(run: Path | None, name: str) -> list[Path]:
    return [run / name] if run is not None and (run / name).is_file() else []


def _one(run: Path | None, name: str, given: str | Path | None) -> Path | None:
    return next(iter(_own(run, name)), None) if given is None else expand_one(given)


def _nothing(run: Path | None) -> str:
    if run is None:
        return "nothing to score: give a run directory, --assignments or --support"
    if not run.is_dir():
        return f"there is no run directory {run}"
    return f"{run} has no nugget or support labels yet: judge answers on it first"


def _with_nuggets(
    answers: Iterable[AssignedAnswer], nuggets: Iterable[Nugget], path: Path
) -> Iterator[AssignedAnswer]:
    """Every answer with all nuggets of its topic; one without a label counts as failed."""
    key: dict[str, list[Nugget]] = {}
    for nugget in nuggets:
        key.setdefault(nugget.topic_id, []).append(nugget)
    for answer in answers:
        labels = {name: nugget.label for name, nugget in _named(answer.nuggets)}
        listed = dict(_named(key.get(answer.topic_id, [])))
        if unknown := labels.keys() - listed.keys():
            message = f"topic {answer.topic_id} has no such nugget"
            raise InputError(message, path=path, field="text", found=min(unknown)[0])
        with_labels = [_labelled(nugget, labels.get(name)) for name, nugget in listed.items()]
        yield answer.model_copy(update={"nuggets": tuple(with_labels)})


def _named(nuggets: Iterable[N]) -> Iterator[tuple[tuple[str, int], N]]:
    """Each nugget by its text, and by which one with that text it is."""
    seen: Counter[str] = Counter()
    for nugget in nuggets:
        yield (nugget.text, seen[nugget.text]), nugget
        seen[nugget.text] += 1


def _labelled(nugget: Nugget, label: Support | None) -> NuggetLabel:
    kept = nugget.model_dump(include={"nugget_id", "text", "importance", "sub_narrative"})
    return NuggetLabel(**kept, label=label)
