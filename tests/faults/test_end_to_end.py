"""A whole assessment of the sample through the command line: files, scores, and what is paid."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from judge.formats.answers import read_all_answers
from judge.formats.assignments import read_assignments
from judge.formats.nuggets import read_nuggets
from judge.formats.qrels import read_qrels
from judge.formats.scores import read_scores
from judge.formats.support import read_support
from judge.formats.topics import read_topics
from judge.judgments import Judgments
from judge.runs import read_manifest
from tests.faults.commands import (
    ANSWERS,
    CALLS,
    LABELS,
    MARKED,
    SAMPLE,
    UNITS,
    Desk,
    Done,
    contents,
    desk,
    key_of_body,
    known,
    labels,
)
from tests.faults.server import ScriptedServer

FILES = {
    *MARKED,
    *("manifest.json", "judgments.jsonl", "failures.jsonl", "ledger.jsonl"),
    *("topics.jsonl", "scores.txt", "report.html"),
    *(".lock", "judged_answers.jsonl", "judged_documents.jsonl"),
}
FIELDS = {"run_id", "topic_id", "measure", "value", "low", "high", "n_judged", "n_failed"}
ALL = sum(CALLS.values())


class First(NamedTuple):
    """An assessment that was run once, and how it ended."""

    desk: Desk
    run: Path
    config: Path
    done: Done


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[First]:
    home = tmp_path_factory.mktemp("sample")
    with ScriptedServer(known) as server:
        at = desk(home, server)
        config = at.config()
        done = at.run("assess", config, *at.model, "--out", "run", "--json")
        assert done.code == 0, done.err
        assert server.hits == ALL
        yield First(at, home / "run", config, done)


def test_every_prompt_is_asked_once_and_every_unit_has_the_label_that_was_said(
    first: First,
) -> None:
    server = first.desk.server
    by_key = {key_of_body(server, body) for body in server.requests[:ALL]}
    file = Judgments(first.run / "judgments.jsonl")
    judged = list(file)
    file.close()
    assert len(by_key) == ALL
    assert {judgment.key for judgment in judged} == by_key
    assert {j.label for j in judged if j.run_id == "birch"} == {"partial"}
    assert len(judged) == sum(UNITS.values())
    assert {judgment.model for judgment in judged} == {"judge-2025-01-01"}


def test_every_file_of_the_run_is_there_and_reads_back(first: First) -> None:
    run = first.run
    assert {path.name for path in run.iterdir()} == FILES
    grades = read_qrels(SAMPLE / "qrels.reference.txt")
    assert sorted(read_qrels(run / "qrels.txt")) == sorted(grades)
    ours, given = read_nuggets(run / "nuggets.jsonl"), read_nuggets(SAMPLE / "nuggets.jsonl")
    assert [n.nugget_id for n in ours] == [n.nugget_id for n in given]
    assert read_topics(run / "topics.jsonl") == read_topics(SAMPLE / "narratives.json")
    manifest = read_manifest(run)
    assert manifest is not None
    assert set(manifest.stages) == set(UNITS)
    assert manifest.base_url == first.desk.server.url


def test_assignments_and_support_hold_every_answer_whole(first: First) -> None:
    answers = read_all_answers(ANSWERS)
    per_topic = {"s1": 9, "s2": 12, "s3": 11}
    assigned = read_assignments(first.run / "assignments.jsonl")
    assert [(a.run_id, a.topic_id) for a in assigned] == [(a.run_id, a.topic_id) for a in answers]
    for assignment in assigned:
        assert len(assignment.nuggets) == per_topic[assignment.topic_id]
        assert {n.label for n in assignment.nuggets} == {LABELS[assignment.run_id]}
    supported = read_support(first.run / "support.jsonl")
    for answer, support in zip(answers, supported, strict=True):
        cited = [[c.docid for c in s.citations] for s in answer.sentences]
        assert [[c.docid for c in s.citations] for s in support.sentences] == cited
    statuses = [c.status for a in supported for s in a.sentences for c in s.citations]
    assert (statuses.count("ok"), statuses.count("invalid")) == (UNITS["support"], 1)


def test_scores_follow_from_the_labels(first: First) -> None:
    told = first.done.json
    rows = told["scores"]
    assert set(rows[0]) >= FIELDS
    assert told["complete"] is True
    means = {(r["measure"], r["run_id"]): r["value"] for r in rows if r["topic_id"] == "all"}
    credit = {"alder": 1.0, "birch": 0.5, "cedar": 0.0}
    for run, value in credit.items():
        for measure in ("vital_recall", "all_recall", "weighted_recall", "support_precision"):
            assert means[measure, run] == pytest.approx(value)
        for measure in ("strict_vital_recall", "strict_all_recall", "sub_narrative_coverage"):
            assert means[measure, run] == (1.0 if run == "alder" else 0.0)
    assert means["support_recall", "birch"] == pytest.approx((0.8 + 1 + 1) / 3 / 2)
    assert [score.model_dump() for score in read_scores(first.run / "scores.jsonl")] == rows


def test_score_needs_no_model_and_gives_the_same_from_run_and_files(first: First) -> None:
    means = [row for row in first.done.json["scores"] if row["topic_id"] == "all"]
    hits = first.desk.server.hits
    ours = first.desk.run("score", "run", "--json")
    files = [
        *("--assignments", "run/assignments.jsonl", "--support", "run/support.jsonl"),
        *("--nuggets", "run/nuggets.jsonl", "--topics", SAMPLE / "narratives.json"),
    ]
    theirs = first.desk.run("score", *files, "--json")
    assert (ours.code, ours.json, ours.err) == (0, means, "")
    assert theirs.json == means
    table = first.desk.run("score", "run", "--measures", "strict_vital_recall", "--per-topic")
    means_only = [
        line.split()[0] for line in table.out.splitlines() if "." in line and "±." in line
    ]
    assert means_only == ["alder", "birch", "cedar"]
    assert first.desk.server.hits == hits


def test_stdout_holds_results_and_stderr_the_progress(first: First) -> None:
    assert first.done.out.startswith("{")
    begun = [line for line in first.done.err.splitlines() if "units to judge" in line]
    assert begun == [f"{task}: {n} of {n} units to judge" for task, n in UNITS.items()]
    assert "\x1b" not in first.done.err + first.done.out


def test_a_second_run_pays_nothing_and_counts_what_was_judged_before(first: First) -> None:
    hits, before = first.desk.server.hits, contents(first.run)
    words = ("assess", first.config, *first.desk.model, "--out", "run")
    again = first.desk.run(*words, "--json")
    table = first.desk.run(*words)
    assert (again.code, table.code) == (0, 0)
    tasks = again.json["tasks"]
    assert {name: tally["before"] for name, tally in tasks.items()} == UNITS
    assert again.json["scores"] == first.done.json["scores"]
    assert "alder" in table.out
    assert table.out.endswith("run directory: run\nreport: run/report.html\n")
    assert "before" in table.err
    assert "alder" not in table.err
    assert first.desk.server.hits == hits
    assert contents(first.run) == before


@pytest.mark.parametrize("model", [None, "replay", "replay/openai/judge"])
def test_a_new_run_is_answered_from_the_store(first: First, model: str | None) -> None:
    hits = first.desk.server.hits
    out = f"from-store-{(model or 'online').replace('/', '-')}"
    base = ("--base-url", first.desk.server.url)
    words = (*base, "--model", model) if model else first.desk.model
    done = first.desk.run("assess", first.config, *words, "--out", out, "--json")
    tallies = done.json["tasks"].values()
    assert done.code == 0
    assert sum(tally["cached"] for tally in tallies) == ALL
    assert [(tally["calls"], tally["cost"]) for tally in tallies] == [(0, 0.0)] * 3
    assert labels(first.run.parent / out) == labels(first.run)
    assert contents(first.run.parent / out, *MARKED) == contents(first.run, *MARKED)
    assert first.desk.server.hits == hits


def test_fresh_asks_everything_again(first: First) -> None:
    hits = first.desk.server.hits
    words = (*first.desk.model, "--out", "fresh", "--fresh", "--json")
    done = first.desk.run("assess", first.config, *words)
    assert done.code == 0
    assert first.desk.server.hits - hits == ALL
    assert sum(tally["cached"] for tally in done.json["tasks"].values()) == 0


def test_offline_with_an_empty_store_labels_nothing_and_lists_what_is_missing(
    first: First,
) -> None:
    hits = first.desk.server.hits
    words = (*first.desk.model, "--offline", "--cache", "empty", "--out", "offline")
    done = first.desk.run("assess", first.config, *words, "--json")
    run = first.run.parent / "offline"
    assert done.code == 3
    assert f"{sum(UNITS.values())} units have no stored reply" in done.err
    assert "\n  relevance|s1|" in done.err
    assert "and 152 more" in done.err
    assert done.json["complete"] is False
    assert labels(run) == {}
    assert (run / "qrels.txt").read_bytes() == b""
    found = read_assignments(run / "assignments.jsonl")
    assert {n.label for answer in found for n in answer.nuggets} == {None}
    asked = [r for r in done.json["scores"] if r["n_failed"]]
    assert {r["value"] for r in asked} == {None}
    assert first.desk.server.hits == hits
