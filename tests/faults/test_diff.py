"""`diff`: how two runs were made, which labels changed, what that does, and what each cost."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import CALLS, LABELS, SAMPLE, UNITS, Desk, contents, desk, known
from tests.faults.server import ScriptedServer, chat, prompt_of

SWAPPED = {"full": "none", "none": "full", "partial": "partial"}


def swapping(request: dict[str, Any], hit: int) -> dict[str, Any] | str:
    """Swap full and none, grade passages higher, and refuse some of the best."""
    del hit
    said = known(request)
    if said.startswith("##"):
        if said.endswith("4") and "frost" in prompt_of(request):
            return "I will not help with that."
        grade = min(4, int(said[-1]) + 1)
        return chat(f"answered: 2\n##final score: {grade}", prompt_tokens=50, completion_tokens=5)
    for label in SWAPPED:
        said = said.replace(f'"{label}"', f'"@{label}"').replace(f": {label}", f": @{label}")
    for label, other in SWAPPED.items():
        said = said.replace(f"@{label}", other)
    return said.replace('"sentences": []', '"sentences": [1]')


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with a run of the sample, and the same units judged the other way round."""
    with ScriptedServer(known) as server:
        at = desk(tmp_path_factory.mktemp("diff"), server)
        assert at.run("assess", at.config(), *at.model, "--out", "a").code == 0
        server.script = swapping
        words = ("--model", "openai/other", "--base-url", server.url, "--price", "1,2")
        done = at.run("rejudge", "a", "--out", "b", *words, "--allow-incomplete")
        assert done.code == 0, done.err
        yield at


@pytest.fixture(scope="module")
def found(at: Desk) -> dict[str, Any]:
    done = at.run("diff", "a", "b", "--json")
    assert done.code == 0, done.err
    data: dict[str, Any] = done.json
    return data


def test_how_they_were_made(found: dict[str, Any]) -> None:
    assert found["made"] == [{"field": "model", "a": "judge", "b": "other"}]
    assert (found["a"], found["b"]) == ("a", "b")


def test_labels_by_task(found: dict[str, Any]) -> None:
    tasks = {task["task"]: task for task in found["tasks"]}
    assert {name: task["n"] for name, task in tasks.items()} == UNITS
    for name in ("assign", "support"):
        task = tasks[name]
        assert task["labels"] == ["none", "partial", "full"]
        rows = task["matrix"]
        assert rows[0][2] > 0
        assert rows[2][0] > 0
        assert sum(map(sum, rows)) == UNITS[name]
        assert len(task["changed"]) == UNITS[name] - rows[1][1]
        assert task["kappa"] < 0.5
    relevance = tasks["relevance"]
    assert relevance["labels"] == [0, 1, 2, 3, 4]
    assert all(row[place] == 0 for place, row in enumerate(relevance["matrix"][:4]))


def test_the_failed_stand_in_a_column_of_their_own(found: dict[str, Any]) -> None:
    (task,) = (task for task in found["tasks"] if task["task"] == "relevance")
    failed = [change for change in found["changed"] if change["b"]["label"] is None]
    assert failed
    assert sum(row[-1] for row in task["matrix"]) == len(failed)
    assert {change["b"]["failure"] for change in failed} == {"refused"}
    assert all(change["a"]["label"] == 4 for change in failed)


def test_every_changed_unit_with_both_reasons(found: dict[str, Any]) -> None:
    changed = {change["unit_id"]: change for change in found["changed"]}
    assert list(changed) == [unit for task in found["tasks"] for unit in task["changed"]]
    grades = [c for unit, c in changed.items() if unit.startswith("relevance|")]
    reasons = {c["b"]["reason"] for c in grades if c["b"]["label"] is not None}
    assert reasons == {"answered: 2"}
    assert {c["a"]["reason"] for c in grades} == {None}


def test_scores_and_the_ranking_of_systems(found: dict[str, Any]) -> None:
    scores = {(s["measure"], s["run_id"]): s for s in found["scores"]}
    for run, label in LABELS.items():
        score = scores["strict_vital_recall", run]
        assert score["a"] == (1.0 if label == "full" else 0.0)
        assert score["b"] == (1.0 if label == "none" else 0.0)
        assert score["difference"] == score["b"] - score["a"]
    assert found["rankings"]["support_precision"]["kendall"] == -1.0
    assert found["rankings"]["support_precision"]["n"] == len(LABELS)


def test_the_cost_of_each(at: Desk, found: dict[str, Any]) -> None:
    a, b = found["costs"]
    assert (a["sent"], a["unpriced"], a["cost"]) == (sum(CALLS.values()), sum(CALLS.values()), 0.0)
    assert b["sent"] >= sum(CALLS.values())
    assert b["unpriced"] == 0
    tokens = b["prompt_tokens"] * 1e-6 + b["completion_tokens"] * 2e-6
    assert b["cost"] == pytest.approx(tokens)


def test_it_writes_nothing_but_what_is_asked_for(at: Desk, found: dict[str, Any]) -> None:
    before = contents(at.home / "a"), contents(at.home / "b")
    assert at.run("diff", "a", "b", "--out", "changed.jsonl").code == 0
    lines = (at.home / "changed.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == found["changed"]
    assert (contents(at.home / "a"), contents(at.home / "b")) == before


def test_people_see_the_changes_first(at: Desk, found: dict[str, Any]) -> None:
    done = at.run("diff", "a", "b", "--show", 2)
    assert done.code == 0
    for told in ("made otherwise", "A \\ B", "failed", "Kendall tau", "calls sent", "answered: 2"):
        assert told in done.out, told
    assert f"and {len(found['changed']) - 2} more" in done.out
    assert found["changed"][0]["unit_id"] in done.out
    assert found["changed"][2]["unit_id"] not in done.out


def test_runs_of_retrieval_are_ranked_by_both_grades(at: Desk) -> None:
    words = ("--run", SAMPLE / "run.*.txt", "--measures", "nDCG@5", "--json")
    found = at.run("diff", "a", "b", *words).json
    assert {score["measure"] for score in found["scores"]} == {"nDCG@5"}
    assert len(found["scores"]) == 3
    assert found["rankings"]["nDCG@5"]["kendall"] is not None


def test_a_run_is_like_itself(at: Desk) -> None:
    done = at.run("diff", "a", "a")
    assert done.code == 0
    assert "both were made in the same way" in done.out
    assert "changed units" not in done.out


def test_labels_of_two_prompts_in_one_run_are_told(at: Desk) -> None:
    shutil.copytree(at.home / "a", at.home / "mixed")
    path = at.home / "mixed" / "judgments.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    last = json.loads(lines[-1])
    lines[-1] = json.dumps({**last, "template_sha256": "0" * 64}) + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    done = at.run("diff", "a", "mixed")
    assert f"mixed: the {last['task']} labels are mixed" in done.err
    assert "1 by judge-2025-01-01 with the prompt 000000000000" in done.err


def test_what_cannot_be_compared(at: Desk, tmp_path: Path) -> None:
    done = at.run("diff", "a", "nowhere")
    assert done.code == 2
    assert "nowhere is no run directory" in done.told
    assert at.support("--out", "one", "--limit", 1).code == 0
    answers = SAMPLE / "answers.alder.jsonl"
    assert at.support("--out", "other", "--limit", 1, answers=answers).code == 0
    done = at.run("diff", "one", "other")
    assert done.code == 2
    assert "one and other have no unit in common" in done.told
    (at.home / "one" / "judgments.jsonl").write_text("no judgment\n", encoding="utf-8")
    done = at.run("diff", "one", "a")
    assert done.code == 2
    assert "judgments.jsonl:1: not a judgment" in done.told
