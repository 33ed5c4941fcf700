"""The HTML report of a large run: its size, and how long a browser takes to open and search it."""

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.dossier import Sources, open_dossier
from judge.formats.assignments import write_assignments
from judge.formats.nuggets import write_nuggets
from judge.formats.support import write_support
from judge.formats.topics import write_topics
from judge.judgments import to_line
from judge.report.html import LARGEST, write_report
from judge.runs import ASSIGNMENTS, JUDGMENTS, NUGGETS, SUPPORT, TOPICS
from judge.shown import Shown
from judge.types import (
    SUPPORTS,
    Answer,
    AssignedAnswer,
    Citation,
    CitationLabel,
    Document,
    Judgment,
    Nugget,
    NuggetLabel,
    Sentence,
    SubNarrative,
    SupportedAnswer,
    SupportedSentence,
    Topic,
    Unit,
)
from judge_cache import Store, open_store
from scripts.benchmarks._table import report
from tests.browser import browser

PASSAGES, NUGGETS_EACH, SENTENCES, BATCH = 200, 57, 15, 10
"""A topic: as many graded passages and nuggets as TREC RAG 2025 has; an answer; nuggets a call."""

_RNG = random.Random(20250930)  # noqa: S311
_WORDS = ["".join(_RNG.choices("aeioulnrstdmcp", k=_RNG.randint(2, 11))) for _ in range(20_000)]
_WEIGHTS = [1 / rank for rank in range(1, len(_WORDS) + 1)]


def prose(words: int) -> str:
    """Words as frequent as those of a language, in sentences of a line each."""
    drawn = _RNG.choices(_WORDS, _WEIGHTS, k=words)
    return "\n".join(" ".join(drawn[i : i + 25]).capitalize() + "." for i in range(0, words, 25))


class World:
    """A run that is made up, with a store that has every prompt and reply."""

    def __init__(self, run: Path, store: Store) -> None:
        self._run, self._store, self._shown = run, store, Shown(run)
        self._texts: dict[str, str] = {}
        self.calls = 0

    def build(self, topics: int, systems: int) -> None:
        """Write the run."""
        listed = [self._topic(f"t{number}") for number in range(topics)]
        nuggets = {t.topic_id: self._nuggets(t) for t in listed}
        answers = [self._answer(t, f"system-{n}") for t in listed for n in range(systems)]
        self._shown.answers(answers)
        with (self._run / JUDGMENTS).open("wb") as file:
            for topic in listed:
                file.writelines(map(to_line, self._graded(topic)))
            labelled = [self._labelled(a, nuggets[a.topic_id]) for a in answers]
            for _, _, judgments in labelled:
                file.writelines(map(to_line, judgments))
        write_topics(self._run / TOPICS, listed)
        write_nuggets(self._run / NUGGETS, [n for ns in nuggets.values() for n in ns], {})
        write_assignments(self._run / ASSIGNMENTS, [assigned for assigned, _, _ in labelled])
        write_support(self._run / SUPPORT, [supported for _, supported, _ in labelled])
        self._shown.close()

    def _topic(self, topic_id: str) -> Topic:
        parts = tuple(SubNarrative(sub_id=str(i), text=prose(12)) for i in range(1, 8))
        for number in range(PASSAGES):
            docid = f"{topic_id}-d{number}"
            self._texts[docid] = prose(180)
            document = Document(docid=docid, text=self._texts[docid], title=prose(6))
            self._shown.document(document)
        return Topic(topic_id=topic_id, narrative=prose(80), sub_narratives=parts)

    def _nuggets(self, topic: Topic) -> list[Nugget]:
        parts = topic.sub_narratives
        return [
            Nugget(
                nugget_id=f"n{i}",
                topic_id=topic.topic_id,
                text=prose(10),
                importance="vital" if i % 2 else "okay",
                sub_narrative=parts[i % len(parts)].text,
            )
            for i in range(NUGGETS_EACH)
        ]

    def _answer(self, topic: Topic, run_id: str) -> Answer:
        sentences = []
        for _ in range(SENTENCES):
            docid = f"{topic.topic_id}-d{_RNG.randrange(PASSAGES)}"
            sentences.append(
                Sentence(text=prose(24), citations=(Citation(mention=docid, docid=docid),))
            )
        return Answer(run_id=run_id, topic_id=topic.topic_id, sentences=tuple(sentences))

    def _graded(self, topic: Topic) -> Iterator[Judgment]:
        for number in range(PASSAGES):
            unit = Unit(
                task="relevance", topic_id=topic.topic_id, docid=f"{topic.topic_id}-d{number}"
            )
            asked = f"{topic.narrative}\n<passage>\n{self._texts[unit.docid or '']}\n</passage>"
            yield self._judged(unit, _RNG.randrange(5), self._ask(asked))

    def _labelled(
        self, answer: Answer, nuggets: list[Nugget]
    ) -> tuple[AssignedAnswer, SupportedAnswer, list[Judgment]]:
        names = {"run_id": answer.run_id, "topic_id": answer.topic_id}
        text = "\n".join(sentence.text for sentence in answer.sentences)
        judgments: list[Judgment] = []
        for place, nugget in enumerate(nuggets):
            if place % BATCH == 0:
                listed = [n.text for n in nuggets[place : place + BATCH]]
                key = self._ask("\n".join([text, *listed]))
            unit = Unit("assign", answer.topic_id, answer.run_id, nugget.nugget_id)
            judgments.append(self._judged(unit, _RNG.choice(SUPPORTS), key, sentences=[place % 15]))
        labels = [str(judgment.label) for judgment in judgments]
        kept = ("nugget_id", "text", "importance", "sub_narrative")
        assigned = [
            NuggetLabel.model_validate({**n.model_dump(include=set(kept)), "label": label})
            for n, label in zip(nuggets, labels, strict=True)
        ]
        supported = []
        for place, sentence in enumerate(answer.sentences):
            cited = sentence.citations[0]
            unit = Unit(task="support", sentence=place, docid=cited.docid, **names)
            shown = self._texts[cited.docid or ""]
            key = self._ask(f"{text}\n<passage>\n{shown}\n</passage>\n{sentence.text}")
            judgments.append(self._judged(unit, _RNG.choice(SUPPORTS), key))
            label = {"status": "ok", "label": judgments[-1].label, **cited.model_dump()}
            supported.append(
                SupportedSentence(
                    text=sentence.text, citations=(CitationLabel.model_validate(label),)
                )
            )
        return (
            AssignedAnswer(nuggets=tuple(assigned), answer_text=text, **names),
            SupportedAnswer(sentences=tuple(supported), **names),
            judgments,
        )

    def _ask(self, prompt: str) -> str:
        self.calls += 1
        key = f"{self.calls:064x}"
        request = {"model": "judge", "messages": [{"role": "user", "content": prompt}]}
        entry: dict[str, Any] = {"request": request, "reply": {"text": f"label: {prose(3)}"}}
        self._store.put(key, entry, tag="openai judge bench")
        return key

    def _judged(self, unit: Unit, label: int | str, key: str, **detail: Any) -> Judgment:
        return Judgment(
            *unit.parts,
            label=label,
            status="ok",
            model="judge",
            template="bench",
            template_sha256="0" * 64,
            key=key,
            detail=detail,
        )


def opened(address: str) -> dict[str, float]:
    """Seconds until a browser shows the overview, an answer, and the units that have a word."""
    with browser() as page:
        took = {"overview": _seconds(lambda: page.open(address))}
        took["answer"] = _seconds(lambda: page.go("#/answer/system-3/t1"))
        took["search of all units"] = _seconds(lambda: page.go("#/units?q=lia"))
    return took


def _seconds(act: Any) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def main() -> None:
    """Make a run up, write its report, open it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="keep the run in this folder")
    parser.add_argument("--record", action="store_true", help="keep the table")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        run = given.keep or Path(scratch) / "run"
        run.mkdir(parents=True)
        with open_store(Path(scratch) / "store") as store:
            world = World(run, store)
            world.build(given.topics, given.systems)
        sources = Sources(cache=Path(scratch) / "store")
        start = time.perf_counter()
        with open_dossier(run, sources, print) as dossier:
            written = write_report(dossier, run / "report.html")
        took = {"writing": time.perf_counter() - start}
        if not written.folder:
            took |= opened(written.path.resolve().as_uri())
    rows = [("size", f"{written.bytes / 1e6:.1f} MB of {LARGEST / 1e6:.0f}")]
    rows += [(name, f"{seconds:.2f} s") for name, seconds in took.items()]
    note = (
        f"{given.topics} topics, {given.systems} systems, {world.calls:,} calls with prompt and "
        f"reply; opened by headless Chromium, its start not counted."
    )
    report("report", ("what", "figure"), rows, note)


if __name__ == "__main__":
    main()
