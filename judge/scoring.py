"""Scores from label files: those of a run directory, or any that are given."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import starmap
from pathlib import Path
from typing import Any, Generic, TypeVar

from judge.cited import GroundedAnswer, GroundedNugget, WeighedAnswer
from judge.errors import InputError, UsageError, shorten
from judge.formats.assignments import each_assignment
from judge.formats.forms import Located
from judge.formats.grounded import each_grounded
from judge.formats.nugget_fields import grouped
from judge.formats.nuggets import read_nuggets
from judge.formats.paths import expand, expand_one
from judge.formats.scores import write_leaderboard, write_scores
from judge.formats.support import each_support
from judge.formats.topics import read_topics
from judge.formats.weighed import each_weighed
from judge.metrics import Measure, score
from judge.metrics.comparing import Comparison, choose_pairs
from judge.metrics.comparing import compare as compare_scores
from judge.metrics.rows import ALL_TOPICS, Rules
from judge.metrics.scoring import outcomes
from judge.runs import (
    ASSIGNMENTS,
    CITATIONS,
    COVERAGE,
    LEADERBOARD,
    NUGGETS,
    SCORES,
    SUPPORT,
    TOPICS,
)
from judge.types import AssignedAnswer, Nugget, NuggetLabel, Score, SupportedAnswer, Topic

LABELS = (ASSIGNMENTS, COVERAGE, SUPPORT, CITATIONS)

_log = logging.getLogger(__name__)

N = TypeVar("N", Nugget, NuggetLabel)
A = TypeVar("A", AssignedAnswer, GroundedAnswer)
T = TypeVar("T")


class Streamed(Generic[T]):
    """Records of files, read anew each time they are gone through, so that none is kept."""

    def __init__(self, each: Callable[[Path], Iterator[Located[T]]], paths: Sequence[Path]) -> None:
        self._each, self._paths = each, paths

    def __iter__(self) -> Iterator[T]:
        return (located.record for path in self._paths for located in self._each(path))

    def __bool__(self) -> bool:
        return self._has_any

    @cached_property
    def _has_any(self) -> bool:
        return any(True for _ in self)


@dataclass(frozen=True)
class Labels:
    """What is scored.

    `topics` are the official ones, None where no topics file was given; `with_nuggets` are the
    ids of those that have nuggets, None where no nuggets file was.
    """

    assigned: Sequence[AssignedAnswer] = ()
    grounded: Sequence[GroundedAnswer] = ()
    supported: Sequence[SupportedAnswer] | Streamed[SupportedAnswer] = ()
    weighed: Sequence[WeighedAnswer] | Streamed[WeighedAnswer] = ()
    topics: Sequence[Topic] | None = None
    with_nuggets: frozenset[str] | None = None


def read_labels(
    run: Path | None = None,
    *,
    assignments: Sequence[str | Path] = (),
    coverage: Sequence[str | Path] = (),
    support: Sequence[str | Path] = (),
    citations: Sequence[str | Path] = (),
    nuggets: str | Path | None = None,
    topics: str | Path | None = None,
    keep: bool = True,
) -> Labels:
    """Read the labels of a run directory; what is given stands for the run's own files.

    Labels may be files, folders or globs; topics and nuggets are one file each. Importance and
    sub-narratives are taken from a nuggets file, where there is one. A run's own coverage whose
    labels are not those of its assignments is left out, and that is told.

    Without `keep` answers whose citations are labelled do not stay in memory: their files are read
    when they are scored, and what is wrong with them is raised then.

    Raises:
        InputError: a file cannot be read, no file holds an answer, or an assigned nugget is not
            among `nuggets`.
        UsageError: there is nothing to score.
    """
    given = {ASSIGNMENTS: assignments, COVERAGE: coverage, SUPPORT: support, CITATIONS: citations}
    files = {name: expand(names) or _own(run, name) for name, names in given.items()}
    if not any(files.values()):
        raise UsageError(_nothing(run))
    topics_file, nuggets_file = _one(run, TOPICS, topics), _one(run, NUGGETS, nuggets)
    labels = Labels(
        assigned=_sharing(Streamed(each_assignment, files[ASSIGNMENTS])),
        grounded=[*Streamed(each_grounded, files[COVERAGE])],
        supported=_kept(Streamed(each_support, files[SUPPORT]), keep),
        weighed=_kept(Streamed(each_weighed, files[CITATIONS]), keep),
        topics=None if topics_file is None else read_topics(topics_file),
    )
    if not (labels.assigned or labels.grounded or labels.supported or labels.weighed):
        first = next(path for paths in files.values() for path in paths)
        raise InputError("holds no labelled answer", path=first)
    if not (coverage or assignments):
        labels = _without_stale(labels, run)
    if nuggets_file is None:
        return replace(labels, assigned=_with_all_named(labels.assigned))
    return _with_nuggets(labels, nuggets_file)


def _kept(answers: Streamed[T], keep: bool) -> Streamed[T] | list[T]:
    return [*answers] if keep else answers


def _sharing(answers: Iterable[AssignedAnswer]) -> list[AssignedAnswer]:
    """The answers, in which equal labels of a nugget are one object."""
    seen: dict[NuggetLabel, NuggetLabel] = {}
    return [_holding(a, (seen.setdefault(n, n) for n in a.nuggets)) for a in answers]


def _without_stale(labels: Labels, run: Path | None) -> Labels:
    """Leave out the coverage of a run that was made of other labels than its assignments are."""
    if not labels.grounded:
        return labels
    assigned = {(a.run_id, a.topic_id): [n.label for n in a.nuggets] for a in labels.assigned}
    stale = assigned and any(
        [nugget.label for nugget in answer.nuggets]
        != assigned.get((answer.run_id, answer.topic_id))
        for answer in labels.grounded
    )
    if not stale:
        return labels
    told = (
        "%s/%s is left out: its labels are not those of %s; `rag-judge nuggets coverage` renews it"
    )
    _log.warning(told, run, COVERAGE, ASSIGNMENTS)
    return replace(labels, grounded=())


def compute(labels: Labels, measures: Sequence[Measure[Any]] = (), **rules: Any) -> list[Score]:
    """Score `labels`; without `measures`, the usual ones that the labels allow.

    `rules` are max_failed, allow_incomplete, empty_as_zero and intervals of `judge.metrics.score`.
    """
    return score(measures or usual_measures(labels), **_evidence(labels), **rules)


def values(
    labels: Labels, measures: Sequence[Measure[Any]] = ()
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield a measure's name, a run, and its value on each topic that has one.

    They are those of `compute` however many judgments failed, without the rows around them.
    """
    chosen = measures or usual_measures(labels)
    for measure, run_id, found in outcomes(chosen, **_evidence(labels), rules=Rules()):
        yield (
            str(measure),
            run_id,
            {topic_id: x.value for topic_id, x in found.items() if x.value is not None},
        )


def _evidence(labels: Labels) -> dict[str, Any]:
    """The labels as the arguments of the functions of `judge.metrics` that score."""
    topics = labels.topics
    return {
        "assigned": labels.assigned,
        "grounded": labels.grounded,
        "supported": labels.supported or (),
        "weighed": labels.weighed or (),
        "topics": None if topics is None else [topic.topic_id for topic in topics],
        "with_nuggets": labels.with_nuggets,
        "topic_records": {topic.topic_id: topic for topic in topics or ()},
    }


def compare(
    labels: Labels,
    measures: Sequence[Measure[Any]] = (),
    *,
    pair: tuple[str, str] | None = None,
    baseline: str | None = None,
    every: bool = False,
    **rules: Any,
) -> list[Comparison]:
    """Compare runs by `measures`: one pair, all with a baseline, or every pair.

    `rules` are those of `compute`; they are asked of all topics of a run together.

    Raises:
        UsageError: a run is not known, or no runs have 2 topics in common.
    """
    scores = compute(labels, measures, **{**rules, "allow_incomplete": True, "intervals": False})
    runs = list(dict.fromkeys(row.run_id for row in scores))
    pairs = choose_pairs(runs, pair=pair, baseline=baseline, every=every)
    return compare_scores(scores, pairs, Rules(**rules))


def usual_measures(labels: Labels) -> list[Measure[Any]]:
    """The measures shown when none are named, the primary first."""
    from judge.metrics import parse_measures

    mapped = any(n.sub_narrative for answer in labels.assigned for n in answer.nuggets)
    names = [
        "strict_vital_recall" if labels.assigned else "",
        "sub_narrative_coverage" if mapped else "",
        "nugget_coverage" if labels.grounded else "",
        "info_recall" if labels.grounded and labels.assigned else "",
        "support_precision support_recall" if labels.supported else "",
        "citation_recall citation_precision citation_f1" if labels.weighed else "",
        "strict_all_recall vital_recall all_recall weighted_recall" if labels.assigned else "",
    ]
    return parse_measures(" ".join(names))


def withheld(scores: Sequence[Score]) -> str | None:
    """Return what is to be said where failed judgments leave means without a value, else None."""
    means = [score for score in scores if score.topic_id == ALL_TOPICS]
    without = [score for score in means if score.value is None and score.low is not None]
    if not without:
        return None
    count = "no score" if len(without) == len(means) else f"{len(without)} of {len(means)} scores"
    verb = "has a" if len(without) == len(means) else "have no"
    return (
        f"WARNING: {count} {verb} value, too many judgments failed: the judging command asks for "
        "them again; --max-failed and --allow-incomplete score what there is"
    )


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


def _with_nuggets(labels: Labels, path: Path) -> Labels:
    """Every answer with all nuggets of its topic; one without a label counts as failed."""
    nuggets = read_nuggets(path)
    key = grouped(nuggets)

    def pairs(answer: AssignedAnswer | GroundedAnswer) -> Iterator[tuple[Nugget, Any]]:
        return _paired(answer.topic_id, answer.nuggets, key, path)

    return replace(
        labels,
        assigned=_sharing(
            _holding(answer, starmap(_labelled, pairs(answer))) for answer in labels.assigned
        ),
        grounded=[
            _holding(answer, starmap(_grounded, pairs(answer))) for answer in labels.grounded
        ],
        with_nuggets=frozenset(key),
    )


def _with_all_named(answers: Sequence[AssignedAnswer]) -> list[AssignedAnswer]:
    """Every answer with all nuggets that any answer to its topic is labelled for.

    A nugget that an answer lacks was never asked of it: it counts as failed, so that no answer is
    scored on fewer nuggets than others.
    """
    named: dict[str, dict[tuple[str, int], NuggetLabel]] = {}
    for answer in answers:
        known = named.setdefault(answer.topic_id, {})
        for name, nugget in _named(answer.nuggets):
            if known.setdefault(name, nugget).importance != nugget.importance:
                told = "topic %s: the importance of %s is not the same for all answers"
                _log.warning(told, answer.topic_id, shorten(nugget.text))
    return [_completed(answer, named[answer.topic_id]) for answer in answers]


def _completed(
    answer: AssignedAnswer, named: Mapping[tuple[str, int], NuggetLabel]
) -> AssignedAnswer:
    own = dict(_named(answer.nuggets))
    if len(own) == len(named):
        return answer
    told = "run %s, topic %s: labelled for %d of %d nuggets; the others count as failed"
    _log.warning(told, answer.run_id, answer.topic_id, len(own), len(named))
    never = {"label": None, "asked": False}
    nuggets = (own.get(name) or nugget.model_copy(update=never) for name, nugget in named.items())
    return _holding(answer, nuggets)


def _holding(answer: A, nuggets: Iterable[NuggetLabel]) -> A:
    return answer.model_copy(update={"nuggets": tuple(nuggets)})


def _paired(
    topic_id: str,
    labelled: Sequence[NuggetLabel],
    key: Mapping[str, Sequence[Nugget]],
    path: Path,
) -> Iterator[tuple[Nugget, Any]]:
    """Yield each nugget of a topic with what is known of it in an answer."""
    labels = dict(_named(labelled))
    listed = dict(_named(key.get(topic_id, [])))
    if unknown := labels.keys() - listed.keys():
        message = f"topic {topic_id} has no such nugget"
        raise InputError(message, path=path, field="text", found=min(unknown)[0])
    return ((nugget, labels.get(name)) for name, nugget in listed.items())


def _named(nuggets: Iterable[N]) -> Iterator[tuple[tuple[str, int], N]]:
    """Each nugget by its text, and by which one with that text it is."""
    seen: Counter[str] = Counter()
    for nugget in nuggets:
        yield (nugget.text, seen[nugget.text]), nugget
        seen[nugget.text] += 1


def _grounded(nugget: Nugget, found: GroundedNugget | None) -> GroundedNugget:
    labelled = _labelled(nugget, found).model_dump()
    if found is None:
        return GroundedNugget(**labelled, grounded=None, reason="judgment failed")
    kept = found.model_dump(include={"sentences", "grounded", "reason"})
    return GroundedNugget(**labelled, **kept)


def _labelled(nugget: Nugget, found: NuggetLabel | None) -> NuggetLabel:
    kept = nugget.model_dump(include={"nugget_id", "text", "importance", "sub_narrative"})
    if found is None:
        return NuggetLabel(**kept, label=None, asked=False)
    return NuggetLabel(**kept, label=found.label, asked=found.asked)
