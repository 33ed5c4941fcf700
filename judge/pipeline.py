"""A whole assessment: relevance, nuggets, assign, locate, support, score, one after the other."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from judge import creation, scoring, stages
from judge.config import AssessConfig, LocateConfig
from judge.editing import own_nuggets
from judge.errors import UsageError
from judge.formats.nugget_fields import grouped
from judge.formats.paths import expand_one
from judge.formats.qrels import read_qrels
from judge.loading import Inputs, add_cited, add_nuggets, add_pairs, load_inputs
from judge.metrics import parse_measures
from judge.reporting import QUIET, Notice, Reporter
from judge.runs import NUGGETS, QRELS
from judge.session import Session
from judge.settings import Settings
from judge.templates import check_templates
from judge.types import Qrel, Score
from judge.verbs import Result, in_session

STAGES = ("relevance", "nuggets", "assign", "locate", "support", "score")


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
    assessment = _Assessment(config, only, settings, report.notice)
    result = await in_session(assessment.run, assessment.inputs, out, settings, report)
    return replace(result, skipped=assessment.skipped, scores=assessment.scores)


class _Assessment:
    """The stages of one assessment; each leaves for the next what it needs.

    All inputs are read, and all choices checked, before the first call is paid for. A stage
    returns None when it ran, else the reason why it did not. `locate` is asked for by a table
    [locate] or by its name; without either there is nothing to say of it.
    """

    def __init__(
        self, config: AssessConfig, only: Sequence[str], settings: Settings, notice: Notice
    ) -> None:
        if "locate" in only and config.locate is None:
            config = config.model_copy(update={"locate": LocateConfig()})
        self._config, self._settings = config, settings
        self._only = only or STAGES
        self._notice = notice
        check_templates(settings.prompts, (config.relevance.prompt, config.support.prompt))
        measures = config.score.measures
        self._measures = parse_measures(measures) if measures else []
        self.inputs = _read_inputs(config, notice)
        self._qrels = self._given_qrels()
        self.skipped: dict[str, str] = {}
        self.scores: list[Score] = []

    def _given_qrels(self) -> list[Qrel] | None:
        path = self._config.nuggets.qrels
        if path is None:
            return None
        return self.inputs.graded(expand_one(self._config.path(path)), self._notice)

    async def run(self, session: Session) -> None:
        """Run the stages in order, leaving out those whose inputs are absent."""
        steps: Mapping[str, Callable[[Session], Awaitable[str | None]]] = {
            "relevance": self._relevance,
            "nuggets": self._nuggets,
            "assign": self._assign,
            "locate": self._locate,
            "support": self._support,
            "score": self._score,
        }
        for name, step in steps.items():
            reason = await step(session) if name in self._only else "not asked for (--only)"
            if reason is not None:
                self.skipped[name] = reason

    async def _relevance(self, session: Session) -> str | None:
        if self.inputs.corpora.empty:
            return "no corpus, and no answer carries its documents"
        if not self.inputs.pairs:
            return "nothing to grade: no pool, no pairs, no document in any answer"
        qrels = await stages.relevance(session, self.inputs, self._config.relevance.prompt)
        self._qrels = self._qrels or qrels
        return None

    async def _nuggets(self, session: Session) -> str | None:
        choices = self._config.nuggets
        if choices.file is not None:
            return f"given in {choices.file}"
        made = session.run.path / QRELS
        qrels = read_qrels(made) if self._qrels is None and made.is_file() else self._qrels
        if not qrels:
            return "no nuggets file, and no grades to choose documents by"
        nuggets = await creation.create_nuggets(session, self.inputs, qrels, choices.min_grade)
        self.inputs = replace(self.inputs, nuggets=nuggets)
        return None

    async def _assign(self, session: Session) -> str | None:
        self._take_own_nuggets(session.run.path)
        if not self.inputs.answers:
            return "no answers"
        if not any(self.inputs.nuggets.values()):
            return "no nuggets"
        await stages.assign(session, self.inputs)
        return None

    def _take_own_nuggets(self, run: Path) -> None:
        """Take the nuggets that the run has, with people's edits, if none are given."""
        if not self.inputs.nuggets and (run / NUGGETS).is_file():
            kept = self.inputs.restrict(own_nuggets(run), "nuggets", self._notice)
            self.inputs = replace(self.inputs, nuggets=grouped(kept))

    async def _locate(self, session: Session) -> str | None:
        choices = self._config.locate
        if choices is None:
            return None
        if self.inputs.corpora.empty and not choices.gold:
            return "no corpus, and no answer carries its documents"
        self._take_own_nuggets(session.run.path)
        if not any(self.inputs.nuggets.values()):
            return "no nuggets"
        await stages.locate(session, self.inputs, choices)
        return None

    async def _support(self, session: Session) -> str | None:
        choices = self._config.support
        if not any(s.citations for answer in self.inputs.answers for s in answer.sentences):
            return "no answer cites anything"
        if self.inputs.corpora.empty:
            return "no corpus, and no answer carries its documents"
        await stages.cited_support(
            session, self.inputs, choices.citations, choices.mode, choices.prompt
        )
        return None

    async def _score(self, session: Session) -> str | None:
        if session.plan is not None:
            return "a plan has no labels"
        if not any((session.run.path / name).is_file() for name in scoring.LABELS):
            return "nothing was labelled"
        self.scores = scoring.compute(
            scoring.read_labels(session.run.path),
            self._measures,
            max_failed=self._settings.max_failed,
            allow_incomplete=self._settings.allow_incomplete,
            empty_as_zero=self._config.score.empty_as_zero,
        )
        scoring.save(session.run.path, self.scores)
        return None


def _read_inputs(config: AssessConfig, notice: Notice) -> Inputs:
    inputs = load_inputs(
        config.path(config.topics),
        answers=config.paths(config.answers),
        corpus=config.paths(config.corpus),
        topic_ids=config.topic_ids,
        notice=notice,
    )
    if config.nuggets.file is not None:
        inputs = add_nuggets(inputs, config.path(config.nuggets.file), notice)
    chosen = config.relevance
    if not chosen.pool and chosen.pairs is None:
        return add_cited(inputs)
    return add_pairs(
        inputs,
        pool=config.paths(chosen.pool),
        depth=chosen.depth,
        pairs=None if chosen.pairs is None else config.path(chosen.pairs),
        notice=notice,
    )
