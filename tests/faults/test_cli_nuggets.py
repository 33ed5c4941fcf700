"""Nuggets in documents, coverage, citations together, and edits of people: the commands, whole."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.formats.grounded import read_grounded
from judge.formats.nuggets import read_nuggets
from judge.formats.subtopics import read_subtopic_qrels
from judge.formats.weighed import read_weighed
from tests.faults.commands import SAMPLE, Desk, Serve, desk
from tests.faults.obliging import oblige
from tests.faults.server import prompt_of

TOPICS = ("--topics", SAMPLE / "narratives.json")
CORPUS = ("--corpus", SAMPLE / "corpus.jsonl")
NUGGETS = ("--nuggets", SAMPLE / "nuggets.jsonl")
ANSWERS = ("--answers", SAMPLE / "answers.alder.jsonl")
POOL = ("--pool", SAMPLE / "run.alder.txt", "--depth", "2")


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(oblige))


def notices(err: str) -> str:
    return " ".join(err.split())


def locate(at: Desk, *words: object, out: str = "run") -> str:
    done = at.run("nuggets", "locate", *TOPICS, *CORPUS, *words, *at.model, "--out", out)
    assert done.code == 0, done.err
    return notices(done.err)


def assign(at: Desk) -> None:
    words = (*TOPICS, *NUGGETS, *ANSWERS, *at.model, "--out", "run")
    done = at.run("nuggets", "assign", *words)
    assert done.code == 0, done.err


# --- locate --------------------------------------------------------------------------------------


def test_what_locate_writes_retrieval_reads(at: Desk) -> None:
    locate(at, *NUGGETS, *POOL)
    rows = read_subtopic_qrels(at.home / "run" / "subtopics.qrels")
    key = read_nuggets(SAMPLE / "nuggets.jsonl")
    assert {(r.topic_id, r.subtopic) for r in rows} == {(n.topic_id, n.nugget_id) for n in key}
    assert len(rows) == 2 * len(key)
    assert {row.grade for row in rows} == {1}
    words = ("--qrels", "run/subtopics.qrels", "--run", SAMPLE / "run.alder.txt", "--json")
    scored = at.run("retrieval", *words, "--measures", "alpha_nDCG@2 StRecall@2")
    assert scored.code == 0, scored.err
    assert {row["value"] for row in scored.json} == {1.0}


def test_a_plan_counts_every_call_of_locate(at: Desk) -> None:
    words = (*TOPICS, *CORPUS, *NUGGETS, *POOL, *at.model)
    planned = at.run("plan", "nuggets", "locate", *words, "--json").json["tasks"][0]
    assert at.server.hits == 0
    locate(at, *NUGGETS, *POOL)
    assert planned["calls_to_pay"] == at.server.hits
    assert planned["units"] == 2 * len(read_nuggets(SAMPLE / "nuggets.jsonl"))


@pytest.mark.parametrize(("partial", "grade"), [((), 0), (("--partial",), 1)])
def test_what_is_held_in_part_counts_where_it_is_wanted(
    tmp_path: Path, serve: Serve, partial: tuple[str, ...], grade: int
) -> None:
    def script(request: dict[str, Any], hit: int) -> str:
        return oblige(request, hit).replace("full", "partial")

    at = desk(tmp_path, serve(script))
    locate(at, *NUGGETS, *POOL, *partial)
    rows = read_subtopic_qrels(at.home / "run" / "subtopics.qrels")
    assert {row.grade for row in rows} == {grade}
    stage = json.loads((at.home / "run" / "manifest.json").read_bytes())["stages"]["locate"]
    assert stage["choices"].get("partial", "not noted") == (True if partial else "not noted")


def test_ids_with_blanks_are_told(at: Desk) -> None:
    topics = [{"id": "one", "title": "Bees"}]
    nuggets = [{"qid": "one", "nuggets": [{"text": "a", "id": "n 1"}, {"text": "b"}]}]
    documents = [{"docid": "d1", "text": "Bees."}]
    for name, rows in (("t", topics), ("n", nuggets), ("c", documents)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (at.home / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (at.home / "run.txt").write_text("one Q0 d1 1 1.0 x\n", encoding="utf-8")
    words = ("--topics", "t.jsonl", "--nuggets", "n.jsonl", "--corpus", "c.jsonl")
    done = at.run("nuggets", "locate", *words, "--pool", "run.txt", *at.model, "--out", "run")
    assert done.code == 0, done.err
    assert "subtopics.qrels: 1 grades have ids with blanks" in notices(done.err)
    assert len(read_subtopic_qrels(at.home / "run" / "subtopics.qrels")) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no documents to ask: give --pool RUNFILE or --answers FILE"),
        ((*POOL, "--needed"), "what coverage needs hangs on answers"),
        ((*ANSWERS, "--needed"), "run `nuggets assign` first"),
    ],
)
def test_what_cannot_be_located(at: Desk, words: tuple[object, ...], told: str) -> None:
    given = (*TOPICS, *CORPUS, *NUGGETS, *words, *at.model, "--out", "run")
    done = at.run("nuggets", "locate", *given)
    assert done.code == 2
    assert told in notices(done.err)
    assert at.server.hits == 0


# --- coverage ------------------------------------------------------------------------------------


def test_coverage_follows_from_assign_and_locate(at: Desk) -> None:
    assign(at)
    told = locate(at, *NUGGETS, *ANSWERS)
    assert "of them grounded" in told
    hits = at.server.hits
    written = (at.home / "run" / "coverage.jsonl").read_bytes()
    grounded = read_grounded(at.home / "run" / "coverage.jsonl")
    assert {n.grounded for answer in grounded for n in answer.nuggets} == {True}
    done = at.run("nuggets", "coverage", "run", "--json")
    assert done.code == 0, done.err
    assert done.json["alder"]["held"] == done.json["alder"]["grounded"] == 32
    assert (at.home / "run" / "coverage.jsonl").read_bytes() == written
    assert at.server.hits == hits
    scored = at.run("score", "run", "--measures", "nugget_coverage info_recall", "--json")
    assert scored.code == 0, scored.err
    assert {row["measure"]: row["value"] for row in scored.json} == {
        "nugget_coverage": 1.0,
        "info_recall": 1.0,
    }


def test_coverage_of_other_labels_is_not_scored(at: Desk) -> None:
    assign(at)
    locate(at, *NUGGETS, *ANSWERS)
    path = at.home / "run" / "assignments.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"support"', '"not_support"', 1), encoding="utf-8")
    scored = at.run("score", "run", "--json")
    assert scored.code == 0, scored.err
    assert "its labels are not those of assignments.jsonl" in notices(scored.err)
    assert "nugget_coverage" not in {row["measure"] for row in scored.json}


def test_only_what_is_needed_is_asked(at: Desk) -> None:
    assign(at)
    hits = at.server.hits
    words = (*TOPICS, *CORPUS, *NUGGETS, *ANSWERS, "--needed", *at.model, "--out", "run")
    (planned, *_) = at.run("plan", "nuggets", "locate", *words, "--json").json["tasks"]
    locate(at, *NUGGETS, *ANSWERS, "--needed")
    needed = at.server.hits - hits
    assert planned["calls_to_pay"] == needed
    assert not (at.home / "run" / "subtopics.qrels").exists()
    grounded = read_grounded(at.home / "run" / "coverage.jsonl")
    assert {n.grounded for answer in grounded for n in answer.nuggets} == {True}
    locate(at, *NUGGETS, *ANSWERS, out="other")
    assert at.server.hits - hits - needed > needed


def test_gold_lists_need_no_judge(at: Desk) -> None:
    answers = (SAMPLE / "answers.alder.jsonl").read_text(encoding="utf-8")
    docid = json.loads(answers.splitlines()[0])["references"][0]
    text = (SAMPLE / "nuggets.jsonl").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        for nugget in row["nuggets"]:
            nugget |= {"docids": [docid], "source": "assessor"}
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (at.home / "gold.jsonl").write_text(text, encoding="utf-8")
    given = (*TOPICS, "--nuggets", "gold.jsonl", *ANSWERS, *at.model, "--out", "run")
    assert at.run("nuggets", "assign", *given).code == 0
    hits = at.server.hits
    done = at.run("nuggets", "coverage", "run", "--gold", "--json")
    assert done.code == 0, done.err
    counts = done.json["alder"]
    assert counts["grounded"] + counts["reasons"]["cited document does not hold it"] == 32
    assert counts["grounded"] > 0
    assert at.run("nuggets", "locate", *given, "--gold").code == 0
    assert at.server.hits == hits
    rows_of = read_subtopic_qrels(at.home / "run" / "subtopics.qrels")
    assert {row.docid for row in rows_of if row.grade} == {docid}


def test_coverage_needs_labels(at: Desk) -> None:
    locate(at, *NUGGETS, *ANSWERS)
    done = at.run("nuggets", "coverage", "run")
    assert (done.code, "run `nuggets assign` on it" in notices(done.err)) == (2, True)


def test_assess_locates_where_a_table_asks_for_it(at: Desk) -> None:
    config = at.config("[locate]\n")
    planned = at.run("plan", "assess", config, *at.model, "--json").json["tasks"]
    done = at.run("assess", config, *at.model, "--out", "run", "--json")
    assert done.code == 0, done.err
    assert set(done.json["skipped"]) == {"nuggets"}
    asked = {row["task"]: row["calls_to_pay"] for row in planned}
    assert asked["all"] == at.server.hits
    assert done.json["tasks"]["locate"]["calls"] == asked["locate"]
    assert (at.home / "run" / "coverage.jsonl").is_file()
    assert (at.home / "run" / "subtopics.qrels").is_file()


def test_sub_narratives_and_nuggets_do_not_share_a_file(at: Desk) -> None:
    prompt = ("--prompt", "itemised", "--pool", SAMPLE / "run.alder.txt", "--depth", "1")
    graded = (*TOPICS, *CORPUS, *prompt, *at.model, "--out", "run")
    assert at.run("relevance", *graded).code == 0
    before = (at.home / "run" / "subtopics.qrels").read_bytes()
    told = locate(at, *NUGGETS, *POOL)
    assert "the nuggets stand in subtopics.nuggets.qrels" in told
    assert (at.home / "run" / "subtopics.qrels").read_bytes() == before
    locate(at, *NUGGETS, *POOL, out="other")
    nuggets = (at.home / "other" / "subtopics.qrels").read_bytes()
    other = (*graded[:-1], "other")
    assert at.run("relevance", *other).code == 0
    assert (at.home / "other" / "subtopics.nuggets.qrels").read_bytes() == nuggets
    assert (at.home / "other" / "subtopics.qrels").read_bytes() == before


# --- citations together --------------------------------------------------------------------------


def test_citations_are_weighed_as_alce_does(tmp_path: Path, serve: Serve) -> None:
    """Of two passages in one, the first alone supports: the second is beside the point."""

    def script(request: dict[str, Any], hit: int) -> str:
        return "label: full" if "First" in prompt_of(request) else "label: none"

    at = desk(tmp_path, serve(script))
    files: dict[str, list[dict[str, Any]]] = {
        "t": [{"id": "1", "title": "Bees"}],
        "c": [{"docid": "d1", "text": "First."}, {"docid": "d2", "text": "Second."}],
        "a": [
            {
                "run_id": "r",
                "topic_id": "1",
                "references": ["d1", "d2"],
                "answer": [
                    {"text": "Both.", "citations": [0, 1]},
                    {"text": "One.", "citations": [1]},
                    {"text": "None.", "citations": []},
                ],
            }
        ],
    }
    for name, rows in files.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (at.home / f"{name}.jsonl").write_text(text, encoding="utf-8")
    words = ("--topics", "t.jsonl", "--answers", "a.jsonl", "--corpus", "c.jsonl", *at.model)
    done = at.run("support", *words, "--mode", "both", "--citations", "all", "--out", "run")
    assert done.code == 0, done.err
    (answer,) = read_weighed(at.home / "run" / "citations.jsonl")
    both, one, none = answer.sentences
    assert (both.together, one.together, none.together) == ("full", "none", None)
    assert [(c.alone, c.without) for c in both.citations] == [("full", None), ("none", "full")]
    # one document is asked about as the support task asks, so that the reply is there already
    assert at.server.hits == 3 + 1
    assert (at.home / "run" / "support.jsonl").is_file()
    scored = at.run("score", "run", "--json")
    assert scored.code == 0, scored.err
    values = {row["measure"]: row["value"] for row in scored.json}
    assert values["citation_recall"] == pytest.approx(1 / 3)
    assert values["citation_precision"] == pytest.approx(1 / 3)
    assert values["support_recall"] == pytest.approx(1 / 3)


def test_another_mode_is_refused(at: Desk) -> None:
    done = at.support("--out", "run", "--mode", "alce")
    assert (done.code, "--mode is each, concatenated, both" in done.err) == (2, True)


# --- edits of people -----------------------------------------------------------------------------


def created(at: Desk) -> Path:
    words = ("--qrels", SAMPLE / "qrels.reference.txt", "--min-grade", "1")
    done = at.run("nuggets", "create", *TOPICS, *CORPUS, *words, *at.model, "--out", "run")
    assert done.code == 0, done.err
    return at.home / "run" / "nuggets.jsonl"


def test_nuggets_go_out_to_people_and_come_back(at: Desk) -> None:
    path = created(at)
    assert at.run("nuggets", "sheet", "run", "--out", "edit.tsv").code == 0
    lines = (at.home / "edit.tsv").read_text(encoding="utf-8").splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("topic_id\t"))
    rows = [i for i, line in enumerate(lines) if i > head and not line.startswith("# ")]
    first, second = rows[:2]
    topic = lines[first].split("\t")[0]
    lines[first] = lines[first].replace("New: a fact", "the bees keep warm")
    lines[second] = ""
    lines.append(f"{topic}\t\tokay\tNew: food\tthe bees eat honey\t")
    (at.home / "edit.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = at.run("nuggets", "revise", "run", "--sheet", "edit.tsv", "--json")
    assert done.code == 0, done.err
    assert done.json["counts"] == {"added": 2, "removed": 2, "changed": 0}
    edited = path.read_bytes()
    again = (*TOPICS, *CORPUS, "--qrels", SAMPLE / "qrels.reference.txt", *at.model)
    done = at.run("nuggets", "create", *again, "--out", "run")
    assert done.code == 0, done.err
    assert "nuggets.jsonl was edited and stays as it is" in notices(done.err)
    assert path.read_bytes() == edited
    sources = [nugget.source for nugget in read_nuggets(path)]
    assert sources.count("post-edit") == 2
    told = at.run("nuggets", "diff", "run/nuggets.created.jsonl", "run")
    assert "+ the bees eat honey (okay, New: food)" in told.out
    assert "2 added, 2 removed, 0 changed" in told.out


def test_assess_judges_by_edited_nuggets(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    text = at.config().read_text(encoding="utf-8")
    kept = [line for line in text.splitlines() if not line.startswith("nuggets.file")]
    (at.home / "c.toml").write_text("\n".join(kept), encoding="utf-8")
    assert at.run("assess", "c.toml", *at.model, "--out", "run").code == 0
    path = at.home / "run" / "nuggets.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("New: a fact", "bees keep warm", 1), encoding="utf-8")
    edited, hits = path.read_bytes(), at.server.hits
    done = at.run("assess", "c.toml", *at.model, "--out", "run")
    assert done.code == 0, done.err
    assert path.read_bytes() == edited
    asked = [prompt_of(request) for request in at.server.requests[hits:]]
    assert len(asked) == 3  # the changed nugget, for each of the three systems
    assert all("bees keep warm" in prompt for prompt in asked)
    only = at.run("assess", "c.toml", *at.model, "--out", "run", "--only", "assign")
    assert (only.code, at.server.hits) == (0, hits + 3)


def test_a_copy_of_given_nuggets_that_was_edited_is_not_overwritten(at: Desk) -> None:
    assign(at)
    path = at.home / "run" / "nuggets.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("vital", "okay", 1), encoding="utf-8")
    edited = path.read_bytes()
    words = (*TOPICS, *NUGGETS, *ANSWERS, *at.model, "--out", "run")
    done = at.run("nuggets", "assign", *words)
    assert done.code == 2
    assert "is not overwritten: name it as the nuggets file, or remove it" in notices(done.err)
    assert path.read_bytes() == edited


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("s1\tn_unknown\tvital\t\ttext\t", "field 'nugget_id': wrong value"),
        ("s9\t\tvital\t\ttext\t", "unknown topic"),
        ("s1\t\tmust\t\ttext\t", "field 'importance': wrong value"),
        ("s1\t\tvital\t77\ttext\t", "field 'sub_narrative': wrong value"),
        ("s1\t\tvital\t\t\t", "field 'text': empty"),
        ('s1\t\tvital\t\t"text\t', "not a table"),
    ],
)
def test_a_wrong_row_names_its_line(at: Desk, row: str, told: str) -> None:
    path = created(at)
    before = path.read_bytes()
    text = "topic_id\tnugget_id\timportance\tsub_narrative\ttext\tnear\n# a comment\n" + row + "\n"
    (at.home / "edit.tsv").write_text(text, encoding="utf-8")
    done = at.run("nuggets", "revise", "run", "--sheet", "edit.tsv")
    assert done.code == 2
    assert "edit.tsv:3" in done.err
    assert told in notices(done.err)
    assert path.read_bytes() == before
