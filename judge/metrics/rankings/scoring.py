"""Scores of runs: every ranking of the official topics, and the mean over these."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.errors import InputError, UsageError
from judge.metrics.outcome import Outcome, undefined, zero
from judge.metrics.rankings.base import Grades, Held, RankingMeasure, Scorer
from judge.metrics.rows import ALL_TOPICS, Rules, mean_row, topic_row
from judge.types import Score

Run = Mapping[str, Sequence[str]]
"""topic_id -> docids, the best first and each once."""


@dataclass(frozen=True)
class Gold:
    """What was judged, by topic; `held` is None where subtopics were not."""

    grades: Mapping[str, Grades]
    held: Mapping[str, Held] | None = None

    @classmethod
    def of_subtopics(cls, held: Mapping[str, Held]) -> "Gold":
        """Return the gold of judged subtopics; a grade is the number of those a document holds."""
        grades = {t: {docid: len(has) for docid, has in docs.items()} for t, docs in held.items()}
        return cls(grades, held)

    def judged_for(self, measure: RankingMeasure[Any]) -> Mapping[str, Any]:
        """Return what a measure takes, by topic.

        Raises:
            UsageError: it takes subtopics, and there are none.
        """
        if measure.kind == "grades":
            return self.grades
        if self.held is None:
            raise UsageError(f"{measure} needs judgments by subtopic")
        return self.held


def score_runs(
    measures: Iterable[RankingMeasure[Any]],
    runs: Mapping[str, Run],
    gold: Gold,
    *,
    topics: Sequence[str] | None = None,
    empty_as_zero: bool = False,
) -> list[Score]:
    """Return one row per measure, run and topic, each run's followed by its mean.

    The mean runs over the official topics, as trec_eval's with `-c`: one that a run lacks counts
    0. One without judgments, or for which the measure is undefined, is left out. A row's
    `n_judged` is the number of documents that were judged for the topic.

    Args:
        measures: what to compute; a repeated measure counts once.
        runs: what each run ranks; topics that are not official play no part.
        gold: what was judged.
        topics: ids of the official topics; without it, those of the gold.
        empty_as_zero: count an undefined value as 0 instead of leaving it out of the mean, as
            trec_eval does.

    Raises:
        InputError: if a topic is called "all".
        UsageError: if a measure takes subtopics, and the gold has none.
    """
    official = list(dict.fromkeys(gold.grades if topics is None else topics))
    if ALL_TOPICS in official:
        raise InputError(
            f"a topic is called {ALL_TOPICS!r}, the name of the mean over topics; "
            "give it another id"
        )
    rules = Rules(empty_as_zero=empty_as_zero)
    rows: list[Score] = []
    for measure in dict.fromkeys(measures):
        scored = [_Topic(measure, t, gold.judged_for(measure).get(t)) for t in official]
        for run_id, run in runs.items():
            rows += _rows(run_id, str(measure), run, scored, rules)
    return rows


class _Topic:
    """A measure on one topic, made ready for the rankings of many runs."""

    def __init__(self, measure: RankingMeasure[Any], topic_id: str, judged: Any) -> None:
        self.topic_id = topic_id
        self._n_judged = len(judged or ())
        self._empty = measure.empty if judged else "the topic has no judgments"
        self._scorer: Scorer | None = measure.scorer(judged) if judged else None

    def outcome(self, ranking: Sequence[str] | None) -> Outcome:
        """Return the outcome for a ranking, None where the run has none."""
        if self._scorer is None:
            return undefined(self._empty)._replace(missing=not ranking)
        if not ranking:
            return zero("not in the run", missing=True)
        value = self._scorer(ranking)
        return Outcome(value, value, value, n_judged=self._n_judged)


def _rows(
    run_id: str, measure: str, run: Run, topics: Sequence[_Topic], rules: Rules
) -> Iterator[Score]:
    outcomes = {t.topic_id: rules.settle(t.outcome(run.get(t.topic_id))) for t in topics}
    for topic_id, outcome in outcomes.items():
        yield topic_row(run_id, topic_id, measure, outcome, rules)
    yield mean_row(run_id, measure, list(outcomes.values()), rules)
