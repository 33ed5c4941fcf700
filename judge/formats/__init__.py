"""Readers and writers of the field's file formats, one module a family.

Readers take a path ("-" is stdin), gzip or not, and raise `judge.errors.InputError` that names
file, line and field. They ignore fields they do not know, with one warning a file on the logger
"judge.formats". All forms of one kind of file have one reader, which tells them apart by content.
"""

from judge.formats.answers import read_all_answers, read_answers
from judge.formats.assignments import read_assignments, write_assignments
from judge.formats.kinds import read, recognise
from judge.formats.nugget_banks import write_nugget_banks
from judge.formats.nuggets import read_nuggets, write_nuggets
from judge.formats.paths import expand
from judge.formats.qrels import read_qrels, write_qrels
from judge.formats.ratings import read_rating_rows, read_ratings
from judge.formats.runs import pool, ranking, read_run
from judge.formats.scores import (
    read_nugget_scores,
    read_scores,
    write_nugget_scores,
    write_scores,
)
from judge.formats.submissions import write_answers
from judge.formats.subtopics import read_subtopic_qrels, write_subtopic_qrels
from judge.formats.support import read_support, write_support
from judge.formats.topics import read_topics, write_topics, write_topics_tsv

__all__ = [
    "expand",
    "pool",
    "ranking",
    "read",
    "read_all_answers",
    "read_answers",
    "read_assignments",
    "read_nugget_scores",
    "read_nuggets",
    "read_qrels",
    "read_rating_rows",
    "read_ratings",
    "read_run",
    "read_scores",
    "read_subtopic_qrels",
    "read_support",
    "read_topics",
    "recognise",
    "write_answers",
    "write_assignments",
    "write_nugget_banks",
    "write_nugget_scores",
    "write_nuggets",
    "write_qrels",
    "write_scores",
    "write_subtopic_qrels",
    "write_support",
    "write_topics",
    "write_topics_tsv",
]
