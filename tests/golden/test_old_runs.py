"""Runs that earlier versions left behind: they are read, scored, judged again and compared.

Each folder of `old_runs` holds a run of the sample's first topic as its version wrote it, the
inputs that it was made from, and the replies to it.
"""

import json
import shutil
from pathlib import Path

import pytest

from judge.recorded import manifest_of
from tests.faults.commands import Desk, Serve, desk, known, labels

OLD = Path(__file__).parent / "old_runs"
RUNS = sorted(path.name for path in OLD.iterdir())
MODEL = ("--model", "local/qwen2.5-coder-1.5b")
INPUTS = ("--answers", "answers.jsonl", "--corpus", "corpus.jsonl")


@pytest.fixture(params=RUNS)
def at(request: pytest.FixtureRequest, tmp_path: Path, serve: Serve) -> Desk:
    """A desk in a copy of an old run's folder."""
    home = shutil.copytree(OLD / request.param, tmp_path / "old")
    return desk(home, serve(known))


def test_it_is_read(at: Desk) -> None:
    manifest = manifest_of(at.home / "run")
    assert set(manifest.stages) == {"relevance", "assign", "support"}
    assert manifest.model.startswith("qwen2.5-coder-1.5b")


def test_it_has_the_scores_it_had(at: Desk) -> None:
    done = at.run("score", "run", "--json", "--per-topic")
    assert done.code == 0, done.err
    lines = (at.home / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    then = {(s["run_id"], s["topic_id"], s["measure"]): s for s in map(json.loads, lines)}
    now = {(s["run_id"], s["topic_id"], s["measure"]): s for s in done.json}
    assert {key: score["value"] for key, score in now.items() if key in then} == {
        key: pytest.approx(score["value"]) for key, score in then.items()
    }


def test_it_is_judged_again_from_its_replies_and_compared(at: Desk) -> None:
    assert at.run("cache", "import", "replies.jsonl.zst").code == 0
    words = (*MODEL, *INPUTS, "--offline", "--allow-incomplete")
    done = at.run("rejudge", "run", "--out", "again", *words)
    assert done.code == 0, done.err
    then, now = labels(at.home / "run"), labels(at.home / "again")
    assert now
    assert now == {unit: then[unit] for unit in now}
    done = at.run("diff", "run", "again", "--json")
    assert done.code == 0, done.err
    assert {task["task"] for task in done.json["tasks"]} == {"relevance", "assign", "support"}
    assert at.server.hits == 0


def test_it_is_judged_again_by_another_model(at: Desk) -> None:
    done = at.run("rejudge", "run", "--out", "again", *INPUTS, *at.model)
    assert done.code == 0, done.err
    assert set(labels(at.home / "again")) == set(labels(at.home / "run"))


def test_what_it_lacks_is_asked_for(at: Desk) -> None:
    done = at.run("rejudge", "run", "--out", "again", *INPUTS)
    assert done.code == 2
    assert "did not note how --model named its model" in done.told
    done = at.run("rejudge", "run", "--out", "again", *at.model)
    assert done.code == 2
    assert "the run keeps no answers: name them with --answers" in done.told


def test_it_goes_on_and_is_of_today_then(at: Desk) -> None:
    assert at.run("cache", "import", "replies.jsonl.zst").code == 0
    words = (
        "--topics",
        "narratives.json",
        "--answers",
        "answers.jsonl",
        "--corpus",
        "corpus.jsonl",
    )
    done = at.run("support", *words, *MODEL, "--offline", "--out", "run")
    assert done.code == 0, done.err
    assert manifest_of(at.home / "run").commands[-1].startswith("rag-judge support")
