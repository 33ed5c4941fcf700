"""From judgments to the field's records: nothing failed is written as a label."""

from pathlib import Path

import pytest

from judge import outputs
from judge.judgments import Judgments
from judge.tasks import assign, support
from judge.types import Judgment, Label, Qrel, Topic, Unit
from tests.judging import TOPICS, answer, citing, judged, kept, nuggets


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "judgments.jsonl"


def relevance_unit(docid: str) -> Unit:
    return Unit(task="relevance", topic_id="t1", docid=docid)


# --- qrels ---------------------------------------------------------------------------------------


def test_qrels_hold_the_grades_and_no_failures(path: Path) -> None:
    units = [relevance_unit(docid) for docid in ("zero", "failed", "four", "never")]
    judgments = kept(path, [judged(u, g) for u, g in zip(units, (0, None, 4), strict=False)])
    rows = list(outputs.qrels(judgments, iter(units)))
    judgments.close()
    assert rows == [Qrel("t1", "zero", 0), Qrel("t1", "four", 4)]


def test_a_grade_that_failed_later_is_gone(path: Path) -> None:
    unit = relevance_unit("d")
    judgments = kept(path, [judged(unit, 3), judged(unit, None)])
    assert list(outputs.qrels(judgments, iter([unit]))) == []
    judgments.close()


# --- assignments ---------------------------------------------------------------------------------

ANSWER = answer("r", "t1", "Bees cluster.", "They eat honey.")
KEY = {"t1": nuggets("t1", 3)}


def labels(path: Path, *given: Label | None) -> list[str | None]:
    units = [assign.unit_of(ANSWER, nugget) for nugget in KEY["t1"]]
    judgments = kept(path, [judged(u, g) for u, g in zip(units, given, strict=False)])
    (assigned,) = outputs.assigned(judgments, [ANSWER], KEY, TOPICS)
    judgments.close()
    assert [n.nugget_id for n in assigned.nuggets] == ["n1", "n2", "n3"]
    assert [n.asked for n in assigned.nuggets] == [i < len(given) for i in range(3)]
    return [nugget.label for nugget in assigned.nuggets]


def test_nuggets_carry_their_labels(path: Path) -> None:
    assert labels(path, "full", "none", "partial") == ["full", "none", "partial"]


def test_a_failed_nugget_has_no_label_and_stays_in_the_denominator(path: Path) -> None:
    assert labels(path, "full", None, "none") == ["full", None, "none"]


def test_a_nugget_that_was_never_judged_has_no_label(path: Path) -> None:
    assert labels(path, "full") == ["full", None, None]


def test_an_answer_without_sentences_holds_no_nugget(path: Path) -> None:
    judgments = Judgments(path)
    (assigned,) = outputs.assigned(judgments, [answer("r", "t1")], KEY, TOPICS)
    judgments.close()
    assert [nugget.label for nugget in assigned.nuggets] == ["none"] * 3
    assert (assigned.answer_text, assigned.response_length) == ("", 0)


def test_answers_to_topics_without_nuggets_are_left_out(path: Path) -> None:
    judgments = Judgments(path)
    answers = [answer("r", "t1", "One."), answer("r", "t2", "One.")]
    found = list(outputs.assigned(judgments, answers, {**KEY, "t2": []}, TOPICS))
    judgments.close()
    assert [a.topic_id for a in found] == ["t1"]


def test_what_else_an_assignment_says(path: Path) -> None:
    topics = {"t1": Topic(topic_id="t1", narrative="Long.", title="Short.")}
    judgments = Judgments(path)
    nugget = KEY["t1"][0].model_copy(update={"sub_narrative": "part", "importance": None})
    (titled,) = outputs.assigned(judgments, [ANSWER], {"t1": [nugget]}, topics)
    (plain,) = outputs.assigned(judgments, [ANSWER], KEY, TOPICS)
    judgments.close()
    assert (titled.query, plain.query) == ("Short.", TOPICS["t1"].narrative)
    assert titled.answer_text == "Bees cluster. They eat honey."
    assert titled.response_length == 5
    assert (titled.nuggets[0].sub_narrative, titled.nuggets[0].importance) == ("part", None)


# --- support -------------------------------------------------------------------------------------

CITING = answer("r", "t1", "Uncited.", citing("Two.", "d1", None, "d2", "d3"))


def test_citations_say_what_became_of_them(path: Path) -> None:
    judgments = kept(path, [_judged("d1", "partial"), _judged("d2", None)])
    (supported,) = outputs.supported(judgments, [CITING], "all")
    judgments.close()
    assert supported.sentences[0].citations == ()
    found = [(c.docid, c.status, c.label, c.asked) for c in supported.sentences[1].citations]
    assert found == [
        ("d1", "ok", "partial", True),
        (None, "invalid", None, True),
        ("d2", "failed", None, True),
        ("d3", "failed", None, False),
    ]


def _judged(docid: str, label: str | None) -> Judgment:
    return judged(support.unit_of(CITING, 1, docid), label)


def test_citations_beyond_those_asked_for_are_unjudged(path: Path) -> None:
    judgments = kept(path, [_judged("d1", "none"), _judged("d2", "full")])
    (supported,) = outputs.supported(judgments, [CITING], "first")
    judgments.close()
    found = [(c.docid, c.status, c.label) for c in supported.sentences[1].citations]
    assert found[0] == ("d1", "ok", "none")
    assert found[2:] == [("d2", "unjudged", None), ("d3", "unjudged", None)]


def test_the_same_document_in_two_sentences_has_two_labels(path: Path) -> None:
    twice = answer("r", "t1", citing("One.", "d"), citing("Two.", "d"))
    units = [support.unit_of(twice, index, "d") for index in (0, 1)]
    judgments = kept(path, [judged(units[0], "full"), judged(units[1], "none")])
    (supported,) = outputs.supported(judgments, [twice], "first")
    judgments.close()
    assert [s.citations[0].label for s in supported.sentences] == ["full", "none"]


def test_an_answer_without_sentences_is_kept(path: Path) -> None:
    judgments = Judgments(path)
    (supported,) = outputs.supported(judgments, [answer("r", "t1")], "first")
    judgments.close()
    assert (supported.run_id, supported.topic_id, supported.sentences) == ("r", "t1", ())
