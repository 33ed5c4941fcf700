"""Printing scores: tables for people, JSON for programs."""

import json
from collections.abc import Sequence

from rich.console import Console

from judge.metrics.comparing import Comparison
from judge.metrics.rows import ALL_TOPICS
from judge.report.comparison import comparison_remarks, comparison_tables
from judge.report.leaderboard import leaderboard, remarks, topic_table
from judge.types import Score


def stdout() -> Console:
    """A console on stdout that does not fold tables where nobody watches."""
    return _unfolded(Console())


def stderr() -> Console:
    """The same on stderr."""
    return _unfolded(Console(stderr=True))


def _unfolded(console: Console) -> Console:
    return console if console.is_terminal else Console(stderr=console.stderr, width=160)


def print_scores(
    scores: Sequence[Score], *, per_topic: bool = False, intervals: bool = False
) -> None:
    """Print the leaderboard, each topic before it if wanted, and what must be known to read it.

    Beside each mean stands its standard error, or its bootstrap interval if that is wanted.
    Without any value there is no table, only the reasons.
    """
    console = stdout()
    if any(score.value is not None for score in scores):
        if per_topic:
            console.print(topic_table(scores))
        console.print(leaderboard(scores, console.width, intervals=intervals))
    for line in remarks(scores):
        console.print(line, highlight=False, markup=False)


def print_comparisons(comparisons: Sequence[Comparison]) -> None:
    """Print a table of the pairs by each measure, and what must be known to read it.

    Where no pair has a number by a measure there is no table of it, only the reasons.
    """
    console = stdout()
    told = {c.measure for c in comparisons if c.difference is not None}
    console.print(comparison_tables([c for c in comparisons if c.measure in told]))
    for line in comparison_remarks(comparisons):
        console.print(line, highlight=False, markup=False)


def comparisons_json(comparisons: Sequence[Comparison]) -> str:
    """The comparisons as a JSON list."""
    return json.dumps([c.model_dump() for c in comparisons], ensure_ascii=False, indent=2)


def scores_json(scores: Sequence[Score], *, per_topic: bool = False) -> str:
    """The rows as a JSON list; the means alone, unless each topic is wanted as well."""
    rows = [score for score in scores if per_topic or score.topic_id == ALL_TOPICS]
    return json.dumps([score.model_dump() for score in rows], ensure_ascii=False, indent=2)
