"""The stages of an assessment: each judges one kind of unit and writes the field's own file.

A stage takes inputs that are read already, and a session; what it writes lies in the run directory
and is made anew each time from the judgments.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from judge import outputs
from judge.citing import CitedDocuments
from judge.config import LocateConfig, Mode
from judge.editing import keep_copy
from judge.errors import UsageError
from judge.formats.assignments import write_assignments
from judge.formats.grounded import write_grounded
from judge.formats.qrels import write_qrels
from judge.formats.subtopics import write_subtopic_qrels
from judge.formats.support import write_support
from judge.formats.weighed import write_weighed
from judge.grounds import Grounding, account, gold_rows, has_gold, subtopics
from judge.loading import Inputs
from judge.runs import (
    ASSIGNMENTS,
    CITATIONS,
    COVERAGE,
    NUGGET_SUBTOPICS,
    NUGGETS,
    QRELS,
    SUBTOPICS,
    SUPPORT,
)
from judge.session import Session
from judge.tasks import itemised
from judge.tasks.assign import Assign
from judge.tasks.locate import Locate
from judge.tasks.questions import Nuggets
from judge.tasks.relevance import Relevance
from judge.tasks.support import Citations, SupportTask
from judge.tasks.weigh import ROUNDS, Weigh
from judge.types import Nugget, Qrel, SubtopicQrel, Support, Unit

Row = TypeVar("Row", Qrel, SubtopicQrel)


async def relevance(session: Session, inputs: Inputs, prompt: str) -> list[Qrel]:
    """Grade the pairs; writes qrels.txt and returns its rows.

    With a template that asks about sub-narratives, subtopics.qrels stands beside it: which
    documents answer which of them in detail.
    """
    task = Relevance(session.template(prompt), inputs.topics, inputs.pairs, inputs.corpora.get)
    files = inputs.fingerprints("topics", "corpus", "answers", "pairs")
    await session.judge(task, files, pairs=len(inputs.pairs), **task.scale)
    if task.scale:
        name = task.template.head.name
        session.notice(f"{QRELS}: grades run from {task.scale['scale']} ({name})")
    units, judgments = list(task.units()), session.run.judgments
    rows = list(outputs.qrels(judgments, iter(units)))
    _write(session, QRELS, rows, write_qrels)
    if task.itemised:
        _make_room(session.run.path, held=Locate.name in session.run.manifest.stages)
        answered = itemised.subtopic_qrels(outputs.labelled(judgments, units))
        _write(session, SUBTOPICS, list(answered), write_subtopic_qrels)
    return rows


def _write(
    session: Session,
    name: str,
    rows: Sequence[Row],
    write: Callable[[Path, Iterable[Row]], None],
) -> None:
    """Write a file of columns, and tell of rows that it cannot hold."""
    written = [row for row in rows if not _has_blank("".join(map(str, row)))]
    write(session.run.path / name, written)
    if len(written) < len(rows):
        missing = f"{len(rows) - len(written)} grades have ids with blanks, which qrels cannot hold"
        session.notice(f"{name}: {missing}; they stand in judgments.jsonl alone")


def _has_blank(text: str) -> bool:
    return any(character.isspace() for character in text)


async def assign(session: Session, inputs: Inputs) -> Path:
    """Label every nugget for every answer; writes assignments.jsonl, and nuggets.jsonl beside."""
    if "nuggets" in inputs.files or not (session.run.path / NUGGETS).is_file():
        queries = {topic_id: topic.narrative for topic_id, topic in inputs.topics.items()}
        nuggets = [nugget for listed in inputs.nuggets.values() for nugget in listed]
        keep_copy(session.run.path, nuggets, queries)
    template = session.template("nuggets/assign")
    task = Assign(template, inputs.topics, inputs.answers, inputs.nuggets)
    await session.judge(task, inputs.fingerprints("topics", "answers", "nuggets"))
    labelled = outputs.assigned(
        session.run.judgments, inputs.answers, inputs.nuggets, inputs.topics
    )
    path = session.run.path / ASSIGNMENTS
    write_assignments(path, labelled)
    return path


async def locate(session: Session, inputs: Inputs, choices: LocateConfig) -> None:
    """Label which nuggets documents hold; writes subtopics.qrels, and coverage.jsonl after assign.

    Where only what coverage needs is asked, there are no subtopic qrels: what is asked then hangs
    on the answers, so that they would favour what these cite.
    """
    judgments = session.run.judgments
    assigned = judgments.has_labels(Assign.name)
    if choices.needed and not assigned and session.plan is None:
        raise UsageError("what coverage needs hangs on nugget labels: run `nuggets assign` first")
    cited = CitedDocuments(inputs.corpora, inputs.answers)
    grounding = Grounding(judgments, cited, gold=choices.gold)
    documents = _documents(inputs, cited, choices)
    every = {pair: _unlisted(inputs.nuggets.get(pair[0], ()), choices) for pair in documents}
    asked = every  # which is also the most that a plan can say before nuggets are assigned
    if choices.needed and assigned:
        asked = grounding.needed(inputs.answers, inputs.nuggets)
    task = Locate(session.template("nuggets/locate"), inputs.topics, asked, cited.get)
    files = inputs.fingerprints("topics", "nuggets", "corpus", "answers", "pairs")
    await session.judge(task, files, **_noted(choices))
    if choices.gold:
        _tell_made(session, inputs.nuggets)
    if not choices.needed:
        rows = list(subtopics(judgments, asked, partial=choices.partial))
        gold = gold_rows(inputs.nuggets, documents) if choices.gold else ()
        _write(session, _subtopics_file(session), [*rows, *gold], write_subtopic_qrels)
    if inputs.answers and assigned:
        answers = list(grounding.answers(inputs.answers, inputs.nuggets))
        write_grounded(session.run.path / COVERAGE, answers)
        session.notice(account(answers))


def _noted(choices: LocateConfig) -> dict[str, bool]:
    """The choices that a run of this kind rests on: `partial` only where subtopic qrels show it."""
    partial = {"partial": True} if choices.partial and not choices.needed else {}
    return {"needed": choices.needed, "gold": choices.gold, **partial}


def _documents(
    inputs: Inputs, cited: CitedDocuments, choices: LocateConfig
) -> list[tuple[str, str]]:
    """(topic_id, docid) of the documents to ask, each once."""
    documents: dict[tuple[str, str], None] = {}
    if choices.documents != "pairs":
        documents |= dict.fromkeys(cited.by_topic(inputs.topics))
    if choices.documents != "cited":
        documents |= {(pair.topic_id, pair.docid): None for pair in inputs.pairs}
    order = {topic_id: place for place, topic_id in enumerate(inputs.topics)}
    return sorted(documents, key=lambda pair: order[pair[0]])


def _unlisted(nuggets: Sequence[Nugget], choices: LocateConfig) -> list[Nugget]:
    """The nuggets that the judge is asked about: those without a gold list that is used."""
    return [nugget for nugget in nuggets if not (choices.gold and has_gold(nugget))]


def _tell_made(session: Session, nuggets: Nuggets) -> None:
    """Tell of nuggets whose documents are no gold list, though gold was asked for."""
    listed = [nugget for topic in nuggets.values() for nugget in topic]
    if made := sum(bool(nugget.docids) and not has_gold(nugget) for nugget in listed):
        session.notice(
            f"gold: {made} nuggets were made by a judge; their documents are those that they were "
            "made from, no gold list, so that the judge was asked"
        )
    if not any(map(has_gold, listed)):
        session.notice("gold: no nugget has a gold list of documents")


def _subtopics_file(session: Session) -> str:
    """subtopics.qrels, unless relevance has written there which sub-narratives documents answer."""
    relevance = session.run.manifest.stages.get(Relevance.name)
    if relevance is None or not _is_itemised(session, relevance.template):
        return SUBTOPICS
    session.notice(f"{SUBTOPICS} has the sub-narratives; the nuggets stand in {NUGGET_SUBTOPICS}")
    return NUGGET_SUBTOPICS


def _is_itemised(session: Session, template: str) -> bool:
    return session.template(template).head.output == "sub-narratives"


def _make_room(run: Path, *, held: bool) -> None:
    """Rename the subtopic qrels over nuggets before relevance takes their name."""
    if held and (run / SUBTOPICS).is_file() and not (run / NUGGET_SUBTOPICS).is_file():
        (run / SUBTOPICS).rename(run / NUGGET_SUBTOPICS)


async def cited_support(
    session: Session, inputs: Inputs, citations: Citations, mode: Mode, prompt: str
) -> None:
    """Label citations one by one, concatenated, or both."""
    if mode != "concatenated":
        await support(session, inputs, citations, prompt)
    if mode != "each":
        await weigh(session, inputs, prompt)


async def weigh(session: Session, inputs: Inputs, prompt: str) -> Path:
    """Label what sentences cite together, alone and without each; writes citations.jsonl."""
    template = session.template(prompt)
    files = inputs.fingerprints("topics", "answers", "corpus")
    judgments = session.run.judgments

    def label_of(unit: Unit) -> Support | None:
        return outputs.support_of(judgments.get(unit.unit_id))

    for units in ROUNDS:
        asked = units(inputs.answers, label_of)
        task = Weigh(template, inputs.topics, inputs.answers, inputs.corpora.cited, asked)
        await session.judge(task, files)
    path = session.run.path / CITATIONS
    write_weighed(path, outputs.weighed(judgments, inputs.answers))
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
