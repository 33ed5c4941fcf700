"""Files of people's labels: forms told apart, claims, sheets and generators, and their errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats.generators import read_generators
from judge.formats.human import form_of_labels, read_claims
from judge.formats.sheets import blank_rows, read_sheet, write_sheet


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def claims(judgment: Any = True, **topic: Any) -> str:
    sentence = {"A pump heats.": [{"claim": "Pumps heat", "judgment": judgment}]}
    return json.dumps({"Heat_pumps": {"prediction": "A pump heats.", "claims": sentence, **topic}})


# --- forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1 0 d1 2\n", "qrels"),
        ("\n\ufeff1 Q0 d#1 2\n", "qrels"),
        ('{"qid": "1", "run_id": "r", "nuggets": []}\n', "assignments"),
        ('[{"qid": "1", "run_id": "r", "nuggets": []}]', "assignments"),
        ('{"topic_id": "1", "run_id": "r", "sentences": []}\n', "support"),
        ('{"unit_id": "relevance|1|d", "label": 1, "status": "ok"}\n', "judgments"),
        ('{"unit_id": "relevance|1|d", "label": ""}\n', "sheet"),
        ("unit_id\tlabel\n", "sheet"),
        ('"unit_id"\t"label"\n', "sheet"),
        (claims(), "claims"),
        (json.dumps(json.loads(claims()), indent=2), "claims"),
    ],
)
def test_the_form_is_told_from_the_content(tmp_path: Path, text: str, form: str) -> None:
    assert form_of_labels(write(tmp_path / "labels", text)) == form


def test_what_is_no_file_of_labels_is_refused_with_what_would_be(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"labels:1: not labels; expected qrels.*found \['a'\]"):
        form_of_labels(write(tmp_path / "labels", '{"a": 1}\n'))
    with pytest.raises(InputError, match="the file is empty"):
        form_of_labels(write(tmp_path / "empty", "\n"))


# --- claims --------------------------------------------------------------------------------------


def test_claims_belong_to_the_system_and_annotator_of_the_name(tmp_path: Path) -> None:
    (label,) = read_claims(write(tmp_path / "human.qwen_72b.rag.ann_1.json", claims()))
    assert (label.run_id, label.annotator) == ("qwen_72b.rag", "ann_1")
    assert (label.topic_id, label.sentence, label.claim) == ("Heat_pumps", 0, "Pumps heat")
    assert label.label == "full"
    (other,) = read_claims(write(tmp_path / "mine.json", claims(judgment=False)))
    assert (other.run_id, other.annotator, other.label) == ("", "mine.json", "none")
    (nothing,) = read_claims(write(tmp_path / "null.json", claims(judgment=None)))
    assert nothing.label is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (claims(judgment="yes"), r"judgment'.*expected true, false or null, found 'yes'"),
        (claims(judgment=1), "expected true, false or null"),
        (claims(claims={"s": [{"claim": "", "judgment": True}]}), "not empty"),
        (claims(claims={"s": [{"claim": "x"}]}), "judgment'.*missing"),
        (claims(claims=[]), "expected a JSON object"),
        (
            claims(claims={"s": [{"claim": "x", "judgment": j} for j in (True, False)]}),
            "differs from that of the same claim",
        ),
    ],
)
def test_claims_that_are_wrong_are_refused_with_the_field(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_claims(write(tmp_path / "human.s.a.json", text))


def test_a_claim_that_stands_twice_counts_once(tmp_path: Path) -> None:
    twice = {"s": [{"claim": "x", "judgment": True}] * 2, "t": [{"claim": "x", "judgment": False}]}
    found = read_claims(write(tmp_path / "human.s.a.json", claims(claims=twice)))
    assert [(label.sentence, label.label) for label in found] == [(0, "full"), (1, "none")]


# --- sheets --------------------------------------------------------------------------------------

UNITS = ["support|t 1|r%7Cx|0|d#1", "assign|t|r|n1", "relevance|t%25|d"]


@pytest.mark.parametrize("name", ["sheet.jsonl", "sheet.tsv", "sheet.TSV"])
def test_a_sheet_is_filled_in_and_read_back(tmp_path: Path, name: str) -> None:
    details: dict[str, dict[str, object]] = {
        UNITS[0]: {"claim": 'a "quoted"\ttext\n\nin lines', "text": None},
        UNITS[1]: {"claim": "=HYPERLINK(1)", "text": "+1"},
        UNITS[2]: {"claim": "x" * 200_000, "text": ""},
    }
    rows = blank_rows(UNITS, details)
    path = tmp_path / name
    write_sheet(path, rows)
    assert (read_sheet(path).labels, read_sheet(path).n_blank) == ([], 3)
    for row, label in zip(rows, ("Full", "?", 3), strict=True):
        row |= {"label": label, "annotator": "ann"}
    write_sheet(path, rows)
    sheet = read_sheet(path)
    assert sheet.n_blank == 1
    assert [(x.unit_id, x.label, x.annotator) for x in sheet.labels] == [
        (UNITS[0], "full", "ann"),
        (UNITS[2], 3, "ann"),
    ]
    assert [(x.topic_id, x.run_id) for x in sheet.labels] == [("t 1", "r|x"), ("t%", None)]


def test_a_table_holds_nothing_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    row = {"unit_id": "assign|t|r|n", "label": "", "claim": "=1+1", "text": "@SUM", "note": "-1"}
    write_sheet(tmp_path / "s.tsv", [row])
    assert (tmp_path / "s.tsv").read_text().splitlines()[1].split("\t") == [
        "assign|t|r|n",
        "",
        "'=1+1",
        "'@SUM",
        "'-1",
    ]


def test_an_empty_sheet_keeps_its_head(tmp_path: Path) -> None:
    write_sheet(tmp_path / "s.tsv", [])
    assert read_sheet(tmp_path / "s.tsv") == ([], 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"unit_id": "support|t|r|0|d", "label": "yes"}\n', "label'.*expected full or partial"),
        ('{"unit_id": "support|t|r|0|d", "label": "2"}\n', "expected full or partial or none"),
        ('{"unit_id": "relevance|t|d", "label": "full"}\n', "expected a whole number"),
        ('{"unit_id": "relevance|t|d", "label": 1.5}\n', "expected a string or a number"),
        ('{"unit_id": "relevance|t|d", "label": true}\n', "expected a string or a number"),
        ('{"unit_id": "relevance|t", "label": 1}\n', "unit_id'.*written with"),
        ('{"label": 1}\n', "label'.*expected full"),
        ('{"unit_id": "relevance|t|d", "label": 1}\n' * 2, "stands twice, first at .*:1"),
        ("unit_id\tlabel\nrelevance|t|d\tsome\n", r":2: field 'label'.*found 'some'"),
        ('unit_id\tlabel\nrelevance|t|d\t"1\n', ":2: not a table"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_sheet(write(tmp_path / "sheet", text))


def test_two_annotators_may_label_one_unit(tmp_path: Path) -> None:
    lines = [{"unit_id": "relevance|t|d", "label": i, "annotator": f"a{i}"} for i in (1, 2)]
    path = write(tmp_path / "s.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    assert [x.annotator for x in read_sheet(path).labels] == ["a1", "a2"]


# --- generators ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "r 1\tgpt-4o\nr2\tqwen3\n",
        '{"run_id": "r 1", "model": "gpt-4o"}\n{"run_id": "r2", "model": "qwen3"}\n',
    ],
)
def test_generators_are_read_from_lines_or_records(tmp_path: Path, text: str) -> None:
    assert read_generators(write(tmp_path / "g", text)) == {"r 1": "gpt-4o", "r2": "qwen3"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("r1 gpt-4o\n", r"g:1: not a generator; expected run<TAB>model"),
        ("r1\ta\nr1\tb\n", r"g:2: the generator of run 'r1' stands twice"),
        ('{"run_id": "r1"}\n', "model'.*missing"),
    ],
)
def test_generators_that_are_wrong_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_generators(write(tmp_path / "g", text))
