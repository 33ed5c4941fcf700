"""`score` with a calibration, and as a leaderboard for other tools."""

import json
from pathlib import Path

import pytest

from judge.formats.leaderboards import read_values
from tests.faults.commands import Desk, Serve, desk, known

MEASURE = ("--measures", "all_recall")


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    made = desk(tmp_path, serve(known))
    words = ("assess", made.config(), *made.model, "--out", "run", "--only", "assign")
    assert made.run(*words).code == 0
    return made


def means(at: Desk, *words: object) -> dict[str, float]:
    done = at.run("score", "run", *MEASURE, "--json", *words)
    assert done.code == 0, done.err
    return {row["run_id"]: row["value"] for row in done.json if row["topic_id"] == "all"}


def test_labels_are_mapped_as_people_would_have_them(at: Desk) -> None:
    """People say none wherever the judge says partial, as of everything that birch wrote."""
    text = (at.home / "run" / "assignments.jsonl").read_text(encoding="utf-8")
    stricter = text.replace('"partial_support"', '"not_support"')
    assert stricter != text
    (at.home / "human.jsonl").write_text(stricter, encoding="utf-8")
    words = ("--human", "human.jsonl", "--judge", "run", "--calibrate", "strict.json")
    assert at.run("agree", *words).code == 0
    assert means(at) == {"alder": 1.0, "birch": 0.5, "cedar": 0.0}
    mapped = means(at, "--calibration", "strict.json")
    assert mapped == {"alder": 1.0, "birch": 0.0, "cedar": 0.0}


def test_a_calibration_that_is_none_is_told(at: Desk) -> None:
    (at.home / "wrong.json").write_text("[]", encoding="utf-8")
    done = at.run("score", "run", "--calibration", "wrong.json")
    assert done.code == 2
    assert "wrong.json: not a calibration" in done.told


@pytest.mark.parametrize("form", ["tot", "ir_measures"])
def test_scores_are_written_in_columns(at: Desk, form: str) -> None:
    words = ("--leaderboard", "board.txt", "--form", form, "--json")
    done = at.run("score", "run", *MEASURE, *words, "--per-topic")
    assert done.code == 0
    values = {(v.run_id, v.topic_id): v.value for v in read_values(at.home / "board.txt")}
    assert values == {(row["run_id"], row["topic_id"]): row["value"] for row in done.json}
    first = (at.home / "board.txt").read_text(encoding="utf-8").split()[:3]
    assert first.index("all_recall") == (1 if form == "tot" else 2)


def test_a_form_that_is_none_is_told(at: Desk) -> None:
    done = at.run("score", "run", "--leaderboard", "board.txt", "--form", "csv")
    assert done.code == 2
    assert "the forms are tot, ir_measures" in done.told


def test_scores_without_a_value_are_left_out_and_told(at: Desk) -> None:
    path = at.home / "run" / "assignments.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for nugget in rows[0]["nuggets"]:
        nugget["assignment"] = None
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = at.run("score", "run", *MEASURE, "--leaderboard", "board.txt", "--json")
    withheld = [row for row in done.json if row["value"] is None]
    assert withheld
    assert "without a value left out" in done.err
