"""`relevance` with other templates: by parts, on the scale of 2024, and with one of the user's."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.formats.qrels import read_qrels
from judge.formats.subtopics import read_subtopic_qrels
from judge.runs import read_manifest
from tests.faults.commands import SAMPLE, Desk, Done, Serve, desk, judgments
from tests.faults.server import Script, prompt_of
from tests.judging import built_in

BUILT_IN = dict(built_in())


def relevance(at: Desk, *args: object) -> Done:
    words = ("--topics", SAMPLE / "narratives.json", "--corpus", SAMPLE / "corpus.jsonl")
    pairs = ("--pairs", SAMPLE / "qrels.reference.txt")
    return at.run("relevance", *words, *pairs, *at.model, *args)


def first_part(request: dict[str, Any], hit: int = 0) -> str:
    """Finds the first part answered in detail, the second mentioned, and some text beside it."""
    del hit
    asked = request["response_format"]["json_schema"]["schema"]["properties"]["parts"]["required"]
    found = {"1": "detailed", "2": "mentioned"}
    parts = {sub_id: found.get(sub_id, "absent") for sub_id in asked}
    return json.dumps({"parts": parts, "related": True, "extra": "some"})


def at_desk(tmp_path: Path, serve: Serve, script: Script) -> Desk:
    return desk(tmp_path, serve(script))


def test_by_parts_gives_grades_and_subtopics_that_retrieval_takes(
    tmp_path: Path, serve: Serve
) -> None:
    at = at_desk(tmp_path, serve, first_part)
    done = relevance(at, "--prompt", "itemised", "--out", "run")
    assert done.code == 0, done.err
    pairs = read_qrels(SAMPLE / "qrels.reference.txt")
    grades = read_qrels(at.home / "run/qrels.txt")
    assert {(row.topic_id, row.docid) for row in grades} == {r[:2] for r in pairs}
    assert {row.grade for row in grades} == {1}
    subtopics = read_subtopic_qrels(at.home / "run/subtopics.qrels")
    assert {(row.subtopic == "1", row.grade) for row in subtopics} == {(True, 1), (False, 0)}
    assert {(row.topic_id, row.docid) for row in subtopics} == {r[:2] for r in pairs}
    first = next(judgments(at.home / "run"))
    assert first["detail"]["parts"]["2"] == "mentioned"
    assert first["reason"] == "detailed: 1; mentioned: 2; some beside the point"
    files = ("--qrels", "run/subtopics.qrels", "--run", SAMPLE / "run.alder.txt")
    measured = at.run("retrieval", *files, "--measures", "alpha_nDCG@20 StRecall@20", "--json")
    assert measured.code == 0, measured.err
    assert {row["measure"] for row in measured.json} == {"alpha_nDCG@20", "StRecall@20"}
    assert all(row["value"] > 0 for row in measured.json if row["topic_id"] == "all")


def test_topics_without_parts_are_refused_before_any_call(tmp_path: Path, serve: Serve) -> None:
    at = at_desk(tmp_path, serve, first_part)
    topics = at.home / "topics.jsonl"
    topics.write_text('{"id": "s1", "title": "Heat pumps"}\n', encoding="utf-8")
    done = relevance(at, "--prompt", "itemised", "--out", "run", "--topics", topics)
    assert (done.code, at.server.hits) == (2, 0)
    assert "1 topics have none: 's1'" in done.err


def test_umbrela_tells_its_scale(tmp_path: Path, serve: Serve) -> None:
    at = at_desk(tmp_path, serve, lambda request, hit: "##final score: 3")
    done = relevance(at, "--prompt", "umbrela", "--out", "run")
    assert done.code == 0, done.err
    assert "qrels.txt: grades run from 0 to 3 (relevance/umbrela)" in done.err
    manifest = read_manifest(at.home / "run")
    assert manifest is not None
    assert manifest.stages["relevance"].choices["scale"] == "0 to 3"
    assert manifest.stages["relevance"].template == "relevance/umbrela"
    assert not (at.home / "run/subtopics.qrels").exists()


def test_a_grade_off_the_scale_of_umbrela_is_a_failure(tmp_path: Path, serve: Serve) -> None:
    at = at_desk(tmp_path, serve, lambda request, hit: "##final score: 4")
    done = relevance(at, "--prompt", "umbrela", "--out", "run", "--limit", 1)
    assert done.code == 3
    assert read_qrels(at.home / "run/qrels.txt") == []
    assert at.server.hits == 3


def test_the_form_of_a_template_of_the_users_is_that_of_its_head(
    tmp_path: Path, serve: Serve
) -> None:
    at = at_desk(tmp_path, serve, first_part)
    mine = at.home / "mine/relevance/ours.j2"
    mine.parent.mkdir(parents=True)
    text = BUILT_IN["relevance/itemised"].replace("relevance/itemised", "relevance/ours")
    mine.write_text(text.replace("careful", "patient"), encoding="utf-8")
    done = relevance(at, "--prompt", "ours", "--prompts", "mine", "--out", "run", "--limit", 1)
    assert done.code == 0, done.err
    assert "You are a patient relevance assessor." in prompt_of(at.server.requests[0])
    assert (at.home / "run/subtopics.qrels").is_file()


@pytest.mark.parametrize(
    ("prompt", "told"),
    [("support/trec2025", "is for support, not for relevance"), ("nothing", "no template")],
)
def test_a_template_that_does_not_grade_is_refused_before_any_call(
    tmp_path: Path, serve: Serve, prompt: str, told: str
) -> None:
    at = at_desk(tmp_path, serve, first_part)
    done = relevance(at, "--prompt", prompt, "--out", "run")
    assert (done.code, at.server.hits) == (2, 0)
    assert told in done.err


def test_the_same_in_a_configuration(tmp_path: Path, serve: Serve) -> None:
    at = at_desk(tmp_path, serve, first_part)
    config = at.config('relevance.prompt = "itemised"')
    done = at.run("assess", config, "--only", "relevance", "--out", "run", *at.model)
    assert done.code == 0, done.err
    assert read_subtopic_qrels(at.home / "run/subtopics.qrels")
