"""The demo on the smaller embedded model, a few units of each task: real prompts, real replies."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live_local


def test_the_demo_judges_live(tmp_path: Path, small_model: str) -> None:
    command = [str(Path(sys.executable).with_name("rag-judge")), "demo", "--model", small_model]
    options = ["--limit", "3", "--allow-incomplete", "--cache", "cache", "--out", "run", "--json"]
    done = subprocess.run(
        command + options, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["tasks"]) == {"relevance", "assign", "support"}
    lines = (tmp_path / "run" / "judgments.jsonl").read_text(encoding="utf-8").splitlines()
    judgments = [json.loads(line) for line in lines]
    assert len({judgment["unit_id"] for judgment in judgments}) == 9
    labelled = [judgment for judgment in judgments if judgment["status"] == "ok"]
    assert len(labelled) >= 5
    assert {judgment["task"] for judgment in labelled} >= {"assign", "support"}
