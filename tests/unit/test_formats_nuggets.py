"""Nuggets and their assignments: forms, ids, sub-narratives, labels, round trips."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats import read_assignments, read_nuggets, write_assignments, write_nuggets
from judge.types import AssignedAnswer, Nugget, NuggetLabel


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "nuggets.jsonl"


def save(file: Path, *records: dict[str, Any]) -> Path:
    file.write_text("\n".join(map(json.dumps, records)))
    return file


def digest(text: str) -> str:
    return "n_" + hashlib.sha256(text.encode()).hexdigest()[:8]


def nugget(**fields: object) -> dict[str, Any]:
    return {"qid": "1", "nuggets": [{"text": "bees dance", **fields}]}


def test_rag25_form(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    save(
        file,
        nugget(mapped_sub_narrative='"What do bees do?"', importance="vital", source="post-edit"),
        {"qid": 7, "nuggets": []},
    )
    assert read_nuggets(file) == [
        Nugget(
            nugget_id=digest("bees dance"),
            topic_id="1",
            text="bees dance",
            importance="vital",
            sub_narrative="What do bees do?",
            source="post-edit",
        )
    ]
    assert not caplog.records


def test_nuggetizer_form(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    save(file, {"query": "bees", **nugget(importance="okay")})
    (read,) = read_nuggets(file)
    assert (read.topic_id, read.importance, read.sub_narrative) == ("1", "okay", None)
    assert not caplog.records


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('"quoted"', "quoted"),
        ("plain", "plain"),
        ('New: "why?"', 'New: "why?"'),
        ("New: why?", "New: why?"),
        ('""two pairs""', '"two pairs"'),
        ('"', '"'),
        ('"open', '"open'),
        ('""', None),
        ("", None),
        (None, None),
    ],
)
def test_sub_narratives(file: Path, written: str | None, read: str | None) -> None:
    assert read_nuggets(save(file, nugget(mapped_sub_narrative=written)))[0].sub_narrative == read
    assignment = {**nugget(mapped_sub_narrative=written, assignment="support"), "run_id": "r"}
    (answer,) = read_assignments(save(file, assignment))
    assert answer.nuggets[0].sub_narrative == read


def test_missing_importance(file: Path) -> None:
    assert read_nuggets(save(file, nugget()))[0].importance is None
    assert read_nuggets(save(file, nugget(importance=None)))[0].importance is None


def test_ids_from_texts(file: Path) -> None:
    texts = ["a", "\u00e9", "a", "a"]
    save(file, *({"qid": q, "nuggets": [{"text": t} for t in texts]} for q in "12"))
    a, e = digest("a"), digest("\u00e9")
    assert [n.nugget_id for n in read_nuggets(file)] == [a, e, f"{a}-2", f"{a}-3"] * 2


def test_ids_and_documents_of_the_file(file: Path) -> None:
    (read,) = read_nuggets(save(file, nugget(id="007", docids=["x#1", "y"])))
    assert (read.nugget_id, read.docids) == ("007", ("x#1", "y"))


def test_assignments(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    words = ["support", "partial_support", "not_support", "failed", None]
    nuggets = [{"text": str(w), "importance": "vital", "assignment": w} for w in words]
    save(
        file,
        {
            "query": "bees",
            "qid": "1",
            "answer_text": "They dance.",
            "response_length": 2,
            "run_id": "r",
            "nuggets": nuggets,
        },
    )
    (answer,) = read_assignments(file)
    assert (answer.run_id, answer.topic_id, answer.query) == ("r", "1", "bees")
    assert (answer.answer_text, answer.response_length) == ("They dance.", 2)
    assert [n.label for n in answer.nuggets] == ["full", "partial", "none", None, None]
    assert [n.nugget_id for n in answer.nuggets] == [digest(str(word)) for word in words]
    assert not caplog.records


@pytest.mark.parametrize(
    ("reader", "record", "message"),
    [
        (
            read_nuggets,
            nugget(importance="must"),
            r"field 'nuggets\[0\].importance': .* expected vital or okay or failed, found 'must'",
        ),
        (
            read_nuggets,
            nugget(importance="Vital"),
            "expected vital or okay or failed, found 'Vital'",
        ),
        (read_nuggets, nugget(text=" "), r"field 'nuggets\[0\].text': wrong value"),
        (read_nuggets, nugget(docids="d"), r"field 'nuggets\[0\].docids'"),
        (read_nuggets, {"nuggets": []}, "field 'qid': missing"),
        (read_nuggets, {"qid": "1"}, "field 'nuggets': missing; expected a list"),
        (
            read_nuggets,
            {"qid": "1", "nuggets": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]},
            r"field 'nuggets\[1\].id': the nugget id 'a' stands twice",
        ),
        (read_assignments, nugget(assignment="support"), "field 'run_id': missing"),
        (
            read_assignments,
            {**nugget(), "run_id": "r"},
            r"field 'nuggets\[0\].assignment': missing",
        ),
        (
            read_assignments,
            {**nugget(assignment="Support"), "run_id": "r"},
            "expected support or partial_support or not_support or failed, found 'Support'",
        ),
        (
            read_assignments,
            {**nugget(assignment="support"), "run_id": "r", "response_length": "2"},
            "field 'response_length': wrong value; expected a whole number",
        ),
    ],
)
def test_errors(
    file: Path, reader: Callable[[Path], object], record: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=f":1: .*{message}"):
        reader(save(file, record))


def test_topic_or_answer_twice(file: Path) -> None:
    with pytest.raises(InputError, match=r":2: the topic '1' stands twice, first at .*:1"):
        read_nuggets(save(file, nugget(), {"qid": "1", "nuggets": []}))
    line = {**nugget(assignment=None), "run_id": "r"}
    with pytest.raises(InputError, match=r":3: .*\('r', '1'\) stands twice, first at .*:1"):
        read_assignments(save(file, line, {**line, "run_id": "s"}, line))


SUB_NARRATIVES = ["plain", '"has quotes"', 'New: "why?"', '"', None, "a\u2028b\nc"]


def test_nuggets_round_trip(file: Path) -> None:
    nuggets = [
        Nugget(
            nugget_id=f"n{i}",
            topic_id=topic,
            text=f'{i} "$5" \\ {{x}}\n\U0001f600',
            importance=("vital", "okay", None)[i % 3],
            sub_narrative=sub,
            docids=("d#1", "d2")[: i % 3],
            source="s" * i,
        )
        for topic in ("2", "1")
        for i, sub in enumerate(SUB_NARRATIVES)
    ]
    write_nuggets(file, nuggets, {"1": "bees"})
    assert read_nuggets(file) == nuggets
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    assert [line.get("query") for line in lines] == [None, "bees"]
    assert lines[0]["nuggets"][0]["mapped_sub_narrative"] == "plain"


def test_nuggets_of_a_topic_are_written_together(file: Path) -> None:
    nuggets = [Nugget(nugget_id=str(i), topic_id=t, text="x") for i, t in enumerate("121")]
    write_nuggets(file, nuggets, {})
    assert [n.nugget_id for n in read_nuggets(file)] == ["0", "2", "1"]


def test_assignments_round_trip(file: Path) -> None:
    labels = ("full", "partial", "none", None)
    nuggets = tuple(
        NuggetLabel(
            nugget_id=f"n{i}{j}",
            text="x",
            importance=("vital", "okay", None)[j % 3],
            label=label,
            sub_narrative=sub,
        )
        for i, sub in enumerate(SUB_NARRATIVES)
        for j, label in enumerate(labels)
    )
    answers = [
        AssignedAnswer(run_id="r/1:x", topic_id="007", nuggets=nuggets, query="q",
                       answer_text="They\ndance.", response_length=2),
        AssignedAnswer(run_id="r", topic_id="007", nuggets=()),
    ]  # fmt: skip
    write_assignments(file, answers)
    assert read_assignments(file) == answers
    first = json.loads(file.read_text(encoding="utf-8").split("\n")[0])
    assert [n["assignment"] for n in first["nuggets"][:4]] == [
        "support",
        "partial_support",
        "not_support",
        None,
    ]
