"""Scores from label files: which files count, over which topics, and what a failure does."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError, UsageError
from judge.formats.assignments import write_assignments
from judge.formats.nuggets import write_nuggets
from judge.formats.scores import read_scores
from judge.formats.support import write_support
from judge.formats.topics import write_topics
from judge.metrics import parse_measures
from judge.scoring import Labels, compare, compute, read_labels, save, usual_measures
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    Importance,
    Nugget,
    NuggetLabel,
    Score,
    Support,
    SupportedAnswer,
    SupportedSentence,
    Topic,
)


def assigned(
    run_id: str, topic_id: str, *labels: Support | None, importance: Importance = "vital"
) -> AssignedAnswer:
    return AssignedAnswer(
        run_id=run_id,
        topic_id=topic_id,
        nuggets=tuple(
            NuggetLabel(nugget_id=f"n{i}", text=f"fact {i}", importance=importance, label=label)
            for i, label in enumerate(labels)
        ),
    )


def supported(run_id: str, topic_id: str, *labels: Support | None) -> SupportedAnswer:
    sentences = []
    for label in labels:
        status: Any = "failed" if label is None else "ok"
        citation = CitationLabel(mention="d", docid="d", status=status, label=label)
        sentences.append(SupportedSentence(text="One.", citations=(citation,)))
    return SupportedAnswer(run_id=run_id, topic_id=topic_id, sentences=tuple(sentences))


def key(topic_id: str, count: int, importance: Importance | None = "vital") -> list[Nugget]:
    return [
        Nugget(nugget_id=f"n{i}", topic_id=topic_id, text=f"fact {i}", importance=importance)
        for i in range(count)
    ]


def topics(count: int) -> list[Topic]:
    return [Topic(topic_id=f"t{i}", narrative=f"About {i}.") for i in range(count)]


def run_of(
    path: Path,
    answers: list[AssignedAnswer] | None = None,
    support: list[SupportedAnswer] | None = None,
    nuggets: list[Nugget] | None = None,
    official: int | None = None,
) -> Path:
    """A run directory with these files; what is None is not there."""
    path.mkdir(exist_ok=True)
    if answers is not None:
        write_assignments(path / "assignments.jsonl", answers)
    if support is not None:
        write_support(path / "support.jsonl", support)
    if nuggets is not None:
        write_nuggets(path / "nuggets.jsonl", nuggets, {})
    if official is not None:
        write_topics(path / "topics.jsonl", topics(official))
    return path


def row(scores: list[Score], run_id: str, topic_id: str = "all", measure: str = "") -> Score:
    found = [s for s in scores if (s.run_id, s.topic_id) == (run_id, topic_id)]
    (only,) = [s for s in found if not measure or s.measure == measure]
    return only


def recall(labels: Labels, **rules: Any) -> list[Score]:
    return compute(labels, parse_measures("strict_vital_recall"), **rules)


# --- which files ---------------------------------------------------------------------------------


def test_a_run_directory_brings_all_its_files(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [assigned("r", "t0", "full")],
        [supported("r", "t0", "full")],
        key("t0", 1),
        official=3,
    )
    labels = read_labels(run)
    assert [a.run_id for a in labels.assigned] == ["r"]
    assert [a.run_id for a in labels.supported] == ["r"]
    assert labels.topics is not None
    assert [t.topic_id for t in labels.topics] == ["t0", "t1", "t2"]
    assert labels.with_nuggets == frozenset({"t0"})


def test_a_given_file_stands_for_the_runs_own(tmp_path: Path) -> None:
    run = run_of(tmp_path / "a", [assigned("own", "t0", "full")], official=1)
    other = run_of(tmp_path / "b", [assigned("given", "t0", "none")], official=2)
    labels = read_labels(
        run,
        assignments=[other / "assignments.jsonl"],
        topics=other / "topics.jsonl",
    )
    assert [a.run_id for a in labels.assigned] == ["given"]
    assert len(labels.topics or ()) == 2


def test_several_files_are_scored_together(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / r, [assigned(r, "t0", "full")]) for r in ("a", "b")]
    labels = read_labels(assignments=[run / "assignments.jsonl" for run in runs])
    assert {s.run_id for s in recall(labels)} == {"a", "b"}
    assert labels.topics is None
    assert labels.with_nuggets is None


def test_without_labels_it_is_said_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give a run directory, --assignments or --support"):
        read_labels()
    with pytest.raises(UsageError, match="there is no run directory"):
        read_labels(tmp_path / "none")
    with pytest.raises(UsageError, match="has no nugget or support labels yet"):
        read_labels(run_of(tmp_path, nuggets=key("t0", 1), official=1))


def test_a_given_file_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl"):
        read_labels(assignments=[tmp_path / "gone.jsonl"])


# --- the nuggets file ----------------------------------------------------------------------------


def test_importance_and_part_come_from_the_nuggets_file(tmp_path: Path) -> None:
    nuggets = [
        nugget.model_copy(update={"sub_narrative": "part", "importance": "okay"})
        for nugget in key("t0", 2)
    ]
    run = run_of(tmp_path, [assigned("r", "t0", "full", None)], nuggets=nuggets)
    (answer,) = read_labels(run).assigned
    assert [(n.importance, n.sub_narrative) for n in answer.nuggets] == [("okay", "part")] * 2
    assert [n.label for n in answer.nuggets] == ["full", None]


def test_the_same_text_in_two_topics_keeps_its_own_importance(tmp_path: Path) -> None:
    answers = [assigned("r", "t0", "full"), assigned("r", "t1", "full")]
    nuggets = [*key("t0", 1, "okay"), *key("t1", 1, "vital")]
    labels = read_labels(run_of(tmp_path, answers, nuggets=nuggets))
    assert [a.nuggets[0].importance for a in labels.assigned] == ["okay", "vital"]


def test_a_nugget_that_is_not_in_the_file_is_refused(tmp_path: Path) -> None:
    run = run_of(tmp_path, [assigned("r", "t0", "full", "full")], nuggets=key("t0", 1))
    with pytest.raises(InputError, match=r"nuggets\.jsonl: .*t0 has no such nugget.*'fact 1'"):
        read_labels(run)


def test_a_nugget_without_a_label_does_not_make_the_denominator_smaller(tmp_path: Path) -> None:
    run = run_of(tmp_path, [assigned("r", "t0", "full")], nuggets=key("t0", 2), official=1)
    score = row(recall(read_labels(run)), "r")
    assert (score.n_judged, score.n_failed) == (1, 1)
    assert (score.low, score.high) == (0.5, 1.0)


def test_two_nuggets_of_one_text_keep_their_own_labels(tmp_path: Path) -> None:
    nuggets = [n.model_copy(update={"text": "fact"}) for n in key("t0", 2)]
    answer = assigned("r", "t0", "full", "none")
    same = [n.model_copy(update={"text": "fact"}) for n in answer.nuggets]
    answer = answer.model_copy(update={"nuggets": tuple(same)})
    labels = read_labels(run_of(tmp_path, [answer], nuggets=nuggets))
    assert [n.label for n in labels.assigned[0].nuggets] == ["full", "none"]


def test_a_nugget_that_the_labels_lack_was_never_asked(tmp_path: Path) -> None:
    given = assigned("r", "t0", "full", None)
    (first, second) = given.nuggets
    unasked = second.model_copy(update={"asked": False})
    answers = [given.model_copy(update={"nuggets": (first, unasked)}), assigned("s", "t0", None)]
    labels = read_labels(run_of(tmp_path, answers, nuggets=key("t0", 2)))
    asked = [[n.asked for n in answer.nuggets] for answer in labels.assigned]
    assert asked == [[True, False], [True, False]]


def test_what_was_never_asked_is_kept_in_the_files(tmp_path: Path) -> None:
    given = assigned("r", "t0", "full", None, None)
    first, second, third = given.nuggets
    unasked = second.model_copy(update={"asked": False})
    given = given.model_copy(update={"nuggets": (first, unasked, third)})
    (one, two) = supported("r", "t0", None, None).sentences
    citation = one.citations[0].model_copy(update={"asked": False})
    sentences = (one.model_copy(update={"citations": (citation,)}), two)
    cited = SupportedAnswer(run_id="r", topic_id="t0", sentences=sentences)
    run = run_of(tmp_path, [given], [cited])
    labels = read_labels(run)
    assert (labels.assigned, labels.supported) == ([given], [cited])
    written = json.loads((run / "assignments.jsonl").read_text(encoding="utf-8"))
    assert ["asked" in nugget for nugget in written["nuggets"]] == [False, True, False]


def test_files_without_any_answer_are_told(tmp_path: Path) -> None:
    run = run_of(tmp_path, answers=[], support=[])
    with pytest.raises(InputError, match=r"assignments\.jsonl: holds no labelled answer"):
        read_labels(run)
    run = run_of(tmp_path, answers=[], support=[supported("r", "t0", "full")])
    assert len([*read_labels(run).supported]) == 1


# --- over which topics ---------------------------------------------------------------------------


def test_the_mean_is_over_the_official_topics(tmp_path: Path) -> None:
    answers = [assigned("r", f"t{i}", "full") for i in range(20)]
    nuggets = [n for i in range(30) for n in key(f"t{i}", 1)]
    labels = read_labels(run_of(tmp_path, answers, nuggets=nuggets, official=30))
    mean = row(recall(labels), "r")
    assert mean.value == pytest.approx(20 / 30)
    assert (mean.n_topics, mean.n_missing, mean.n_undefined) == (30, 10, 0)


def test_topics_without_nuggets_are_undefined_and_not_missing(tmp_path: Path) -> None:
    """As in TREC 2025 RAG, where only some of the official topics have nuggets."""
    answers = [assigned("a", t, "full") for t in ("t0", "t1")] + [assigned("b", "t0", "full")]
    nuggets = [*key("t0", 1), *key("t1", 1)]
    labels = read_labels(run_of(tmp_path, answers, nuggets=nuggets, official=10))
    scores = recall(labels)
    full, half = row(scores, "a"), row(scores, "b")
    assert (full.value, full.n_missing, full.n_undefined) == (1.0, 0, 8)
    assert (half.value, half.n_missing, half.n_undefined) == (0.5, 1, 8)
    assert row(scores, "b", "t1").value == 0.0
    assert row(scores, "b", "t9").value is None
    assert row(scores, "b", "t9").reason == "no nuggets"


def test_support_is_averaged_over_topics_without_nuggets_as_well(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [assigned("r", "t0", "full")],
        [supported("r", "t0", "full"), supported("r", "t1", "none")],
        key("t0", 1),
        official=2,
    )
    scores = compute(read_labels(run), parse_measures("strict_vital_recall support_precision"))
    assert row(scores, "r", measure="strict_vital_recall").value == 1.0
    assert row(scores, "r", measure="support_precision").value == 0.5


def test_an_undefined_topic_can_count_0(tmp_path: Path) -> None:
    labels = read_labels(
        run_of(tmp_path, [assigned("r", "t0", "full")], nuggets=key("t0", 1), official=2)
    )
    assert row(recall(labels), "r").value == 1.0
    assert row(recall(labels, empty_as_zero=True), "r").value == 0.5


def test_labels_of_other_topics_are_refused(tmp_path: Path) -> None:
    labels = read_labels(run_of(tmp_path, [assigned("r", "2024-1.0", "full")], official=2))
    with pytest.raises(InputError, match=r"'2024-1\.0'.*'t0', 't1'"):
        recall(labels)


# --- failures ------------------------------------------------------------------------------------


def test_a_label_that_was_not_had_counts_as_failed_and_never_as_none(tmp_path: Path) -> None:
    labels = read_labels(run_of(tmp_path, [assigned("r", "t0", "full", None)]))
    (score, mean) = recall(labels)
    for row_ in (score, mean):
        assert (row_.value, row_.n_judged, row_.n_failed) == (None, 1, 1)
        assert (row_.low, row_.high) == (0.5, 1.0)
        assert "1 of 2 judgments failed" in (row_.reason or "")


def test_a_score_can_be_had_whatever_failed(tmp_path: Path) -> None:
    labels = read_labels(run_of(tmp_path, [assigned("r", "t0", "full", None)]))
    assert row(recall(labels, allow_incomplete=True), "r").value == 1.0
    assert row(recall(labels, max_failed=0.5), "r").value == 1.0
    assert row(recall(labels, max_failed=0.49), "r").value is None


def test_a_failed_citation_counts_as_failed_and_never_as_none(tmp_path: Path) -> None:
    labels = read_labels(run_of(tmp_path, support=[supported("r", "t0", "full", None)]))
    mean = row(compute(labels, parse_measures("support_precision")), "r")
    assert (mean.value, mean.low, mean.high, mean.n_failed) == (None, 0.5, 1.0, 1)


def test_runs_are_compared_by_the_usual_measures_or_those_named() -> None:
    answers = [assigned(r, f"t{t}", label) for r, label in RUNS.items() for t in range(2)]
    labels = Labels(assigned=answers)
    found = compare(labels, parse_measures("strict_vital_recall"), baseline="b")
    assert [(c.run_a, c.run_b, c.difference) for c in found] == [("a", "b", 1.0), ("c", "b", 0.0)]
    usual = compare(labels, pair=("a", "c"))
    assert {c.measure for c in usual} == {str(measure) for measure in usual_measures(labels)}
    assert len(compare(labels, every=True)) == 3 * len(usual)
    with pytest.raises(UsageError, match="no run 'x'"):
        compare(labels, baseline="x")


RUNS: dict[str, Support] = {"a": "full", "b": "none", "c": "none"}


def test_the_rules_hold_for_a_comparison_as_for_a_mean() -> None:
    """A topic above the limit still enters, as it does into the mean."""
    full: list[Support] = ["full"] * 20
    none: list[Support] = ["none"] * 19
    answers = [
        *(assigned("a", f"t{t}", *full) for t in range(2)),
        *(assigned("b", "t0", *none, None), assigned("b", "t1", "full", None)),
    ]
    labels = Labels(assigned=answers)
    measures = parse_measures("strict_vital_recall")
    (strict,) = compare(labels, measures, pair=("a", "b"))
    assert strict.difference is None
    assert strict.reason == "b: 2 of 22 judgments failed (9.09%, allowed 5%)"
    (mild,) = compare(labels, measures, pair=("a", "b"), max_failed=0.1)
    assert (mild.mean_b, mild.difference, mild.n_topics) == (0.5, 0.5, 2)
    (free,) = compare(labels, measures, pair=("a", "b"), allow_incomplete=True)
    assert free.difference == mild.difference


def test_empty_gold_can_count_0_in_a_comparison() -> None:
    topics_: dict[str, Importance] = {"t0": "vital", "t1": "vital", "t2": "okay"}
    answers = [
        assigned(run, topic, "full", importance=importance)
        for run in ("a", "b")
        for topic, importance in topics_.items()
    ]
    measures = parse_measures("strict_vital_recall")
    (found,) = compare(Labels(assigned=answers), measures, every=True)
    assert (found.n_topics, found.n_undefined) == (2, 1)
    (found,) = compare(Labels(assigned=answers), measures, every=True, empty_as_zero=True)
    assert (found.n_topics, found.n_undefined) == (3, 0)


# --- the usual measures --------------------------------------------------------------------------


def test_the_usual_measures_are_those_the_labels_allow() -> None:
    nuggets = Labels(assigned=[assigned("r", "t0", "full")])
    support = Labels(supported=[supported("r", "t0", "full")])
    both = Labels(assigned=nuggets.assigned, supported=support.supported)
    names = [str(measure) for measure in usual_measures(both)]
    assert names[0] == "strict_vital_recall"
    assert {"support_precision", "support_recall", "all_recall"} <= set(names)
    assert all("support" in str(measure) for measure in usual_measures(support))
    assert not any("support" in str(measure) for measure in usual_measures(nuggets))


def test_the_usual_measures_are_computed_without_being_named() -> None:
    labels = Labels(assigned=[assigned("r", "t0", "full", "partial")])
    values = {s.measure: s.value for s in compute(labels) if s.topic_id == "all"}
    assert values["strict_vital_recall"] == 0.5
    assert values["vital_recall"] == 0.75


# --- scores.jsonl --------------------------------------------------------------------------------


def test_saved_scores_come_back(tmp_path: Path) -> None:
    scores = compute(Labels(assigned=[assigned("r", "t0", "full", None)]))
    save(tmp_path, scores)
    assert read_scores(tmp_path / "scores.jsonl") == scores
    first = json.loads((tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first["value"] is None
