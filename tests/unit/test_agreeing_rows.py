"""What is kept of labels that are read: ratings, models, probabilities, and what an id tells."""

import json
from pathlib import Path

from judge.agreeing.agree import Outputs, agree
from judge.agreeing.ratings import read_ratings
from judge.agreeing.rows import UnitText, judged_rows, text_named
from judge.types import Unit
from tests.agreeing import graded, qrels, run_of


def test_the_id_of_a_graded_document_tells_its_docid_whatever_stands_in_it() -> None:
    for docid in ("d1", "a|b%c", "http://x/ü y"):
        unit = Unit(task="relevance", topic_id="t|1", docid=docid)
        assert text_named(unit.unit_id) == UnitText("", docid=docid)
    assert text_named(Unit(task="support", topic_id="t", docid="d").unit_id) is None


def test_a_sheet_of_grades_names_the_documents(tmp_path: Path) -> None:
    human = qrels(tmp_path / "human", "t1 0 a|b 2", "t1 0 c 1", "t2 0 d 0")
    judge = qrels(tmp_path / "judge", "t1 0 a|b 0", "t1 0 c 1", "t2 0 d 3")
    sheet = tmp_path / "sheet.jsonl"
    agree([human], [judge], outputs=Outputs(disagreements=str(sheet)))
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert [row["docid"] for row in rows] == ["d", "a|b"]


def test_of_judgments_the_last_of_a_unit_counts_and_its_model_and_probabilities(
    tmp_path: Path,
) -> None:
    likely = {"0": 0.1, "2": 0.9}
    run = run_of(
        tmp_path / "run",
        [
            graded("t", "d", None, model="old"),
            graded("t", "e", 1, model="new"),
            graded("t", "d", 2, model="new", probabilities=likely),
        ],
    )
    reading = read_ratings(run, "judge")
    assert reading.models == ("new",)
    assert reading.probabilities == {"relevance|t|d": likely}
    assert reading.raters[0].labels == {"relevance|t|d": 2, "relevance|t|e": 1}
    assert len(judged_rows(Path(run) / "judgments.jsonl")) == 2


def test_both_sides_hold_one_id_of_a_unit(tmp_path: Path) -> None:
    sides = [read_ratings(qrels(tmp_path / name, "t 0 d 1"), "human") for name in ("a", "b")]
    first, second = (next(iter(side.raters[0].ratings)) for side in sides)
    assert first is second
