"""Weigh: the rounds of ALCE's citation judgments, and what each shows of the documents."""

import pytest

from judge import outputs
from judge.metrics import parse_measures
from judge.tasks.support import SupportTask
from judge.tasks.weigh import ROUNDS, Weigh, all_together, each_alone, together, without_each
from judge.types import Answer, Call, Document, Judgment, Label, Support, Unit
from tests.judging import TEMPLATES, TOPICS, answer, citing, document, judged

SUPPORT = TEMPLATES["support/trec2025"]
DOCUMENTS = {
    "d1": document("d1", "First text.", title="One"),
    "d2": document("d2", "Second text."),
    "d3": document("d3", "Third text."),
}
ANSWER = answer("r", "t1", citing("Two sources.", "d1", None, "d2"), citing("One.", "d3"), "None.")

Labels = dict[str, Support]


def lookup(answer: Answer, docid: str) -> Document | None:
    del answer
    return DOCUMENTS.get(docid)


def names(units: list[Unit]) -> list[str]:
    return [unit.unit_id.removeprefix("weigh|t1|r|") for unit in units]


def asked(labels: Labels) -> list[list[str]]:
    """The units of each round, where labels are known by the ends of unit ids."""

    def label_of(unit: Unit) -> Support | None:
        return labels.get(unit.unit_id.removeprefix("weigh|t1|r|"))

    return [names(units([ANSWER], label_of)) for units in ROUNDS]


@pytest.mark.parametrize(
    ("labels", "alone", "without"),
    [
        ({}, [], []),
        ({"0": "none", "1": "full"}, [], []),
        ({"0": "full"}, ["0|d1", "0|d2"], []),
        ({"0": "full", "0|d1": "full", "0|d2": "none"}, ["0|d1", "0|d2"], ["0|without|d2"]),
        ({"0": "full", "0|d1": "partial", "0|d2": "full"}, ["0|d1", "0|d2"], ["0|without|d1"]),
        ({"0": "partial", "0|d1": "partial", "0|d2": "none"}, ["0|d1", "0|d2"], ["0|without|d2"]),
        ({"0": "full", "0|d1": "full", "0|d2": "full"}, ["0|d1", "0|d2"], []),
    ],
)
def test_a_round_asks_only_what_is_open(
    labels: Labels, alone: list[str], without: list[str]
) -> None:
    assert asked(labels) == [["0", "1"], alone, without]


def task(units: list[Unit]) -> Weigh:
    return Weigh(SUPPORT, TOPICS, [ANSWER], lookup, units)


def prompts(units: list[Unit]) -> list[str]:
    weigh = task(units)
    calls = [call for call in weigh.calls(weigh.units()) if isinstance(call, Call)]
    return [call.prompt.messages[-1].content for call in calls]


def test_together_documents_are_one_passage() -> None:
    first, second = prompts(all_together([ANSWER], lambda unit: None))
    assert "<passage>\nOne\nFirst text.\n\nSecond text.\n</passage>" in first
    assert "<passage>\nThird text.\n</passage>" in second


def test_without_one_the_others_stay() -> None:
    def label_of(unit: Unit) -> Support:
        return "full" if unit.docid is None else "none"

    found = without_each([ANSWER], label_of)
    assert "<passage>\nSecond text.\n</passage>" in prompts(found)[0]
    assert "<passage>\nOne\nFirst text.\n</passage>" in prompts(found)[1]


def test_a_document_alone_is_asked_as_the_support_task_asks() -> None:
    weighed = prompts(each_alone([ANSWER], lambda unit: "full"))
    support = SupportTask(SUPPORT, TOPICS, [ANSWER], lookup, "all")
    calls = [call for call in support.calls(support.units()) if isinstance(call, Call)]
    assert weighed == [call.prompt.messages[-1].content for call in calls[:2]]


def test_a_missing_document_is_named() -> None:
    lacking = answer("r", "t1", citing("Two.", "d1", "gone"))
    weigh = Weigh(SUPPORT, TOPICS, [lacking], lookup, [together(lacking, 0)])
    (judgment,) = weigh.calls(weigh.units())
    assert isinstance(judgment, Judgment)
    assert judgment.unit_id == "weigh|t1|r|0"
    assert judgment.reason == "document 'gone' is in none of the corpora"


def test_alces_measures_follow_from_the_labels() -> None:
    labels: dict[str, Label] = {
        "0": "full",
        "0|d1": "full",
        "0|d2": "none",
        "0|without|d2": "full",
        "1": "none",
    }
    kept: dict[str, Judgment] = {}
    for units in ROUNDS:
        for unit in units([ANSWER], lambda unit: outputs.support_of(kept.get(unit.unit_id))):
            name = unit.unit_id.removeprefix("weigh|t1|r|")
            kept[unit.unit_id] = judged(unit, labels[name])
    assert len(kept) == len(labels)
    (weighed,) = outputs.weighed(kept, [ANSWER])
    recall, precision = parse_measures("citation_recall citation_precision")
    assert recall.evaluate(weighed).value == pytest.approx(1 / 3)
    assert precision.evaluate(weighed).value == pytest.approx(1 / 3)


# --- the same sentence and document ---------------------------------------------------------------


def test_the_same_sentence_and_document_is_judged_once_for_all_answers() -> None:
    answers = [
        answer("a", "t1", "Before.", citing("Bees sleep.", "d1")),
        answer("b", "t1", citing("Bees sleep.", "d1"), citing("Bees sleep.", "d2")),
        answer("c", "t2", citing("Bees sleep.", "d1")),
        answer("d", "t1", citing("Bees sleep.", "d1"), documents=(document("d1", "Own."),)),
    ]
    support = SupportTask(SUPPORT, TOPICS, answers, lookup, "all")
    calls = [call for call in support.calls(support.units()) if isinstance(call, Call)]
    assert [[unit.run_id for unit in call.units] for call in calls] == [
        ["a", "b"],
        ["b"],
        ["d"],
        ["c"],
    ]
    shared = calls[0]
    assert "Before." in shared.prompt.messages[-1].content
    first, second = support.read(shared, "label: partial").values()
    assert (first.label, second.label) == ("partial", "partial")
    assert (first.detail, second.detail) == ({}, {"judged_as": "support|t1|a|1|d1"})
