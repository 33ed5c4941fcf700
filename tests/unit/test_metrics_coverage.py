"""Coverage: what an answer holds, what it grounds, and how both are put together from labels."""

from itertools import product
from typing import Any

import pytest

from judge.cited import GroundedAnswer, GroundedNugget
from judge.errors import InputError
from judge.metrics import Outcome, parse_measure, score
from judge.metrics.grounding import ground, held_by_gold, held_by_labels, question_label
from judge.types import (
    SUPPORTS,
    AssignedAnswer,
    Citation,
    Importance,
    Nugget,
    NuggetLabel,
    Support,
)

Row = tuple[Importance | None, Support | None]
Grounded = tuple[Importance | None, Support | None, bool | None]


def info(name: str, *rows: Row) -> Outcome:
    nuggets = tuple(
        NuggetLabel(nugget_id=str(i), text="A fact.", importance=importance, label=label)
        for i, (importance, label) in enumerate(rows)
    )
    answer = AssignedAnswer(run_id="r", topic_id="t", nuggets=nuggets)
    return parse_measure(name).evaluate(answer)


def answer_of(*rows: Grounded, **more: Any) -> GroundedAnswer:
    nuggets = tuple(
        GroundedNugget(
            nugget_id=str(i), text="A fact.", importance=importance, label=label, grounded=grounded
        )
        for i, (importance, label, grounded) in enumerate(rows)
    )
    return GroundedAnswer(run_id="r", topic_id="t", nuggets=nuggets, **more)


def coverage(name: str, *rows: Grounded) -> Outcome:
    return parse_measure(name).evaluate(answer_of(*rows))


MIXED: list[Row] = [("vital", "full"), ("vital", "partial"), ("okay", "none"), ("okay", "full")]


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ("", 2 / 4),
        ("(credit=partial)", 2.5 / 4),
        ("(credit=weighted)", 3 / 6),
        ("(importance=vital)", 1 / 2),
        ("(importance=vital,credit=partial)", 1.5 / 2),
        ("(importance=vital,credit=weighted)", 1 / 2),
    ],
)
def test_both_measures_by_hand(params: str, value: float) -> None:
    assert info(f"info_recall{params}", *MIXED) == Outcome(
        value, value, value, 2 if "vital" in params else 4
    )
    rows: list[Grounded] = [(importance, label, label != "none") for importance, label in MIXED]
    assert coverage(f"nugget_coverage{params}", *rows).value == value


@pytest.mark.parametrize("credit", ["full", "partial", "weighted"])
def test_a_nugget_that_is_not_grounded_counts_0(credit: str) -> None:
    rows: list[Grounded] = [("vital", "full", False), ("vital", "partial", False)]
    got = coverage(f"nugget_coverage(credit={credit})", *rows)
    assert got == Outcome(0.0, 0.0, 0.0, 2, 0)


@pytest.mark.parametrize(
    ("params", "row", "outcome"),
    [
        # beside one nugget that counts 1
        ("", ("okay", "full", None), (1.0, 0.5, 1.0, 1, 1)),
        ("", ("okay", None, None), (1.0, 0.5, 1.0, 1, 1)),
        ("", ("okay", None, False), (0.5, 0.5, 0.5, 2, 0)),
        ("", ("okay", None, True), (1.0, 0.5, 1.0, 1, 1)),
        ("", ("okay", "partial", None), (0.5, 0.5, 0.5, 2, 0)),
        ("", ("okay", "none", None), (0.5, 0.5, 0.5, 2, 0)),
        ("(credit=partial)", ("okay", "partial", None), (1.0, 0.5, 1.0, 1, 1)),
        ("(credit=partial)", ("okay", None, None), (1.0, 0.5, 1.0, 1, 1)),
        ("(credit=weighted)", ("okay", "full", None), (1.0, 2 / 3, 1.0, 1, 1)),
        ("(importance=vital)", ("okay", "full", None), (1.0, 1.0, 1.0, 1, 0)),
    ],
)
def test_what_is_not_known_is_in_the_bounds(
    params: str, row: Grounded, outcome: tuple[float, ...]
) -> None:
    got = coverage(f"nugget_coverage{params}", ("vital", "full", True), row)
    assert got[:5] == pytest.approx(outcome, abs=1e-12)


def test_nothing_known_at_all() -> None:
    got = coverage("nugget_coverage", ("vital", "full", None))
    assert got == Outcome(None, 0.0, 1.0, 0, 1)
    got = coverage("nugget_coverage(credit=partial)", ("vital", "partial", None))
    assert got == Outcome(None, 0.0, 1.0, 0, 1)


@pytest.mark.parametrize("name", ["info_recall", "nugget_coverage"])
def test_empty_gold(name: str) -> None:
    evaluate: Any = info if name == "info_recall" else coverage
    grounds: Any = () if name == "info_recall" else (True,)
    assert evaluate(name).reason == "no nuggets"
    okay = ("okay", "full", *grounds)
    assert evaluate(f"{name}(importance=vital)", okay).reason == "no vital nuggets"
    plain = (None, "full", *grounds)
    assert evaluate(name, plain)[:3] == (1.0, 1.0, 1.0)
    assert evaluate(f"{name}(credit=weighted)", plain).reason == "no nugget has an importance"
    got = evaluate(f"{name}(credit=weighted)", okay, plain)
    assert got.notes == (("nuggets without an importance, left out", 1),)


def test_coverage_is_scored_over_topics_as_nuggets_are() -> None:
    answers = [answer_of(("vital", "full", True))]
    rows = score(
        [parse_measure("nugget_coverage")],
        grounded=answers,
        topics=["t", "u", "v"],
        with_nuggets=["t", "u"],
    )
    assert [(r.topic_id, r.value, r.reason) for r in rows[:3]] == [
        ("t", 1.0, None),
        ("u", 0.0, "no answer"),
        ("v", None, "no nuggets"),
    ]
    assert (rows[3].value, rows[3].n_missing, rows[3].n_undefined) == (0.5, 1, 1)


# --- grounds -------------------------------------------------------------------------------------

D1, D2, BROKEN = (Citation(mention=m, docid=d) for m, d in (("0", "d1"), ("1", "d2"), ("9", None)))


def grounded(
    label: Support | None,
    places: list[int],
    citations: list[list[Citation]],
    held: dict[str, Support | None],
) -> GroundedNugget:
    nugget = NuggetLabel(
        nugget_id="n", text="A fact.", importance="vital", label=label, sub_narrative="part"
    )
    answer = AssignedAnswer(run_id="r", topic_id="t", nuggets=(nugget,))
    labels = {("n", docid): held_ for docid, held_ in held.items()}
    found = ground(answer, {"n": places}, citations, held_by_labels(labels))
    assert (found.run_id, found.topic_id) == ("r", "t")
    (only,) = found.nuggets
    assert NuggetLabel(**only.model_dump(include=set(NuggetLabel.model_fields))) == nugget
    return only


NOT_HELD = "cited document does not hold it"


@pytest.mark.parametrize(
    ("label", "places", "citations", "held", "expected"),
    [
        ("full", [0], [[D1]], {"d1": "full"}, (True, None)),
        ("partial", [0], [[D1]], {"d1": "full"}, (True, None)),
        ("full", [0], [[D1]], {"d1": "partial"}, (False, NOT_HELD)),
        ("full", [0], [[D1]], {"d1": "none"}, (False, NOT_HELD)),
        ("full", [0], [[D1]], {"d2": "full", "d1": "none"}, (False, NOT_HELD)),
        # some citation of some sentence that carries it is enough
        ("full", [0], [[D1, D2]], {"d1": "none", "d2": "full"}, (True, None)),
        ("full", [0, 1], [[], [D2]], {"d2": "full"}, (True, None)),
        ("full", [0], [[BROKEN, D1]], {"d1": "full"}, (True, None)),
        # another sentence's citations are not
        ("full", [0], [[], [D2]], {"d2": "full"}, (False, "no citation")),
        ("full", [0], [[BROKEN]], {}, (False, "citation out of range")),
        ("full", [0, 1], [[BROKEN], []], {}, (False, "citation out of range")),
        # failures
        ("full", [0], [[D1]], {"d1": None}, (None, "judgment failed")),
        ("full", [0], [[D1]], {}, (None, "judgment failed")),
        ("full", [0], [[D1, D2]], {"d1": None, "d2": "none"}, (None, "judgment failed")),
        ("full", [0], [[D1, D2]], {"d1": None, "d2": "full"}, (True, None)),
        (None, [], [[D1]], {"d1": "full"}, (None, "judgment failed")),
        ("full", [], [[D1]], {"d1": "full"}, (None, "no sentence named")),
        ("none", [], [[D1]], {"d1": "full"}, (False, "not in the answer")),
    ],
)
def test_grounds(
    label: Support | None,
    places: list[int],
    citations: list[list[Citation]],
    held: dict[str, Support | None],
    expected: tuple[bool | None, str | None],
) -> None:
    found = grounded(label, places, citations, held)
    assert (found.grounded, found.reason) == expected
    assert found.sentences == tuple(places)


def test_places_are_kept_once_and_in_order() -> None:
    assert grounded("full", [1, 0, 1], [[], []], {}).sentences == (0, 1)


@pytest.mark.parametrize("places", [[1], [0, 2], [-1]])
def test_a_sentence_that_is_not_there_is_refused(places: list[int]) -> None:
    with pytest.raises(InputError, match=r"run 'r', topic 't': nugget 'n' .* has 1 sentences"):
        grounded("full", places, [[D1]], {})


def test_gold_documents_stand_for_the_judge() -> None:
    nuggets = [
        Nugget(nugget_id="n", topic_id="t", text="A fact.", docids=("d1", "d3")),
        Nugget(nugget_id="m", topic_id="t", text="Another."),
    ]
    holds = held_by_gold(nuggets)
    assert [holds("n", d) for d in ("d1", "d2", "d3")] == [True, False, True]
    assert holds("m", "d1") is None
    assert holds("x", "d1") is None


# --- ARGUE's questions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("aggregator", "answers", "label"),
    [
        ("OR", ["none", "full"], "full"),
        ("OR", ["none", "partial"], "partial"),
        ("OR", ["none", "none"], "none"),
        ("OR", ["full", None], "full"),
        ("OR", ["partial", None], None),
        ("OR", ["none", None], None),
        ("AND", ["full", "full"], "full"),
        ("AND", ["full", "none"], "partial"),
        ("AND", ["full", "partial"], "partial"),
        ("AND", ["partial", "partial"], "partial"),
        ("AND", ["partial", "none"], "partial"),
        ("AND", ["none", "none"], "none"),
        ("AND", ["full", None], None),
        ("AND", ["none", None], None),
        ("AND", ["partial", None], "partial"),
        ("AND", ["full", "none", None], "partial"),
        ("AND", [None], None),
    ],
)
def test_questions_of_a_bank(aggregator: Any, answers: list[Support | None], label: Any) -> None:
    assert question_label(aggregator, answers) == label


@pytest.mark.parametrize("aggregator", ["AND", "OR"])
def test_a_failure_matters_if_its_outcomes_differ(aggregator: Any) -> None:
    for known in product(SUPPORTS, repeat=2):
        outcomes = {question_label(aggregator, [*known, label]) for label in SUPPORTS}
        got = question_label(aggregator, [*known, None])
        assert got == (outcomes.pop() if len(outcomes) == 1 else None)


def test_a_question_without_answers_is_refused() -> None:
    with pytest.raises(InputError, match="without answers has no label"):
        question_label("OR", [])
