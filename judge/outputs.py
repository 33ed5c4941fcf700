"""Judgments put together into the field's own records: qrels, nuggets, assignments, support."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from judge.cited import WeighedAnswer, WeighedCitation, WeighedSentence
from judge.tasks import assign, support, weigh
from judge.tasks.questions import parts, whole
from judge.tasks.support import Citations
from judge.types import (
    SUPPORTS,
    Answer,
    AssignedAnswer,
    Citation,
    CitationLabel,
    Judgment,
    Nugget,
    NuggetLabel,
    Qrel,
    Support,
    SupportedAnswer,
    SupportedSentence,
    Topic,
    Unit,
)


class Kept(Protocol):
    """Judgments by unit id, such as those of an open run."""

    def get(self, unit_id: str, /) -> Judgment | None:
        """The unit's last judgment, or None if it was never judged."""


def qrels(judgments: Kept, units: Iterator[Unit]) -> Iterator[Qrel]:
    """One row for each unit with a grade; a failed one has none."""
    for unit in units:
        judgment = judgments.get(unit.unit_id)
        if judgment is not None and isinstance(judgment.label, int):
            yield Qrel(unit.topic_id, unit.docid or "", judgment.label)


def labelled(judgments: Kept, units: Iterable[Unit]) -> Iterator[Judgment]:
    """The judgment of each unit that has a label."""
    for unit in units:
        judgment = judgments.get(unit.unit_id)
        if judgment is not None and judgment.label is not None:
            yield judgment


def assigned(
    judgments: Kept,
    answers: Sequence[Answer],
    nuggets: Mapping[str, Sequence[Nugget]],
    topics: Mapping[str, Topic],
) -> Iterator[AssignedAnswer]:
    """Every answer to a topic with nuggets, each nugget with its label or None."""
    for answer in answers:
        key = nuggets.get(answer.topic_id)
        if not key:
            continue
        text = " ".join(sentence.text for sentence in answer.sentences)
        yield AssignedAnswer(
            run_id=answer.run_id,
            topic_id=answer.topic_id,
            query=topics[answer.topic_id].title or topics[answer.topic_id].narrative,
            answer_text=text,
            response_length=len(text.split()),
            nuggets=tuple(nugget_label(judgments, answer, nugget) for nugget in key),
        )


def supported(
    judgments: Kept, answers: Sequence[Answer], citations: Citations
) -> Iterator[SupportedAnswer]:
    """Every answer with all its citations, each with its label, or why it has none."""
    for answer in answers:
        sentences = []
        for index, sentence in enumerate(answer.sentences):
            asked = support.judged_citations(sentence, citations)
            labels = [
                _citation_label(judgments, answer, index, c, asked) for c in sentence.citations
            ]
            sentences.append(SupportedSentence(text=sentence.text, citations=tuple(labels)))
        yield SupportedAnswer(
            run_id=answer.run_id, topic_id=answer.topic_id, sentences=tuple(sentences)
        )


def weighed(judgments: Kept, answers: Sequence[Answer]) -> Iterator[WeighedAnswer]:
    """Every answer with its citations weighed: the labels that were had, else None."""
    for answer in answers:
        sentences = [
            WeighedSentence(
                text=sentence.text,
                together=support_of(judgments.get(weigh.together(answer, index).unit_id)),
                citations=tuple(
                    _weighed_citation(judgments, answer, index, citation)
                    for citation in sentence.citations
                ),
            )
            for index, sentence in enumerate(answer.sentences)
        ]
        yield WeighedAnswer(
            run_id=answer.run_id, topic_id=answer.topic_id, sentences=tuple(sentences)
        )


def _weighed_citation(
    judgments: Kept, answer: Answer, index: int, citation: Citation
) -> WeighedCitation:
    mention, docid = citation.mention, citation.docid
    if docid is None:
        return WeighedCitation(mention=mention, docid=None)
    alone, without = (
        support_of(judgments.get(unit(answer, index, docid).unit_id))
        for unit in (weigh.alone, weigh.without)
    )
    return WeighedCitation(mention=mention, docid=docid, alone=alone, without=without)


def nugget_label(judgments: Kept, answer: Answer, nugget: Nugget) -> NuggetLabel:
    """A nugget with its label for an answer, that of an AND question from those of its parts."""
    if answer.sentences:
        found = [judgments.get(assign.unit_of(answer, part).unit_id) for part in parts(nugget)]
        label, asked = whole([support_of(judgment) for judgment in found]), None not in found
    else:
        label, asked = "none", True  # nothing was said, so there was nothing to ask
    return NuggetLabel(
        nugget_id=nugget.nugget_id,
        text=nugget.text,
        importance=nugget.importance,
        sub_narrative=nugget.sub_narrative,
        label=label,
        asked=asked,
    )


def _citation_label(
    judgments: Kept, answer: Answer, index: int, citation: Citation, asked: Sequence[str]
) -> CitationLabel:
    mention, docid = citation.mention, citation.docid
    if docid is None:
        return CitationLabel(mention=mention, docid=None, status="invalid")
    if docid not in asked:
        return CitationLabel(mention=mention, docid=docid, status="unjudged")
    judgment = judgments.get(support.unit_of(answer, index, docid).unit_id)
    label = support_of(judgment)
    return CitationLabel(
        mention=mention,
        docid=docid,
        status="failed" if label is None else "ok",
        label=label,
        asked=judgment is not None,
    )


def support_of(judgment: Judgment | None) -> Support | None:
    """The label of a judgment of support, None where there is none or it failed."""
    if judgment is None:
        return None
    return next((label for label in SUPPORTS if label == judgment.label), None)
