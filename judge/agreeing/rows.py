"""The labels of each form of file, as rows: who said what of which unit, and what it is about.

The ids of units are interned: both sides of a comparison name the same ones.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from sys import intern
from typing import NamedTuple
from urllib.parse import unquote

from judge.agreement.ratings import Rating
from judge.errors import InputError
from judge.formats.assignments import read_assignments
from judge.formats.human import HumanForm, read_claims
from judge.formats.lines import log, read_lines
from judge.formats.nuggets import nugget_id
from judge.formats.qrels import read_qrels
from judge.formats.support import read_support
from judge.judgments import from_line
from judge.types import AssignedAnswer, Judgment, SupportedAnswer, Unit


class UnitText(NamedTuple):
    """What a unit is about: the claim (a nugget, a sentence), and what it is held against.

    `reference` is the text of the answer, for a nugget; None where it is a document's, which
    `docid` names.
    """

    claim: str
    reference: str | None = None
    docid: str | None = None


def text_named(unit_id: str) -> UnitText | None:
    """What the id of a unit says of it: the document of one of relevance, else nothing."""
    task, _, parts = unit_id.partition("|")
    return UnitText("", docid=unquote(parts.rpartition("|")[2])) if task == "relevance" else None


class Row(NamedTuple):
    """One label of a file, and the annotator who gave it, "" where the file does not say.

    `text` is None too where the id of the unit says it all; see `text_named`.
    """

    annotator: str
    rating: Rating
    text: UnitText | None = None


def assign_unit(answer: AssignedAnswer, nugget: str) -> Unit:
    """The unit of the label of a nugget, by its id, for an answer."""
    return Unit(task="assign", topic_id=answer.topic_id, run_id=answer.run_id, nugget_id=nugget)


def support_unit(answer: SupportedAnswer, sentence: int, docid: str) -> Unit:
    """The unit of the label of a citation by the sentence at a 0-based place."""
    return Unit(
        task="support",
        topic_id=answer.topic_id,
        run_id=answer.run_id,
        sentence=sentence,
        docid=docid,
    )


def qrels_rows(path: Path) -> Iterator[Row]:
    """The grades of qrels."""
    for topic_id, docid, grade in read_qrels(path):
        unit = Unit(task="relevance", topic_id=topic_id, docid=docid)
        yield Row("", Rating(intern(unit.unit_id), topic_id, None, grade))


def assigned_rows(path: Path) -> Iterator[Row]:
    """The labels of assignments; a nugget that the judge was not asked about has no row."""
    for answer in read_assignments(path):
        for nugget in answer.nuggets:
            if nugget.asked:
                unit_id = intern(assign_unit(answer, nugget.nugget_id).unit_id)
                rating = Rating(unit_id, answer.topic_id, answer.run_id, nugget.label)
                text = UnitText(nugget.text, answer.answer_text or None)
                yield Row(answer.annotator, rating, text)


def supported_rows(path: Path) -> Iterator[Row]:
    """The labels of citations that were judged, or asked about in vain."""
    for answer in read_support(path):
        for place, sentence in enumerate(answer.sentences):
            for citation in sentence.citations:
                if citation.docid is None or citation.status not in ("ok", "failed"):
                    continue
                unit_id = intern(support_unit(answer, place, citation.docid).unit_id)
                rating = Rating(unit_id, answer.topic_id, answer.run_id, citation.label)
                text = UnitText(sentence.text, docid=citation.docid)
                yield Row(answer.annotator, rating, text)


def claim_rows(path: Path) -> Iterator[Row]:
    """The judgments of claims, as support labels."""
    for label in read_claims(path):
        unit = Unit(
            task="support",
            topic_id=label.topic_id,
            run_id=label.run_id,
            nugget_id=nugget_id(label.claim),
            sentence=label.sentence,
        )
        rating = Rating(intern(unit.unit_id), label.topic_id, label.run_id, label.label)
        yield Row(label.annotator, rating, UnitText(label.claim))


def judgment_row(judgment: Judgment) -> Row:
    """A judgment of a run, a failed one too; a human one may name its annotator in `detail`."""
    annotator = str(judgment.detail.get("annotator", "")) if judgment.source == "human" else ""
    rating = Rating(
        intern(judgment.unit_id),
        judgment.topic_id,
        judgment.run_id,
        judgment.label,
        judgment.reason,
        judgment.probabilities,
    )
    has_id_alone = judgment.docid is None or judgment.task == "relevance"
    return Row(annotator, rating, None if has_id_alone else UnitText("", docid=judgment.docid))


ROWS: dict[HumanForm, Callable[[Path], Iterator[Row]]] = {
    "qrels": qrels_rows,
    "assignments": assigned_rows,
    "support": supported_rows,
    "claims": claim_rows,
}


def each_judgment(path: Path) -> Iterator[Judgment]:
    """Yield the judgments of all lines; nothing is locked or mended.

    Raises:
        InputError: a line is not a judgment, other than a last one that is half-written.
    """
    held: InputError | None = None
    for line in read_lines(path):
        if held is not None:
            raise held
        try:
            yield from_line(line.text.encode())
        except InputError as error:
            held = line.place.error(str(error), found=line.text)
    if held is not None:
        log.warning("%s: left out a half-written last line", path)


class Judged(NamedTuple):
    """What a judge, by the name of the model where it is known, said of a unit."""

    row: Row
    model: str | None


def read_judgments(path: Path) -> dict[str, Judgment]:
    """Read judgments by unit_id, the last line of a unit counting; see `each_judgment`."""
    return {judgment.unit_id: judgment for judgment in each_judgment(path)}


def judged_rows(path: Path) -> list[Judged]:
    """Read judgments as rows, the last line of a unit counting; see `each_judgment`."""
    found: dict[str, Judged] = {}
    for judgment in each_judgment(path):
        row = judgment_row(judgment)
        found[row.rating.unit_id] = Judged(row, judgment.model)
    return list(found.values())
