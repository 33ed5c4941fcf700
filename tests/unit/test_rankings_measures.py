"""Measures of rankings, by hand: gains, ideals, cutoffs, and topics where there is nothing."""

from math import e, log2
from typing import Any

import pytest

from judge.errors import InputError, UsageError
from judge.metrics.names import all_ranking_measures, parse_ranking_measure
from judge.metrics.rankings import Gold, RankingMeasure, score_runs
from judge.types import Score

HELD = {"d1": (1, 2), "d2": (1,), "d3": (2, 3), "d4": (4,), "d5": ()}
GRADES = {"a": 3, "b": 2, "c": 0, "d": -1, "e": 1}


def value(name: str, judged: dict[str, Any], *ranking: str) -> float:
    scorer = parse_ranking_measure(name).scorer(judged)
    assert scorer is not None
    return scorer(ranking)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alpha_nDCG@1", 1 / 2),
        ("alpha_nDCG(alpha=0)@2", (1 + 2 / log2(3)) / (2 + 2 / log2(3))),
        ("alpha_nDCG(alpha=1)@2", (1 + 1 / log2(3)) / (2 + 1 / log2(3))),
        ("alpha_nDCG(alpha=0.75)@2", (1 + 1.25 / log2(3)) / (2 + 1.25 / log2(3))),
        ("StRecall@1", 1 / 4),
        ("StRecall@2", 2 / 4),
        ("StRecall", 3 / 4),
        ("alpha_nDCG_recipe@2", (1 + 1 / log2(3)) / (4 / log2(3))),
    ],
)
def test_diversity(name: str, expected: float) -> None:
    assert value(name, HELD, "d2", "d1", "d5", "d3", "dX") == pytest.approx(expected, abs=1e-12)


def test_without_a_cutoff_the_whole_ranking_meets_the_whole_ideal() -> None:
    ideal = 2 + 1.5 / log2(3) + 1 / log2(4) + 0.5 / log2(5)  # d3, d1, d4, d2
    got = value("alpha_nDCG", HELD, *["x"] * 30, "d4")
    assert got == pytest.approx(1 / log2(32) / ideal, abs=1e-12)


def test_of_equal_gains_the_ideal_takes_the_greater_docid() -> None:
    held = {"A": (1, 2), "a": (1, 4), "b": (2, 3)}  # after b: a, 2; after A: 1.5
    assert value("alpha_nDCG@2", held, "b") == pytest.approx(2 / (2 + 2 / log2(3)), abs=1e-12)


def test_a_ranking_may_beat_the_greedy_one_but_not_the_range() -> None:
    held = {"z": (1, 2, 3, 4), "a": (1, 2, 5), "b": (3, 4, 6)}
    got = value("alpha_nDCG(alpha=1)@2", held, "a", "b")
    assert got == pytest.approx((3 + 3 / log2(3)) / (4 + 1 / log2(3)), abs=1e-12)
    assert 1 < got < e / (e - 1)


@pytest.mark.parametrize("cutoff", ["", "@21", "@1000"])
def test_there_is_no_cap_on_the_cutoff(cutoff: str) -> None:
    held = {f"d{i:03}": (i,) for i in range(60)}
    assert value(f"alpha_nDCG{cutoff}", held, *held) == pytest.approx(1.0, abs=1e-12)
    got = value("alpha_nDCG@50", held, *list(held)[:25])
    share = sum(1 / log2(r + 1) for r in range(1, 26)) / sum(1 / log2(r + 1) for r in range(1, 51))
    assert got == pytest.approx(share, abs=1e-12)


def test_the_recipe_is_not_bounded_by_one_and_grows_with_the_cutoff() -> None:
    values = [value(f"alpha_nDCG_recipe@{k}", HELD, "d1", "d3", "d4") for k in (3, 10, 100)]
    assert 1 < values[0] < values[1] < values[2]


def test_the_recipe_counts_a_subtopic_once_however_far_apart_it_stands() -> None:
    held = {"a": (1,), "b": (2,), "c": (1,)}
    got = value("alpha_nDCG_recipe@3", held, "a", "b", "c")
    assert got == pytest.approx((1 + 1 / log2(3)) / (2 / log2(4)), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nDCG", (2 + 3 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4))),
        ("nDCG@1", 2 / 3),
        ("nDCG@2", 2 / (3 + 2 / log2(3))),
        ("nDCG(gain=exp)", (3 + 7 / log2(5)) / (7 + 3 / log2(3) + 1 / log2(4))),
        ("nDCG(gain=exp)@1", 3 / 7),
        ("nDCG(gain=binary)", (1 + 1 / log2(5)) / (1 + 1 / log2(3) + 1 / log2(4))),
        ("RR", 1.0),
        ("RR(rel=3)", 1 / 4),
        ("RR(rel=3)@3", 0.0),
        ("AP", (1 + 2 / 4) / 3),
        ("AP@3", 1 / 3),
        ("AP(rel=2)", (1 + 2 / 4) / 2),
        ("R", 2 / 3),
        ("R@1", 1 / 3),
        ("R(rel=3)", 1.0),
        ("P", 2 / 5),
        ("P@2", 1 / 2),
        ("P@10", 2 / 10),
        ("P(rel=3)@4", 1 / 4),
        ("judged@3", 2 / 3),
        ("judged", 3 / 5),
        ("judged@10", 3 / 5),
    ],
)
def test_relevance(name: str, expected: float) -> None:
    assert value(name, GRADES, "b", "c", "x", "a", "y") == pytest.approx(expected, abs=1e-12)


def test_the_ideal_uses_all_relevant_documents() -> None:
    grades = {f"d{i}": 1 for i in range(5)}
    ideal = sum(1 / log2(rank + 1) for rank in range(1, 6))
    assert value("nDCG@20", grades, "d0") == pytest.approx(1 / ideal, abs=1e-12)
    assert value("AP", grades, "d0") == pytest.approx(1 / 5, abs=1e-12)


@pytest.mark.parametrize("gain", ["linear", "exp", "binary"])
def test_no_grade_is_too_great(gain: str) -> None:
    grades = {"a": 10**17, "b": 1}
    expected = {"linear": 1 / log2(3), "exp": 1 / log2(3), "binary": 1.0}[gain]
    assert value(f"nDCG(gain={gain})", grades, "b", "a") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", all_ranking_measures(), ids=str)
def test_a_topic_without_anything_to_find_is_undefined(measure: RankingMeasure[Any]) -> None:
    assert measure.scorer({}) is None
    nothing: dict[str, Any] = {"a": ()} if measure.kind == "subtopics" else {"a": 0, "b": -1}
    scorer = measure.scorer(nothing)
    assert (scorer is None) == (measure.name != "judged")
    assert measure.empty


@pytest.mark.parametrize("name", ["AP(rel=4)", "RR(rel=4)", "R(rel=4)@3", "P(rel=4)@3"])
def test_a_topic_without_a_document_that_is_relevant_enough_is_undefined(name: str) -> None:
    assert parse_ranking_measure(name).scorer(GRADES) is None


# --- rows ----------------------------------------------------------------------------------------

GOLD = Gold.of_subtopics({"1": HELD, "2": {"a": ()}, "3": {"a": (7,)}})
RUNS = {"r": {"1": ["d1"], "2": ["a"], "9": ["a"]}, "s": {"3": ["a"]}}


def rows(name: str, **choices: Any) -> dict[tuple[str, str], Score]:
    scores = score_runs([parse_ranking_measure(name)], RUNS, GOLD, **choices)
    return {(score.run_id, score.topic_id): score for score in scores}


def test_rows_are_by_measure_run_and_topic_and_the_mean_last() -> None:
    measures = [parse_ranking_measure(name) for name in ("StRecall@20", "RR", "StRecall@20")]
    order = [(s.measure, s.run_id, s.topic_id) for s in score_runs(measures, RUNS, GOLD)]
    topics = ["1", "2", "3", "all"]
    assert order == [(m, r, t) for m in ("StRecall@20", "RR") for r in "rs" for t in topics]


def test_a_missing_topic_counts_0_and_one_without_positives_is_left_out() -> None:
    got = rows("StRecall@20")
    assert [got["r", topic].value for topic in "123"] == [0.5, None, 0.0]
    assert got["r", "2"].reason == "no subtopic with a positive judgment"
    assert got["r", "3"].reason == "not in the run"
    mean = got["r", "all"]
    assert (mean.value, mean.n_topics, mean.n_missing, mean.n_undefined) == (0.25, 3, 1, 1)
    assert (mean.low, mean.high, mean.n_judged, mean.n_failed) == (0.25, 0.25, 5, 0)
    assert (got["r", "1"].low, got["r", "1"].high, got["r", "1"].n_judged) == (0.5, 0.5, 5)
    assert (got["s", "all"].value, got["s", "all"].n_missing) == (0.5, 1)


def test_empty_as_zero_counts_every_topic() -> None:
    got = rows("StRecall@20", empty_as_zero=True)
    assert got["r", "2"].value == 0.0
    assert got["r", "2"].reason == "no subtopic with a positive judgment (counted 0)"
    assert got["r", "all"].value == pytest.approx(0.5 / 3)
    assert (got["r", "all"].n_missing, got["r", "all"].n_undefined) == (1, 0)
    assert got["s", "all"].n_missing == 2


def test_the_topic_list_decides_over_what_the_mean_runs() -> None:
    got = rows("StRecall@20", topics=["1", "4", "1"])
    assert [topic for run, topic in got if run == "r"] == ["1", "4", "all"]
    assert (got["r", "4"].value, got["r", "4"].reason) == (None, "the topic has no judgments")
    assert (got["r", "all"].value, got["r", "all"].n_topics) == (0.5, 2)
    assert (got["s", "all"].value, got["s", "all"].n_missing) == (0.0, 1)


def test_the_grade_of_a_document_is_its_number_of_subtopics() -> None:
    assert GOLD.grades["1"] == {"d1": 2, "d2": 1, "d3": 2, "d4": 1, "d5": 0}
    got = rows("nDCG@1", topics=["1"])
    assert got["r", "1"].value == 1.0


def test_a_measure_of_subtopics_needs_them() -> None:
    gold = Gold({"1": {"d1": 1}})
    with pytest.raises(UsageError, match="StRecall@5 needs judgments by subtopic"):
        score_runs([parse_ranking_measure("StRecall@5")], RUNS, gold)


@pytest.mark.parametrize("topics", [None, ["1", "all"]])
def test_no_topic_is_called_all(topics: list[str] | None) -> None:
    gold = Gold({"1": {}, "all": {}}) if topics is None else GOLD
    with pytest.raises(InputError, match="a topic is called 'all'"):
        score_runs([], RUNS, gold, topics=topics)
