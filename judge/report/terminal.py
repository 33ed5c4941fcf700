"""Printing scores: tables for people, JSON for programs."""

import json
from collections.abc import Sequence

from rich.console import Console

from judge.metrics.rows import ALL_TOPICS
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


def print_scores(scores: Sequence[Score], *, per_topic: bool = False) -> None:
    """Print the leaderboard, each topic before it if wanted, and what must be known to read it.

    Without any value there is no table, only the reasons.
    """
    console = stdout()
    if any(score.value is not None for score in scores):
        if per_topic:
            console.print(topic_table(scores))
        console.print(leaderboard(scores, console.width))
    for line in remarks(scores):
        console.print(line, highlight=False, markup=False)


def scores_json(scores: Sequence[Score], *, per_topic: bool = False) -> str:
    """The rows as a JSON list; the means alone, unless each topic is wanted as well."""
    rows = [score for score in scores if per_topic or score.topic_id == ALL_TOPICS]
    return json.dumps([score.model_dump() for score in rows], ensure_ascii=False, indent=2)
