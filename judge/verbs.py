"""The single judging verbs: each reads its inputs, opens a session and runs one stage."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from judge import creation, stages
from judge.config import Documents, LocateConfig, Mode
from judge.errors import IncompleteError, UsageError
from judge.executor import Tally
from judge.formats.paths import expand_one
from judge.loading import Inputs, add_nuggets, add_pairs, load_inputs, look_at_images
from judge.planning import Plan
from judge.reporting import QUIET, Reporter
from judge.session import Session, open_session
from judge.settings import Settings
from judge.tasks.support import Citations
from judge.templates import check_templates
from judge.types import Score


@dataclass(frozen=True)
class Result:
    """What a judging command did.

    Attributes:
        run: the run directory.
        tallies: what was asked and what it cost, by task.
        skipped: stages that did not run, each with the reason.
        scores: rows of every measure, where scoring was part of it.
        complaint: why the run does not count as complete, or None.
        plan: what would be asked, where only that was wanted; nothing was written then.
    """

    run: Path
    tallies: Mapping[str, Tally]
    skipped: Mapping[str, str] = field(default_factory=dict)
    scores: Sequence[Score] = ()
    complaint: str | None = None
    plan: Plan | None = None

    def check(self) -> None:
        """Raise what makes the command end with status 3.

        Raises:
            IncompleteError: more units failed than the settings allow.
        """
        if self.complaint is not None:
            raise IncompleteError(self.complaint)


async def relevance(
    topics: str,
    *,
    out: Path,
    pool: Sequence[str] = (),
    depth: int = 20,
    pairs: str | None = None,
    corpus: Sequence[str],
    prompt: str = "relevance/trec2025",
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Grade documents for topics, 0 to 4; writes qrels.txt.

    Args:
        topics: a topics file.
        out: the run directory.
        pool: retrieval runs; their documents down to `depth` are graded.
        pairs: a qrels file that lists the pairs to grade instead.
        depth: how far down a run.
        corpus: files of documents.
        prompt: name of the template.
        settings: how to judge.
        report: where to tell how it goes.
    """
    if not pool and not pairs:
        raise UsageError("no documents to grade: give --pool RUNFILE or --pairs QRELS")
    inputs = load_inputs(topics, corpus=corpus, notice=report.notice)
    inputs = add_pairs(inputs, pool=pool, depth=depth, pairs=pairs, notice=report.notice)

    async def work(session: Session) -> None:
        await stages.relevance(session, inputs, prompt)

    return await in_session(work, inputs, out, settings, report)


async def create_nuggets(
    topics: str,
    *,
    out: Path,
    qrels: str,
    corpus: Sequence[str],
    min_grade: int = 1,
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Create the nuggets of each topic from its relevant documents; writes nuggets.jsonl."""
    inputs = load_inputs(topics, corpus=corpus, notice=report.notice)
    path = expand_one(qrels)
    rows = inputs.graded(path, report.notice)
    inputs = inputs.with_files("qrels", [path])

    async def work(session: Session) -> None:
        await creation.create_nuggets(session, inputs, rows, min_grade)

    return await in_session(work, inputs, out, settings, report)


async def assign_nuggets(
    topics: str,
    *,
    out: Path,
    nuggets: str,
    answers: Sequence[str],
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Label every nugget for every answer; writes assignments.jsonl."""
    inputs = _answered(load_inputs(topics, answers=answers, notice=report.notice))
    inputs = add_nuggets(inputs, nuggets, report.notice)

    async def work(session: Session) -> None:
        await stages.assign(session, inputs)

    return await in_session(work, inputs, out, settings, report)


async def locate_nuggets(
    topics: str,
    *,
    out: Path,
    nuggets: str,
    corpus: Sequence[str] = (),
    pool: Sequence[str] = (),
    depth: int = 20,
    answers: Sequence[str] = (),
    needed: bool = False,
    gold: bool = False,
    partial: bool = False,
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Label which nuggets documents hold; writes subtopics.qrels, and coverage.jsonl after assign.

    Args:
        topics: a topics file.
        out: the run directory; where it has assign labels, coverage follows from both.
        nuggets: a nuggets file.
        corpus: files of documents.
        pool: retrieval runs; their documents down to `depth` are asked.
        depth: how far down a run.
        answers: answers, whose cited documents are asked.
        needed: ask only what nugget coverage hangs on, by the assign labels in `out`.
        gold: use the lists of documents in the nuggets file, where it has them.
        partial: in subtopics.qrels, a document holds what it holds in part.
        settings: how to judge.
        report: where to tell how it goes.
    """
    if not pool and not answers:
        raise UsageError("no documents to ask: give --pool RUNFILE or --answers FILE")
    if needed and not answers:
        raise UsageError("what coverage needs hangs on answers: give --answers FILE")
    inputs = load_inputs(topics, answers=answers, corpus=corpus, notice=report.notice)
    inputs = add_nuggets(inputs, nuggets, report.notice)
    if pool:
        inputs = add_pairs(inputs, pool=pool, depth=depth, notice=report.notice)
    documents: Documents = "both" if pool and answers else "pairs" if pool else "cited"
    choices = LocateConfig(documents=documents, needed=needed, gold=gold, partial=partial)

    async def work(session: Session) -> None:
        await stages.locate(session, inputs, choices)

    return await in_session(work, inputs, out, settings, report)


async def support(
    topics: str,
    *,
    out: Path,
    answers: Sequence[str],
    corpus: Sequence[str] = (),
    citations: Citations = "first",
    mode: Mode = "each",
    prompt: str = "support/trec2025",
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Label how far cited documents support the sentences that cite them.

    Each document by itself, which writes support.jsonl; or concatenated, all that a sentence cites
    together, which writes citations.jsonl for ALCE's measures; or both.
    """
    inputs = _answered(load_inputs(topics, answers=answers, corpus=corpus, notice=report.notice))

    async def work(session: Session) -> None:
        await stages.cited_support(session, inputs, citations, mode, prompt)

    return await in_session(work, inputs, out, settings, report)


def _answered(inputs: Inputs) -> Inputs:
    if not inputs.answers:
        raise UsageError("there are no answers to judge: the files given hold none")
    return inputs


async def in_session(
    work: Callable[[Session], Awaitable[None]],
    inputs: Inputs,
    out: Path,
    settings: Settings,
    report: Reporter,
) -> Result:
    """Open a session on `out`, do `work` in it, and sum up."""
    check_templates(settings.prompts)
    with inputs.corpora:
        if settings.images:
            look_at_images(inputs)
        async with open_session(settings, inputs.topics.values(), out, report) as session:
            if session.plan is None:  # a run can be judged again from what it keeps
                session.run.shown.answers(inputs.answers)
                inputs.corpora.shown = session.run.shown.document
            await work(session)
            complaint = session.complaint()
            return Result(out, session.tallies, complaint=complaint, plan=session.plan)
