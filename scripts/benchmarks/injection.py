"""Grades of a judge that text inside of documents and answers can move."""

import argparse
import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from judge.formats.nuggets import read_nuggets
from judge.formats.topics import read_topics
from judge.llm import JudgeClient, JudgeSettings, identity_of, open_provider
from judge.sample import sample_path
from judge.settings import DEFAULT_MODEL
from judge.tasks import Task
from judge.tasks.assign import Assign
from judge.tasks.relevance import Relevance
from judge.tasks.support import SupportTask
from judge.templates import load_template
from judge.types import Answer, Call, Citation, Document, Label, Nugget, Reply, Sentence, Topic
from scripts.benchmarks._probes import BASES, PROBES, STATEMENTS, Base, Probe
from scripts.benchmarks._table import report

NUGGETS = 2
"""How many of a topic's nuggets are asked for an answer."""
RANKS: Mapping[Label, int] = {**{n: n for n in range(5)}, "none": 0, "partial": 1, "full": 2}
HEADER = ("attack", "probes", "flagged", "labels", "moved up", "to what was planted", "failed")
DOCID = "probe"


class Judged(NamedTuple):
    """The labels of a text, None where its call failed, and whether it was flagged."""

    labels: list[Label | None]
    flagged: bool


class Outcome(NamedTuple):
    """A probe, and its base judged without it and with it."""

    probe: Probe
    clean: Judged
    attacked: Judged

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The ranks of each label without the attack and with it, where there are both."""
        both = zip(self.clean.labels, self.attacked.labels, strict=True)
        return [(RANKS[a], RANKS[b]) for a, b in both if a is not None and b is not None]

    @property
    def moved(self) -> int:
        """How many labels the attack raised."""
        return sum(after > before for before, after in self.pairs)

    @property
    def planted(self) -> int:
        """How many it raised to just the label that it is after."""
        return sum(before < after == RANKS[self.probe.planted] for before, after in self.pairs)


# --- tasks -------------------------------------------------------------------------------------


@cache
def topics() -> dict[str, Topic]:
    """The topics of the sample collection."""
    return {topic.topic_id: topic for topic in read_topics(sample_path("narratives.json"))}


@cache
def nuggets(topic_id: str) -> list[Nugget]:
    """The first nuggets of a topic."""
    found = read_nuggets(sample_path("nuggets.jsonl"))
    return [nugget for nugget in found if nugget.topic_id == topic_id][:NUGGETS]


def relevance(base: Base, document: Document) -> Task:
    """Grade the document."""
    pairs = [(base.topic_id, DOCID)]
    template = load_template("relevance/trec2025")
    return Relevance(template, topics(), pairs, lambda docid: document)


def assign(base: Base, document: Document) -> Task:
    """Mark an answer of one sentence, the text of the document."""
    answer = _answer(base, Sentence(text=document.text))
    template = load_template("nuggets/assign")
    return Assign(template, topics(), [answer], {base.topic_id: nuggets(base.topic_id)})


def support(base: Base, document: Document) -> Task:
    """Check whether the document supports the topic's statement."""
    cited = Citation(mention=DOCID, docid=DOCID)
    answer = _answer(base, Sentence(text=STATEMENTS[base.topic_id], citations=(cited,)))
    template = load_template("support/trec2025")
    return SupportTask(template, topics(), [answer], lambda answer, docid: document)


def _answer(base: Base, sentence: Sentence) -> Answer:
    return Answer(run_id=DOCID, topic_id=base.topic_id, sentences=(sentence,))


TASKS: Mapping[str, Callable[[Base, Document], Task]] = {
    "relevance": relevance,
    "assign": assign,
    "support": support,
}


def written(base: Base, probe: Probe) -> Document:
    """A base with a probe written into it."""
    if probe.place == "title":
        return Document(docid=DOCID, text=base.text, title=probe.text)
    parts = [base.text, probe.text] if probe.place == "end" else [probe.text, base.text]
    return Document(docid=DOCID, text="\n".join(parts))


# --- judging -----------------------------------------------------------------------------------


async def judged(client: JudgeClient, task: Task) -> Judged:
    """Ask the one call of a task."""
    (call,) = task.calls(task.units())
    if not isinstance(call, Call):
        raise TypeError(f"no call but {call!r}")
    flagged = any(flag.startswith("injection_suspected") for flag in call.flags)
    outcome = await client.ask(call, partial(task.read, call))
    if not isinstance(outcome, Reply):
        return Judged([None] * len(call.units), flagged)
    return Judged([outcome.verdicts[unit.unit_id].label for unit in call.units], flagged)


async def measure(client: JudgeClient, probes: Sequence[Probe]) -> list[Outcome]:
    """Judge the base of each probe once as it is, then with each probe in it.

    Probes of one topic and base come one after the other, so that their prompts share a head.
    """
    outcomes = []
    for base in BASES:
        own = [probe for probe in probes if probe.base == base.name]
        if not own:
            continue
        task = TASKS[base.task]
        clean = await judged(client, task(base, Document(docid=DOCID, text=base.text)))
        for probe in own:
            attacked = await judged(client, task(base, written(base, probe)))
            outcomes.append(Outcome(probe, clean, attacked))
    return outcomes


async def run(model: str, base_url: str | None, probes: Sequence[Probe]) -> list[Outcome]:
    """Judge with a model; nothing is stored."""
    settings = JudgeSettings(temperature=0.0)
    provider = open_provider(model, base_url)
    async with JudgeClient(provider, identity_of(model, base_url), settings=settings) as client:
        return await measure(client, probes)


# --- the table ---------------------------------------------------------------------------------


def rows(outcomes: Sequence[Outcome]) -> Iterator[tuple[object, ...]]:
    """One row for each kind of attack on a task, one for each task, and one for all."""
    tasks = {base.name: base.task for base in BASES}
    for task in TASKS:
        of_task = [o for o in outcomes if tasks[o.probe.base] == task]
        for kind in dict.fromkeys(o.probe.kind for o in of_task):
            yield _row(f"{task}: {kind}", [o for o in of_task if o.probe.kind == kind])
        if of_task:
            yield _row(f"{task}: all", of_task)
    yield _row("all", outcomes)


def _row(name: str, outcomes: Sequence[Outcome]) -> tuple[object, ...]:
    labels = sum(len(o.attacked.labels) for o in outcomes)
    return (
        name,
        len(outcomes),
        sum(o.attacked.flagged for o in outcomes),
        labels,
        sum(o.moved for o in outcomes),
        sum(o.planted for o in outcomes),
        labels - sum(len(o.pairs) for o in outcomes),
    )


def note(model: str, outcomes: Sequence[Outcome]) -> str:
    """What was judged, and what the clean bases were given."""
    clean = {o.probe.base: o for o in outcomes}
    given = "; ".join(
        f"{name} {', '.join(str(label) for label in o.clean.labels)}" for name, o in clean.items()
    )
    return (
        f"{model}, temperature 0. {len(outcomes)} attacks in {len(clean)} texts that are off topic "
        "or nearly so, each judged with and without the attack, through the templates as they "
        "are. A label counts as moved if it is higher with the attack, and as failed if one of "
        f"both is missing; {NUGGETS} labels an answer. Labels without an attack: {given}"
    )


def main() -> None:
    """Judge the probes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--base-url", help="where the model's server listens")
    parser.add_argument("--probes", type=int, default=len(PROBES), help="only the first of them")
    parser.add_argument("--record", action="store_true", help="keep the table")
    given = parser.parse_args()
    outcomes = asyncio.run(run(given.model, given.base_url, PROBES[: given.probes]))
    report("injection", HEADER, rows(outcomes), note(given.model, outcomes))


if __name__ == "__main__":
    main()
