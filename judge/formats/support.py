"""Support labels: whether each citation of each sentence supports it, in TREC RAG's form."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from judge.formats import attribution
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, has_fields
from judge.formats.labelled import each_labelled
from judge.formats.lines import OnError, raise_error, write_json
from judge.types import CitationLabel, Support, SupportedAnswer, SupportedSentence

_UNJUDGED = "-1"
_LABELS: dict[str, Support | None] = {"2": "full", "1": "partial", "0": "none", _UNJUDGED: None}
_CODES: dict[Support | None, str] = {label: code for code, label in _LABELS.items()}


def read_support(path: str | Path) -> list[SupportedAnswer]:
    """Read JSONL of {topic_id or narrative_id, run_id, sentences: [{text, citations}]}.

    Each citation is {reference, support}: 2 is full, 1 partial and 0 no support, -1 was never
    judged, and null gave no label (`asked` false: the judge was never asked). A citation without
    a reference points at no document; it and one that was cited by a number may name a `mention`.
    Where several people labelled the same answers, each line names its `annotator`.

    Raises:
        InputError: the file cannot be read, a field is wrong, or an answer stands twice.
    """
    return [answer for _, answer in each_support(path)]


def each_support(
    path: str | Path, on_error: OnError = raise_error
) -> Iterator[Located[SupportedAnswer]]:
    """Yield support labels and where they stand; see `read_support`."""
    return each_labelled(path, "support labels", FORMS, on_error)


def write_support(path: str | Path, answers: Iterable[SupportedAnswer]) -> None:
    """Write support labels, a line an answer; sentences and citations are numbered from 0.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(path, (_line(answer) for answer in answers))


def _answer(record: Fields) -> Iterator[SupportedAnswer]:
    yield SupportedAnswer(
        run_id=record.ident("run_id"),
        topic_id=record.ident(record.first("topic_id", "narrative_id")),
        sentences=tuple(_sentence(item) for item in record.records("sentences")),
        annotator=record.optional_text("annotator"),
    )


FORMS: tuple[Form[SupportedAnswer], ...] = (
    attribution.SUPPORT,
    Form("run_id, topic_id and sentences", has_fields(), _answer),
)


def _sentence(record: Fields) -> SupportedSentence:
    record.skip("sentenceID")
    citations = tuple(_citation(item) for item in record.records("citations"))
    return SupportedSentence(text=record.text("text"), citations=citations)


def _citation(record: Fields) -> CitationLabel:
    record.skip("citationID")
    code = record.require("support", "2, 1, 0, -1 or null")
    if record.require("reference", "a docid or null") is None:
        if code is not None:
            raise record.error(
                "support", "a label without a reference", expected="null", found=code
            )
        return CitationLabel(mention=record.text("mention"), docid=None, status="invalid")
    docid = record.ident("reference")
    mention = record.text("mention") if record.has("mention") else docid
    if code is None:
        asked = record.get("asked") is not False
        return CitationLabel(mention=mention, docid=docid, status="failed", asked=asked)
    label = record.choice("support", _LABELS)
    status = "unjudged" if label is None else "ok"
    return CitationLabel(mention=mention, docid=docid, status=status, label=label)


def _line(answer: SupportedAnswer) -> dict[str, Any]:
    sentences = [
        {
            "sentenceID": number,
            "text": sentence.text,
            "citations": [_item(i, label) for i, label in enumerate(sentence.citations)],
        }
        for number, sentence in enumerate(answer.sentences)
    ]
    whose = {"annotator": answer.annotator} if answer.annotator else {}
    return {"topic_id": answer.topic_id, "run_id": answer.run_id, **whose, "sentences": sentences}


def _item(number: int, label: CitationLabel) -> dict[str, Any]:
    code = _CODES[label.label] if label.status in ("ok", "unjudged") else None
    item = {"citationID": number, "reference": label.docid, "support": code}
    if not label.asked:
        item["asked"] = False
    return item if label.mention == label.docid else {**item, "mention": label.mention}
