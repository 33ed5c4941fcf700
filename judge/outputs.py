"""Judgments put together into the field's own records: qrels, nuggets, assignments, support."""

from collections.abc import Iterator, Mapping, Sequence

from judge.judgments import Judgments
from judge.tasks import assign, support
from judge.tasks.support import Citations
from judge.types import (
    Answer,
    AssignedAnswer,
    Citation,
    CitationLabel,
    Judgment,
    Nugget,
    NuggetLabel,
    Qrel,
    SupportedAnswer,
    SupportedSentence,
    Topic,
    Unit,
)


def qrels(judgments: Judgments, units: Iterator[Unit]) -> Iterator[Qrel]:
    """One row for each unit with a grade; a failed one has none."""
    for unit in units:
        judgment = judgments.get(unit.unit_id)
        if judgment is not None and isinstance(judgment.label, int):
            yield Qrel(unit.topic_id, unit.docid or "", judgment.label)


def assigned(
    judgments: Judgments,
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
            nuggets=tuple(_nugget_label(judgments, answer, nugget) for nugget in key),
        )


def supported(
    judgments: Judgments, answers: Sequence[Answer], citations: Citations
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


def _nugget_label(judgments: Judgments, answer: Answer, nugget: Nugget) -> NuggetLabel:
    if answer.sentences:
        label = _label(judgments.get(assign.unit_of(answer, nugget).unit_id))
    else:
        label = "none"  # nothing was said, so there was nothing to ask
    kept = nugget.model_dump(include={"nugget_id", "text", "importance", "sub_narrative"})
    return NuggetLabel.model_validate({**kept, "label": label})


def _citation_label(
    judgments: Judgments, answer: Answer, index: int, citation: Citation, asked: Sequence[str]
) -> CitationLabel:
    mention, docid = citation.mention, citation.docid
    if docid is None:
        return CitationLabel(mention=mention, docid=None, status="invalid")
    if docid not in asked:
        return CitationLabel(mention=mention, docid=docid, status="unjudged")
    label = _label(judgments.get(support.unit_of(answer, index, docid).unit_id))
    status = "failed" if label is None else "ok"
    return CitationLabel.model_validate(
        {"mention": mention, "docid": docid, "status": status, "label": label}
    )


def _label(judgment: Judgment | None) -> str | None:
    return None if judgment is None or judgment.label is None else str(judgment.label)
