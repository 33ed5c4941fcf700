"""Leaderboards as JSON and in columns: which column is which, what is withheld, what is refused."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats.leaderboards import Value, read_values
from judge.formats.scores import write_leaderboard, write_scores
from judge.types import Score

ROWS = [Value("r1", "t1", "recall", 0.5), Value("r1", "all", "recall", 0.25)]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "board"
    path.write_text(text, encoding="utf-8")
    return path


def score(value: Value, **more: Any) -> Score:
    bounds = {"low": value.value, "high": value.value, "n_judged": 1, "n_failed": 0}
    return Score.model_validate({**value._asdict(), **bounds, **more})


# --- JSON ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_list(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps([row._asdict() for row in ROWS], indent=indent)
    assert read_values(written(tmp_path, text)) == ROWS


def test_json_lines_of_our_own_with_what_is_withheld(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "scores.jsonl"
    withheld = ROWS[0]._replace(topic_id="t2", value=None)
    with caplog.at_level(logging.WARNING):
        write_scores(path, [*map(score, ROWS), score(withheld, reason="failed")])
        assert read_values(path) == [*ROWS, withheld]
    assert not caplog.records


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"topic_id": "t", "measure": "m", "value": 1}, "field 'run_id': missing"),
        ({"run_id": "r", "measure": "m", "value": 1}, "field 'topic_id': missing"),
        ({"run_id": "r", "topic_id": "t", "value": 1}, "field 'measure': missing"),
        ({"run_id": "r", "topic_id": "t", "measure": " ", "value": 1}, "field 'measure'"),
        ({"run_id": "r", "topic_id": "t", "measure": "m"}, "field 'value': missing"),
        ({"run_id": "r", "topic_id": "t", "measure": "m", "value": "1"}, "field 'value'"),
        ({"run_id": "r", "topic_id": "t", "measure": "m", "value": True}, "field 'value'"),
    ],
)
def test_json_that_is_no_score(tmp_path: Path, row: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_values(written(tmp_path, json.dumps(row)))
    assert told in str(refused.value)
    assert ":1:" in str(refused.value)


# --- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "r1 recall t1 0.5\nr1 recall all 0.25\n",
        "r1\tt1\trecall\t0.5\nr1\tall\trecall\t.25\n",
        "run measure topic value\nr1 recall t1 0.5\nr1 recall all 0.25\n",
        "run_id query_id measure value\nr1 t1 recall 0.5\nr1 all recall 0.25\n",
        "RUN QID MEASURE SCORE\nr1 t1 recall 0.5\nr1 all recall 0.25\n",
    ],
)
def test_both_orders_of_columns(tmp_path: Path, text: str) -> None:
    assert read_values(written(tmp_path, text)) == ROWS


@pytest.mark.parametrize("heading", ["topic", "topic_id", "qid", "query_id", "query"])
def test_a_heading_tells_where_no_mean_does(tmp_path: Path, heading: str) -> None:
    text = f"run {heading} measure value\nr1 t1 recall 0.5\n"
    assert read_values(written(tmp_path, text)) == ROWS[:1]


def test_our_own_leaderboard_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    write_leaderboard(path, map(score, ROWS))
    assert read_values(path) == ROWS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("r1 t1 recall 0.5\n", "cannot be told which column holds the topics"),
        ("r1 all recall 0.5\nr1 recall all 0.5\n", "cannot be told which column"),
        ("run what measure value\nr1 t1 recall 0.5\n", "cannot be told which column"),
        ("r1 all recall nan\n", ":1: field 'value'"),
        ("r1 all recall\n", "3 columns"),
        ("r1 recall all 0.5\nr1 recall all 0.25\n", "stands twice"),
    ],
)
def test_columns_that_cannot_be_read(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_values(written(tmp_path, text))
    assert told in str(refused.value)


def test_the_first_line_is_no_score_if_it_is_a_heading(tmp_path: Path) -> None:
    text = "run topic measure value\n"
    assert read_values(written(tmp_path, text)) == []


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert read_values(written(tmp_path, "")) == []


SHARED = Path(__file__).parents[2].parent / "shared" / "data"


@pytest.mark.parametrize(
    ("name", "n", "first"),
    [
        ("kiddie/leaderboard.fake.txt", 24, Value("run1", "leaf", "RELEVANCE", 0.85)),
        ("spotcheck/leaderboard.txt", 12, Value("my_best_run_01", "28", "Measure-01", 1.0)),
    ],
)
def test_real_leaderboards(name: str, n: int, first: Value) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the shared data is not here: {name}")
    values = read_values(path)
    assert (len(values), values[0]) == (n, first)
