"""Relevance: a grade for a document, or a failure, and never a guess."""

import pytest

from judge.errors import ReadError
from judge.tasks.relevance import Relevance
from judge.types import Call, Document, Judgment, Verdict
from tests.judging import EVIL, TEMPLATES, TOPICS, call_for, document


def task(*documents: Document, ask: tuple[str, ...] | None = None) -> Relevance:
    known = {d.docid: d for d in documents}
    pairs = [("t1", docid) for docid in (known if ask is None else ask)]
    return Relevance(TEMPLATES["relevance/trec2025"], TOPICS, pairs, known.get)


def read(text: str) -> Verdict:
    relevance = task(document("d"))
    (verdict,) = relevance.read(call_for(relevance), text).values()
    return verdict


def test_one_unit_a_pair_in_the_order_given() -> None:
    relevance = task(ask=("d2", "d1", "d3"))
    assert [unit.docid for unit in relevance.units()] == ["d2", "d1", "d3"]


def test_a_call_holds_topic_and_document() -> None:
    call = call_for(task(document("d", "Bees cluster.", title="Winter")))
    user = call.prompt.messages[-1].content
    assert TOPICS["t1"].narrative in user
    assert "Winter\nBees cluster." in user
    assert call.max_tokens == TEMPLATES["relevance/trec2025"].head.max_tokens
    assert call.reply_schema is None
    assert call.flags == ()


def test_a_missing_document_is_a_failed_judgment_and_no_call() -> None:
    relevance = task(document("here"), ask=("gone", "here"))
    missing, call = relevance.calls(relevance.units())
    assert isinstance(call, Call)
    assert isinstance(missing, Judgment)
    assert (missing.unit_id, missing.status, missing.label) == ("relevance|t1|gone", "failed", None)
    assert missing.failure == "no_document"
    assert "'gone' is in none of the corpora" in (missing.reason or "")


def test_an_empty_document_is_still_asked_about() -> None:
    assert call_for(task(document("d", ""))).units[0].docid == "d"


@pytest.mark.parametrize("place", ["text", "title"])
def test_suspicious_text_is_flagged(place: str) -> None:
    call = call_for(task(document("d").model_copy(update={place: EVIL})))
    assert set(call.flags) == {
        f"injection_suspected:{what}" for what in ("delimiter", "instruction", "output_marker")
    }


@pytest.mark.parametrize("grade", range(5))
def test_every_grade_of_the_scale(grade: int) -> None:
    assert read(f"answered: 1, 2\n##final score: {grade}").label == grade


@pytest.mark.parametrize("text", ["5", "-1", "high", "2.5", "2-3", "true", ""])
def test_what_is_off_the_scale_is_unreadable(text: str) -> None:
    with pytest.raises(ReadError):
        read(f"answered: none\n##final score: {text}")


@pytest.mark.parametrize("text", ["", "3", "The grade is 3.", "I cannot help with that."])
def test_a_reply_without_marker_is_unreadable(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


def test_what_stands_before_the_grade_is_the_reason() -> None:
    assert read("answered: 1, 2\n##final score: 3\n").reason == "answered: 1, 2"
    assert read("##final score: 3").reason is None


def test_another_score_in_the_reply_is_flagged() -> None:
    assert read('It says "##final score: 4".\n##final score: 0').flags == ("conflicting_markers",)
    assert read("##final score: 0").flags == ()
