"""A judging session: one judge, its store and one run directory, opened and closed together."""

import contextlib
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.errors import ModelError, UsageError
from judge.executor import Executor, Tally
from judge.formats.topics import write_topics
from judge.llm import JudgeClient, JudgeSettings, model_of_tag
from judge.llm.limits import RequestsPerMinute
from judge.llm.providers import identity_of, open_provider
from judge.manifest import Stage, new_manifest
from judge.reporting import Notice, Reporter
from judge.runs import TOPICS, RunDirectory
from judge.settings import Settings
from judge.tasks import Task
from judge.templates import Template, load_template
from judge.types import Topic
from judge_cache import Store, StoreError, open_store

_SHOWN = 20


@dataclass
class Session:
    """An open session on the `topics` that are judged.

    `tallies` say what was done for each task.
    """

    settings: Settings
    topics: Collection[Topic]
    run: RunDirectory
    executor: Executor
    notice: Notice
    tallies: dict[str, Tally] = field(default_factory=dict)

    def template(self, name: str) -> Template:
        """The template `name`, the user's own before the built-in one."""
        return load_template(name, self.settings.prompts)

    async def judge(self, task: Task, inputs: Mapping[str, str], **choices: Any) -> Tally:
        """Judge every unit of `task`, after entering it in the manifest.

        Args:
            task: the units, and how they are asked.
            inputs: fingerprints of the files that the task rests on.
            choices: what else decides which units there are, such as a depth.

        Raises:
            RunError: the run's judgments of this task rest on something else.
            StoppedError: the provider refuses every further call.
        """
        stage = Stage(
            template=task.template.head.name,
            template_sha256=task.template.sha256,
            inputs=dict(inputs),
            choices=choices,
        )
        self.run.begin(task.name, stage)
        write_topics(self.run.path / TOPICS, self.topics)  # what scores are averaged over
        tally = await self.executor.run(task)
        earlier = self.tallies.get(task.name)
        self.tallies[task.name] = tally if earlier is None else earlier + tally
        return tally

    def complaint(self) -> str | None:
        """Why the session does not count as complete: units not in the store, or failed ones."""
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


@asynccontextmanager
async def open_session(
    settings: Settings, topics: Collection[Topic], out: Path, report: Reporter
) -> AsyncIterator[Session]:
    """Open store, judge and run directory; all are closed at the end, whatever happens.

    Raises:
        ModelError: the model is not known, or has no key.
        RunError: the run directory is in use, or was made with another model.
        UsageError: the store cannot be opened.
    """
    async with contextlib.AsyncExitStack() as stack:
        store = stack.enter_context(_opened(settings.cache, report.notice))
        settings = _resolved(settings, store)
        client = _client(settings, store)
        stack.push_async_callback(client.aclose)
        parameters = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        identity = client.identity
        manifest = new_manifest(identity.model, identity.base_url, parameters)
        run = stack.enter_context(RunDirectory(out, manifest, report.command))
        executor = Executor(
            client,
            run,
            concurrency=settings.concurrency or client.concurrency,
            progress=report.progress,
            notice=report.notice,
            limit=settings.limit,
        )
        yield Session(settings, topics, run, executor, report.notice)


def _opened(path: Path, notice: Notice) -> Store:
    try:
        return open_store(path, on_notice=notice)
    except StoreError as error:
        raise UsageError(f"{error} (--cache names another folder)") from error


def _client(settings: Settings, store: Store) -> JudgeClient:
    how = JudgeSettings(
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        timeout=settings.timeout,
        attempts=settings.attempts,
        fresh=settings.fresh,
        offline=settings.offline,
    )
    identity = identity_of(settings.model, settings.base_url)
    provider = None
    if not settings.offline:
        provider = open_provider(settings.model, settings.base_url, parallel=settings.concurrency)
    limits = () if settings.rpm is None else (RequestsPerMinute(settings.rpm),)
    return JudgeClient(provider, identity, store=store, settings=how, limits=limits)


def _resolved(settings: Settings, store: Store) -> Settings:
    """Settings with `replay/<model>` as that model offline, and `replay` as the store's only one.

    The address is that of the stored replies, unless one is given.

    Raises:
        ModelError: the store holds replies of several models, or of none.
    """
    kind, _, model = settings.model.partition("/")
    if kind != "replay":
        return settings
    model = model or _only_model(store)
    update = {"model": model, "offline": True}
    if settings.base_url is None:
        update["base_url"] = _address_of(model, store)
    return settings.model_copy(update=update)


def _only_model(store: Store) -> str:
    stored = sorted({model_of_tag(tag) for tag in store.tags()})
    if len(stored) != 1:
        held = ", ".join(stored) or "none"
        raise ModelError(f"say which model to replay, as replay/<model>; stored are: {held}")
    return stored[0]


def _address_of(model: str, store: Store) -> str | None:
    """Where the stored replies of a model came from; of several addresses the first found."""
    for key in store.keys():  # noqa: SIM118  a store is no dict
        request = (store.get(key) or {}).get("request", {})
        if request and model_of_tag(f"{request['provider']} {request['model']} -") == model:
            return str(request["base_url"]) if request["base_url"] else None
    return None
