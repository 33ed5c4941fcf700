"""Labels of unlike judgings that are scored together are told."""

from pathlib import Path
from typing import Any

import pytest

from judge.manifest import Stage
from judge.provenance import mixed
from judge.runs import ASSIGNMENTS, SUPPORT
from tests.judging import manifest


def run_of(path: Path, *tasks: str, template: str = "a" * 64, **changes: Any) -> Path:
    """A run directory with a label file for each task, and a manifest."""
    path.mkdir()
    stages = {task: Stage(template="x/y", template_sha256=template) for task in tasks}
    made = manifest(stages=stages, **changes)
    (path / "manifest.json").write_text(made.model_dump_json(), encoding="utf-8")
    for task in tasks:
        (path / {"assign": ASSIGNMENTS, "support": SUPPORT}[task]).touch()
    return path


def test_one_run_is_not_mixed(tmp_path: Path) -> None:
    assert mixed(run_of(tmp_path / "a", "assign", "support")) == []


def test_equal_judgings_of_two_runs_are_not_mixed(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / name, "assign") for name in "ab"]
    assert mixed(None, assignments=[str(run / ASSIGNMENTS) for run in runs]) == []


@pytest.mark.parametrize("other", [{"template": "b" * 64}, {"model": "openai/other"}])
def test_labels_of_one_task_by_two_judges_are_told(tmp_path: Path, other: dict[str, Any]) -> None:
    runs = [run_of(tmp_path / "a", "assign"), run_of(tmp_path / "b", "assign", **other)]
    told = mixed(None, assignments=[str(run / ASSIGNMENTS) for run in runs])
    assert told[0].startswith("assign labels of different judges or prompts are scored together")
    assert f"{runs[0]}: openai/judge with x/y aaaaaaaaaaaa" in told[0]


def test_nugget_labels_beside_support_labels_of_another_model_are_told(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a", "assign")
    b = run_of(tmp_path / "b", "support", model="openai/other")
    (line,) = mixed(a, support=[str(b / SUPPORT)])
    assert (
        line
        == f"labels of different models are scored together: {a}: openai/judge; {b}: openai/other"
    )


def test_versions_of_the_tool_are_told(tmp_path: Path) -> None:
    run = run_of(tmp_path / "a", "assign", tool_version="1.0", continued_by=["1.1"])
    assert mixed(run) == ["the labels are of several versions of rag-judge: 1.0, 1.1"]


def test_files_without_a_manifest_say_nothing(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / ASSIGNMENTS).touch()
    assert mixed(None, assignments=[str(tmp_path / "*" / ASSIGNMENTS)]) == []
