"""The judgments of a run: the last line for a unit wins, and damage is told where it is."""

import gc
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.errors import InputError, RunError
from judge.judgments import Judgments, from_line, read_judgments, scan, to_line
from judge.types import Judgment, Unit
from tests.judging import judged, kept, lines_of, refusal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "judgments.jsonl"


def unit(docid: str, topic_id: str = "t1") -> Unit:
    return Unit(task="relevance", topic_id=topic_id, docid=docid)


def reopened(path: Path) -> dict[str, int | str | None]:
    """The label of every unit, as a new process sees it."""
    file = Judgments(path)
    labels = {judgment.unit_id: judgment.label for judgment in file}
    file.close()
    return labels


FULL = Judgment(
    *unit("d|1#é\ud800").parts,
    label=0,
    status="ok",
    reason="two\nlines \u2028 and ünï",
    probabilities={"0": 0.75, "1": 0.25},
    source="human",
    model="m",
    template="a/b",
    template_sha256="0" * 64,
    key="k",
    flags=("one", "two"),
    detail={"sentences": [0, 2], "nested": {"a": None}},
)

# --- one line ------------------------------------------------------------------------------------


def test_a_line_holds_the_whole_judgment() -> None:
    judgment = replace(FULL, docid="d|1#é")
    assert from_line(to_line(judgment)) == judgment


def test_a_line_is_one_line_of_ascii_that_begins_with_the_unit_id() -> None:
    line = to_line(replace(FULL, docid="d"))
    assert line.endswith(b"\n")
    assert len(line.splitlines()) == 1
    assert line.isascii()
    assert line.startswith(b'{"unit_id":"relevance|t1|d","label":0,')


def test_a_line_leaves_out_what_is_at_its_default() -> None:
    assert json.loads(to_line(judged(unit("d"), None))) == {
        "unit_id": "relevance|t1|d",
        "label": None,
        "task": "relevance",
        "topic_id": "t1",
        "docid": "d",
        "status": "failed",
        "failure": "parse",
    }


@given(
    label=st.integers(0, 4) | st.text(st.characters(exclude_categories=["Cs"])),
    docid=st.text(st.characters(exclude_categories=["Cs"])),
    reason=st.none() | st.text(),
)
def test_any_judgment_comes_back(label: int | str, docid: str, reason: str | None) -> None:
    judgment = replace(judged(unit(docid), label), reason=reason)
    line = to_line(judgment)
    assert line.count(b"\n") == 1
    assert from_line(line) == judgment


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"[1, 2]",
        b"3",
        b"null",
        b'"abc"',
        b"{}",
        b'{"unit_id": "x"}',
        b'{"unit_id": "x", "status": "ok"}',
        b"\xff",
        b"[" * 5000 + b"]" * 5000,
    ],
)
def test_what_is_no_judgment_is_refused(line: bytes) -> None:
    with pytest.raises(InputError, match="not a judgment"):
        from_line(line)


@pytest.mark.parametrize(
    "wrong",
    [
        {"label": None, "status": "ok"},
        {"label": 1, "status": "ok", "failure": "parse"},
        {"label": None, "status": "failed"},
        {"label": 1, "status": "failed", "failure": "parse"},
        {"label": 1, "status": "perhaps"},
    ],
)
def test_a_label_and_a_failure_exclude_each_other(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="judgment"):
        Judgment(*unit("d").parts, **wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"label": None},
        {"failure": "parse"},
        {"label": None, "status": "failed", "failure": "tired"},
        {"label": None, "status": "failed"},
        {"label": 1, "status": "perhaps"},
        {"label": 1.5},
        {"sentence": "first"},
        {"flags": "one"},
        {"source": "nobody"},
        {"grade": 1},
        {"unit_id": "relevance|t|other"},
        {"unit_id": ["relevance", "t", "d"]},
        {"unit_id": None},
        {"docid": "\ud800"},
        {"probabilities": {"1": float("nan")}},
    ],
)
def test_a_line_with_a_wrong_or_unknown_field_is_refused(wrong: dict[str, Any]) -> None:
    line = json.dumps(json.loads(to_line(judged(unit("d"), 1))) | wrong).encode()
    with pytest.raises(InputError, match="not a judgment"):
        from_line(line)


def test_a_line_of_pairs_is_no_judgment() -> None:
    pairs = json.dumps(list(json.loads(to_line(judged(unit("d"), 1))).items())).encode()
    with pytest.raises(InputError, match="no JSON object"):
        from_line(pairs)


@pytest.mark.parametrize(
    "wrong", [{"unit_id": ["a"]}, {"task": ["a"]}, {"topic_id": 3}, {"status": None}]
)
def test_a_file_with_a_name_that_is_no_text_is_refused_with_its_line(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    lines = [json.loads(to_line(judged(unit(docid), 1))) for docid in "ab"]
    lines[1] |= wrong
    path = tmp_path / "judgments.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    for read in (lambda: list(scan(path)), lambda: list(read_judgments(path, {"relevance"}))):
        with pytest.raises(InputError) as caught:
            read()
        assert (caught.value.path, caught.value.line) == (path, 2)


def test_judgments_of_some_tasks_are_read_and_a_wrong_one_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "judgments.jsonl"
    other = judged(Unit("assign", "t", "r", "n"), "full")
    path.write_bytes(to_line(judged(unit("a"), 1)) + to_line(other) + to_line(other)[:-9])
    assert list(read_judgments(path, {"assign"})) == [other]
    wrong = to_line(other).replace(b'"full"', b"1.5")
    path.write_bytes(to_line(judged(unit("a"), 1)) + wrong)
    with pytest.raises(InputError) as caught:
        list(read_judgments(path, {"assign"}))
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert len(list(read_judgments(path, {"relevance"}))) == 1


# --- the file ------------------------------------------------------------------------------------


def test_what_was_appended_is_found_again(path: Path) -> None:
    kept(path, [judged(unit("a"), 3), judged(unit("b"), None)]).close()
    file = Judgments(path)
    assert file.get("relevance|t1|a") == judged(unit("a"), 3)
    assert file.get("relevance|t1|b") == judged(unit("b"), None)
    assert file.get("relevance|t1|c") is None
    assert [file.is_ok(f"relevance|t1|{d}") for d in "abc"] == [True, False, False]
    file.close()


@pytest.mark.parametrize("fresh", [True, False])
def test_the_last_line_for_a_unit_wins(path: Path, fresh: bool) -> None:
    file = kept(path, [judged(unit("a"), None), judged(unit("b"), 1)])
    file.append([judged(unit("a"), 4)])
    if fresh:
        file.close()
        file = Judgments(path)
    assert file.get("relevance|t1|a") == judged(unit("a"), 4)
    assert file.is_ok("relevance|t1|a")
    assert [(j.docid, j.label) for j in file] == [("a", 4), ("b", 1)]
    assert len(lines_of(path)) == 3
    file.close()


def test_a_later_failure_takes_the_label_away(path: Path) -> None:
    file = kept(path, [judged(unit("a"), 1), judged(unit("a"), None)])
    assert not file.is_ok("relevance|t1|a")
    file.close()
    assert reopened(path) == {"relevance|t1|a": None}


def test_awkward_ids_stay_apart(path: Path) -> None:
    docids = ["a|b", "a%7Cb", "a b", "a%20b", "http://x/a#b:c", "é", ""]
    kept(path, [judged(unit(docid), i) for i, docid in enumerate(docids)]).close()
    file = Judgments(path)
    for label, docid in enumerate(docids):
        found = file.get(unit(docid).unit_id)
        assert found is not None
        assert (found.docid, found.label) == (docid, label)
    file.close()


def test_the_failed_ones_are_those_without_a_label_at_last(path: Path) -> None:
    file = kept(path, [judged(unit(d), label) for d, label in (("a", None), ("b", 1), ("c", None))])
    file.append([judged(unit("a"), 0)])
    assert [judgment.docid for judgment in file.failed()] == ["c"]
    file.close()


def test_appending_while_iterating_does_not_disturb(path: Path) -> None:
    file = kept(path, [judged(unit("a"), 1), judged(unit("b"), 2)])
    seen = []
    for judgment in file:
        seen.append(judgment.docid)
        file.append([judged(unit(f"more {judgment.docid}"), 0)])
    file.close()
    assert seen == ["a", "b"]
    assert len(reopened(path)) == 4


def test_nothing_of_a_call_is_noted_when_the_disk_is_full(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = kept(path, [judged(unit("a"), None)])

    def full(lines: bytes) -> None:
        raise RunError("full")

    monkeypatch.setattr(file._file, "append", full)
    with pytest.raises(RunError):
        file.append([judged(unit("a"), 4), judged(unit("b"), 4)])
    monkeypatch.undo()
    assert not file.is_ok("relevance|t1|a")
    assert file.get("relevance|t1|b") is None
    file.append([judged(unit("c"), 2)])
    assert file.get("relevance|t1|c") == judged(unit("c"), 2)
    file.close()


def test_memory_holds_no_judgment(path: Path) -> None:
    file = kept(path, [])
    for i in range(300):
        file.append([judged(unit(f"d{i}"), 1)])
    gc.collect()
    held = [thing for thing in gc.get_objects() if isinstance(thing, Judgment)]
    assert len([judgment for judgment in held if judgment.topic_id == "t1"]) < 300
    assert len(list(file)) == 300
    file.close()


# --- damage --------------------------------------------------------------------------------------


def test_an_unfinished_last_line_is_cut_off_and_asked_again(path: Path) -> None:
    kept(path, [judged(unit("a"), 1), judged(unit("b"), 2)]).close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    file = Judgments(path)
    assert file.is_ok("relevance|t1|a")
    assert not file.is_ok("relevance|t1|b")
    file.append([judged(unit("b"), 2)])
    file.close()
    assert path.read_bytes() == whole


def test_a_kill_at_any_byte_leaves_a_file_that_opens(path: Path) -> None:
    kept(path, [judged(unit("a"), 1), judged(unit("b"), 2)]).close()
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        assert len(reopened(path)) == (size >= first) + (size >= len(whole))


@pytest.mark.parametrize(
    "damage",
    [
        b'{"unit_id": "relevance|t1|b", "label":\n',
        b"\n",
        b"null\n",
        b"[1]\n",
        b'{"status": "ok"}\n',
        b'{"unit_id": "x"}\n',
        b'{"unit_id": ["x"], "status": "ok"}\n',
        b'{"unit_id": "x", "status": "ok"}\xff\n',
    ],
)
def test_a_damaged_line_in_the_middle_is_told_with_file_and_line(path: Path, damage: bytes) -> None:
    line = to_line(judged(unit("a"), 1))
    path.write_bytes(line + damage + line)
    refused = refusal(lambda: Judgments(path))
    assert refused.kind is InputError
    assert refused.message.startswith(f"{path}:2: not a judgment")
    assert path.read_bytes() == line + damage + line


def test_a_damaged_file_is_closed_again(path: Path) -> None:
    path.write_bytes(b"null\n")
    assert refusal(lambda: Judgments(path)).left_open == []


def test_a_line_that_is_json_but_no_judgment_is_told_with_its_file(path: Path) -> None:
    path.write_bytes(b'{"unit_id": "x", "label": null, "status": "ok"}\n')
    refused = refusal(lambda: reopened(path))
    assert refused.message.startswith(f"{path}:1: not a judgment")
