"""One topic of a run as plain data: its nuggets, answers and passages, and every judgment.

    {topic, lines, nuggets, answers, passages, judgments, calls, attempts, makers}

Long texts repeat each other: a passage stands in each of its prompts. So a text is a list of
numbers of `lines`. A judgment names its call (prompt and reply) and its unusable attempts by
number, and everything else names its judgments by number; null is for what there is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from judge.cited import GroundedAnswer, GroundedNugget
from judge.dossier.evidence import Documents, Recall, shortened
from judge.dossier.health import Attempts, samples_of
from judge.judgments import said_in
from judge.metrics.subnarratives import group_of
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    Judgment,
    Nugget,
    NuggetLabel,
    Sentence,
    SupportedAnswer,
    SupportedSentence,
    Topic,
    Unit,
)

A = TypeVar("A", AssignedAnswer, GroundedAnswer, SupportedAnswer)
Data = dict[str, Any]
_KEPT = {"label", "status", "failure", "reason", "probabilities", "flags", "detail", "source"}
_PARTS = {"task", "run_id", "nugget_id", "sentence", "docid"}


@dataclass(frozen=True)
class TopicLabels:
    """All labels of one topic, by run where they are of answers."""

    topic: Topic
    nuggets: Sequence[Nugget] = ()
    assigned: Mapping[str, AssignedAnswer] = field(default_factory=dict)
    grounded: Mapping[str, GroundedAnswer] = field(default_factory=dict)
    supported: Mapping[str, SupportedAnswer] = field(default_factory=dict)
    judgments: Sequence[Judgment] = ()

    @property
    def runs(self) -> list[str]:
        """The systems that answered it."""
        return list(dict.fromkeys([*self.assigned, *self.grounded, *self.supported]))

    @property
    def listed(self) -> Sequence[Nugget | NuggetLabel]:
        """Its nuggets: those of the nuggets file, else those that were assigned."""
        if self.nuggets:
            return self.nuggets
        found: dict[str, NuggetLabel] = {}
        for answers in (self.assigned, self.grounded):
            found |= {n.nugget_id: n for answer in answers.values() for n in answer.nuggets}
        return list(found.values())


def topic_data(
    labels: TopicLabels, recall: Recall, documents: Documents, attempts: Attempts
) -> Data:
    """Return everything about a topic, as the module says."""
    return _Page(labels, recall, documents, attempts).data()


class _Table:
    """Things by number, each once."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def number(self, thing: Any) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    def things(self) -> list[Any]:
        return list(self._numbers)


class _Page:
    """A topic on its way to plain data."""

    def __init__(
        self, labels: TopicLabels, recall: Recall, documents: Documents, attempts: Attempts
    ) -> None:
        self._labels, self._documents, self._attempts = labels, documents, attempts
        self._lines, self._keys, self._unusable = _Table(), _Table(), _Table()
        self._makers = _Table()
        self._numbers = {j.unit_id: number for number, j in enumerate(labels.judgments)}
        self._of_nugget = _grouped(labels.judgments, "nugget_id", but="docid")
        self._of_docid = _grouped(labels.judgments, "docid")
        self._of_sentence: dict[tuple[str | None, int], list[int]] = {}
        for number, j in enumerate(labels.judgments):
            if j.sentence is not None:
                self._of_sentence.setdefault((j.run_id, j.sentence), []).append(number)
        self._docids: dict[str, None] = {}
        topic_id = labels.topic.topic_id
        self._given = {answer.run_id: answer for answer in documents.answers(topic_id)}
        keys = dict.fromkeys(key for j in labels.judgments for key in _keys_of(j))
        self._asked = {key: asked for key in keys if (asked := recall(key)) is not None}

    def data(self) -> Data:
        answers = [self._answer(run_id) for run_id in self._labels.runs]
        nuggets = [self._nugget(nugget) for nugget in self._labels.listed]
        judgments = [self._judgment(judgment) for judgment in self._labels.judgments]
        passages = [self._passage(docid) for docid in self._docids]
        calls = [self._call(key) for key in self._keys.things()]
        topic = self._labels.topic.model_dump(mode="json")
        return {
            "topic": topic,
            "nuggets": nuggets,
            "answers": answers,
            "passages": passages,
            "judgments": judgments,
            "calls": calls,
            "attempts": [self._attempt(*attempt) for attempt in self._unusable.things()],
            "makers": list(map(list, self._makers.things())),
            "lines": self._lines.things(),
        }

    def _text(self, text: str) -> list[int]:
        return [self._lines.number(line) for line in text.split("\n")]

    # --- answers ---------------------------------------------------------------------------

    def _answer(self, run_id: str) -> Data:
        assigned = self._labels.grounded.get(run_id) or self._labels.assigned.get(run_id)
        told = self._told(run_id)
        sentences = [self._sentence(run_id, place, s) for place, s in enumerate(told)]
        nuggets = [self._held(run_id, n) for n in (assigned.nuggets if assigned else ())]
        return {"run_id": run_id, "sentences": sentences, "nuggets": nuggets}

    def _told(self, run_id: str) -> Sequence[SupportedSentence]:
        """The sentences: with support labels, or as they were judged, or the text as one."""
        supported, given = self._labels.supported.get(run_id), self._given.get(run_id)
        if supported is not None:
            return supported.sentences
        if given is not None:
            return [_unjudged(sentence) for sentence in given.sentences]
        assigned = self._labels.assigned.get(run_id)
        text = "" if assigned is None else assigned.answer_text
        return [SupportedSentence(text=text)] if text else []

    def _sentence(self, run_id: str, place: int, sentence: SupportedSentence) -> Data:
        citations = [self._citation(run_id, place, c) for c in sentence.citations]
        shown = {citation["judgment"] for citation in citations}
        about = self._of_sentence.get((run_id, place), ())
        more = [number for number in about if number not in shown]
        return {"text": sentence.text, "citations": citations, "more": more}

    def _citation(self, run_id: str, place: int, citation: CitationLabel) -> Data:
        number = passage = None
        if citation.docid is not None:
            passage = self._documents.cited(self._given.get(run_id), citation.docid)
            self._docids.setdefault(passage)
            number = self._number("support", run_id, sentence=place, docid=citation.docid)
        return {
            "mention": citation.mention,
            "docid": citation.docid,
            "passage": passage,
            "status": citation.status,
            "label": citation.label,
            "judgment": number,
        }

    def _held(self, run_id: str, nugget: NuggetLabel) -> Data:
        """A nugget for an answer: the label, the sentences that hold it, and its grounds."""
        numbers = self._parts(run_id, nugget.nugget_id)
        details = [self._labels.judgments[number].detail for number in numbers]
        sentences = {place for detail in details for place in detail.get("sentences") or ()}
        grounds: Data = {}
        if isinstance(nugget, GroundedNugget):
            sentences = set(nugget.sentences)
            grounds = {"grounded": nugget.grounded, "why": nugget.reason}
        return {
            "nugget_id": nugget.nugget_id,
            "label": nugget.label,
            "asked": nugget.asked,
            "sentences": sorted(sentences),
            "judgments": numbers,
            **grounds,
        }

    def _parts(self, run_id: str, nugget_id: str) -> list[int]:
        """The judgments of a nugget, or of the parts of a question that has several answers."""
        number = self._number("assign", run_id, nugget_id=nugget_id)
        if number is not None:
            return [number]
        numbers = []
        for place in count(1):
            part = self._number("assign", run_id, nugget_id=f"{nugget_id}&{place}")
            if part is None:
                break
            numbers.append(part)
        return numbers

    # --- nuggets and passages --------------------------------------------------------------

    def _nugget(self, nugget: Nugget | NuggetLabel) -> Data:
        docids = nugget.docids if isinstance(nugget, Nugget) else ()
        for docid in docids:
            self._docids.setdefault(docid)
        kept = {"nugget_id", "text", "importance", "sub_narrative", "source"}
        return {
            **nugget.model_dump(include=kept),
            "group": self._group(nugget.sub_narrative),
            "docids": list(docids),
            "judgments": self._of_nugget.get(nugget.nugget_id, []),
        }

    def _group(self, text: str | None) -> int | str | None:
        """The place of the topic's sub-narrative that a text names; else the text itself."""
        group = group_of(text)
        parts = self._labels.topic.sub_narratives
        places = (place for place, part in enumerate(parts) if group_of(part.text) == group)
        return None if group is None else next(places, text)

    def _passage(self, docid: str) -> Data:
        found = self._documents.get(docid)
        text: Data = {"text": None}
        if found is not None:
            text = {"text": self._text(found.text), "title": found.title, "url": found.url}
        return {"docid": docid, "judgments": self._of_docid.get(docid, []), **text}

    def _number(self, task: str, run_id: str, **parts: Any) -> int | None:
        unit = Unit(task=task, topic_id=self._labels.topic.topic_id, run_id=run_id, **parts)
        return self._numbers.get(unit.unit_id)

    # --- judgments -------------------------------------------------------------------------

    def _judgment(self, judgment: Judgment) -> Data:
        if judgment.docid is not None and judgment.run_id is None:
            self._docids.setdefault(judgment.docid)
        attempts = [
            self._unusable.number((a["failure"], a["message"], a["raw"]))
            for a in self._attempts.get(judgment.unit_id, ())
        ]
        data = {k: v for k, v in said_in(judgment).items() if k in _KEPT or k in _PARTS}
        known = judgment.key is not None and judgment.key in self._asked
        others = [self._keys.number(k) for k in _keys_of(judgment)[1:] if k in self._asked]
        made = (judgment.model, judgment.template, judgment.template_sha256)
        return {
            "unit_id": judgment.unit_id,
            **data,
            "call": self._keys.number(judgment.key) if known else None,
            **({"others": others} if others else {}),
            "maker": self._makers.number(made),
            **({"attempts": attempts} if attempts else {}),
            **({"samples": samples_of(judgment)} if samples_of(judgment) else {}),
        }

    def _call(self, key: str) -> Data:
        asked = self._asked[key]
        messages = [[role, self._text(text)] for role, text in asked.messages]
        return {"messages": messages, "reply": self._text(asked.reply)}

    def _attempt(self, failure: str, message: str | None, raw: str | None) -> Data:
        text = None if raw is None else self._text(shortened(raw))
        return {"failure": failure, "message": message, "raw": text}


def _keys_of(judgment: Judgment) -> list[str]:
    """The keys of the calls that a label rests on."""
    if judgment.key is None:
        return []
    others = judgment.detail.get("others")
    return [judgment.key, *(others if isinstance(others, list) else [])]


def _unjudged(sentence: Sentence) -> SupportedSentence:
    """A sentence whose citations nobody judged."""
    labels = tuple(
        CitationLabel(
            mention=citation.mention,
            docid=citation.docid,
            status="invalid" if citation.docid is None else "unjudged",
        )
        for citation in sentence.citations
    )
    return SupportedSentence(text=sentence.text, citations=labels)


def _grouped(judgments: Sequence[Judgment], name: str, but: str = "") -> dict[str, list[int]]:
    """The numbers of the judgments that are of no answer, by one of their parts."""
    found: dict[str, list[int]] = {}
    for number, judgment in enumerate(judgments):
        part = getattr(judgment, name)
        if part is None or judgment.run_id is not None:
            continue
        if not but or getattr(judgment, but) is None:
            found.setdefault(part, []).append(number)
    return found


def by_topic(judgments: Iterable[Judgment]) -> dict[str, list[Judgment]]:
    """Sort judgments by topic, in the order the topics first come."""
    found: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        found.setdefault(judgment.topic_id, []).append(judgment)
    return found


def answers_by_topic(answers: Iterable[A]) -> dict[str, dict[str, A]]:
    """Sort labelled answers by topic and run; of several annotators the first counts."""
    found: dict[str, dict[str, A]] = {}
    for answer in answers:
        found.setdefault(answer.topic_id, {}).setdefault(answer.run_id, answer)
    return found
