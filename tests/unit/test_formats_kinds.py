"""The kind of a file is told from its content, whatever its name."""

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest

from judge.errors import InputError, UsageError
from judge.formats import read, recognise
from judge.formats.kinds import KINDS, kind_named

ANSWER = {"text": "x", "citations": [0]}
LABEL = {"citationID": 0, "reference": "d", "support": "2"}
SUPPORTED = {"text": "x", "citations": [LABEL]}
CLAIM = {"claim": "c", "judgment": True}
RECORDS: list[tuple[str, dict[str, object], int]] = [
    ("topics", {"id": "1", "title": "t"}, 1),
    ("topics", {"id": "1", "narrative": "t", "sub_narratives": []}, 1),
    ("topics", {"request_id": "1", "problem_statement": "t"}, 1),
    ("topics", {"qid": "1", "query": "t"}, 1),
    ("answers", {"run_id": "r", "topic_id": "1", "references": ["d"], "answer": [ANSWER]}, 1),
    ("answers", {"metadata": {"run_id": "r", "narrative_id": "1"}, "answer": [ANSWER]}, 1),
    ("answers", {"metadata": {"run_id": "r", "topic_id": "1"}, "responses": []}, 1),
    ("answers", {"run_id": "r", "request_id": "1", "sentences": []}, 1),
    ("answers", {"T": {"prediction": "x", "sentences": ["x"], "citations": [["v.mp4"]]}}, 1),
    ("nuggets", {"qid": "1", "nuggets": [{"text": "n"}]}, 1),
    ("nuggets", {"qid": "1", "query": "q", "nuggets": [{"text": "n"}]}, 1),
    ("nuggets", {"query_id": "1", "nugget_bank": {"q": {"question": "q"}}}, 1),
    (
        "nuggets",
        {
            "query_id": "1",
            "items": [{"question_id": "q", "question_text": "q", "gold_answers": ["a"]}],
        },
        1,
    ),
    ("nuggets", {"1": ["what?", "who?"], "2": ["why?"]}, 3),
    ("nuggets", {"T": {"claims_to_supporting_videos": {"c": {"supporting_videos": []}}}}, 1),
    ("claims", {"T": {"prediction": "x", "claims": {"x": [CLAIM]}}}, 1),
    ("ratings", {"1": [[0, 5], [1, -1]]}, 1),
    ("assignments", {"qid": "1", "run_id": "r", "nuggets": []}, 1),
    ("support", {"topic_id": "1", "run_id": "r", "sentences": [SUPPORTED]}, 1),
    (
        "citations",
        {
            "run_id": "r",
            "topic_id": "1",
            "sentences": [{"text": "s", "together": "full", "citations": []}],
        },
        1,
    ),
    ("coverage", {"run_id": "r", "topic_id": "1", "nuggets": []}, 1),
    (
        "support",
        {
            "id": "1",
            "src_dataset": "s",
            "question": "q",
            "claim": "c",
            "references": ["r"],
            "attribution_label": "attributable",
        },
        1,
    ),
    ("nugget-scores", {"qid": "1", "run_id": "r", "strict_vital_score": 0.5}, 1),
    ("documents", {"docid": "d", "title": "t", "text": "x"}, 1),
    ("documents", {"id": "d", "contents": "x"}, 1),
    ("documents", {"query": {"text": "q", "qid": "1"}, "candidates": []}, 0),
]  # fmt: skip
TABLES = [
    ("topics", "1\ta topic\n2\tanother topic\n", 2),
    ("run", "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n", 2),
    ("run", "1 Q0 a 1 0.9 t\n", 1),
    ("run", "1 Q0 a 12 0.9 t\n1 Q0 b 12 0.8 t\n", 2),
    ("qrels", "1 0 a 1\n1 0 b -1\n", 2),
    ("qrels", "1 Q0 a 1\n", 1),
    ("qrels", "1 0 a 3 0.9 r\n1 0 b 3 0.8 r\n", 2),
    ("qrels", "1 Q0 a 3 0.9 r\n1 Q0 b 3 1.0 r\n", 2),
    ("qrels", "1 0 a 1\n1 1 b 0\n2 0 a x\n", 2),
    ("subtopics", "1 n1 a 1\n1 n2 a 0\n", 2),
    ("subtopics", "1 0 a 1\n1 1 a 1\n", 2),
    ("leaderboard", "run_id\ttopic\tmeasure\tvalue\nr\t1\tm\t1\n", 1),
    ("leaderboard", "r m 1 0.5\nr m all 0.5\n", 2),
    ("leaderboard", "r 1 m 1\nr all m 1\n", 2),
]


def count(file: Path, kind: str | None = None) -> int:
    return len(list(read(file, kind)))


@pytest.mark.parametrize(("kind", "record", "number"), RECORDS)
@pytest.mark.parametrize("form", ["line", "spanning", "list", "gzip"])
def test_records(
    tmp_path: Path, kind: str, record: dict[str, object], number: int, form: str
) -> None:
    file = tmp_path / "anything"
    text = json.dumps(
        [record] if form == "list" else record, indent=2 if form == "spanning" else None
    )
    file.write_bytes(gzip.compress(text.encode()) if form == "gzip" else text.encode())
    assert recognise(file).name == kind
    assert count(file) == count(file, kind) == number


@pytest.mark.parametrize(("kind", "text", "number"), TABLES)
def test_tables(tmp_path: Path, kind: str, text: str, number: int) -> None:
    file = tmp_path / "anything"
    file.write_text(text)
    assert recognise(file).name == kind
    assert len(list(kind_named(kind).each(file, lambda error: None))) == number


def test_every_kind_is_recognised_by_some_file() -> None:
    recognised = {kind for kind, _, _ in RECORDS} | {kind for kind, _, _ in TABLES}
    assert {kind.name for kind in KINDS} - recognised <= {"scores"}


def test_a_damaged_beginning_does_not_hide_the_kind(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b'{"qid": "1", "nug\n\xff\n{"qid": "1", "nuggets": []}\n')
    assert recognise(file).name == "nuggets"
    file.write_text("bad\n1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n")
    assert recognise(file).name == "run"


def test_stdin_is_read_for_its_kind_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 0 a 1\n1 0 b 2\n")))
    assert count(Path("-")) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty, so that its kind cannot be told"),
        ("  \n", "the file is empty"),
        ('{"foo": 1}', r"the kind of the file cannot be told; name it; expected .*answers.*'foo'"),
        ("a b c", "the kind of the file cannot be told"),
        ("[1, 2]", "the kind of the file cannot be told"),
    ],
)
def test_what_cannot_be_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a").write_text(text)
    with pytest.raises(InputError, match=message):
        recognise(tmp_path / "a")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        recognise(tmp_path / "a")


def test_a_pipe_is_not_read_for_its_kind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a")
    with pytest.raises(InputError, match="a pipe can be read once only"):
        recognise(tmp_path / "a")


def test_an_unknown_kind() -> None:
    with pytest.raises(UsageError, match=r"no kind 'qrel'; the kinds are .*qrels"):
        kind_named("qrel")


def test_a_forced_kind_reads_by_its_own_rules(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1 0 a 1\n")
    with pytest.raises(InputError, match="4 columns; expected 6 columns"):
        count(tmp_path / "a", "run")
