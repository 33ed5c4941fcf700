"""A judging session: one judge, its store and one run directory, opened and closed together."""

import contextlib
from collections.abc import AsyncIterator, Collection, Container, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from judge.clients import open_client, price_of, resolved
from judge.errors import UsageError
from judge.executor import Executor, Tally
from judge.formats.topics import write_topics
from judge.llm import JudgeClient
from judge.llm.providers import identity_of
from judge.manifest import Stage, new_manifest
from judge.planning import Plan, PlannedClient, copy_of, seconds_a_call
from judge.reporting import QUIET, Notice, Reporter
from judge.runs import TOPICS, RunDirectory
from judge.settings import Settings
from judge.tasks import Task
from judge.tasks.chosen import Chosen
from judge.templates import Template, load_template
from judge.types import Topic
from judge.uncertainty import write_uncertainty
from judge_cache import Store, StoreError, open_store

_SHOWN = 20


@dataclass
class Session:
    """An open session on the `topics` that are judged.

    `tallies` say what was done for each task; `plan` counts what would be, where that is asked.
    `only` holds the ids of the units that are judged, None for all; `instead` the templates that
    stand in for others, by the names of these.
    """

    settings: Settings
    topics: Collection[Topic]
    run: RunDirectory
    client: JudgeClient
    executor: Executor
    notice: Notice
    plan: Plan | None = None
    tallies: dict[str, Tally] = field(default_factory=dict)
    only: Container[str] | None = None
    instead: Mapping[str, str] = field(default_factory=dict)

    def template(self, name: str) -> Template:
        """The template `name` or what stands in for it, the user's own before the built-in one."""
        chosen = self.instead.get(name, name)
        return load_template(chosen, self.settings.prompts, images=self.settings.images)

    async def judge(self, task: Task, inputs: Mapping[str, str], **choices: Any) -> Tally:
        """Judge every unit of `task`, after entering it in the manifest.

        Args:
            task: the units, and how they are asked.
            inputs: fingerprints of the files that the task rests on.
            choices: what else decides which units there are, such as a depth.

        Raises:
            RunError: the run's judgments of this task rest on something else.
            InputError: an image that is to be shown cannot be; nothing was asked then.
            StoppedError: the provider refuses every further call.
        """
        if self.settings.images:
            choices = {**choices, "images": True}
        stage = Stage(
            template=task.template.head.name,
            template_sha256=task.template.sha256,
            inputs=dict(inputs),
            choices=choices,
        )
        self.run.begin(task.name, stage)
        write_topics(self.run.path / TOPICS, self.topics)  # what scores are averaged over
        if self.plan is not None:
            self.plan.begin(task.name)
        if self.only is not None:
            task = Chosen(task, self.only)
        if self.settings.images:
            _check_images(task)
        try:
            tally = await self.executor.run(task)
        finally:
            self.run.adapt(self.client.dialect.differences())
        if self.settings.samples > 1 or self.settings.logprobs or task.template.head.probabilities:
            write_uncertainty(self.run.path, self.run.judgments)
        earlier = self.tallies.get(task.name)
        self.tallies[task.name] = tally if earlier is None else earlier + tally
        return tally

    def complaint(self) -> str | None:
        """Why the session does not count as complete: units not in the store, or failed ones."""
        if self.plan is not None:
            return None
        if any(tally.failed["offline"] for tally in self.tallies.values()):
            return self._misses()
        told = [line for tally in self.tallies.values() if (line := self._failures(tally))]
        return "\n".join(told) or None

    def _failures(self, tally: Tally) -> str | None:
        """What to know of a task with too many failed units: how many, why, what to do."""
        asked = tally.units - tally.left
        if not asked or tally.n_failed / asked <= self.settings.max_failed:
            return None
        failed = (j for j in self.run.judgments.failed() if j.task == tally.task)
        example = next(failed, None)
        why = "" if example is None else f", such as {example.unit_id}: {example.reason}"
        advice = "run the same command again to retry them"
        if set(tally.failed) == {"no_document"}:
            advice = "name their documents with --corpus"
        return f"{tally.n_failed} of {asked} {tally.task} judgments failed{why}; {advice}"

    def _misses(self) -> str:
        found = [j.unit_id for j in self.run.judgments.failed() if j.failure == "offline"]
        more = f"\n  and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        listed = "".join(f"\n  {unit_id}" for unit_id in found[:_SHOWN])
        return f"{len(found)} units have no stored reply; judge them online:{listed}{more}"


def _check_images(task: Task) -> None:
    """Make every call once, so that an image that cannot be shown is met before any is paid for."""
    for _ in task.calls(task.units()):
        pass


@asynccontextmanager
async def open_session(
    settings: Settings, topics: Collection[Topic], out: Path, report: Reporter
) -> AsyncIterator[Session]:
    """Open store, judge and run directory; all are closed at the end, whatever happens.

    Raises:
        ModelError: the model is not known, or has no key.
        RunError: the run directory is in use, or was made with another model.
        UsageError: the store cannot be opened, a budget has no price to go by, or images are to
            be shown to a model that takes none.
    """
    async with contextlib.AsyncExitStack() as stack:
        store = stack.enter_context(_opened(settings.cache, report.notice))
        settings = resolved(settings, store)
        identity = identity_of(settings.model, settings.base_url)
        if settings.images and identity.kind == "local":
            raise UsageError("the embedded models take no images: drop --images or name another")
        plan: Plan | None = None
        kept: Store | None = store
        if settings.plan:
            kept = None if settings.fresh else store
            plan = Plan(price_of(settings, identity), seconds_a_call(out))
            out = stack.enter_context(copy_of(out))
            settings = settings.model_copy(update={"offline": True, "fresh": False})
            report = QUIET
        parameters: dict[str, Any] = {
            "temperature": settings.temperature,
            "max_tokens": settings.max_tokens,
        }
        if settings.samples > 1:
            parameters["samples"] = settings.samples
        if settings.logprobs:
            parameters["logprobs"] = True
        manifest = new_manifest(identity.model, identity.base_url, parameters, settings.model)
        run = stack.enter_context(RunDirectory(out, manifest, report.command))
        client = open_client(
            settings,
            kept,
            spent=run.spent(),
            notice=report.notice,
            make=partial(PlannedClient, plan) if plan else JudgeClient,
        )
        stack.push_async_callback(client.aclose)
        executor = Executor(
            client,
            run,
            concurrency=settings.concurrency or client.concurrency,
            progress=report.progress,
            notice=report.notice,
            limit=settings.limit,
            samples=settings.samples,
        )
        yield Session(settings, topics, run, client, executor, report.notice, plan)


def _opened(path: Path, notice: Notice) -> Store:
    try:
        return open_store(path, on_notice=notice)
    except StoreError as error:
        raise UsageError(f"{error} (--cache names another folder)") from error
