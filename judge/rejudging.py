"""A run judged again: the same units, with another model, prompt or temperature, or from the store.

What a run keeps is enough: its manifest says how the judge was asked, its judgments which units
there are, and topics, answers, documents and nuggets lie beside them. Nuggets are taken as the run
has them: made anew, they would be other units.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge import creation, scoring, stages
from judge.config import LocateConfig
from judge.errors import InputError, UsageError
from judge.formats.scores import read_scores
from judge.loading import Inputs
from judge.metrics import parse_measures
from judge.recorded import Given, Recorded, manifest_of, units_of
from judge.reporting import QUIET, Reporter
from judge.runs import SCORES, TOPICS
from judge.session import Session
from judge.settings import Settings
from judge.tasks.weigh import Weigh, alone, cited_by, together, without
from judge.templates import check_templates, load_template
from judge.types import Score
from judge.verbs import Result, in_session

TASKS = ("relevance", "importance", "mapping", "assign", "locate", "support", "weigh")
"""What can be judged again, in the order in which one takes from the other."""

_TEMPLATES = {
    "importance": "nuggets/importance",
    "mapping": "nuggets/mapping",
    "assign": "nuggets/assign",
    "locate": "nuggets/locate",
}
"""The templates of the tasks that are asked for none."""

_HEADS = {"weigh": "support"}
"""The task that the head of a template names, where it is not the task that it is asked for."""

_OF_ANSWERS = {"assign", "support", "weigh"}
_OF_DOCUMENTS = {"relevance", "locate", "support", "weigh"}


def settings_of(run: Path, flags: Mapping[str, Any]) -> dict[str, Any]:
    """How `run` was judged, with `flags` over it.

    Another model does not inherit the address that the first one was asked at.

    Raises:
        InputError: the run's manifest is damaged.
        UsageError: it is no run, or neither it nor the flags name the model.
    """
    manifest = manifest_of(run)
    kept = {"model": manifest.named, "base_url": manifest.base_url, **manifest.parameters}
    if any(stage.choices.get("images") for stage in manifest.stages.values()):
        kept["images"] = True
    if flags.get("model", manifest.named) != manifest.named:
        del kept["base_url"]
    settings = {**{name: value for name, value in kept.items() if value is not None}, **flags}
    if "model" not in settings:
        raise UsageError(
            f"{run} was made by a version that did not note how --model named its model, "
            f"{manifest.model!r}: give --model"
        )
    return settings


async def rejudge(
    run: Path,
    *,
    out: Path,
    prompts: Sequence[str] = (),
    given: Given | None = None,
    settings: Settings,
    report: Reporter = QUIET,
) -> Result:
    """Judge the units of a run again, failed ones too, and score them.

    Args:
        run: the run directory; it is only read.
        out: another one.
        prompts: templates, each for the task that its head names; by default those of the run.
        given: files that the run does not keep.
        settings: how to judge, see `settings_of`.
        report: where to tell how it goes.

    Raises:
        InputError: the run is damaged, or lacks what it was made from.
        UsageError: there is nothing to judge again, or a prompt is of no task of the run.
        StoppedError: the provider refuses every further call; `out` can be taken up again.
    """
    _refuse_same(run, out)
    again = _Again(run, prompts, given or Given(), settings, report)
    result = await in_session(again.run, again.inputs, out, settings, report)
    return replace(result, scores=again.scores)


def _refuse_same(run: Path, out: Path) -> None:
    if out.resolve() == run.resolve():
        raise UsageError("a run is judged again into another directory: give another --out")


class _Again:
    """The tasks of a run, each with the run's own inputs and choices."""

    def __init__(
        self, run: Path, prompts: Sequence[str], given: Given, settings: Settings, report: Reporter
    ) -> None:
        manifest, self._units = manifest_of(run), units_of(run)
        self._run, self._settings, self._stages = run, settings, manifest.stages
        self._tasks = [task for task in TASKS if task in self._units.ids]
        if not self._tasks:
            raise UsageError(f"{run} has no units that can be judged again")
        self._names = self._templates(prompts)
        check_templates(settings.prompts, self._names.values())
        for line in self._remarks():
            report.notice(line)
        self.inputs = Recorded(run, manifest, given).inputs()
        self._refuse_missing()
        self.scores: list[Score] = []

    def _templates(self, prompts: Sequence[str]) -> dict[str, str]:
        """The template of each task: the run's, or the one of `prompts` that is for it."""
        names = {task: self._stages[task].template for task in self._tasks}
        for name in prompts:
            task = load_template(name, self._settings.prompts).head.task
            asked = [known for known in names if _HEADS.get(known, known) == task]
            if not asked:
                known = ", ".join(names)
                raise UsageError(f"prompt {name} is for {task}, and {self._run} has {known}")
            names |= dict.fromkeys(asked, name)
        return names

    def _remarks(self) -> Iterator[str]:
        """What to know before it starts: templates that have changed, units that stay."""
        for task, name in self._names.items():
            stage, template = self._stages[task], load_template(name, self._settings.prompts)
            if name == stage.template and template.sha256 != stage.template_sha256:
                yield (
                    f"{name} is not the text that {self._run} was judged with (now "
                    f"{template.sha256[:12]}, then {stage.template_sha256[:12]}): no stored reply "
                    "answers a prompt that it changes"
                )
        for task in self._units.ids.keys() - set(TASKS):
            yield f"{task} is not judged again: what rests on it is taken as {self._run} has it"

    def _refuse_missing(self) -> None:
        """Raise an error if a task lacks what it judges."""
        judged = {pair.topic_id for task in self._tasks for pair in self._units.pairs.get(task, ())}
        if lost := sorted(judged - self.inputs.topics.keys()):
            raise InputError(
                "a topic that was judged is gone", path=self._run / TOPICS, found=lost[0]
            )
        if _OF_ANSWERS & set(self._tasks) and not self.inputs.answers:
            raise InputError("the run keeps no answers: name them with --answers", path=self._run)
        if _OF_DOCUMENTS & set(self._tasks) and self.inputs.corpora.empty:
            raise InputError(
                "the run keeps no documents: name its corpus with --corpus", path=self._run
            )

    async def run(self, session: Session) -> None:
        """Judge the units of the run, and score them."""
        session.only = {unit_id for task in self._tasks for unit_id in self._units.ids[task]}
        if Weigh.name in self._tasks:  # other labels leave other citations open
            session.only |= set(self._weighable())
        session.instead = {
            _TEMPLATES[task]: name for task, name in self._names.items() if task in _TEMPLATES
        }
        for task in self._tasks:
            await self._judge(session, task)
        if session.plan is None:
            self._score(session.run.path)

    def _weighable(self) -> Iterator[str]:
        """The units of weigh, in all rounds, of the sentences that the run has weighed."""
        weighed = set(self._units.ids[Weigh.name])
        for answer in self.inputs.answers:
            for index, sentence in enumerate(answer.sentences):
                if together(answer, index).unit_id in weighed:
                    for docid in cited_by(sentence):
                        yield alone(answer, index, docid).unit_id
                        yield without(answer, index, docid).unit_id

    async def _judge(self, session: Session, task: str) -> None:
        inputs, choices = self._inputs_of(task), self._stages[task].choices
        match task:
            case "relevance":
                await stages.relevance(session, inputs, self._names[task])
            case "importance" | "mapping":
                nuggets = await creation.relabelled(session, inputs, task)
                self.inputs = replace(self.inputs, nuggets=nuggets)
            case "assign":
                await stages.assign(session, inputs)
            case "locate":
                kept = {name: choices.get(name, False) for name in ("needed", "gold", "partial")}
                await stages.locate(session, inputs, LocateConfig(documents="pairs", **kept))
            case "support":
                await stages.support(session, inputs, choices["citations"], self._names[task])
            case "weigh":
                await stages.weigh(session, inputs, self._names[task])

    def _inputs_of(self, task: str) -> Inputs:
        """The inputs, with the pairs of a task and the fingerprints of the files it rested on."""
        files: dict[str, dict[str, str]] = {}
        for name, content in self._stages[task].inputs.items():
            kind, _, file = name.partition("/")
            files.setdefault(kind, {})[file] = content
        order = {topic_id: place for place, topic_id in enumerate(self.inputs.topics)}
        pairs = sorted(self._units.pairs.get(task, ()), key=lambda pair: order[pair.topic_id])
        return replace(self.inputs, files=files, pairs=pairs)

    def _score(self, out: Path) -> None:
        if not any((out / name).is_file() for name in scoring.LABELS):
            return
        known = self._run / SCORES
        names = [score.measure for score in read_scores(known)] if known.is_file() else []
        self.scores = scoring.compute(
            scoring.read_labels(out),
            parse_measures(" ".join(dict.fromkeys(names))) if names else (),
            max_failed=self._settings.max_failed,
            allow_incomplete=self._settings.allow_incomplete,
        )
        scoring.save(out, self.scores)
