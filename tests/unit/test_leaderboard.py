"""The leaderboard and the account: order, gaps, uncertainty, and what must be said beside them."""

import io
import json
from typing import Any

import pytest
from rich.console import Console, RenderableType
from rich.table import Table

from judge.executor import Tally
from judge.report.account import account, dollars, failures, flags, left_out, skipped_lines
from judge.report.leaderboard import leaderboard, remarks, topic_table
from judge.report.terminal import print_scores, scores_json
from judge.types import Score


def score(run_id: str, value: float | None, measure: str = "recall", **more: Any) -> Score:
    start = {"topic_id": "all", "low": value, "high": value, "n_judged": 4, "n_failed": 0}
    data = {"run_id": run_id, "measure": measure, "value": value, **start, **more}
    return Score.model_validate(data)


def table_of(scores: list[Score]) -> Table:
    (table,) = leaderboard(scores).renderables
    assert isinstance(table, Table)
    return table


def shown(table: RenderableType) -> list[list[str]]:
    """The lines of a table that hold anything, each cut at wide gaps."""
    console = Console(width=300, color_system=None)
    with console.capture() as capture:
        console.print(table)
    lines = [line.split("  ") for line in capture.get().splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [line for line in cells if line and not set(line[0]) <= set("─ ")]


def runs_in_order(*scores: Score) -> list[str]:
    known = {score.run_id for score in scores}
    return [line[0] for line in shown(leaderboard(scores)) if line[0] in known]


def cells(run_id: str, *scores: Score) -> list[str]:
    (line,) = [line for line in shown(leaderboard(scores)) if line[0] == run_id]
    return line[1:]


# --- order ---------------------------------------------------------------------------------------


def test_the_best_run_comes_first() -> None:
    assert runs_in_order(score("a", 0.2), score("b", 0.9), score("c", 0.5)) == ["b", "c", "a"]


def test_a_run_without_value_comes_last_even_after_0() -> None:
    assert runs_in_order(score("a", None), score("b", 0.0), score("c", 0.1)) == ["c", "b", "a"]


def test_equal_runs_are_ordered_by_name() -> None:
    assert runs_in_order(score("b", 0.5), score("a", 0.5), score("c", 0.5)) == ["a", "b", "c"]


def test_the_first_measure_decides() -> None:
    scores = [score("a", 0.1), score("b", 0.2), score("a", 0.9, "other"), score("b", 0.8, "other")]
    assert runs_in_order(*scores) == ["b", "a"]


def test_a_run_that_lacks_the_first_measure_comes_last() -> None:
    scores = [score("b", 0.1), score("a", 0.9, "other"), score("b", 0.2, "other")]
    assert runs_in_order(*scores) == ["b", "a"]
    assert cells("a", *scores) == ["0.900"]


def test_topics_do_not_enter_the_means() -> None:
    scores = [score("a", 0.9, topic_id="t1"), score("a", 0.1)]
    assert cells("a", *scores) == ["0.100"]


def test_no_scores_make_an_empty_table() -> None:
    assert runs_in_order() == []
    assert leaderboard([], intervals=True).renderables == []
    assert remarks([]) == []


# --- cells ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "more", "cell"),
    [
        (0.5, {}, "0.500"),
        (1.0, {}, "1.000"),
        (0.0, {}, "0.000"),
        (0.12345, {"se": 0.0456}, "0.123 ±.05"),
        (0.5, {"n_failed": 1, "low": 0.25, "high": 1.0}, "0.500 [.25, 1.00]"),
        (None, {"n_failed": 3, "low": 0.0, "high": 1.0}, "– [.00, 1.00]"),
        (None, {}, "–"),
        (None, {"n_failed": 1}, "– [–, –]"),
    ],
)
def test_a_cell(value: float | None, more: dict[str, Any], cell: str) -> None:
    assert cells("a", score("a", value, **more)) == [cell]


@pytest.mark.parametrize(
    ("value", "more", "cell"),
    [
        (0.5, {"se": 0.1, "ci_low": 0.25, "ci_high": 1.0}, "0.500 (.25-1.00)"),
        (0.5, {"se": 0.1, "ci_low": 0.0, "ci_high": 0.0}, "0.500 (.00-.00)"),
        (0.5, {}, "0.500"),
        (None, {"n_failed": 3, "low": 0.0, "high": 1.0}, "– [.00, 1.00]"),
        (
            0.5,
            {"ci_low": 0.25, "ci_high": 0.75, "n_failed": 1, "low": 0.4, "high": 0.6},
            "0.500 (.25-.75) [.40, .60]",
        ),
    ],
)
def test_a_cell_with_its_interval(value: float | None, more: dict[str, Any], cell: str) -> None:
    board = leaderboard([score("a", value, **more)], intervals=True)
    (line,) = [line for line in shown(board) if line[0] == "a"]
    assert line[1:] == [cell]


@pytest.mark.parametrize(
    ("intervals", "told"),
    [(False, "mean over topics ± standard error"), (True, "mean over topics (95% bootstrap")],
)
def test_the_caption_says_what_stands_beside_the_mean(intervals: bool, told: str) -> None:
    scores = [score("a_run_with_a_long_name", 0.5, ci_low=0.25, ci_high=0.75)]
    console = Console(width=300, color_system=None)
    with console.capture() as capture:
        console.print(leaderboard(scores, intervals=intervals))
    assert " ".join(capture.get().split()).startswith("run recall")
    assert told in " ".join(capture.get().split())


def test_every_measure_has_a_column_in_the_order_given() -> None:
    scores = [score("a", 0.1, "vital_recall"), score("a", 0.2, "support_precision(citations=all)")]
    assert cells("a", *scores) == ["0.100", "0.200"]
    headings = [str(column.header).split() for column in table_of(scores).columns]
    assert headings == [["run"], ["vital", "recall"], ["support", "precision", "(citations=all)"]]


RUN_IDS = ["run[a]", "[bold]", "[/b]", "a_[link=x]"]


@pytest.mark.parametrize("run_id", RUN_IDS)
def test_brackets_in_a_run_id_are_shown(run_id: str) -> None:
    assert run_id in [line[0] for line in shown(leaderboard([score(run_id, 0.5)]))]


@pytest.mark.parametrize("name", RUN_IDS)
def test_brackets_in_a_topic_id_are_shown(name: str) -> None:
    lines = shown(topic_table([score(name, 0.5, topic_id=name)]))
    assert [name, name, "0.500"] in lines


# --- topics --------------------------------------------------------------------------------------


def test_each_topic_has_a_block_of_runs() -> None:
    scores = [
        score(run, value, topic_id=topic)
        for topic, run, value in [("t1", "a", 0.1), ("t1", "b", 0.2), ("t2", "a", None)]
    ]
    lines = shown(topic_table([*scores, score("a", 0.9)]))
    assert ["t1", "a", "0.100"] in lines
    assert ["b", "0.200"] in lines
    assert ["t2", "a", "–"] in lines
    assert not any("0.900" in line for line in lines)


# --- remarks -------------------------------------------------------------------------------------


def test_nothing_is_remarked_where_nothing_is_amiss() -> None:
    assert remarks([score("a", 0.5, n_topics=3, n_missing=0, n_undefined=0)]) == []


def test_missing_topics_are_told_once_for_all_measures() -> None:
    scores = [score("a", 0.5, m, n_topics=30, n_missing=10) for m in ("recall", "other")]
    (line,) = remarks([*scores, score("b", 0.5, n_topics=30, n_missing=0)])
    assert line == "a: 10 of 30 topics are missing, counted 0"


def test_topics_that_only_some_measures_miss_are_told_with_their_names() -> None:
    scores = [score("a", 0.5, m, n_topics=3, n_missing=1) for m in ("RR", "AP")]
    scores.append(score("a", 0.5, "judged@20", n_topics=3, n_missing=2))
    assert remarks(scores) == [
        "a: RR, AP: 1 of 3 topics are missing, counted 0",
        "a: judged@20: 2 of 3 topics are missing, counted 0",
    ]


def test_what_is_true_of_some_measures_is_one_line() -> None:
    scores = [score("a", 0.5, m, n_topics=3, n_undefined=1) for m in ("RR", "AP")]
    assert remarks(scores) == ["a: RR, AP: 1 of 3 topics undefined, left out of the mean"]


def test_undefined_topics_are_told() -> None:
    scores = [score("a", 0.5, n_topics=9, n_undefined=8), score("b", 0.5, n_topics=9)]
    (line,) = remarks(scores)
    assert line == "a: recall: 8 of 9 topics undefined, left out of the mean"


def test_a_withheld_score_has_its_reason() -> None:
    (line,) = remarks([score("a", None, reason="2 of 4 judgments failed (50%, allowed 5%)")])
    assert line == "a: recall: 2 of 4 judgments failed (50%, allowed 5%)"


def test_what_is_true_of_some_runs_names_them_all() -> None:
    scores = [score(run, 0.5, n_topics=3, n_missing=1) for run in ("a", "b")]
    (line,) = remarks([*scores, score("c", 0.5, n_topics=3, n_missing=2)])[:1]
    assert "a" in line.split(":")[0]
    assert "b" in line.split(":")[0]
    assert "c" not in line.split(":")[0]


def test_topics_have_no_remarks() -> None:
    assert remarks([score("a", None, topic_id="t1", reason="no nuggets")]) == []


# --- in the terminal -----------------------------------------------------------------------------


def test_printing_shows_table_and_remarks(capsys: pytest.CaptureFixture[str]) -> None:
    scores = [score("a", 0.5, n_topics=3, n_missing=1), score("a", 0.25, topic_id="t1")]
    print_scores(scores)
    printed = capsys.readouterr().out
    assert "0.500" in printed
    assert "1 of 3 topics are missing" in printed
    assert "0.250" not in printed
    print_scores(scores, per_topic=True)
    assert "0.250" in capsys.readouterr().out
    print_scores([score("a", 0.5, ci_low=0.25, ci_high=0.75)], intervals=True)
    assert "0.500 (.25-.75)" in capsys.readouterr().out


def test_without_any_value_the_reasons_alone_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_scores([score("a", None, n_failed=4, reason="all 4 judgments failed")], per_topic=True)
    assert capsys.readouterr().out.splitlines() == ["a: recall: all 4 judgments failed"]


def test_scores_as_json() -> None:
    scores = [score("é[b]", None), score("é[b]", 0.25, topic_id="t1")]
    assert json.loads(scores_json(scores)) == [scores[0].model_dump()]
    assert len(json.loads(scores_json(scores, per_topic=True))) == 2


# --- the account ---------------------------------------------------------------------------------


def tally(task: str, **failed: int) -> Tally:
    made = Tally(task, units=1200, before=3, calls=7, cached=2, retries=1, spent=0.125)
    made.prompt_tokens, made.completion_tokens = 5000, 60
    made.failed.update(failed)
    return made


def accounts(*tallies: Tally) -> list[list[str]]:
    """The lines of an account below its headings."""
    return [line for line in shown(account(tallies)) if line[0] in ("assign", "support", "all")]


def test_the_account_has_a_line_a_task_and_a_sum() -> None:
    lines = accounts(tally("assign", parse=2), tally("support", empty=1))
    assert lines[0] == ["assign", "1,200", "3", "2", "7", "2", "1", "5,000", "60", "$0.1250"]
    assert lines[2] == ["all", "2,400", "6", "3", "14", "4", "2", "10,000", "120", "$0.2500"]


def test_one_task_needs_no_sum() -> None:
    assert [line[0] for line in accounts(tally("assign"))] == ["assign"]


def test_an_unknown_cost_is_never_shown_as_0() -> None:
    unknown = tally("assign")
    unknown.spent, unknown.unpriced = 0.0, 1
    lines = [" ".join(line[9:]) for line in accounts(unknown, tally("support"))]
    assert lines == ["unknown", "$0.1250", "≥ $0.1250"]
    assert dollars(0.0) == "$0"
    assert dollars(0.0, unpriced=True) == "unknown"


def test_what_was_flagged_is_counted() -> None:
    one, other = tally("relevance"), tally("support")
    one.flagged.update(injection_suspected=2)
    other.flagged.update(injection_suspected=1, conflicting_markers=1)
    told = "flagged: 3 injection_suspected, 1 conflicting_markers (see flags in judgments.jsonl)"
    assert flags([one, other]) == told
    assert flags([tally("assign")]) is None


def test_what_the_limit_left_out_is_told() -> None:
    cut, whole = tally("relevance"), tally("support")
    cut.left = 1190
    told = "units left out by --limit: relevance 1,190; run again without it to judge them"
    assert left_out([cut, whole]) == told
    assert left_out([whole]) is None


def test_failures_are_told_by_kind_the_most_frequent_first() -> None:
    told = failures([tally("assign", parse=1, empty=3), tally("support", parse=1)])
    assert told == "failed: 3 empty, 2 parse"
    assert failures([tally("assign")]) is None
    assert failures([]) is None


def test_skipped_stages_have_their_reason() -> None:
    assert skipped_lines({"support": "no corpus"}) == ["support skipped: no corpus"]


@pytest.mark.parametrize("width", [36, 50, 80, 200])
def test_a_narrow_terminal_gets_more_tables_and_nothing_is_cut(width: int) -> None:
    measures = ["strict_vital_recall", "sub_narrative_coverage", "support_precision", "all_recall"]
    scores = [score("a_run_with_a_name", 0.123, measure=measure) for measure in measures]
    output = io.StringIO()
    console = Console(file=output, width=width)
    console.print(leaderboard(scores, console.width))
    lines = output.getvalue().splitlines()
    assert sum(line.count("0.123") for line in lines) == len(measures)
    assert "…" not in output.getvalue()
    rows = [line for line in lines if "0.123" in line]
    assert all(row.strip().startswith("a_run_with_a_name") for row in rows)
    assert len(rows) == {36: 4, 50: 2, 80: 1, 200: 1}[width]
