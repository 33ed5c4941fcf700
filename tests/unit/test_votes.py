"""Several samples of a call made into one reply."""

from typing import Any

import pytest

from judge.types import Attempt, Call, Failure, Prompt, Reply, Unit, Verdict
from judge.votes import TIED, agreement, by_majority

UNITS = tuple(Unit(task="support", topic_id="t", docid=docid) for docid in "ab")
PROMPT = Prompt(template="x/y", sha256="0", messages=())
CALL = Call(units=UNITS, prompt=PROMPT, max_tokens=1, labels=("none", "partial", "full"))
GRADES = Call(units=UNITS[:1], prompt=PROMPT, max_tokens=1, labels=(0, 1, 2, 3, 4))


def said(*labels: str | int, **more: Any) -> Reply:
    verdicts = {
        unit.unit_id: Verdict(**{"label": label, "reason": f"{label}!", **more})
        for unit, label in zip(UNITS, labels, strict=False)
    }
    spent = Attempt(key="k", cached=False, cost=1.0)
    return Reply(key="k", model="m", text="", verdicts=verdicts, attempts=(spent,))


def failed(message: str = "no") -> Failure:
    spent = Attempt(key="k", cached=False, cost=1.0, failure="parse", message="no")
    return Failure(key="k", kind="parse", message=message, attempts=(spent,))


def voted(call: Call, *outcomes: Reply | Failure) -> Verdict:
    outcome = by_majority(call, outcomes)
    assert isinstance(outcome, Reply)
    return outcome.verdicts[UNITS[0].unit_id]


def test_each_unit_gets_the_label_of_most() -> None:
    outcome = by_majority(CALL, [said("full", "none"), said("full", "none"), said("none", "full")])
    assert isinstance(outcome, Reply)
    first, second = (outcome.verdicts[unit.unit_id] for unit in UNITS)
    assert (first.label, second.label) == ("full", "none")
    assert first.detail == {"samples": ["full", "full", "none"]}
    assert first.reason == "full!"
    assert TIED not in first.flags
    assert len(outcome.attempts) == 3


@pytest.mark.parametrize(
    ("labels", "winner", "tied"),
    [
        (["full", "partial"], "partial", True),
        (["full", "none", "full", "none"], "none", True),
        (["full", "partial", "none"], "none", True),
        (["full", "full", "none", "partial"], "full", False),
        (["partial"], "partial", False),
    ],
)
def test_of_several_with_equally_many_the_lowest_counts(
    labels: list[str], winner: str, tied: bool
) -> None:
    verdict = voted(CALL, *(said(label, "none") for label in labels))
    assert (verdict.label, TIED in verdict.flags) == (winner, tied)


def test_grades_are_ordered_as_numbers() -> None:
    assert voted(GRADES, said(4), said(0)).label == 0
    assert voted(GRADES, said(3), said(3), said(1)).label == 3


def test_reason_and_flags_are_of_the_first_sample_with_the_label() -> None:
    verdict = voted(GRADES, said(1), said(3, flags=("f",)), said(3, flags=("g",)))
    assert (verdict.reason, verdict.flags) == ("3!", ("f",))


def test_one_sample_is_what_it_is() -> None:
    only = said("full", "none")
    assert by_majority(CALL, [only]) is only
    failure = failed()
    assert by_majority(CALL, [failure]) is failure


def test_a_sample_that_failed_has_no_vote() -> None:
    verdict = voted(CALL, said("full", "none"), failed(), said("full", "none"))
    assert verdict.label == "full"
    assert verdict.detail["samples"] == ["full", None, "full"]


@pytest.mark.parametrize("n_failed", [1, 2])
def test_where_half_failed_there_is_no_label(n_failed: int) -> None:
    outcome = by_majority(CALL, [said("full", "none")] + [failed()] * n_failed)
    assert isinstance(outcome, Failure)
    assert outcome.message == f"{n_failed} of {n_failed + 1} samples failed: no"
    assert len(outcome.attempts) == n_failed + 1


def test_probabilities_are_the_mean_of_those_there_are() -> None:
    one = said(3, probabilities={"0": 0.0, "3": 1.0})
    other = said(3, probabilities={"0": 0.5, "3": 0.5})
    assert voted(GRADES, one, other, said(3)).probabilities == {"0": 0.25, "3": 0.75}
    assert voted(GRADES, said(3), said(3)).probabilities is None


@pytest.mark.parametrize(
    ("samples", "expected"),
    [([], (0, 0)), ([1], (0, 0)), ([1, 1], (1, 1)), ([1, 1, 2], (1, 3)), ([1, None, 1], (1, 1))],
)
def test_agreement_is_over_pairs(
    samples: list[int | str | None], expected: tuple[int, int]
) -> None:
    assert agreement(samples) == expected
