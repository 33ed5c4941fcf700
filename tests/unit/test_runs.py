"""The run directory: locked, resumable, and refused when it no longer matches."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError, JudgeError, RunError
from judge.manifest import Manifest, Stage
from judge.migrations import FORMAT
from judge.runs import RunDirectory, read_manifest, write_whole
from judge.types import Attempt, Call, Judgment, Prompt, Unit, Usage
from tests.judging import attempt, judged, lines_of, manifest, refusal

STAGE = Stage(
    template="a/b",
    template_sha256="0" * 64,
    inputs={"topics/t.json": "sha256:1"},
    choices={"citations": "first"},
)
UNITS = tuple(Unit(task="relevance", topic_id="t1", docid=docid) for docid in "ab")
CALL = Call(units=UNITS, prompt=Prompt(template="a/b", sha256="0", messages=()), max_tokens=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "one"


LABELLED = Judgment(task="relevance", topic_id="t1", docid="d", label=2, status="ok")


def judge_once(path: Path, stage: Stage = STAGE, **changes: Any) -> None:
    with RunDirectory(path, manifest(**changes)) as run:
        run.begin("relevance", stage)
        run.judgments.append([LABELLED])


def refused(path: Path, stage: Stage = STAGE, **changes: Any) -> str:
    """The message with which a command on an existing run is refused; nothing is changed."""
    before = (path / "manifest.json").read_text(encoding="utf-8")
    with pytest.raises(RunError) as caught:
        judge_once(path, stage, **changes)
    after = Manifest.model_validate_json((path / "manifest.json").read_text(encoding="utf-8"))
    assert after.stages == Manifest.model_validate_json(before).stages
    assert (after.model, after.base_url) == ("openai/judge", "http://localhost:1")
    return str(caught.value)


# --- the manifest --------------------------------------------------------------------------------


def test_a_new_run_has_a_manifest_and_empty_files(path: Path) -> None:
    with RunDirectory(path, manifest(), "rag-judge relevance"):
        pass
    found = read_manifest(path)
    assert found == manifest(commands=["rag-judge relevance"])
    assert (path / "judgments.jsonl").read_bytes() == b""


def test_every_command_is_kept(path: Path) -> None:
    for command in ("first", "second"):
        with RunDirectory(path, manifest(created=command), command):
            pass
    found = read_manifest(path)
    assert found is not None
    assert found.commands == ("first", "second")
    assert found.created == "first"


def test_stages_join_and_survive(path: Path) -> None:
    with RunDirectory(path, manifest()) as run:
        run.begin("relevance", STAGE)
        run.begin("assign", STAGE)
    judge_once(path)
    found = read_manifest(path)
    assert found is not None
    assert set(found.stages) == {"relevance", "assign"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "openai/other"),
        ("base_url", "http://localhost:2"),
        ("parameters", {"temperature": 1.0, "max_tokens": None}),
    ],
)
def test_another_judge_is_refused_with_the_difference(path: Path, name: str, value: Any) -> None:
    judge_once(path)
    message = refused(path, **{name: value})
    if name == "parameters":
        assert "the run has {'temperature': 0.0}, this command {'temperature': 1.0}" in message
    else:
        before = getattr(manifest(), name)
        assert f"{name}: the run has {before!r}, this command {value!r}" in message
    assert str(path) in message
    assert "--out" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("template", "a/c"),
        ("template_sha256", "1" * 64),
        ("inputs", {"topics/t.json": "sha256:2"}),
        ("choices", {"citations": "all"}),
    ],
)
def test_a_stage_that_rests_on_something_else_is_refused(path: Path, name: str, value: Any) -> None:
    judge_once(path)
    message = refused(path, STAGE.model_copy(update={name: value}))
    assert f"{name}: the run has {getattr(STAGE, name)!r}, this command {value!r}" in message


def test_a_refused_command_leaves_the_lock(path: Path) -> None:
    judge_once(path)
    refused(path, model="openai/other")
    judge_once(path)


def test_a_manifest_of_a_later_format_is_refused(path: Path) -> None:
    judge_once(path)
    file = path / "manifest.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    later = json.dumps({**data, "format": FORMAT + 1, "unheard_of": True})
    file.write_text(later, encoding="utf-8")
    with pytest.raises(InputError, match=r"manifest\.json: made by a later version"):
        judge_once(path)
    assert file.read_text(encoding="utf-8") == later


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "null", "{}", '{"format": 1}', '{"format": 1, "model": 3}']
)
def test_a_damaged_manifest_is_refused_and_kept(path: Path, text: str) -> None:
    judge_once(path)
    file = path / "manifest.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"manifest\.json: not a manifest"):
        judge_once(path)
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("value", ["2", None, [1]])
def test_a_format_that_is_no_number_is_refused(path: Path, value: Any) -> None:
    judge_once(path)
    (path / "manifest.json").write_text(json.dumps({"format": value}), encoding="utf-8")
    with pytest.raises(InputError, match="not a manifest"):
        read_manifest(path)


def test_a_folder_without_a_manifest_is_a_new_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert read_manifest(tmp_path) is None
    judge_once(tmp_path)
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


# --- the lock ------------------------------------------------------------------------------------

HOLD = """
import sys
from collections.abc import Iterable
from pathlib import Path
from judge.runs import RunDirectory
from tests.judging import manifest
with RunDirectory(Path(sys.argv[1]), manifest()):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that works on the run until it is given a line."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", HOLD, str(path)]
    process = subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_two_processes_cannot_work_on_one_run(path: Path) -> None:
    with holder(path) as other:
        with pytest.raises(RunError, match="another process works on"):
            judge_once(path)
        other.communicate("\n")
    judge_once(path)


def test_a_killed_process_leaves_no_lock(path: Path) -> None:
    with holder(path) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()
    judge_once(path)


def test_a_run_cannot_be_opened_twice_in_one_process(path: Path) -> None:
    with RunDirectory(path, manifest()), pytest.raises(RunError, match="another process"):
        RunDirectory(path, manifest())
    judge_once(path)


def test_two_runs_can_be_open_at_once(path: Path) -> None:
    with RunDirectory(path, manifest()):
        judge_once(path.with_name("two"))


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunError, match="cannot be used as a run directory"):
        RunDirectory(tmp_path / "file", manifest())


# --- what is recorded ----------------------------------------------------------------------------


def recorded(run: RunDirectory, attempts: Iterable[Attempt], judged: Iterable[Judgment]) -> None:
    """Put a call on disk as the executor does."""
    for tried in attempts:
        run.note(CALL, tried)
    run.judgments.append(judged)


def test_a_call_is_recorded_in_three_files(path: Path) -> None:
    attempts = [attempt(failure="parse", message="no grade", raw="hm"), attempt(cost=None)]
    with RunDirectory(path, manifest()) as run:
        recorded(run, attempts, [judged(unit, 1) for unit in UNITS])
    spent = {"task": "relevance", "units": 2, "key": "k", "cached": False, "seconds": 0.0}
    tokens = {"prompt_tokens": 100, "completion_tokens": 10, "cached_tokens": None}
    assert lines_of(path / "ledger.jsonl") == [
        {**spent, **tokens, "cost": 0.5, "at_most": None, "failure": "parse"},
        {**spent, **tokens, "cost": None, "at_most": None, "failure": None},
    ]
    assert lines_of(path / "failures.jsonl") == [
        {
            "unit_ids": [unit.unit_id for unit in UNITS],
            "key": "k",
            "failure": "parse",
            "message": "no grade",
            "raw": "hm",
        }
    ]
    assert [line["label"] for line in lines_of(path / "judgments.jsonl")] == [1, 1]


def test_what_was_spent_is_added_up_over_sessions(path: Path) -> None:
    for cost in (0.25, 0.5):
        with RunDirectory(path, manifest()) as run:
            run.note(CALL, attempt(cost=cost))
    with RunDirectory(path, manifest()) as run:
        run.note(CALL, attempt(cost=None, at_most=0.125, failure="transport", message="lost"))
        run.note(CALL, attempt(cost=None))
        assert run.spent() == (0.875, 1)


def test_a_ledger_changed_by_other_hands_is_told_with_its_line(path: Path) -> None:
    with RunDirectory(path, manifest()) as run:
        run.note(CALL, attempt())
    with (path / "ledger.jsonl").open("a", encoding="utf-8") as file:
        file.write("what is this\n")
    with RunDirectory(path, manifest()) as run, pytest.raises(InputError, match=r"ledger.jsonl:2"):
        run.spent()


def test_how_a_model_is_asked_stands_in_the_manifest(path: Path) -> None:
    with RunDirectory(path, manifest()) as run:
        run.adapt({"temperature": False})
    with RunDirectory(path, manifest()) as run:
        assert run.manifest.adapted == {"temperature": False}


def test_a_call_without_usage_is_recorded_as_unknown(path: Path) -> None:
    with RunDirectory(path, manifest()) as run:
        run.note(CALL, attempt(usage=Usage(), cost=None))
    (line,) = lines_of(path / "ledger.jsonl")
    assert (line["prompt_tokens"], line["completion_tokens"], line["cost"]) == (None, None, None)


@pytest.mark.parametrize("name", ["judgments.jsonl", "ledger.jsonl", "failures.jsonl"])
def test_a_half_written_last_line_of_any_file_is_cut_off(path: Path, name: str) -> None:
    attempts = [attempt(failure="parse", message="no", raw="hm")]
    with RunDirectory(path, manifest()) as run:
        recorded(run, attempts, [judged(UNITS[0], 1)])
    whole = (path / name).read_bytes()
    (path / name).write_bytes(whole + b'{"unit_')
    with RunDirectory(path, manifest()) as run:
        assert (path / name).read_bytes() == whole
        recorded(run, attempts, [judged(UNITS[0], 1)])
    assert (path / name).read_bytes() == whole * 2


def test_a_damaged_judgment_is_told_and_the_lock_given_back(path: Path) -> None:
    judge_once(path)
    file = path / "judgments.jsonl"
    file.write_bytes(b"{}\n")
    refused = refusal(lambda: judge_once(path))
    assert refused.kind is InputError
    assert refused.message.startswith(f"{file}:1: ")
    assert not any(".lock" in name for name in refused.left_open)
    file.write_bytes(b"")
    judge_once(path)


def test_a_ledger_that_cannot_be_opened_is_told_and_all_is_closed(path: Path) -> None:
    judge_once(path)
    (path / "ledger.jsonl").unlink()
    (path / "ledger.jsonl").mkdir()
    refused = refusal(lambda: judge_once(path))
    assert issubclass(refused.kind, JudgeError)
    assert refused.left_open == []


# --- whole files ---------------------------------------------------------------------------------


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("old", encoding="utf-8")
    write_whole(path, "né\n")
    assert path.read_bytes() == "né\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_keeps_what_it_had(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_labels_without_a_manifest_are_refused(path: Path) -> None:
    judge_once(path)
    (path / "manifest.json").unlink()
    with pytest.raises(RunError, match=r"no manifest\.json that says whose"):
        judge_once(path, model="openai/other")
    assert not (path / "manifest.json").exists()


# --- what may change before anything is labelled -------------------------------------------------


def test_a_run_without_labels_takes_another_model(path: Path) -> None:
    with RunDirectory(path, manifest(model="openai/typo")) as run:
        run.begin("relevance", STAGE.model_copy(update={"template": "relevance/typo"}))
    with RunDirectory(path, manifest(model="openai/judge")) as run:
        run.begin("relevance", STAGE)
        assert run.manifest.model == "openai/judge"
        assert run.manifest.stages["relevance"] == STAGE
