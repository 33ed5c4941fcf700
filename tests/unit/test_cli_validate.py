"""`rag-judge validate`: its output for people and programs, its exit status."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judge.cli import app
from judge.validation import validate

SAMPLE = Path(__file__).parents[2] / "judge" / "sample"


def run(*words: object, stdin: bytes | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["validate", *map(str, words)], input=stdin)
    return result.exit_code, result.stdout


def test_sound_files_end_with_0() -> None:
    status, out = run(SAMPLE / "answers.alder.jsonl", SAMPLE / "qrels.reference.txt")
    assert status == 0
    first, second, last = out.splitlines()
    counts = "3 answers, 1 run, 3 topics, 17 sentences, 25 citations"
    assert first == f"{SAMPLE}/answers.alder.jsonl: answers: {counts}"
    grades = "7 grade 0, 9 grade 1, 11 grade 2, 7 grade 3, 6 grade 4"
    assert second == f"{SAMPLE}/qrels.reference.txt: qrels: 40 pairs, 3 topics, {grades}"
    assert last == "2 files: no problems"


def test_an_error_ends_with_2_and_says_where() -> None:
    status, out = run(SAMPLE / "answers.birch.jsonl", "--topics", SAMPLE / "narratives.json")
    assert status == 2
    assert "error line 1: sentence 4: a citation of (birch, s1)" in out
    assert out.splitlines()[-1] == "1 file: 1 error"


def test_warnings_end_with_0(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"run_id": "r", "topic_id": "1", "answer": []}')
    status, out = run(tmp_path / "a")
    assert (status, out.splitlines()[-1]) == (0, "1 file: 1 warning")


def test_what_is_shown_is_limited_and_the_rest_counted(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 0 a 1\n" + "1 0 a 2\n" * 50)
    status, out = run(tmp_path / "a")
    assert status == 2
    assert out.count("\n  error ") == 20
    assert "  and 30 errors more; --json lists all\n" in out
    status, out = run(tmp_path / "a", "--json")
    assert status == 2
    (report,) = json.loads(out)
    assert (report["n_error"], len(report["problems"])) == (50, 50)


def test_json() -> None:
    status, out = run(SAMPLE / "answers.birch.jsonl", "--json")
    (report,) = json.loads(out)
    assert status == 2
    assert report["kind"] == "answers"
    assert report["counts"]["citations"] == 15
    assert report["problems"] == [
        {
            "severity": "error",
            "message": "a citation of (birch, s1) that is not among its 4 references",
            "line": 1,
            "field": "sentence 4",
            "expected": "a place from 0 to 3, or one of the references",
            "found": "'4'",
        }
    ]


@pytest.mark.parametrize("kind", [[], ["--kind", "qrels"]])
def test_stdin(kind: list[str]) -> None:
    status, out = run("-", *kind, stdin=b"1 0 a 1\n1 0 b x\n")
    assert status == 2
    assert out.splitlines()[0] == "-: qrels: 1 pair, 1 topic, 1 grade 1"
    assert "error line 2: grade: wrong value; expected a whole number, found 'x'" in out


def test_markup_in_a_file_is_shown_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 0 a [red]\n1 0 b 1\n")
    _, out = run(tmp_path / "a", "--kind", "qrels")
    assert "found '[red]'" in out


def test_help_has_an_example() -> None:
    status, out = run("--help")
    assert status == 0
    assert "Example: rag-judge validate" in out


def test_one_value_of_the_wrong_kind_does_not_hide_what_else_is_wrong(tmp_path: Path) -> None:
    sentences = [
        {"text": "a", "citations": [1.0, 7, "zz"]},
        {"text": 3, "citations": [-1]},
        {"text": "", "citations": [0]},
    ]
    answer = {"run_id": "r", "topic_id": "1", "references": ["d"], "answer": sentences}
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(answer) + "\n", encoding="utf-8")
    (report,) = validate([path])
    fields = [problem.field for problem in report.problems if problem.severity == "error"]
    assert fields[:2] == ["answer[0].citations[0]", "answer[1].text"]
    assert len(fields) == 5  # 7, "zz" and -1 point at nothing
