"""A whole assessment: relevance, nuggets, assign, support, score, each taking what came before."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from judge import creation, scoring, stages
from judge.config import AssessConfig
from judge.errors import UsageError
from judge.formats.qrels import read_qrels
from judge.loading import cited, load_inputs, restrict
from judge.metrics import parse_measures
from judge.reporting import QUIET, Reporter
from judge.session import Session
from judge.settings import Settings
from judge.types import Qrel, Score
from judge.verbs import Result, in_session, pairs_of, with_nuggets

STAGES = ("relevance", "nuggets", "assign", "support", "score")


async def assess(
    config: AssessConfig,
    *,
    out: Path,
    settings: Settings,
    only: Sequence[str] = (),
    report: Reporter = QUIET,
) -> Result:
    """Judge a collection end to end.

    A stage whose inputs are absent is skipped, and `Result.skipped` says why.

    Args:
        config: the inputs and the choices of each stage.
        out: the run directory.
        settings: how to judge.
        only: names of `STAGES` to run; all of them if none are named.
        report: where to tell how it goes.

    Raises:
        UsageError: a stage that is not known, or a setting that cannot work.
        InputError: an input that cannot be read.
        StoppedError: the provider refuses every further call; the run can be taken up again.
    """
    if unknown := set(only) - set(STAGES):
        raise UsageError(f"no stage {unknown.pop()!r}; the stages are {', '.join(STAGES)}")
    assessment = _Assessment(config, tuple(only) or STAGES, settings, report)
    result = await in_session(assessment.run, assessment.inputs, out, settings, report)
    return replace(result, skipped=assessment.skipped, scores=assessment.scores)


class _Assessment:
    """The stages of one assessment; each leaves for the next what it needs.

    A stage returns None when it ran, else the reason why it did not.
    """

    def __init__(
        self, config: AssessConfig, only: Sequence[str], settings: Settings, report: Reporter
    ) -> None:
        self._config, self._only = config, only
        self._settings, self._report = settings, report
        self._qrels: list[Qrel] | None = None
        self.skipped: dict[str, str] = {}
        self.scores: list[Score] = []
        self.inputs = load_inputs(
            config.path(config.topics),
            answers=config.paths(config.answers),
            corpus=config.paths(config.corpus),
            topic_ids=config.topic_ids,
            notice=report.notice,
        )

    async def run(self, session: Session) -> None:
        """Run the stages in order, leaving out those whose inputs are absent."""
        steps: Mapping[str, Callable[[Session], Awaitable[str | None]]] = {
            "relevance": self._relevance,
            "nuggets": self._nuggets,
            "assign": self._assign,
            "support": self._support,
            "score": self._score,
        }
        for name, step in steps.items():
            reason = await step(session) if name in self._only else "not asked for (--only)"
            if reason is not None:
                self.skipped[name] = reason

    async def _relevance(self, session: Session) -> str | None:
        choices = self._config.relevance
        pool, pairs = self._config.paths(choices.pool), choices.pairs
        pairs = None if pairs is None else self._config.path(pairs)
        wanted = pairs_of(self.inputs, pool, choices.depth, pairs) or cited(self.inputs)
        if not wanted:
            return "nothing to grade: no pool, no pairs, no document in any answer"
        if self.inputs.corpora.empty:
            return "no corpus, and no answer carries its documents"
        self._qrels = await stages.relevance(session, self.inputs, wanted, choices.prompt)
        return None

    async def _nuggets(self, session: Session) -> str | None:
        choices = self._config.nuggets
        if choices.file is not None:
            self.inputs = with_nuggets(self.inputs, self._config.path(choices.file), self._report)
            return f"given in {choices.file}"
        qrels = self._grades(session)
        if qrels is None:
            return "no nuggets file, and no grades to choose documents by"
        nuggets = await creation.create_nuggets(session, self.inputs, qrels, choices.min_grade)
        self.inputs = replace(self.inputs, nuggets=nuggets)
        return None

    def _grades(self, session: Session) -> list[Qrel] | None:
        """Grades given, else those of this run, else none."""
        given = self._config.nuggets.qrels
        if given is not None:
            rows = read_qrels(self._config.path(given))
            return restrict(rows, self.inputs.topics, "qrels", self._report.notice)
        if self._qrels is None and (session.run.path / stages.QRELS).is_file():
            return read_qrels(session.run.path / stages.QRELS)
        return self._qrels

    async def _assign(self, session: Session) -> str | None:
        made = session.run.path / creation.NUGGETS
        if not self.inputs.nuggets and made.is_file():
            self.inputs = with_nuggets(self.inputs, str(made), self._report)
        if not self.inputs.answers:
            return "no answers"
        if not any(self.inputs.nuggets.values()):
            return "no nuggets"
        await stages.assign(session, self.inputs)
        return None

    async def _support(self, session: Session) -> str | None:
        choices = self._config.support
        if not any(s.citations for answer in self.inputs.answers for s in answer.sentences):
            return "no answer cites anything"
        if self.inputs.corpora.empty:
            return "no corpus, and no answer carries its documents"
        await stages.support(session, self.inputs, choices.citations, choices.prompt)
        return None

    async def _score(self, session: Session) -> str | None:
        try:
            labels = scoring.read_labels(session.run.path)
        except UsageError:
            return "nothing was labelled"
        choices = self._config.score
        self.scores = scoring.compute(
            labels,
            parse_measures(choices.measures) if choices.measures else (),
            max_failed=self._settings.max_failed,
            allow_incomplete=self._settings.allow_incomplete,
            empty_as_zero=choices.empty_as_zero,
        )
        scoring.save(session.run.path, self.scores)
        return None
