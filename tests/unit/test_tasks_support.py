"""Support: which citations are asked about, with which document, and how a reply reads."""

import pytest

from judge.errors import ReadError
from judge.tasks.support import Citations, SupportTask, judged_citations
from judge.types import Answer, Call, Document, Judgment, Label
from tests.judging import EVIL, TEMPLATES, TOPICS, answer, call_for, citing, document

DOCUMENTS = {docid: document(docid, f"Text of {docid}.") for docid in ("d1", "d2", "d3")}


def task(*answers: Answer, citations: Citations = "first") -> SupportTask:
    def cited(answer: Answer, docid: str) -> Document | None:
        own = {d.docid: d for d in answer.documents}
        return own.get(docid) or DOCUMENTS.get(docid)

    return SupportTask(TEMPLATES["support/trec2025"], TOPICS, answers, cited, citations)


def read(text: str) -> Label:
    support = task(answer("r", "t1", citing("One.", "d1")))
    (verdict,) = support.read(call_for(support), text).values()
    return verdict.label


@pytest.mark.parametrize(
    ("citations", "asked"),
    [("first", ["d1"]), (1, ["d1"]), (2, ["d1", "d2"]), (9, ["d1", "d2", "d3"])],
)
def test_how_many_citations_are_judged(citations: Citations, asked: list[str]) -> None:
    assert judged_citations(citing("One.", "d1", "d2", "d3"), citations) == asked


def test_all_citations_can_be_judged() -> None:
    assert judged_citations(citing("One.", "d1", "d2", "d3"), "all") == ["d1", "d2", "d3"]


def test_an_invalid_first_citation_is_not_replaced_by_the_second() -> None:
    sentence = citing("One.", None, "d2")
    assert judged_citations(sentence, "first") == []
    assert judged_citations(sentence, 2) == ["d2"]
    assert judged_citations(sentence, "all") == ["d2"]


def test_units_number_the_sentences_from_0_and_skip_the_uncited() -> None:
    support = task(answer("r", "t1", "Uncited.", citing("Two.", "d1"), citing("Three.", "d1")))
    assert [unit.unit_id for unit in support.units()] == ["support|t1|r|1|d1", "support|t1|r|2|d1"]


@pytest.mark.parametrize("sentences", [(), ("Uncited.",)])
def test_without_citations_there_is_nothing_to_ask(sentences: tuple[str, ...]) -> None:
    support = task(answer("r", "t1", *sentences), citations="all")
    assert list(support.calls(support.units())) == []


def test_a_call_asks_about_the_sentence_and_the_document_of_its_unit() -> None:
    support = task(answer("r", "t1", citing("One.", "d1"), citing("Two.", "d2")))
    calls = list(support.calls(support.units()))
    for call, sentence, docid in zip(calls, ("One.", "Two."), ("d1", "d2"), strict=True):
        assert isinstance(call, Call)
        user = call.prompt.messages[-1].content
        assert f"<sentence>\n{sentence}\n</sentence>" in user
        assert f"<passage>\nText of {docid}.\n</passage>" in user


def test_an_answers_own_document_is_the_one_it_cites() -> None:
    own = document("d1", "Its own text.")
    call = call_for(task(answer("r", "t1", citing("One.", "d1"), documents=(own,))))
    user = call.prompt.messages[-1].content
    assert "Its own text." in user
    assert "Text of d1." not in user


def test_a_missing_document_is_a_failed_judgment_and_never_none_support() -> None:
    support = task(answer("r", "t1", citing("One.", "gone")))
    (missing,) = support.calls(support.units())
    assert isinstance(missing, Judgment)
    assert (missing.unit_id, missing.label) == ("support|t1|r|0|gone", None)
    assert (missing.status, missing.failure) == ("failed", "no_document")


def test_suspicious_documents_and_answers_are_flagged() -> None:
    evil = document("d1", EVIL)
    flagged = call_for(task(answer("r", "t1", citing("One.", "d1"), documents=(evil,))))
    assert "injection_suspected:output_marker" in flagged.flags
    other = call_for(task(answer("r", "t1", citing("One.", "d1"), EVIL)))
    assert "injection_suspected:instruction" in other.flags
    assert call_for(task(answer("r", "t1", citing("One.", "d1")))).flags == ()


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("label: full", "full"),
        ("Partial Support", "partial"),
        ("Because of this.\nlabel: none", "none"),
        ("label: No Support.", "none"),
    ],
)
def test_labels(text: str, label: str) -> None:
    assert read(text) == label


@pytest.mark.parametrize("text", ["", "label: 2", "label:", "label: fully", "It has full support"])
def test_anything_else_is_unreadable(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)
