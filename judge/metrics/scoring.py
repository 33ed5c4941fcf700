"""Scores: every run on every topic of the official list, and the mean over that list."""

import logging
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from judge.cited import GroundedAnswer, WeighedAnswer
from judge.errors import InputError, UsageError
from judge.metrics.measure import Kind, Measure
from judge.metrics.outcome import Outcome, undefined
from judge.metrics.rows import ALL_TOPICS, Rules, mean_row, topic_row
from judge.types import AssignedAnswer, Score, SupportedAnswer, Topic

_log = logging.getLogger(__name__)

_LABELS: Mapping[Kind, str] = {
    "nuggets": "nugget labels",
    "coverage": "grounded nugget labels",
    "support": "support labels",
    "citations": "labels of weighed citations",
}

Key = tuple[str, str]  # run_id, topic_id
Answer = AssignedAnswer | GroundedAnswer | SupportedAnswer | WeighedAnswer
Table = Mapping[Key, tuple[Outcome, ...]]


def score(
    measures: Iterable[Measure[Any]],
    *,
    assigned: Iterable[AssignedAnswer] = (),
    grounded: Iterable[GroundedAnswer] = (),
    supported: Iterable[SupportedAnswer] = (),
    weighed: Iterable[WeighedAnswer] = (),
    topics: Sequence[str] | None = None,
    topic_records: Mapping[str, Topic] | None = None,
    with_nuggets: Collection[str] | None = None,
    max_failed: float = 0.05,
    allow_incomplete: bool = False,
    empty_as_zero: bool = False,
    intervals: bool = True,
) -> list[Score]:
    """Return one row per measure, run and topic, each run's followed by its mean.

    The mean runs over the official topics. A topic to which a run has no answer counts 0, unless
    other runs' answers show that its gold is empty. A topic that the run answered, but whose
    answer carries labels of the other kind alone, is undefined. A run has rows for the kinds
    of measures it has labels for.

    Args:
        measures: what to compute; a repeated measure counts once.
        assigned: answers with nugget labels, one for each run and topic.
        grounded: answers with nugget labels and their grounds, likewise.
        supported: answers with support labels, likewise.
        weighed: answers with weighed citations, likewise.
        topics: ids of the official topics; without it, the topics that any run has labels for,
            for each kind of measures by itself.
        topic_records: topics by id, for the measures that ask for official sub-narratives.
        with_nuggets: ids of the topics that have nuggets at all, where that is known: every
            other topic is undefined for the measures of nuggets and of coverage, and not a topic
            without an answer.
        max_failed: share of failed units, in [0, 1], above which a value is None.
        allow_incomplete: give the value however many units failed.
        empty_as_zero: count an undefined value as 0 instead of leaving it out of the mean.
        intervals: give means their bootstrap interval; without it numpy is not imported.

    Raises:
        InputError: if a run answers a topic twice, a topic is called "all", no topic of the
            labels is official, or a measure needs a topic that `topic_records` lacks.
        UsageError: if a measure has no labels to work on, or `max_failed` is out of range.
    """
    rules = Rules(max_failed, allow_incomplete, empty_as_zero, intervals)
    found = outcomes(
        measures,
        assigned=assigned,
        grounded=grounded,
        supported=supported,
        weighed=weighed,
        topics=topics,
        topic_records=topic_records,
        with_nuggets=with_nuggets,
        rules=rules,
    )
    rows: list[Score] = []
    for measure, run_id, by_topic in found:
        name = str(measure)
        rows += [topic_row(run_id, t, name, outcome, rules) for t, outcome in by_topic.items()]
        rows.append(mean_row(run_id, name, list(by_topic.values()), rules))
    return rows


def outcomes(
    measures: Iterable[Measure[Any]],
    *,
    assigned: Iterable[AssignedAnswer] = (),
    grounded: Iterable[GroundedAnswer] = (),
    supported: Iterable[SupportedAnswer] = (),
    weighed: Iterable[WeighedAnswer] = (),
    topics: Sequence[str] | None = None,
    topic_records: Mapping[str, Topic] | None = None,
    with_nuggets: Collection[str] | None = None,
    rules: Rules,
) -> Iterator[tuple[Measure[Any], str, dict[str, Outcome]]]:
    """Yield a measure, a run, and its outcome on each official topic: what `score` makes rows of.

    The arguments, and what is raised, are those of `score`.
    """
    wanted = list(dict.fromkeys(measures))
    given: dict[Kind, Iterable[Answer]] = {
        "nuggets": assigned,
        "coverage": grounded,
        "support": supported,
        "citations": weighed,
    }
    evaluator = _Evaluator(wanted, None if topics is None else {*topics}, topic_records or {})
    tables = {kind: evaluator.outcomes(kind, answers) for kind, answers in given.items()}
    answered = {key for table in tables.values() for key in table}
    gold: dict[Kind, Collection[str] | None] = {"nuggets": with_nuggets, "coverage": with_nuggets}
    kinds = {measure.kind: measure for measure in wanted}
    official = {kind: _official_topics(m, tables[kind], topics) for kind, m in kinds.items()}
    for measure in wanted:
        kind = measure.kind
        place = evaluator.measures(kind).index(measure)
        table = {key: found[place] for key, found in tables[kind].items() if found}
        bench = _Bench(measure, table, answered, gold.get(kind), rules)
        for run_id in dict.fromkeys(run_id for run_id, _ in tables[kind]):
            yield measure, run_id, bench.outcomes(run_id, official[kind])


class _Evaluator:
    """All measures, each computed on every answer as it passes: no answer is kept."""

    def __init__(
        self,
        measures: Sequence[Measure[Any]],
        official: Collection[str] | None,
        topic_records: Mapping[str, Topic],
    ) -> None:
        self._measures, self._official, self._records = measures, official, topic_records

    def measures(self, kind: Kind) -> list[Measure[Any]]:
        """The measures of a kind, in their order."""
        return [measure for measure in self._measures if measure.kind == kind]

    def outcomes(self, kind: Kind, answers: Iterable[Answer]) -> Table:
        """Return each answer's outcomes by the measures of its kind, none off official topics.

        Raises:
            InputError: a run answers a topic twice, or a topic has the name of the mean.
        """
        measures, table = self.measures(kind), dict[Key, tuple[Outcome, ...]]()
        for answer in answers:
            key = answer.run_id, sys.intern(answer.topic_id)
            _check_key(key, table)
            topic = self._records.get(answer.topic_id)
            is_official = self._official is None or answer.topic_id in self._official
            used = measures if is_official else ()
            table[key] = tuple(measure.evaluate(answer, topic) for measure in used)
        return table


class _Bench:
    """One measure with its outcomes, and what is known of the topics without one."""

    def __init__(
        self,
        measure: Measure[Any],
        table: Mapping[Key, Outcome],
        answered: Collection[Key],
        gold: Collection[str] | None,
        rules: Rules,
    ) -> None:
        self._measure, self._table, self._rules = measure, table, rules
        self._answered, self._gold = answered, gold
        self._answered_topics = {topic_id for _, topic_id in answered}
        self._unanswered: dict[str, Outcome] = {}  # the same for every run without an answer
        self._by_topic: dict[str, list[Outcome]] = {}
        for (_, topic_id), outcome in table.items():
            self._by_topic.setdefault(topic_id, []).append(outcome)

    def outcomes(self, run_id: str, topics: Sequence[str]) -> dict[str, Outcome]:
        """Return the outcome of a run on each of `topics`."""
        return {topic_id: self._outcome(run_id, topic_id) for topic_id in topics}

    def _outcome(self, run_id: str, topic_id: str) -> Outcome:
        outcome = self._table.get((run_id, topic_id))
        if outcome is not None:
            return self._rules.settle(outcome)
        if self._gold is not None and topic_id not in self._gold:
            return self._rules.settle(undefined("no nuggets"))
        if (run_id, topic_id) in self._answered:
            return undefined(f"the answer has no {_LABELS[self._measure.kind]}")
        if topic_id not in self._by_topic and topic_id in self._answered_topics:
            return undefined(f"no answer has {_LABELS[self._measure.kind]}")
        if topic_id not in self._unanswered:
            others = self._by_topic.get(topic_id, [])
            self._unanswered[topic_id] = self._rules.settle(self._measure.unanswered(others))
        return self._unanswered[topic_id]


def _check_key(key: Key, table: Table) -> None:
    run_id, topic_id = key
    if key in table:
        raise InputError(f"run {run_id!r} has two labelled answers to topic {topic_id!r}")
    if topic_id == ALL_TOPICS:
        raise InputError(
            f"run {run_id!r} has a topic {ALL_TOPICS!r}, the name of the mean over topics; "
            "leave out rows that are means, or give the topic another id"
        )


def _official_topics(
    measure: Measure[Any], table: Table, topics: Sequence[str] | None
) -> list[str]:
    """Return the topics to average over, after a check that they are those of the labels."""
    labels = _LABELS[measure.kind]
    if not table:
        raise UsageError(f"{measure} needs {labels}, and none were given")
    labelled = list(dict.fromkeys(topic_id for _, topic_id in table))
    if topics is None:
        return labelled
    official = dict.fromkeys(topics)
    outside = [topic_id for topic_id in labelled if topic_id not in official]
    if len(outside) == len(labelled):
        raise InputError(
            f"no topic of the {labels} is in the topic list: the labels have {_three(labelled)}; "
            f"the list has {_three(list(official)) or 'none'}"
        )
    if outside:
        told = "%d topics of the %s are not in the topic list and are left out: %s"
        _log.warning(told, len(outside), labels, _three(outside))
    return list(official)


def _three(ids: Sequence[str]) -> str:
    """Return the first three ids in words."""
    return ", ".join(map(repr, ids[:3])) + (", ..." if len(ids) > 3 else "")
