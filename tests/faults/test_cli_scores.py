"""`score --compare`, `correlate`, `measures`, and output that cannot be written."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import PROGRAM, SAMPLE, Desk, Done, Serve, desk, known

LABELS = ("--assignments", SAMPLE / "assignments.reference.jsonl")
BOTH = (*LABELS, "--support", SAMPLE / "support.reference.jsonl")
RECALL = ("--measures", "strict_vital_recall")


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(known))


def rows(done: Done) -> list[dict[str, Any]]:
    assert done.code == 0, done.err
    found = done.json
    assert isinstance(found, list)
    return found


# --- score ---------------------------------------------------------------------------------------


def test_every_mean_has_its_uncertainty(at: Desk) -> None:
    for row in rows(at.run("score", *BOTH, "--json")):
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
        assert row["se"] is not None
    assert "(1.00-1.00)" in at.run("score", *BOTH, "--intervals").out
    assert "±" in at.run("score", *BOTH).out


def test_two_runs_are_compared(at: Desk) -> None:
    (row,) = rows(at.run("score", *LABELS, *RECALL, "--compare", "birch", "alder", "--json"))
    assert (row["run_a"], row["run_b"], row["n_topics"]) == ("birch", "alder", 3)
    assert row["difference"] == pytest.approx(-0.589, abs=0.001)
    assert (row["p"], row["p_holm"], row["reason"]) == (0.25, 0.25, None)
    done = at.run("score", *LABELS, *RECALL, "--compare", "birch", "alder")
    assert "strict_vital_recall" in done.out
    assert "-0.625 to -0.571" in done.out
    assert "0.2500" in done.out


def test_every_run_with_a_baseline_and_every_pair(at: Desk) -> None:
    with_alder = rows(at.run("score", *BOTH, *RECALL, "--baseline", "alder", "--json"))
    assert [(r["run_a"], r["run_b"], r["p_holm"]) for r in with_alder] == [
        ("birch", "alder", 0.5),
        ("cedar", "alder", 0.5),
    ]
    every = rows(at.run("score", *BOTH, "--compare-all", "--json"))
    assert len(every) == 3 * 7
    assert {r["p_holm"] for r in every if r["measure"] == "strict_vital_recall"} == {0.75}


def test_the_labels_of_a_run_directory_are_compared_too(at: Desk) -> None:
    done = at.run("assess", at.config(), *at.model, "--out", "run")
    assert done.code == 0, done.err
    words = ("score", "run", *RECALL, "--compare", "alder", "cedar", "--json")
    (row,) = rows(at.run(*words))
    assert (row["difference"], row["low"], row["high"], row["n_failed"]) == (1.0, 1.0, 1.0, 0)


def test_failed_units_are_bounded_and_too_many_withhold(at: Desk) -> None:
    lines = (SAMPLE / "assignments.reference.jsonl").read_text(encoding="utf-8").splitlines()
    torn = [json.loads(line) for line in lines]
    for nugget in torn[0]["nuggets"]:
        nugget["assignment"] = None
    path = at.home / "torn.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in torn), encoding="utf-8")
    runs = sorted({line["run_id"] for line in torn}, key=lambda run: run != torn[0]["run_id"])
    words = ("score", "--assignments", path, *RECALL, "--compare", *runs[:2])
    (row,) = rows(at.run(*words, "--json"))
    assert row["difference"] is row["p"] is None
    assert row["low"] < row["high"]
    assert "judgments failed" in row["reason"]
    done = at.run(*words)
    assert done.code == 0
    assert f"{runs[0]} - {runs[1]}, strict_vital_recall: {runs[0]}: " in done.out
    (given,) = rows(at.run(*words, "--json", "--allow-incomplete"))
    assert (given["n_topics"], given["n_unlabelled"]) == (2, 1)
    shown = at.run(*words, "--allow-incomplete").out
    assert f"[{row['low']:+.2f}, {row['high']:+.2f}]" in shown
    assert "topics left out, without any label for one of the two: 1" in shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--compare", "alder", "oak"), "there is no run 'oak'; runs: alder, birch, cedar"),
        (("--baseline", "ceder"), "there is no run 'ceder' (did you mean cedar?)"),
        (("--compare", "alder", "alder"), "cannot be compared with itself"),
        (("--compare", "alder", "birch", "--compare-all"), "choose one"),
    ],
)
def test_comparisons_that_cannot_be(at: Desk, words: tuple[str, ...], told: str) -> None:
    done = at.run("score", *LABELS, *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.told


def test_an_empty_file_of_labels_is_told(at: Desk) -> None:
    (at.home / "empty.jsonl").touch()
    for flag in ("--assignments", "--support"):
        done = at.run("score", flag, "empty.jsonl")
        assert (done.code, done.out) == (2, "")
        assert done.told == "rag-judge: empty.jsonl: holds no labelled answer"


def test_units_that_a_limit_left_out_are_told_from_those_that_failed(at: Desk) -> None:
    words = (*at.support_words(), *at.model, "--out", "run", "--limit", "2")
    at.run("support", *words)
    done = at.run("score", "run", "--measures", "support_recall", "--json")
    (row,) = rows(done)
    assert (row["n_judged"], row["n_failed"], row["value"]) == (2, 3, None)
    assert row["reason"].endswith("judgments never asked for, counted as failed: 3")


# --- correlate -----------------------------------------------------------------------------------


@pytest.fixture
def boards(at: Desk) -> tuple[object, ...]:
    """Retrieval scores of the sample's runs, one measure, and their RAG scores."""
    rag = at.run("score", *LABELS, "--json", "--per-topic")
    (at.home / "rag.json").write_text(rag.out, encoding="utf-8")
    lines = [
        f"{run} nDCG@20 {topic} {value}\n"
        for run, values in {"alder": (8, 7, 9), "birch": (5, 6, 4), "cedar": (3, 1, 2)}.items()
        for topic, value in zip(("s1", "s2", "all"), values, strict=True)
    ]
    (at.home / "retrieval.txt").write_text("".join(lines), encoding="utf-8")
    return ("correlate", "--retrieval", "retrieval.txt", "--rag", "rag.json")


def test_correlations_in_the_terminal_and_as_json(at: Desk, boards: tuple[object, ...]) -> None:
    done = at.run(*boards, "--measures", "nDCG@20 all_recall")
    assert done.code == 0, done.err
    assert "nDCG@20 with" in done.out
    assert done.out.index("Pearson") < done.out.index("Spearman") < done.out.index("Kendall")
    found = at.run(*boards, "--json").json
    assert set(found) == {
        *("by", "correlations", "runs", "unmatched_retrieval", "unmatched_rag"),
        *("n_withheld_retrieval", "n_withheld_rag", "notes"),
    }
    first = found["correlations"][0]
    assert (first["retrieval"], first["rag"], first["n"]) == ("nDCG@20", "strict_vital_recall", 3)
    assert first["pearson"]["value"] == pytest.approx(0.9902, abs=0.0001)
    assert first["pearson"]["ci_low"] is None
    assert first["pearson"]["reason"].startswith("no interval")
    by_topic = at.run(*boards, "--json", "--by", "topic").json
    over = [c["over"] for c in by_topic["correlations"] if c["rag"] == "all_recall"]
    assert over == ["pooled", "topics", "topic", "topic"]
    assert at.run(*boards, "--by", "run").code == 2


def test_a_plot_is_written_where_it_is_asked_for(at: Desk, boards: tuple[object, ...]) -> None:
    done = at.run(*boards, "--plot", "plot.svg")
    assert done.code == 0, done.err
    assert (at.home / "plot.svg").read_bytes().startswith(b"<?xml")
    done = at.run(*boards, "--plot", "plot.gif")
    assert (done.code, done.out) == (2, "")
    assert "plot.gif: a plot is written as .png, .svg, .pdf" in done.told


def test_a_map_of_runs(at: Desk, boards: tuple[object, ...]) -> None:
    (at.home / "map.tsv").write_text("alder\tbirch\nbirch\talder\n", encoding="utf-8")
    turned = at.run(*boards, "--map", "map.tsv", "--measures", "nDCG@20 all_recall", "--json")
    straight = at.run(*boards, "--measures", "nDCG@20 all_recall", "--json")
    values = [d.json["correlations"][0]["pearson"]["value"] for d in (turned, straight)]
    assert values[0] < 0.6 < 0.9 < values[1]


# --- measures ------------------------------------------------------------------------------------


def test_measures_are_listed_from_the_code(at: Desk) -> None:
    listed = rows(at.run("measures", "--json"))
    by_name = {row["name"]: row for row in listed}
    assert set(by_name["support_recall"]) == {
        *("name", "kind", "range", "higher_is_better", "parameters", "summary", "doc"),
    }
    assert by_name["support_recall"]["parameters"][0]["choices"] == ["first", "all"]
    assert by_name["strict_vital_recall"]["summary"].startswith("#{V: full} / #V")
    assert by_name["citation_f1"]["kind"] == "citations"
    assert by_name["alpha_nDCG"]["parameters"][0]["range"] == [0.0, 1.0]
    shown = at.run("measures").out
    for name in by_name:
        assert name in shown


def test_one_measure_is_explained(at: Desk) -> None:
    done = at.run("measures", "sub_narrative_coverage(new=false)")
    assert done.out.splitlines()[0] == "sub_narrative_coverage(new=false)"
    assert "kind: nuggets; range: 0 to 1; higher is better" in done.out
    assert "denominator=mapped|official, by default mapped: the sub-narratives counted" in done.out
    assert "Undefined where no sub-narrative counted has a vital nugget." in done.out
    ranked = at.run("measures", "alpha_nDCG").out
    assert "kind: subtopics" in ranked
    assert "alpha=0..1, by default 0.5: " in ranked
    assert at.run("measures", "alpha_nDCG(alpha=0.25)@7").out.startswith("alpha_nDCG(alpha=0.25)@7")
    refused = at.run("measures", "strict_vital")
    assert (refused.code, refused.out) == (2, "")
    assert "there is no measure 'strict_vital'" in refused.told


# --- output that cannot be written ---------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [["--help"], ["score", *BOTH], ["score", *BOTH, "--json"], ["measures"]], ids=str
)
def test_a_full_disk_is_one_line_and_no_success(words: list[object]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [PROGRAM, *map(str, words)], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    told = done.stderr.decode().splitlines()
    assert told == ["rag-judge: results cannot be written: No space left on device"]


@pytest.mark.parametrize("words", [[], ["--json"]], ids=str)
def test_a_reader_that_has_gone_ends_the_command_without_a_word(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [str(PROGRAM), "score", *map(str, BOTH), *words]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
