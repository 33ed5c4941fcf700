"""`retrieval` on the command line, and what it hands on to `correlate`."""

import os
from pathlib import Path
from threading import Thread

import pytest

from judge.formats.scores import read_scores
from tests.faults.commands import SAMPLE, Desk, Serve, desk, known

QRELS = ("retrieval", "--qrels", SAMPLE / "qrels.reference.txt")
RUNS = ("--run", SAMPLE / "run.*.txt")


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(known))


def test_means_as_json_and_each_topic_too(at: Desk) -> None:
    done = at.run(*QRELS, *RUNS, "--measures", "nDCG@20 RR", "--json")
    assert (done.code, done.err) == (0, "")
    means = done.json
    assert {(row["run_id"], row["measure"], row["topic_id"]) for row in means} == {
        (run, measure, "all")
        for run in ("alder", "birch", "cedar")
        for measure in ("nDCG@20", "RR")
    }
    assert all(0 < row["value"] <= 1 for row in means)
    rows = at.run(*QRELS, *RUNS, "--measures", "nDCG@20 RR", "--json", "--per-topic").json
    assert len(rows) == len(means) * 4
    assert [row for row in rows if row["topic_id"] == "all"] == means


def test_the_table_for_people(at: Desk) -> None:
    done = at.run(*QRELS, "--run", SAMPLE / "run.alder.txt", "--run", SAMPLE / "run.cedar.txt")
    assert done.code == 0, done.err
    assert [name for name in ("alder", "birch", "cedar") if name in done.out] == ["alder", "cedar"]
    assert "judged@20" in done.out
    assert "mean over topics ± standard error" in done.out
    assert "95% bootstrap interval" in at.run(*QRELS, *RUNS, "--intervals").out


def test_out_holds_all_rows_and_correlate_reads_it(at: Desk) -> None:
    done = at.run(*QRELS, *RUNS, "--measures", "nDCG@20", "--out", "retrieval.jsonl")
    assert done.code == 0, done.err
    assert len(read_scores(at.home / "retrieval.jsonl")) == 3 * 4
    labels = ("--assignments", SAMPLE / "assignments.reference.jsonl")
    rag = at.run("score", *labels, "--measures", "strict_vital_recall", "--json")
    (at.home / "rag.json").write_text(rag.out, encoding="utf-8")
    found = at.run("correlate", "--retrieval", "retrieval.jsonl", "--rag", "rag.json", "--json")
    assert found.code == 0, found.err
    (row,) = found.json["correlations"]
    assert (row["retrieval"], row["rag"], row["n"]) == ("nDCG@20", "strict_vital_recall", 3)


def test_subtopics_have_to_be_there_or_be_said(at: Desk) -> None:
    done = at.run(*QRELS, *RUNS, "--measures", "alpha_nDCG@20")
    assert done.code == 2
    assert "they have no subtopics, which a measure needs" in done.told
    assert at.run(*QRELS, *RUNS, "--measures", "alpha_nDCG@20", "--subtopics").code == 0


def test_qrels_that_can_be_read_only_once_are(at: Desk) -> None:
    pipe = at.home / "pipe"
    os.mkfifo(pipe)
    qrels = (SAMPLE / "qrels.reference.txt").read_bytes()
    Thread(target=pipe.write_bytes, args=[qrels], daemon=True).start()
    done = at.run("retrieval", "--qrels", pipe, *RUNS, "--measures", "RR", "--json")
    assert done.code == 0, done.err
    assert done.json == at.run(*QRELS, *RUNS, "--measures", "RR", "--json").json


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--measures", "strict_vital_recall"), "no measure 'strict_vital_recall' of rankings"),
        (("--measures", "nDCG@x"), "'nDCG@x' is not a measure"),
        (("--topics", "none.tsv"), "none.tsv: no such file"),
        (("--run", SAMPLE / "narratives.json"), "expected 6 columns (topic Q0 docid rank score"),
        (("--out", "no/such/folder.jsonl"), "no/such/folder.jsonl: cannot be written"),
    ],
)
def test_wrong_use_is_one_line(at: Desk, more: tuple[object, ...], said: str) -> None:
    done = at.run(*QRELS, *RUNS, *more)
    assert (done.code, done.out) == (2, "")
    assert said in done.told
    assert done.err.count("\n") == 1
