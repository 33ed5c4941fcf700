"""Nugget measures on answers small enough to count by hand."""

import pytest

from judge.errors import InputError
from judge.metrics import Outcome, parse_measure
from judge.types import (
    AssignedAnswer,
    Importance,
    NuggetLabel,
    SubNarrative,
    Support,
    Topic,
)

Row = tuple[Importance | None, Support | None, str | None]


def outcome(name: str, *rows: Row, topic: Topic | None = None) -> Outcome:
    nuggets = tuple(
        NuggetLabel(nugget_id=str(i), text=f"n{i}", importance=imp, label=label, sub_narrative=sub)
        for i, (imp, label, sub) in enumerate(rows)
    )
    answer = AssignedAnswer(run_id="r", topic_id="t", nuggets=nuggets)
    return parse_measure(name).evaluate(answer, topic)


def topic_of(*texts: str) -> Topic:
    subs = tuple(SubNarrative(sub_id=str(i), text=t) for i, t in enumerate(texts, start=1))
    return Topic(topic_id="t", narrative="All of it.", sub_narratives=subs)


def vital(label: Support | None, sub: str | None = None) -> Row:
    return ("vital", label, sub)


def okay(label: Support | None, sub: str | None = None) -> Row:
    return ("okay", label, sub)


RECALLS = ["strict_vital_recall", "strict_all_recall", "vital_recall", "all_recall"]


def test_one_unit_of_two_failed_gives_bounds() -> None:
    got = outcome("strict_vital_recall", vital("full"), vital(None))
    assert got == Outcome(value=1.0, low=0.5, high=1.0, n_judged=1, n_failed=1)
    got = outcome("vital_recall", vital("partial"), vital(None), vital("none"))
    assert got == Outcome(value=0.25, low=0.5 / 3, high=0.5, n_judged=2, n_failed=1)


def test_all_units_failed_leave_no_value_but_bounds() -> None:
    got = outcome("strict_vital_recall", vital(None), vital(None))
    assert got == Outcome(value=None, low=0.0, high=1.0, n_judged=0, n_failed=2)
    assert not got.undefined


def test_only_the_nuggets_that_count_are_units() -> None:
    rows = [vital("full"), okay(None), okay("none")]
    assert outcome("strict_vital_recall", *rows) == Outcome(1.0, 1.0, 1.0, 1, 0)
    assert outcome("strict_all_recall", *rows) == Outcome(0.5, 1 / 3, 2 / 3, 2, 1)


def test_a_failed_okay_nugget_weighs_half_in_the_bounds() -> None:
    got = outcome("weighted_recall", vital("full"), vital("none"), okay(None))
    assert got == Outcome(0.5, 1 / 2.5, 1.5 / 2.5, 2, 1)


@pytest.mark.parametrize(
    ("name", "defined"),
    [
        ("strict_vital_recall", False),
        ("vital_recall", False),
        ("sub_narrative_coverage", False),
        ("strict_all_recall", True),
        ("all_recall", True),
        ("weighted_recall", True),
    ],
)
def test_a_topic_with_only_okay_nuggets(name: str, defined: bool) -> None:
    got = outcome(name, okay("full", "a"), okay("none", "b"))
    assert got.undefined is not defined
    if not defined:
        assert (got.value, got.low, got.high) == (None, None, None)
        assert got.reason in ("no vital nuggets", "no sub-narrative with a vital nugget")


def test_only_failed_okay_nuggets_are_empty_gold_not_a_failure() -> None:
    assert outcome("strict_vital_recall", okay(None)).undefined


@pytest.mark.parametrize("name", [*RECALLS, "weighted_recall"])
def test_no_nuggets(name: str) -> None:
    assert outcome(name).reason == "no nuggets"
    assert outcome(name).undefined


def test_a_nugget_without_importance_counts_among_all_alone() -> None:
    rows: list[Row] = [vital("full"), (None, "none", None)]
    assert outcome("strict_all_recall", *rows) == Outcome(0.5, 0.5, 0.5, 2, 0)
    for name in ("strict_vital_recall", "weighted_recall"):
        got = outcome(name, *rows)
        assert got[:5] == (1.0, 1.0, 1.0, 1, 0)
        assert got.notes == (("nuggets without an importance, left out", 1),)
        assert outcome(name, rows[1]).reason == "no nugget has an importance"


# --- sub-narratives ------------------------------------------------------------------------------


def test_a_sub_narrative_is_covered_by_one_full_vital_nugget() -> None:
    rows = [
        vital("full", "a"),
        vital("none", "a"),
        vital("partial", "b"),
        okay("full", "b"),
        okay("full", "c"),
        vital("full", None),
        vital("full", " "),
    ]
    assert outcome("sub_narrative_coverage", *rows) == Outcome(0.5, 0.5, 0.5, 3, 0)


def test_partial_credit_is_that_of_the_best_nugget() -> None:
    name = "sub_narrative_coverage(credit=partial)"
    rows = [vital("partial", "a"), vital("partial", "a"), vital("none", "a")]
    assert outcome(name, *rows).value == 0.5
    assert outcome(name, *rows, vital("full", "a")).value == 1.0
    assert outcome(name, *rows, vital("none", "b")).value == 0.25


def test_new_groups_stand_by_themselves_and_can_be_dropped() -> None:
    rows = [
        vital("full", "a"),
        vital("none", "New: b"),
        vital("none", "New: b"),
        vital("full", "b"),
    ]
    assert outcome("sub_narrative_coverage", *rows).value == pytest.approx(2 / 3)
    dropped = outcome("sub_narrative_coverage(new=false)", *rows)
    assert dropped == Outcome(1.0, 1.0, 1.0, 2, 0)
    assert outcome("sub_narrative_coverage(new=false)", vital("full", "New: b")).undefined


@pytest.mark.parametrize(
    "text",
    ["What is it?", '"What is it?"', " “what  IS it?” ", "What\u00a0is it？", "'What is it?'\n"],
)
def test_sub_narratives_are_matched_up_to_their_dress(text: str) -> None:
    topic = topic_of("What is it?", "Who made it?")
    name = "sub_narrative_coverage(denominator=official)"
    assert outcome(name, vital("full", text), topic=topic) == Outcome(0.5, 0.5, 0.5, 1, 0)


def test_new_groups_are_matched_up_to_their_dress() -> None:
    rows = [vital("full", "New: Who  sells it?"), vital("none", '"new: "Who sells it?""')]
    assert outcome("sub_narrative_coverage", *rows).value == 1.0


def test_official_counts_all_official_and_the_new_groups() -> None:
    topic = topic_of("a", "b", "c", "d", "A ")
    rows = [vital("full", "a"), vital("none", "b"), vital("full", "New: e"), okay("full", "c")]
    official = "sub_narrative_coverage(denominator=official"
    assert outcome(f"{official})", *rows, topic=topic) == Outcome(0.4, 0.4, 0.4, 3, 0)
    got = outcome(f"{official},new=false)", *rows, topic=topic)
    assert got == Outcome(0.25, 0.25, 0.25, 2, 0)


def test_a_text_that_is_not_official_is_told_not_guessed() -> None:
    got = outcome(
        "sub_narrative_coverage(denominator=official)",
        vital("full", "What is it"),
        vital("full", "Who made it?"),
        topic=topic_of("What is it?", "Who made it?"),
    )
    assert got[:5] == (0.5, 0.5, 0.5, 1, 0)
    assert got.notes == (("vital nuggets of no official sub-narrative, left out", 1),)


def test_the_official_denominator_without_gold_is_undefined() -> None:
    name = "sub_narrative_coverage(denominator=official,new=false)"
    rows = [okay("full", "a"), vital("full", "New: b")]
    got = outcome(name, *rows, topic=topic_of("a"))
    assert got.undefined
    assert got.reason == "no sub-narrative with a vital nugget"
    got = outcome(name, vital("full", "a"), topic=topic_of())
    assert got.undefined
    assert got.reason == "the topic has no official sub-narratives"


def test_the_official_denominator_needs_the_topic() -> None:
    with pytest.raises(InputError, match=r"official sub-narratives of topic 't'.*topics file"):
        outcome("sub_narrative_coverage(denominator=official)", vital("full", "a"))


def test_failed_nuggets_in_sub_narratives() -> None:
    rows = [vital("full", "a"), vital(None, "a"), vital("none", "b"), vital(None, "b")]
    got = outcome("sub_narrative_coverage", *rows)
    assert got == Outcome(value=0.5, low=0.5, high=1.0, n_judged=2, n_failed=2)
    got = outcome("sub_narrative_coverage", *rows, vital(None, "c"))
    assert got == Outcome(value=0.5, low=1 / 3, high=1.0, n_judged=2, n_failed=3)
    official = "sub_narrative_coverage(denominator=official)"
    got = outcome(official, vital("full", "a"), vital(None, "c"), topic=topic_of("a", "b", "c"))
    assert got == Outcome(value=0.5, low=1 / 3, high=2 / 3, n_judged=1, n_failed=1)
