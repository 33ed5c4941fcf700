"""The stages of an assessment: each judges one kind of unit and writes the field's own file.

A stage takes inputs that are read already, and a session; what it writes lies in the run directory
and is made anew each time from the judgments.
"""

from pathlib import Path

from judge import outputs
from judge.formats.assignments import write_assignments
from judge.formats.nuggets import write_nuggets
from judge.formats.qrels import write_qrels
from judge.formats.support import write_support
from judge.loading import Inputs
from judge.runs import ASSIGNMENTS, NUGGETS, QRELS, SUPPORT
from judge.session import Session
from judge.tasks.assign import Assign
from judge.tasks.relevance import Relevance
from judge.tasks.support import Citations, SupportTask
from judge.types import Qrel


async def relevance(session: Session, inputs: Inputs, prompt: str) -> list[Qrel]:
    """Grade the pairs; writes qrels.txt and returns its rows."""
    task = Relevance(session.template(prompt), inputs.topics, inputs.pairs, inputs.corpora.get)
    files = inputs.fingerprints("topics", "corpus", "answers", "pairs")
    await session.judge(task, files, pairs=len(inputs.pairs))
    rows = list(outputs.qrels(session.run.judgments, task.units()))
    written = [row for row in rows if not _has_blank(row.topic_id + row.docid)]
    write_qrels(session.run.path / QRELS, written)
    if len(written) < len(rows):
        missing = f"{len(rows) - len(written)} grades have ids with blanks, which qrels cannot hold"
        session.notice(f"{QRELS}: {missing}; they stand in judgments.jsonl alone")
    return rows


def _has_blank(text: str) -> bool:
    return any(character.isspace() for character in text)


async def assign(session: Session, inputs: Inputs) -> Path:
    """Label every nugget for every answer; writes assignments.jsonl, and nuggets.jsonl beside."""
    template = session.template("nuggets/assign")
    task = Assign(template, inputs.topics, inputs.answers, inputs.nuggets)
    await session.judge(task, inputs.fingerprints("topics", "answers", "nuggets"))
    queries = {topic_id: topic.narrative for topic_id, topic in inputs.topics.items()}
    nuggets = [nugget for listed in inputs.nuggets.values() for nugget in listed]
    write_nuggets(session.run.path / NUGGETS, nuggets, queries)
    labelled = outputs.assigned(
        session.run.judgments, inputs.answers, inputs.nuggets, inputs.topics
    )
    path = session.run.path / ASSIGNMENTS
    write_assignments(path, labelled)
    return path


async def support(session: Session, inputs: Inputs, citations: Citations, prompt: str) -> Path:
    """Label the citations of every sentence; writes support.jsonl."""
    template = session.template(prompt)
    task = SupportTask(template, inputs.topics, inputs.answers, inputs.corpora.cited, citations)
    files = inputs.fingerprints("topics", "answers", "corpus")
    await session.judge(task, files, citations=citations)
    path = session.run.path / SUPPORT
    write_support(path, outputs.supported(session.run.judgments, inputs.answers, citations))
    return path
