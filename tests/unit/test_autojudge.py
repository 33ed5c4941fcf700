"""What we write is taken by TREC AutoJudge's own packages, run for real."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judge.formats import read_nuggets, write_nuggets, write_qrels
from judge.formats.leaderboards import Form, Value, read_values, write_values
from judge.formats.nugget_banks import write_nugget_banks
from judge.types import Nugget, NuggetAnswer, Qrel

DOCID = "msmarco_v2.1_doc_29_677149#3_1637632"
QUERIES = {"2024-1": "bees", "2024-2": "what bees see"}
QRELS = [Qrel("2024-1", DOCID, 3), Qrel("2024-1", "d/1:2", 0), Qrel("2024-2", "007", 4)]
QUESTION = Nugget(
    nugget_id="q1",
    topic_id="2024-1",
    text="Which bees live alone?",
    importance="vital",
    docids=("d1", DOCID, "d2"),
    answers=(
        NuggetAnswer(text="Mason bees", docids=("d1", DOCID)),
        NuggetAnswer(text="Leafcutter bees", docids=("d2",)),
    ),
    aggregator="OR",
)
CLAIM = Nugget(
    nugget_id="c1",
    topic_id="2024-2",
    text="Bees can see ultraviolet.",
    importance="okay",
    sub_narrative="What do bees see?",
    docids=("d3",),
    source="judge",
)

READ = """
import json, sys
from autojudge_base.nugget_data.nugget_banks import (
    load_nugget_banks_from_file, write_nugget_banks,
)
from autojudge_base.nugget_data.nuggetizer.nuggetizer_data import load_nuggetizer_banks_from_file
from autojudge_base.qrels.qrels import read_qrel_file

folder, topics = sys.argv[1], sys.argv[2:]
qrels = read_qrel_file(f"{folder}/qrels.txt")
banks = load_nugget_banks_from_file(f"{folder}/banks.jsonl")
nuggets = load_nuggetizer_banks_from_file(f"{folder}/nuggets.jsonl")
for read in (qrels, banks, nuggets):
    read.verify(topics)
write_nugget_banks(banks, f"{folder}/again.jsonl")
print(json.dumps({
    "qrels": [[row.topic_id, row.doc_id, row.grade] for row in qrels.rows],
    "banks": [bank.model_dump(mode="json") for bank in banks.banks.values()],
    "nuggets": [bank.model_dump(mode="json") for bank in nuggets.banks.values()],
}))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables for AutoJudge, with word lists in place that it would fetch from the internet."""
    folder = tmp_path_factory.mktemp("nltk")
    (folder / "tokenizers" / "punkt").mkdir(parents=True)
    (folder / "corpora" / "stopwords").mkdir(parents=True)
    (folder / "corpora" / "stopwords" / "english").write_text("the\n")
    return {**os.environ, "NLTK_DATA": str(folder)}


def run(environment: dict[str, str], *command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "appears to be" not in done.stderr  # its own check of the order of columns
    return done.stdout


# --- leaderboards ------------------------------------------------------------------------------


def board(*values: float | None) -> list[Value]:
    """Two measures of some runs on two topics, and their means."""
    return [
        Value(f"run{number}", topic, measure, value)
        for number, value in enumerate(values)
        for measure in ("strict_vital_recall", "support_recall(hard=true)")
        for topic in ("2024-1", "2024-2", "all")
    ]


@pytest.mark.parametrize("form", ["tot", "ir_measures"])
def test_leaderboards_are_meta_evaluated(
    tmp_path: Path, environment: dict[str, str], form: Form
) -> None:
    truth, ours, output = (tmp_path / name for name in ("truth.txt", "ours.txt", "out.jsonl"))
    assert write_values(truth, board(0.1, 0.2, 0.4), form) == 0
    assert write_values(ours, board(0.3, 0.25, 0.9), form) == 0
    program = Path(sys.executable).with_name("auto-judge-evaluate")
    forms = ("--truth-format", form, "--eval-format", form, "--correlation", "kendall")
    files = ("--truth-leaderboard", truth, "--input", ours, "--output", output)
    run(environment, program, "meta-evaluate", *forms, *files)
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    measures = {(row["TruthMeasure"], row["EvalMeasure"]) for row in rows}
    names = ("strict_vital_recall", "support_recall(hard=true)")
    assert measures == {(a, b) for a in names for b in names}
    assert [row["kendall"] for row in rows] == [pytest.approx(1 / 3)] * 4


@pytest.mark.parametrize("form", ["tot", "ir_measures"])
def test_leaderboards_are_read_back_equal(tmp_path: Path, form: Form) -> None:
    values = board(0.1, 1.0, 1e-07)
    assert write_values(tmp_path / "board", [*values, Value("r", "all", "m", None)], form) == 1
    assert read_values(tmp_path / "board") == values


# --- qrels and nuggets ---------------------------------------------------------------------------


class Theirs:
    """What AutoJudge reads of our files, and the folder of the files."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        write_qrels(folder / "qrels.txt", QRELS)
        write_nugget_banks(folder / "banks.jsonl", [QUESTION, CLAIM], QUERIES)
        write_nuggets(folder / "nuggets.jsonl", [CLAIM, QUESTION], QUERIES)
        self.read: dict[str, Any] = json.loads(
            run(environment, sys.executable, "-c", READ, folder, *QUERIES)
        )


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Theirs:
    return Theirs(tmp_path_factory.mktemp("autojudge"), environment)


def test_qrels(theirs: Theirs) -> None:
    assert [Qrel(*row) for row in theirs.read["qrels"]] == QRELS


def test_nugget_banks(theirs: Theirs) -> None:
    first, second = theirs.read["banks"]
    assert (first["title_query"], first["format_version"]) == ("bees", "v3")
    question = first["nugget_bank"][QUESTION.text]
    kept = {name: question[name] for name in ("question_id", "importance", "aggregator_type")}
    assert kept == {"question_id": "q1", "importance": "vital", "aggregator_type": "OR"}
    answers = question["answers"].values()
    cited = {a["answer"]: tuple(r["doc_id"] for r in a["references"]) for a in answers}
    assert cited == {answer.text: answer.docids for answer in QUESTION.answers}
    (claim,) = second["claim_bank"].values()
    assert (claim["claim"], claim["claim_id"], claim["importance"]) == (CLAIM.text, "c1", "okay")
    assert [reference["doc_id"] for reference in claim["references"]] == ["d3"]


def test_nugget_banks_that_they_write_are_read(theirs: Theirs) -> None:
    assert read_nuggets(theirs.folder / "again.jsonl") == [QUESTION, CLAIM]


def test_our_own_nuggets_are_banks_of_nuggetizer(theirs: Theirs) -> None:
    banks = {bank["qid"]: bank for bank in theirs.read["nuggets"]}
    assert {qid: bank["query"] for qid, bank in banks.items()} == QUERIES
    (nugget,) = banks["2024-2"]["nuggets"]
    assert (nugget["text"], nugget["importance"]) == (CLAIM.text, "okay")
