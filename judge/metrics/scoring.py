"""Scores: every run on every topic of the official list, and the mean over that list."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
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
Answers = Mapping[Key, Answer]


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

    Raises:
        InputError: if a run answers a topic twice, a topic is called "all", no topic of the
            labels is official, or a measure needs a topic that `topic_records` lacks.
        UsageError: if a measure has no labels to work on, or `max_failed` is out of range.
    """
    rules = Rules(max_failed, allow_incomplete, empty_as_zero)
    tables: dict[Kind, Answers] = {
        "nuggets": _by_key(assigned),
        "coverage": _by_key(grounded),
        "support": _by_key(supported),
        "citations": _by_key(weighed),
    }
    answered = {key for table in tables.values() for key in table}
    gold: dict[Kind, Collection[str] | None] = {"nuggets": with_nuggets, "coverage": with_nuggets}
    wanted = list(dict.fromkeys(measures))
    kinds = {measure.kind: measure for measure in wanted}
    official = {kind: _official_topics(m, tables[kind], topics) for kind, m in kinds.items()}
    rows: list[Score] = []
    for measure in wanted:
        bench = _Bench(
            measure,
            tables[measure.kind],
            answered,
            gold.get(measure.kind),
            topic_records or {},
            rules,
        )
        for run_id in dict.fromkeys(run_id for run_id, _ in tables[measure.kind]):
            rows += bench.rows(run_id, official[measure.kind])
    return rows


class _Bench:
    """One measure with the answers it is to be computed on."""

    def __init__(
        self,
        measure: Measure[Any],
        table: Answers,
        answered: Collection[Key],
        gold: Collection[str] | None,
        topic_records: Mapping[str, Topic],
        rules: Rules,
    ) -> None:
        self._measure, self._table, self._rules = measure, table, rules
        self._answered, self._gold = answered, gold
        self._answered_topics = {topic_id for _, topic_id in answered}
        self._topic_records = topic_records
        self._by_topic: dict[str, list[Answer]] = {}
        for (_, topic_id), answer in table.items():
            self._by_topic.setdefault(topic_id, []).append(answer)

    def rows(self, run_id: str, topics: Sequence[str]) -> list[Score]:
        """Return the rows of a run: one for each of `topics`, and their mean."""
        outcomes = {topic_id: self._outcome(run_id, topic_id) for topic_id in topics}
        name, rules = str(self._measure), self._rules
        each = [topic_row(run_id, t, name, outcome, rules) for t, outcome in outcomes.items()]
        return [*each, mean_row(run_id, name, list(outcomes.values()), rules)]

    def _outcome(self, run_id: str, topic_id: str) -> Outcome:
        topic = self._topic_records.get(topic_id)
        answer = self._table.get((run_id, topic_id))
        if answer is not None:
            return self._rules.settle(self._measure.evaluate(answer, topic))
        if self._gold is not None and topic_id not in self._gold:
            return self._rules.settle(undefined("no nuggets"))
        if (run_id, topic_id) in self._answered:
            return undefined(f"the answer has no {_LABELS[self._measure.kind]}")
        if topic_id not in self._by_topic and topic_id in self._answered_topics:
            return undefined(f"no answer has {_LABELS[self._measure.kind]}")
        others = self._by_topic.get(topic_id, [])
        return self._rules.settle(self._measure.unanswered(others, topic))


def _by_key(answers: Iterable[Answer]) -> Answers:
    """Return the answers by run and topic, refusing two for one place."""
    table: dict[Key, Answer] = {}
    for answer in answers:
        key = answer.run_id, answer.topic_id
        if key in table:
            raise InputError(f"run {key[0]!r} has two labelled answers to topic {key[1]!r}")
        if answer.topic_id == ALL_TOPICS:
            raise InputError(
                f"run {key[0]!r} has a topic {ALL_TOPICS!r}, the name of the mean over topics; "
                "leave out rows that are means, or give the topic another id"
            )
        table[key] = answer
    return table


def _official_topics(
    measure: Measure[Any], table: Answers, topics: Sequence[str] | None
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
