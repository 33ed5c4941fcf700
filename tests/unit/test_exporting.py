"""`nuggets export`: any nuggets become nugget banks, and nothing of them is lost."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judge.cli.app import app
from judge.errors import InputError
from judge.exporting import export_banks
from judge.formats import read_nuggets, write_nuggets
from judge.types import Nugget, NuggetAnswer

NUGGETS = [
    Nugget(nugget_id="a", topic_id="2", text="One.", importance="vital", docids=("d1", "d#2")),
    Nugget(nugget_id="b", topic_id="2", text="Two.", sub_narrative="New: more"),
    Nugget(
        nugget_id="c", topic_id="007", text="Three?", answers=(NuggetAnswer(text="Yes."),),
        importance="okay", aggregator="AND", source="judge",
    ),
]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    write_nuggets(tmp_path / "run" / "nuggets.jsonl", NUGGETS, {})
    (tmp_path / "topics.tsv").write_text("2\tthe second\n")
    return tmp_path / "run"


def test_export_and_read_again(run: Path) -> None:
    out, topics = run.parent / "banks.jsonl", run.parent / "topics.tsv"
    assert export_banks(run, out, topics) == (3, 2, ["007"])
    assert read_nuggets(out) == NUGGETS
    banks = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(bank["query_id"], bank["title_query"]) for bank in banks] == [
        ("2", "the second"),
        ("007", "007"),
    ]
    again = run.parent / "again.jsonl"
    assert export_banks(out, again, topics) == (3, 2, ["007"])
    assert again.read_bytes() == out.read_bytes()


def test_command(run: Path) -> None:
    out = run.parent / "banks.jsonl"
    done = CliRunner().invoke(app, ["nuggets", "export", str(run), "--out", str(out), "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "path": str(out), "nuggets": 3, "topics": 2, "without_query": ["2", "007"],
    }  # fmt: skip
    assert done.stderr == "2 topics have no query, such as '2': name --topics\n"
    again = CliRunner().invoke(
        app, ["nuggets", "export", str(run / "nuggets.jsonl"), "--out", str(out)]
    )
    assert again.stdout == f"3 nuggets of 2 topics: {out}\n"


def test_a_run_without_nuggets(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder holds no files"):
        export_banks(tmp_path, tmp_path / "banks.jsonl")
