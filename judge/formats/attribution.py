"""AttributionBench: claims with their references, and whether people find them attributable.

One file is three things: the topics (its questions), the answers (a claim that cites its
references, which it carries), and the support labels of people. The label is that of all the
references together, so that they make one document, with the record's id.
"""

from collections.abc import Iterator

from judge.formats.fields import Fields
from judge.formats.forms import Form, has_fields
from judge.types import (
    Answer,
    Citation,
    CitationLabel,
    Document,
    Sentence,
    Support,
    SupportedAnswer,
    SupportedSentence,
    Topic,
)

_LABELS: dict[str, Support] = {"attributable": "full", "not attributable": "none"}
_fits = has_fields("claim", "references", "attribution_label")
_SHAPE = "id, src_dataset, question, claim, references and attribution_label"


def _topic(record: Fields) -> Iterator[Topic]:
    record.skip("src_dataset", "claim", "references", "attribution_label")
    yield Topic(topic_id=record.ident("id"), narrative=record.text("question", empty=False))


def _answer(record: Fields) -> Iterator[Answer]:
    record.skip("question", "attribution_label")
    docid = record.ident("id")
    document = Document(docid=docid, text="\n\n".join(record.texts("references")))
    cited = (Citation(mention=docid, docid=docid),)
    yield Answer(
        run_id=record.ident("src_dataset"),
        topic_id=docid,
        sentences=(Sentence(text=record.text("claim"), citations=cited),),
        references=(docid,),
        documents=(document,),
    )


def _support(record: Fields) -> Iterator[SupportedAnswer]:
    record.skip("question", "references")
    docid, label = record.ident("id"), record.choice("attribution_label", _LABELS)
    cited = (CitationLabel(mention=docid, docid=docid, status="ok", label=label),)
    yield SupportedAnswer(
        run_id=record.ident("src_dataset"),
        topic_id=docid,
        sentences=(SupportedSentence(text=record.text("claim"), citations=cited),),
    )


TOPIC: Form[Topic] = Form(_SHAPE, _fits, _topic)
ANSWER: Form[Answer] = Form(_SHAPE, _fits, _answer)
SUPPORT: Form[SupportedAnswer] = Form(_SHAPE, _fits, _support)
