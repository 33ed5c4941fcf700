"""Citations weighed as ALCE does: of each sentence all that it cites together, alone, without."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from judge.cited import WeighedAnswer, WeighedCitation, WeighedSentence
from judge.formats.fields import Fields
from judge.formats.forms import Form, Located, has_fields
from judge.formats.labelled import each_labelled
from judge.formats.lines import OnError, raise_error, write_json
from judge.types import SUPPORTS, Support

_LABELS: dict[str, Support] = {label: label for label in SUPPORTS}


def read_weighed(path: str | Path) -> list[WeighedAnswer]:
    """Read JSONL of {run_id, topic_id, sentences: [{text, together, citations}]}.

    Each citation is {reference, mention, alone, without}; together, alone and without are full,
    partial, none, or null where there is no label; the reference of one that points at no
    document is null.

    Raises:
        InputError: the file cannot be read, a field is wrong, or an answer stands twice.
    """
    return [answer for _, answer in each_weighed(path)]


def each_weighed(
    path: str | Path, on_error: OnError = raise_error
) -> Iterator[Located[WeighedAnswer]]:
    """Yield answers with weighed citations and where they stand; see `read_weighed`."""
    return each_labelled(path, "weighed citations", FORMS, on_error)


def write_weighed(path: str | Path, answers: Iterable[WeighedAnswer]) -> None:
    """Write answers with weighed citations, a line an answer.

    Raises:
        UsageError: the file cannot be written.
    """
    write_json(path, (_line(answer) for answer in answers))


def _answer(record: Fields) -> Iterator[WeighedAnswer]:
    yield WeighedAnswer(
        run_id=record.ident("run_id"),
        topic_id=record.ident("topic_id"),
        sentences=tuple(map(_sentence, record.records("sentences"))),
    )


FORMS: tuple[Form[WeighedAnswer], ...] = (
    Form("run_id, topic_id and sentences with together", has_fields(), _answer),
)


def _sentence(item: Fields) -> WeighedSentence:
    return WeighedSentence(
        text=item.text("text"),
        citations=tuple(map(_citation, item.records("citations"))),
        together=_label(item, "together"),
    )


def _citation(item: Fields) -> WeighedCitation:
    cites = item.require("reference", "a docid or null") is not None
    docid = item.ident("reference") if cites else None
    return WeighedCitation(
        mention=item.text("mention") if item.has("mention") or docid is None else docid,
        docid=docid,
        alone=_label(item, "alone"),
        without=_label(item, "without"),
    )


def _label(item: Fields, name: str) -> Support | None:
    unlabelled = item.require(name, "full, partial, none or null") is None
    return None if unlabelled else item.choice(name, _LABELS)


def _line(answer: WeighedAnswer) -> dict[str, Any]:
    sentences = [
        {
            "text": sentence.text,
            "together": sentence.together,
            "citations": [_item(citation) for citation in sentence.citations],
        }
        for sentence in answer.sentences
    ]
    return {"run_id": answer.run_id, "topic_id": answer.topic_id, "sentences": sentences}


def _item(citation: WeighedCitation) -> dict[str, Any]:
    mention = {} if citation.mention == citation.docid else {"mention": citation.mention}
    labels = {"alone": citation.alone, "without": citation.without}
    return {"reference": citation.docid, **mention, **labels}
