"""Rows: the uncertainty of a mean, and what must be known to read a value."""

from statistics import stdev

import pytest

from judge.metrics.inference import mean_interval
from judge.metrics.rows import Rules
from judge.types import AssignedAnswer, CitationLabel, SupportedAnswer, SupportedSentence
from tests.unit.test_metrics_scoring import assigned, scores

# --- rules ---------------------------------------------------------------------------------------


def test_nothing_is_lenient_unless_it_is_asked_for() -> None:
    rules = Rules()
    assert (rules.max_failed, rules.allow_incomplete, rules.empty_as_zero) == (0.05, False, False)


# --- uncertainty ---------------------------------------------------------------------------------


def test_a_mean_has_its_standard_error_and_its_bootstrap_interval() -> None:
    answers = [assigned("r", f"t{i}", letters) for i, letters in enumerate(["F", "N", "FN", "F"])]
    mean = scores("all_recall", assigned=answers)["r", "all"]
    values = [1.0, 0.0, 0.5, 1.0]
    assert mean.value == 0.625
    assert mean.se == pytest.approx(stdev(values) / 2)
    assert (mean.ci_low, mean.ci_high) == mean_interval(values)
    assert (mean.ci_low, mean.ci_high) == (0.25, 1.0)


def test_a_missing_answer_enters_the_interval_as_0() -> None:
    mean = scores("all_recall", assigned=[assigned("r", "t1", "F")], topics=["t1", "t2"])[
        "r", "all"
    ]
    assert (mean.ci_low, mean.ci_high) == (0.0, 1.0)


@pytest.mark.parametrize("letters", [["F"], ["F", "x"], ["F", ""]])
def test_one_topic_with_a_value_has_no_spread(letters: list[str]) -> None:
    answers = [assigned("r", f"t{i}", word) for i, word in enumerate(letters)]
    mean = scores("all_recall", assigned=answers, allow_incomplete=True)["r", "all"]
    assert mean.value == 1.0
    assert (mean.se, mean.ci_low, mean.ci_high) == (None, None, None)


def test_a_withheld_mean_has_no_interval() -> None:
    answers = [assigned("r", f"t{i}", "Fx") for i in range(3)]
    mean = scores("all_recall", assigned=answers)["r", "all"]
    assert (mean.value, mean.se, mean.ci_low, mean.ci_high) == (None, None, None, None)


def test_topics_have_no_interval() -> None:
    row = scores("all_recall", assigned=[assigned("r", "t", "FN")])["r", "t"]
    assert (row.se, row.ci_low, row.ci_high) == (None, None, None)


# --- what must be known to read a value ----------------------------------------------------------


def unlabelled(answer: AssignedAnswer) -> AssignedAnswer:
    """The same, with the failed nuggets never asked."""
    nuggets = [n if n.label else n.model_copy(update={"asked": False}) for n in answer.nuggets]
    return answer.model_copy(update={"nuggets": tuple(nuggets)})


@pytest.mark.parametrize("name", ["all_recall", "info_recall", "sub_narrative_coverage"])
def test_judgments_never_asked_for_are_told_of_topics_and_means(name: str) -> None:
    answers = [unlabelled(assigned("r", "t1", "FXX")), assigned("r", "t2", "FX")]
    rows = scores(name, assigned=answers, allow_incomplete=True)
    assert rows["r", "t1"].reason == "judgments never asked for, counted as failed: 2"
    assert rows["r", "t2"].reason is None
    assert rows["r", "all"].reason == "judgments never asked for, counted as failed: 2"
    assert rows["r", "all"].n_failed == 3
    withheld = scores(name, assigned=answers)["r", "all"].reason
    assert withheld == (
        "3 of 5 judgments failed (60%, allowed 5%); judgments never asked for, counted as failed: 2"
    )


def test_nuggets_that_do_not_count_are_not_told() -> None:
    answer = unlabelled(assigned("r", "t", "Fxx"))
    assert scores("strict_vital_recall", assigned=[answer])["r", "t"].reason is None


def cited(*states: str, asked: bool = True) -> SupportedAnswer:
    """An answer of one sentence, with a citation for each status."""
    citations = tuple(
        CitationLabel.model_validate(
            {
                "mention": str(i),
                "docid": None if status == "invalid" else str(i),
                "status": status,
                "label": "full" if status == "ok" else None,
                "asked": asked or status != "failed",
            }
        )
        for i, status in enumerate(states)
    )
    sentence = SupportedSentence(text="A sentence.", citations=citations)
    return SupportedAnswer(run_id="r", topic_id="t", sentences=(sentence,))


@pytest.mark.parametrize("name", ["support_recall", "support_precision"])
def test_citations_that_were_never_judged_are_told_where_they_would_count(name: str) -> None:
    answer = cited("ok", "unjudged", "invalid", "unjudged")
    assert scores(name, supported=[answer])["r", "all"].reason is None
    rows = scores(f"{name}(citations=all)", supported=[answer])
    assert rows["r", "t"].reason == "citations that were never judged, left out: 2"
    assert rows["r", "all"].reason == rows["r", "t"].reason
    assert rows["r", "all"].value == 1.0


def test_citations_never_asked_about_are_told() -> None:
    rows = scores("support_recall", supported=[cited("failed", asked=False)], max_failed=1)
    assert rows["r", "t"].reason == (
        "all 1 judgments failed; judgments never asked for, counted as failed: 1"
    )
    rows = scores("support_recall", supported=[cited("failed")], max_failed=1)
    assert rows["r", "t"].reason == "all 1 judgments failed"
