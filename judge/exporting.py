"""Nuggets for other tools: from any form that is read to the nugget banks of AutoJudge."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from judge.formats.nugget_banks import write_nugget_banks
from judge.formats.nuggets import read_nuggets
from judge.formats.paths import expand_one
from judge.formats.topics import read_topics
from judge.runs import NUGGETS
from judge.types import Nugget


class Exported(NamedTuple):
    """How many nuggets were written, of how many topics; and topics without a query."""

    nuggets: int
    topics: int
    without_query: Sequence[str]


def export_banks(source: str | Path, out: Path, topics: str | Path | None = None) -> Exported:
    """Write nugget banks of version 3, a line a topic.

    Args:
        source: a file of nuggets in any form, or a run directory that has made some.
        out: the file to write; AutoJudge reads it as JSONL if its name ends so.
        topics: the topics file that has the queries; a topic without one gets its id.

    Raises:
        InputError: a file cannot be read.
        UsageError: the file cannot be written.
    """
    nuggets = read_nuggets(_file_of(source))
    known = [] if topics is None else read_topics(expand_one(topics))
    queries = {topic.topic_id: topic.title or topic.narrative for topic in known}
    write_nugget_banks(out, nuggets, queries)
    return _counted(nuggets, queries)


def _file_of(source: str | Path) -> Path:
    own = Path(source) / NUGGETS
    return own if own.is_file() else expand_one(source)


def _counted(nuggets: Sequence[Nugget], queries: dict[str, str]) -> Exported:
    ids = dict.fromkeys(nugget.topic_id for nugget in nuggets)
    return Exported(len(nuggets), len(ids), [topic for topic in ids if topic not in queries])
