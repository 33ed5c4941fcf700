"""A prompt as it would be sent, for a unit of the user's inputs or of the sample collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from judge.errors import UsageError
from judge.llm.tokens import prompt_tokens
from judge.loading import Inputs, add_cited, add_nuggets, add_pairs, load_inputs
from judge.prompting.kinds import KINDS, Kind
from judge.prompting.listing import Origin, origin_of
from judge.reporting import Notice
from judge.sample import sample_path
from judge.tasks import Task
from judge.templates import Template, full_name, load_template
from judge.types import Call, Judgment


@dataclass(frozen=True)
class Shown:
    """A call as it would be asked, and the template it is made from.

    `prompt_tokens` is an estimate, see `judge.llm.tokens`.
    """

    template: Template
    origin: Origin
    call: Call
    prompt_tokens: int


@dataclass(frozen=True)
class Given:
    """The inputs a user names; where there are none at all, those of the sample are taken.

    `qrels` lists the documents that a prompt about documents may be about.
    """

    topics: str = ""
    answers: Sequence[str] = ()
    corpus: Sequence[str] = ()
    nuggets: str | None = None
    qrels: str | None = None


def show_prompt(
    name: str,
    given: Given,
    *,
    unit_id: str | None = None,
    prompts: Path | None = None,
    images: bool = False,
    notice: Notice = lambda text: None,
) -> Shown:
    """Return the call that labels a unit, the first one if none is named.

    Args:
        name: the template, with its task or without.
        given: the inputs.
        unit_id: as in judgments.jsonl, such as "relevance|t1|d1".
        prompts: the user's own templates.
        images: show the images of documents.
        notice: told what is odd about the inputs.

    Raises:
        UsageError: there is no such template or unit, or the inputs give no unit.
        InputError: an input cannot be read.
    """
    name = full_name(name, prompts)
    template = load_template(name, prompts, images=images)
    kind = KINDS.get(template.head.task)
    if kind is None:
        known = ", ".join(KINDS)
        raise UsageError(f"template {name}: no task {template.head.task!r}; there are: {known}")
    inputs = _inputs(given, notice)
    with inputs.corpora:
        call = _call(kind.make(template, inputs), kind, unit_id)
    return Shown(template, origin_of(name, prompts), call, prompt_tokens(call.prompt.messages))


def _inputs(given: Given, notice: Notice) -> Inputs:
    if given == Given():
        given = _sample()
    if not given.topics:
        raise UsageError("--topics is needed to show a unit of your own inputs")
    inputs = load_inputs(given.topics, answers=given.answers, corpus=given.corpus, notice=notice)
    if given.nuggets is not None:
        inputs = add_nuggets(inputs, given.nuggets, notice)
    if given.qrels is not None:
        return add_pairs(inputs, depth=1, pairs=given.qrels, notice=notice)
    return add_cited(inputs)


def _sample() -> Given:
    folder = sample_path("narratives.json").parent
    return Given(
        topics=str(folder / "narratives.json"),
        answers=(str(folder / "answers.*.jsonl"),),
        corpus=(str(folder / "corpus.jsonl"),),
        nuggets=str(folder / "nuggets.jsonl"),
    )


def _call(task: Task, kind: Kind, unit_id: str | None) -> Call:
    for made in task.calls(task.units()):
        if isinstance(made, Judgment):
            if made.unit_id == unit_id:
                raise UsageError(f"unit {unit_id!r} cannot be asked about: {made.reason}")
        elif unit_id is None or unit_id in {unit.unit_id for unit in made.units}:
            return made
    raise UsageError(_no_call(task, kind, unit_id))


def _no_call(task: Task, kind: Kind, unit_id: str | None) -> str:
    ids = [unit.unit_id for unit in task.units()]
    if unit_id is None or not ids:
        held = "none of the units can be asked about" if ids else "the inputs hold no unit"
        return f"{held} of the task {task.name}, which takes {kind.inputs}"
    near = get_close_matches(unit_id, ids, n=3, cutoff=0.5) or list(islice(ids, 3))
    return f"no unit {unit_id!r}; there are {len(ids)}, such as {', '.join(map(repr, near))}"
