"""Each judging verb on files of one's own: odd ids, created nuggets, limits, every citation."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge.formats.assignments import read_assignments
from judge.formats.nuggets import read_nuggets
from judge.formats.qrels import read_qrels
from judge.formats.support import read_support
from judge.runs import read_manifest
from tests.faults.commands import Desk, Serve, desk, judgments, labels
from tests.faults.obliging import oblige

DOCIDS = ("msmarco_v2.1_doc_29_677149#3_1637632", "a/b:c#d", "%7C|x", "..", "ünï<mark>")
ODD_RUN = "team/run:1|x"


def write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def odd_world(at: Desk) -> None:
    """Two topics, documents and a run whose ids hold what file systems and formats care about."""
    topics = [{"id": f"t/{n}:#", "title": f"Bees {n}", "narrative": f"Bees {n}?"} for n in (1, 2)]
    write(at.home / "topics.jsonl", topics)
    documents = [{"docid": d, "text": f"Bees of {n} cluster."} for n, d in enumerate(DOCIDS)]
    write(at.home / "corpus.jsonl", documents)
    write(
        at.home / "answers.jsonl",
        [
            {
                "metadata": {
                    "team_id": "team",
                    "run_id": ODD_RUN,
                    "type": "automatic",
                    "narrative_id": topic["id"],
                    "narrative": topic["narrative"],
                },
                "references": list(DOCIDS),
                "answer": [
                    {"text": "Bees cluster.", "citations": [0, 1]},
                    {"text": "They eat honey.", "citations": [2, 3, 4]},
                    {"text": "I do not know.", "citations": []},
                ],
            }
            for topic in topics
        ],
    )
    rows = [f"{t['id']} 0 {docid} 1\n" for t in topics for docid in DOCIDS]
    (at.home / "pairs.txt").write_text("".join(rows), encoding="utf-8")


def test_ids_of_any_kind_go_through_every_stage_and_come_back_as_they_are(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(oblige))
    odd_world(at)
    (at.home / "odd.toml").write_text(
        'topics = "topics.jsonl"\nanswers = ["answers.jsonl"]\ncorpus = ["corpus.jsonl"]\n'
        '[relevance]\npairs = "pairs.txt"\n[support]\ncitations = "all"\n',
        encoding="utf-8",
    )
    flags = ("--model", "openai/org/qwen3:8b", "--base-url", at.server.url)
    done = at.run("assess", "odd.toml", *flags, "--json")
    run = at.home / "runs" / "odd"
    assert done.code == 0, done.err
    assert done.json["run"] == "runs/odd"
    assert done.json["skipped"] == {}
    # documents of equal text share a prompt, so that not every unit is a hit
    tasks = {name: tally["units"] for name, tally in done.json["tasks"].items()}
    assert tasks["relevance"] == 2 * len(DOCIDS)
    assert tasks["support"] == 2 * 5
    assert {row.docid for row in read_qrels(run / "qrels.txt")} == set(DOCIDS)
    (nugget, _) = read_nuggets(run / "nuggets.jsonl")
    assert nugget.docids == DOCIDS[:1]
    assigned = read_assignments(run / "assignments.jsonl")
    assert [(a.run_id, a.topic_id) for a in assigned] == [
        (ODD_RUN, "t/1:#"),
        (ODD_RUN, "t/2:#"),
    ]
    cited = [
        c for a in read_support(run / "support.jsonl") for s in a.sentences for c in s.citations
    ]
    assert [c.docid for c in cited] == [*DOCIDS, *DOCIDS]
    assert {c.status for c in cited} == {"ok"}
    manifest = read_manifest(run)
    assert manifest is not None
    assert manifest.model == "org/qwen3:8b"
    assert {path.name for path in at.home.iterdir() if path.is_dir()} == {"cache", "runs"}

    hits, before = at.server.hits, labels(run)
    assert at.run("assess", "odd.toml", *flags).code == 0
    assert (at.server.hits, labels(run)) == (hits, before)


def test_verbs_one_by_one_give_what_assess_gives(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    odd_world(at)
    common = (*at.model, "--out", "run", "--topics", "topics.jsonl")
    corpus, answers = ("--corpus", "corpus.jsonl"), ("--answers", "answers.jsonl")
    graded = at.run("relevance", *common, *corpus, "--pairs", "pairs.txt")
    created = at.run("nuggets", "create", *common, *corpus, "--qrels", "run/qrels.txt")
    made = ("--nuggets", "run/nuggets.jsonl")
    assigned = at.run("nuggets", "assign", *common, *answers, *made)
    supported = at.run("support", *common, *answers, *corpus, "--citations", "2")
    for done in (graded, created, assigned, supported):
        assert (done.code, done.out) == (0, "run directory: run\n"), done.err
    scored = at.run("score", "run", "--json")
    means = {row["measure"]: row["value"] for row in scored.json}
    assert means["strict_vital_recall"] == 1.0
    assert means["support_recall"] == 2 / 3
    found = [line["label"] for line in judgments(at.home / "run") if line["task"] == "support"]
    assert found == ["full"] * 2 * 4


def test_a_limit_leaves_the_rest_for_later(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    first = at.support("--out", "run", "--limit", 2, "--json")
    assert first.code == 0
    assert first.json["tasks"]["support"]["left"] == 3
    assert at.server.hits == len(labels(at.home / "run")) == 2
    assert at.support("--out", "run").code == 0
    assert at.server.hits == len(labels(at.home / "run")) == 5


def test_a_document_that_no_corpus_has_fails_without_a_call(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    odd_world(at)
    lines = (at.home / "corpus.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (at.home / "corpus.jsonl").write_text("".join(lines[1:]), encoding="utf-8")
    words = ("--topics", "topics.jsonl", "--answers", "answers.jsonl", "--corpus", "corpus.jsonl")
    done = at.run("support", *words, *at.model, "--out", "run", "--json")
    assert done.code == 3
    assert done.json["tasks"]["support"]["failed"] == {"no_document": 2}
    assert "2 of 4 support judgments failed" in done.told
    assert len(labels(at.home / "run")) == 2
