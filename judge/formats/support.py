"""Support labels: whether each citation of each sentence supports it, in TREC RAG's form."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from judge.formats.fields import Fields, read_records
from judge.formats.lines import Unique, write_json
from judge.types import CitationLabel, Support, SupportedAnswer, SupportedSentence

_UNJUDGED = "-1"
_LABELS: dict[str, Support | None] = {"2": "full", "1": "partial", "0": "none", _UNJUDGED: None}
_CODES: dict[Support | None, str] = {label: code for code, label in _LABELS.items()}


def read_support(path: str | Path) -> list[SupportedAnswer]:
    """Read JSONL of {topic_id or narrative_id, run_id, sentences: [{text, citations}]}.

    Each citation is {reference, support}: 2 is full, 1 partial and 0 no support, -1 was never
    judged, and null gave no label. A citation without a reference points at no document; it
    and one that was cited by a number may name a `mention`.

    Raises:
        InputError: the file cannot be read, a field is wrong, or an answer stands twice.
    """
    unique = Unique("the support of (run_id, topic)")
    answers = []
    for record in read_records(path):
        topic_id = record.ident(record.first("topic_id", "narrative_id"))
        run_id = record.ident("run_id")
        unique.add((run_id, topic_id), record.place)
        sentences = tuple(_sentence(item) for item in record.records("sentences"))
        answers.append(SupportedAnswer(run_id=run_id, topic_id=topic_id, sentences=sentences))
    return answers


def write_support(path: str | Path, answers: Iterable[SupportedAnswer]) -> None:
    """Write support labels, a line an answer; sentences and citations are numbered from 0.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(path, (_line(answer) for answer in answers))


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
        return CitationLabel(mention=mention, docid=docid, status="failed")
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
    return {"topic_id": answer.topic_id, "run_id": answer.run_id, "sentences": sentences}


def _item(number: int, label: CitationLabel) -> dict[str, Any]:
    code = _CODES[label.label] if label.status in ("ok", "unjudged") else None
    item = {"citationID": number, "reference": label.docid, "support": code}
    return item if label.mention == label.docid else {**item, "mention": label.mention}
