"""The single judging verbs: each reads its inputs, opens a session and runs one stage."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge import creation, stages
from judge.errors import IncompleteError, UsageError
from judge.executor import Tally
from judge.formats.paths import expand
from judge.formats.qrels import read_qrels
from judge.formats.topics import write_topics
from judge.loading import Inputs, Pair, listed, load_inputs, load_nuggets, pooled, restrict
from judge.manifest import fingerprint
from judge.reporting import QUIET, Reporter
from judge.scoring import TOPICS
from judge.session import Session, open_session
from judge.settings import Settings
from judge.tasks.support import Citations
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
    """

    run: Path
    tallies: Mapping[str, Tally]
    skipped: Mapping[str, str] = field(default_factory=dict)
    scores: Sequence[Score] = ()
    complaint: str | None = None

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
    inputs = load_inputs(topics, corpus=corpus, notice=report.notice)
    wanted = pairs_of(inputs, pool, depth, pairs)
    if not wanted:
        raise UsageError("no documents to grade: give --pool RUNFILE or --pairs QRELS")
    files = {"pairs": fingerprint(expand([pairs] if pairs else pool))}
    inputs = replace(inputs, files={**inputs.files, **files})

    async def work(session: Session) -> None:
        await stages.relevance(session, inputs, wanted, prompt)

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
    path = expand([qrels])[0]
    rows = restrict(read_qrels(path), inputs.topics, "qrels", report.notice)
    inputs = replace(inputs, files={**inputs.files, "qrels": fingerprint([path])})

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
    inputs = load_inputs(topics, answers=answers, notice=report.notice)
    inputs = with_nuggets(inputs, nuggets, report)

    async def work(session: Session) -> None:
        await stages.assign(session, inputs)

    return await in_session(work, inputs, out, settings, report)


async def support(
    topics: str,
    *,
    out: Path,
    answers: Sequence[str],
    corpus: Sequence[str] = (),
    citations: Citations = "first",
    prompt: str = "support/trec2025",
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Label how far cited documents support the sentences that cite them; writes support.jsonl."""
    inputs = load_inputs(topics, answers=answers, corpus=corpus, notice=report.notice)

    async def work(session: Session) -> None:
        await stages.support(session, inputs, citations, prompt)

    return await in_session(work, inputs, out, settings, report)


async def in_session(
    work: Callable[[Session], Awaitable[None]],
    inputs: Inputs,
    out: Path,
    settings: Settings,
    report: Reporter,
) -> Result:
    """Open a session on `out`, do `work` in it, and sum up."""
    with inputs.corpora:
        async with open_session(settings, out, report) as session:
            write_topics(out / TOPICS, inputs.topics.values())  # what `score` averages over
            await work(session)
            return Result(out, session.tallies, complaint=session.complaint())


def pairs_of(inputs: Inputs, pool: Sequence[str], depth: int, pairs: str | None) -> list[Pair]:
    """The (topic_id, docid) pairs to grade; none where neither runs nor a list are given."""
    if pool and pairs:
        raise UsageError("give retrieval runs (pool) or a list of pairs, not both")
    if pairs:
        return listed(pairs, inputs.topics)
    return pooled(pool, depth, inputs.topics) if pool else []


def with_nuggets(inputs: Inputs, path: str, report: Reporter) -> Inputs:
    """The inputs with the nuggets of a file."""
    nuggets = load_nuggets(path, inputs.topics, report.notice)
    files = {**inputs.files, "nuggets": fingerprint(expand([path]))}
    return replace(inputs, nuggets=nuggets, files=files)
