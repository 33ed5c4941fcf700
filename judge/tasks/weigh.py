"""Weigh: whether all that a sentence cites supports it together, and whether each part helps.

What ALCE's citation precision and recall rest on (T. Gao et al., EMNLP 2023). The documents stand
in the prompt of the support task as one passage, one after the other. There are three rounds, each
of which asks only where the one before leaves it open:

    together   all that a sentence cites
    alone      each document by itself, where several are cited and together support the sentence
    without    all the others, where a document alone supports it less than they do together
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from judge.tasks.base import Topics
from judge.tasks.support import Cited, SupportTask
from judge.templates import Template
from judge.types import SUPPORTS, Answer, Sentence, Support, Unit

LabelOf = Callable[[Unit], Support | None]
Round = Callable[[Sequence[Answer], LabelOf], list[Unit]]

_WITHOUT = "without"


class Weigh(SupportTask):
    """Label the units of one round; `asked` are those that it needs."""

    name = "weigh"

    def __init__(
        self,
        template: Template,
        topics: Topics,
        answers: Sequence[Answer],
        cited: Cited,
        asked: Sequence[Unit],
    ) -> None:
        super().__init__(template, topics, answers, cited, "all")
        self._asked = asked

    def units(self) -> Iterator[Unit]:
        """The units of this round."""
        return iter(self._asked)

    def shown(self, answer: Answer, unit: Unit) -> Sequence[str]:
        """The docids of what a unit shows: all that the sentence cites, one, or all but one."""
        docids = cited_by(answer.sentences[unit.sentence or 0])
        if unit.docid is None:
            return docids
        if unit.window is None:
            return [unit.docid]
        return [docid for docid in docids if docid != unit.docid]


def together(answer: Answer, index: int) -> Unit:
    """The unit of all that sentence `index` (0-based) cites."""
    return Unit(task=Weigh.name, topic_id=answer.topic_id, run_id=answer.run_id, sentence=index)


def alone(answer: Answer, index: int, docid: str) -> Unit:
    """The unit of one document by itself."""
    return replace(together(answer, index), docid=docid)


def without(answer: Answer, index: int, docid: str) -> Unit:
    """The unit of all that the sentence cites but one document."""
    return replace(alone(answer, index, docid), window=_WITHOUT)


def cited_by(sentence: Sentence) -> list[str]:
    """The docids that a sentence cites, without what points at no document."""
    return [citation.docid for citation in sentence.citations if citation.docid is not None]


def all_together(answers: Sequence[Answer], label_of: LabelOf) -> list[Unit]:
    """The first round: every sentence that cites a document."""
    del label_of
    return [
        together(answer, index)
        for answer in answers
        for index, sentence in enumerate(answer.sentences)
        if cited_by(sentence)
    ]


def each_alone(answers: Sequence[Answer], label_of: LabelOf) -> list[Unit]:
    """The second round: the documents of sentences that several support at least in part."""
    return [
        alone(answer, index, docid)
        for answer in answers
        for index, sentence in enumerate(answer.sentences)
        if len(docids := cited_by(sentence)) > 1
        and label_of(together(answer, index)) in ("full", "partial")
        for docid in docids
    ]


def without_each(answers: Sequence[Answer], label_of: LabelOf) -> list[Unit]:
    """The third round: where a document alone supports less than all do together."""
    by_id = {(answer.run_id, answer.topic_id): answer for answer in answers}
    units = []
    for unit in each_alone(answers, label_of):
        answer, index = by_id[unit.run_id or "", unit.topic_id], unit.sentence or 0
        less, more = label_of(unit), label_of(together(answer, index))
        if less is not None and more is not None and SUPPORTS.index(less) > SUPPORTS.index(more):
            units.append(without(answer, index, unit.docid or ""))
    return units


ROUNDS: tuple[Round, ...] = (all_together, each_alone, without_each)
