"""Coverage and weighed citations as files: what is written is read back, what is wrong is told."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.cited import (
    GroundedAnswer,
    GroundedNugget,
    WeighedAnswer,
    WeighedCitation,
    WeighedSentence,
)
from judge.errors import InputError
from judge.formats.grounded import read_grounded, write_grounded
from judge.formats.weighed import read_weighed, write_weighed

COVERED = GroundedNugget(
    nugget_id="n1",
    text="bees cluster",
    importance="vital",
    label="full",
    sub_narrative='"quoted"',
    sentences=(0, 2),
    grounded=True,
)
GROUNDED = [
    GroundedAnswer(
        run_id="007",
        topic_id="t 1",
        nuggets=(
            COVERED,
            COVERED.model_copy(
                update={
                    "nugget_id": "n2",
                    "grounded": False,
                    "reason": "cited document does not hold it",
                }
            ),
            COVERED.model_copy(
                update={
                    "nugget_id": "n3",
                    "label": None,
                    "asked": False,
                    "sentences": (),
                    "grounded": None,
                    "reason": "judgment failed",
                }
            ),
        ),
    ),
    GroundedAnswer(run_id="r", topic_id="t 1", nuggets=()),
]
WEIGHED = [
    WeighedAnswer(
        run_id="r",
        topic_id="1",
        sentences=(
            WeighedSentence(
                text="Both.\u2028",
                together="full",
                citations=(
                    WeighedCitation(mention="0", docid="d#1", alone="none", without="partial"),
                    WeighedCitation(mention="d2", docid="d2", alone="full"),
                    WeighedCitation(mention="9", docid=None),
                ),
            ),
            WeighedSentence(text=""),
        ),
    ),
    WeighedAnswer(run_id="r", topic_id="2", sentences=()),
]


def test_coverage_is_read_back(tmp_path: Path) -> None:
    write_grounded(tmp_path / "c.jsonl", GROUNDED)
    assert read_grounded(tmp_path / "c.jsonl") == GROUNDED


def test_weighed_citations_are_read_back(tmp_path: Path) -> None:
    write_weighed(tmp_path / "w.jsonl", WEIGHED)
    assert read_weighed(tmp_path / "w.jsonl") == WEIGHED


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def grounded(**changes: Any) -> dict[str, Any]:
    nugget = {"text": "a", "label": "full", "sentences": [0], "grounded": True, **changes}
    kept = {name: value for name, value in nugget.items() if value != "left out"}
    return {"run_id": "r", "topic_id": "1", "nuggets": [kept]}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"label": "most"}, "label"),
        ({"label": "left out"}, "label"),
        ({"sentences": [-1]}, "sentences"),
        ({"sentences": ["0"]}, "sentences"),
        ({"sentences": [True]}, "sentences"),
        ({"grounded": "yes"}, "grounded"),
        ({"grounded": 1}, "grounded"),
        ({"grounded": "left out"}, "grounded"),
        ({"reason": "because"}, "reason"),
        ({"text": " "}, "text"),
    ],
)
def test_a_wrong_nugget_is_told(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        read_grounded(write(tmp_path / "c.jsonl", grounded(), grounded(**changes)))
    assert caught.value.line == 2
    assert caught.value.field == f"nuggets[0].{field}"


@pytest.mark.parametrize("value", ["support", 2, "left out"])
@pytest.mark.parametrize("name", ["alone", "without", "together"])
def test_a_wrong_label_is_told(tmp_path: Path, name: str, value: Any) -> None:
    labels = {"alone": None, "without": None, "together": None, name: value}
    given = {key: label for key, label in labels.items() if label != "left out"}
    citation = {"reference": "d", **{k: v for k, v in given.items() if k != "together"}}
    sentence = {"text": "A.", "citations": [citation]}
    if "together" in given:
        sentence["together"] = given["together"]
    row = {"run_id": "r", "topic_id": "1", "sentences": [sentence]}
    with pytest.raises(InputError) as caught:
        read_weighed(write(tmp_path / "w.jsonl", row))
    assert (caught.value.field or "").endswith(name)


def test_an_answer_twice_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="coverage"):
        read_grounded(write(tmp_path / "c.jsonl", grounded(), grounded()))
    row = {"run_id": "r", "topic_id": "1", "sentences": []}
    with pytest.raises(InputError, match="citations"):
        read_weighed(write(tmp_path / "w.jsonl", row, row))
