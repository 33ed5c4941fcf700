"""The manifest: what it says of a run, and what it calls a difference."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from judge.manifest import Manifest, Stage, differences, fingerprint, new_manifest
from judge.migrations import FORMAT
from tests.judging import manifest

STAGE = Stage(
    template="relevance/trec2025",
    template_sha256="0" * 64,
    inputs={"topics/t.json": "sha256:1"},
    choices={"pairs": 3, "citations": "first"},
)


def with_stage(stage: Stage = STAGE, task: str = "relevance") -> Manifest:
    return manifest(stages={task: stage})


def changed(**update: Any) -> list[str]:
    new = with_stage(STAGE.model_copy(update=update))
    return differences(with_stage(), new, "relevance")


def test_a_manifest_says_what_made_the_run() -> None:
    made = new_manifest("openai/m", "http://x", {"temperature": 0.0})
    assert made.format == FORMAT
    assert (made.model, made.base_url) == ("openai/m", "http://x")
    assert made.parameters == {"temperature": 0.0}
    assert {"openai", "jinja2", "pydantic"} <= set(made.packages)
    assert made.tool_version
    assert made.created.endswith("+00:00")
    assert made.stages == {}


def told(value: Any, before: Any) -> str:
    """How a changed value is shown: of a dict, the entries that changed."""
    if not isinstance(value, dict):
        return repr(value)
    return repr({key: value[key] for key in value if value[key] != before.get(key)})


def test_a_manifest_comes_back_from_json_without_a_difference() -> None:
    made = with_stage()
    again = Manifest.model_validate(json.loads(made.model_dump_json()))
    assert again == made
    assert differences(made, again, "relevance") == []


def test_equal_manifests_do_not_differ() -> None:
    assert differences(with_stage(), with_stage(), "relevance") == []


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/other"},
        {"base_url": None},
        {"base_url": "http://localhost:2"},
        {"parameters": {"temperature": 0.5, "max_tokens": None}},
        {"parameters": {"temperature": 0.0, "max_tokens": 10}},
    ],
)
def test_another_judge_is_a_difference_whatever_the_task(change: dict[str, Any]) -> None:
    (name,) = change
    for task in ("", "relevance"):
        (line,) = differences(manifest(), manifest(**change), task)
        assert line.startswith(f"{name}: the run has ")
        assert told(change[name], getattr(manifest(), name)) in line


@pytest.mark.parametrize(
    "change",
    [
        {"template": "relevance/mine"},
        {"template_sha256": "1" * 64},
        {"inputs": {"topics/t.json": "sha256:2"}},
        {"inputs": {}},
        {"choices": {"pairs": 4, "citations": "first"}},
        {"choices": {"pairs": 3, "citations": "all"}},
    ],
)
def test_what_a_stage_rests_on_is_a_difference(change: dict[str, Any]) -> None:
    (name,) = change
    (line,) = changed(**change)
    assert line.startswith(f"{name}: ")
    assert told(change[name], getattr(STAGE, name)) in line


def test_every_difference_has_a_line() -> None:
    old = with_stage()
    new = with_stage(STAGE.model_copy(update={"template": "x", "inputs": {}}))
    new = new.model_copy(update={"model": "openai/other"})
    assert len(differences(old, new, "relevance")) == 3


def test_another_stage_is_no_difference() -> None:
    new = manifest(stages={"relevance": STAGE, "assign": STAGE})
    assert differences(with_stage(), new, "assign") == []
    other = with_stage(STAGE.model_copy(update={"template_sha256": "1" * 64}), "support")
    assert differences(with_stage(), other, "relevance") == []


def test_tool_version_time_and_command_are_no_difference() -> None:
    new = manifest(tool_version="9", created="later", commands=("x",), packages={"a": "1"})
    assert differences(manifest(), new, "") == []


# --- fingerprints --------------------------------------------------------------------------------


def files(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def test_a_fingerprint_is_the_sha256_of_the_content(tmp_path: Path) -> None:
    (path,) = files(tmp_path, topics="text")
    expected = "sha256:" + hashlib.sha256(b"text").hexdigest()
    assert fingerprint([path]) == {"topics": expected}


def test_one_byte_more_is_another_fingerprint(tmp_path: Path) -> None:
    (path,) = files(tmp_path, topics="text")
    before = fingerprint([path])
    path.write_text("text\n", encoding="utf-8")
    assert fingerprint([path]) != before


def test_a_large_file_has_its_size(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    with path.open("wb") as file:
        file.truncate(256 * 1024 * 1024 + 1)
    assert fingerprint([path]) == {"corpus": "size:268435457"}


def test_moving_the_folder_does_not_change_a_fingerprint(tmp_path: Path) -> None:
    before = fingerprint(files(tmp_path, topics="text"))
    moved = tmp_path / "moved"
    moved.mkdir()
    assert fingerprint(files(moved, topics="text")) == before


def test_files_of_one_name_in_two_folders_both_count(tmp_path: Path) -> None:
    paths = [tmp_path / run / "answers.jsonl" for run in ("alder", "birch")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(path.parent.name, encoding="utf-8")
    before = fingerprint(paths)
    paths[0].write_text("changed", encoding="utf-8")
    assert fingerprint(paths) != before
