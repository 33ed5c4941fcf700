"""Coverage from judgments: grounds, the reasons without them, gold lists, and question nuggets."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from judge.cited import GroundedAnswer
from judge.citing import CitedDocuments
from judge.corpora import open_corpora
from judge.errors import InputError
from judge.grounds import Grounding, account, gold_rows, has_gold, subtopics
from judge.metrics import parse_measures
from judge.tasks import assign, locate
from judge.tasks.questions import parts
from judge.types import Answer, Judgment, Nugget, NuggetAnswer, SubtopicQrel
from tests.judging import answer, citing, document, judged, nuggets

KEY = nuggets("t1", 3)
ANSWER = answer("r", "t1", citing("Zero.", "d1", "d2"), "One.", citing("Two.", None))
Kept = dict[str, Judgment]


def held(nugget: Nugget, label: str | None, *sentences: int, by: Answer = ANSWER) -> Kept:
    """The assign judgment of a nugget."""
    judgment = judged(assign.unit_of(by, nugget), label)
    detail = {"sentences": list(sentences)} if label is not None else {}
    return {judgment.unit_id: replace(judgment, detail=detail)}


def found(nugget: Nugget, docid: str, label: str | None) -> Kept:
    """The locate judgment of a nugget."""
    judgment = judged(locate.unit_of(nugget, docid), label)
    return {judgment.unit_id: judgment}


def grounding(kept: Kept, *answers: Answer, gold: bool = False) -> Grounding:
    cited = CitedDocuments(open_corpora([], answers), answers)
    return Grounding(kept, cited, gold=gold)


def ground(
    *judgments: Kept, key: Iterable[Nugget] = KEY, by: Answer = ANSWER, gold: bool = False
) -> GroundedAnswer:
    kept = {unit_id: j for part in judgments for unit_id, j in part.items()}
    (grounded,) = grounding(kept, by, gold=gold).answers([by], {"t1": list(key)})
    return grounded


def grounds(*judgments: Kept, **more: Any) -> list[tuple[bool | None, str | None]]:
    return [(n.grounded, n.reason) for n in ground(*judgments, **more).nuggets]


@pytest.mark.parametrize("places", ["0", 0, None, [3], [-1], ["0"], [0.0], [True]])
def test_sentences_that_the_answer_does_not_have_are_an_error(places: Any) -> None:
    ((unit_id, judgment),) = held(KEY[0], "full", 0).items()
    with pytest.raises(InputError, match="sentences that the answer does not have") as caught:
        ground({unit_id: replace(judgment, detail={"sentences": places})})
    assert unit_id in str(caught.value)


def test_a_nugget_is_grounded_where_any_carrier_cites_a_document_that_holds_it() -> None:
    judgments = [
        held(KEY[0], "full", 0, 1),
        found(KEY[0], "d1", "none"),
        found(KEY[0], "d2", "full"),
    ]
    (nugget, *_) = ground(*judgments).nuggets
    assert (nugget.grounded, nugget.reason, nugget.sentences) == (True, None, (0, 1))


@pytest.mark.parametrize(
    ("judgments", "grounded", "reason"),
    [
        ([held(KEY[0], "none")], False, "not in the answer"),
        ([held(KEY[0], None)], None, "judgment failed"),
        ([], None, "judgment failed"),
        ([held(KEY[0], "full")], None, "no sentence named"),
        ([held(KEY[0], "full", 1)], False, "no citation"),
        ([held(KEY[0], "full", 2)], False, "citation out of range"),
        (
            [
                held(KEY[0], "partial", 0),
                found(KEY[0], "d1", "none"),
                found(KEY[0], "d2", "partial"),
            ],
            False,
            "cited document does not hold it",
        ),
        (
            [held(KEY[0], "full", 0), found(KEY[0], "d1", "none"), found(KEY[0], "d2", None)],
            None,
            "judgment failed",
        ),
        ([held(KEY[0], "full", 0), found(KEY[0], "d1", "none")], None, "judgment failed"),
    ],
)
def test_the_reason_without_grounds(
    judgments: list[Kept], grounded: bool | None, reason: str
) -> None:
    assert grounds(*judgments, key=KEY[:1]) == [(grounded, reason)]


def test_an_answer_without_sentences_holds_nothing() -> None:
    silent = answer("silent", "t1")
    grounded = ground(by=silent, key=KEY[:1])
    assert [(n.label, n.asked, n.reason) for n in grounded.nuggets] == [
        ("none", True, "not in the answer")
    ]


def test_the_measures_follow() -> None:
    judgments = [
        held(KEY[0], "full", 0),
        found(KEY[0], "d1", "full"),
        held(KEY[1], "full", 1),
        held(KEY[2], "none"),
    ]
    coverage, recall = parse_measures("nugget_coverage info_recall")
    grounded = ground(*judgments)
    assert coverage.evaluate(grounded).value == pytest.approx(1 / 3)
    assert recall.evaluate(grounded).value == pytest.approx(2 / 3)
    assert account([grounded]) == (
        "coverage: 2 nuggets held in full or in part, 1 of them grounded; 1 no citation"
    )


# --- gold ----------------------------------------------------------------------------------------

GOLD = KEY[0].model_copy(update={"docids": ("d2",), "source": "assessor"})


@pytest.mark.parametrize(
    ("docids", "source", "gold"),
    [(("d",), "", True), (("d",), "reference", True), ((), "assessor", False)],
)
def test_lists_of_documents_are_gold(docids: tuple[str, ...], source: str, gold: bool) -> None:
    assert has_gold(KEY[0].model_copy(update={"docids": docids, "source": source})) is gold


@pytest.mark.parametrize("source", ["judge", "post-edit"])
def test_what_a_created_nugget_was_made_from_is_no_gold(source: str) -> None:
    assert not has_gold(GOLD.model_copy(update={"source": source}))


def test_gold_lists_stand_for_labels_only_where_they_are_wanted() -> None:
    judgments = [held(GOLD, "full", 0), found(GOLD, "d1", "none"), found(GOLD, "d2", "none")]
    assert grounds(*judgments, key=[GOLD], gold=True) == [(True, None)]
    assert grounds(*judgments, key=[GOLD]) == [(False, "cited document does not hold it")]
    other = GOLD.model_copy(update={"docids": ("elsewhere",)})
    assert grounds(*judgments, key=[other], gold=True) == [
        (False, "cited document does not hold it")
    ]


def test_gold_rows_cover_the_listed_documents_and_those_that_are_judged() -> None:
    rows = list(gold_rows({"t1": [GOLD, KEY[1]]}, [("t1", "d1"), ("t1", "d2"), ("t2", "d9")]))
    assert rows == [SubtopicQrel("t1", "n1", "d2", 1), SubtopicQrel("t1", "n1", "d1", 0)]


# --- questions -----------------------------------------------------------------------------------

BOTH = Nugget(
    nugget_id="q",
    topic_id="t1",
    text="What do bees eat?",
    aggregator="AND",
    importance="vital",
    answers=(NuggetAnswer(text="honey"), NuggetAnswer(text="pollen")),
)


def test_an_and_question_needs_grounds_for_every_part() -> None:
    honey, pollen = parts(BOTH)
    full = [held(honey, "full", 0), held(pollen, "full", 0), found(honey, "d1", "full")]
    complete = ground(*full, found(pollen, "d2", "full"), key=[BOTH]).nuggets[0]
    assert (complete.nugget_id, complete.label, complete.grounded) == ("q", "full", True)
    lacking = [found(pollen, "d1", "none"), found(pollen, "d2", "none")]
    assert grounds(*full, *lacking, key=[BOTH]) == [(False, "cited document does not hold it")]
    assert grounds(*full, key=[BOTH]) == [(None, "judgment failed")]


def test_an_incomplete_set_is_partial_and_grounded_by_what_is_held() -> None:
    honey, pollen = parts(BOTH)
    judgments = [held(honey, "full", 0), held(pollen, "none"), found(honey, "d1", "full")]
    nugget = ground(*judgments, key=[BOTH]).nuggets[0]
    assert (nugget.label, nugget.grounded) == ("partial", True)
    assert grounds(held(honey, "none"), held(pollen, "none"), key=[BOTH]) == [
        (False, "not in the answer")
    ]


def test_a_document_holds_an_and_question_with_all_its_parts() -> None:
    honey, pollen = parts(BOTH)
    kept = {
        **found(honey, "d1", "full"),
        **found(pollen, "d1", "full"),
        **found(honey, "d2", "full"),
        **found(pollen, "d2", "none"),
        **found(honey, "d3", "full"),
        **found(pollen, "d3", None),
    }
    asked = {("t1", docid): [BOTH] for docid in ("d1", "d2", "d3")}
    assert list(subtopics(kept, asked)) == [
        SubtopicQrel("t1", "q", "d1", 1),
        SubtopicQrel("t1", "q", "d2", 0),
    ]
    assert [row.grade for row in subtopics(kept, asked, partial=True)] == [1, 1]


# --- what must be asked ---------------------------------------------------------------------------


def test_only_carriers_documents_are_needed() -> None:
    kept = {**held(KEY[0], "full", 0, 2), **held(KEY[1], "none", 0), **held(KEY[2], "partial", 0)}
    needed = grounding(kept, ANSWER).needed([ANSWER], {"t1": KEY})
    assert {pair: [n.nugget_id for n in listed] for pair, listed in needed.items()} == {
        ("t1", "d1"): ["n1", "n3"],
        ("t1", "d2"): ["n1", "n3"],
    }


def test_nuggets_with_gold_lists_are_not_needed() -> None:
    kept = held(GOLD, "full", 0)
    assert grounding(kept, ANSWER, gold=True).needed([ANSWER], {"t1": [GOLD]}) == {}
    assert len(grounding(kept, ANSWER).needed([ANSWER], {"t1": [GOLD]})) == 2


# --- documents of the answers' own ----------------------------------------------------------------


def test_two_texts_under_one_docid_are_two_documents() -> None:
    mine = answer("a", "t1", citing("A.", "d"), documents=(document("d", "Mine."),))
    yours = answer("b", "t1", citing("B.", "d"), documents=(document("d", "Yours."),))
    cited = CitedDocuments(open_corpora([], [mine, yours]), [mine, yours])
    names = [cited.name(mine, "d"), cited.name(yours, "d")]
    assert len(set(names)) == 2
    assert [getattr(cited.get(name), "text", None) for name in names] == ["Mine.", "Yours."]
    assert list(cited.by_topic({"t1": 0})) == [("t1", name) for name in names]


def test_one_text_is_one_document() -> None:
    own = (document("d", "The same."),)
    answers = [answer(run, "t1", citing("A.", "d"), documents=own) for run in ("a", "b")]
    cited = CitedDocuments(open_corpora([], answers), answers)
    assert list(cited.by_topic({"t1": 0})) == [("t1", "d")]
