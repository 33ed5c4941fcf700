"""The real topics, nuggets, reports and videos, judged through the scripted server or rendered."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judge.formats import read_answers, read_assignments, read_qrels, read_support, read_topics
from judge.formats.nuggets import read_nuggets
from judge.loading import Inputs, Pair, add_cited, add_nuggets, load_inputs
from judge.prompting.kinds import KINDS
from judge.prompting.renders import outside, unasked
from judge.templates import load_template, template_names
from judge.types import Answer, Call
from tests.faults.commands import Desk, Serve, desk, judgments
from tests.faults.obliging import oblige
from tests.judging import answer, citing, document, inputs_of
from tests.pictures import write_lines

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not there")

RAG25 = ("rag25/narratives.json", "rag25/nuggets.jsonl")


def rag25() -> Inputs:
    """The 22 topics that have nuggets, each with one answer that cites one document."""
    told: list[str] = []
    read = load_inputs(str(DATA / RAG25[0]), notice=told.append)
    read = add_nuggets(read, DATA / RAG25[1], told.append)
    topics = {topic_id: read.topics[topic_id] for topic_id in read.nuggets}
    text = document("d", "Some of it is in here.", title="A passage")
    answers = [
        answer("r", topic_id, citing("Here it is.", "d"), documents=(text,)) for topic_id in topics
    ]
    made = inputs_of([text], answers, read.nuggets, [Pair(t, "d") for t in topics])
    return Inputs(
        topics=topics,
        known=frozenset(topics),
        corpora=made.corpora,
        answers=answers,
        pairs=made.pairs,
        nuggets=made.nuggets,
    )


@pytest.mark.parametrize("name", template_names())
def test_every_prompt_renders_for_every_topic_of_rag25(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    inputs, template = rag25(), load_template(name)
    with inputs.corpora:
        task = KINDS[template.head.task].make(template, inputs)
        calls = [call for call in task.calls(task.units()) if isinstance(call, Call)]
    assert {unit.topic_id for call in calls for unit in call.units} == set(inputs.topics)
    assert len(inputs.topics) == 22
    assert [fault for call in calls for fault in unasked(template.head, call)] == []
    assert [fault for call in calls for fault in outside(call.prompt)] == []
    assert not caplog.records
    for call in calls:
        shown = "\n".join(message.content for message in call.prompt.messages)
        assert "None" not in shown.split()


# --- kiddie --------------------------------------------------------------------------------------


def marked(request: dict[str, Any], hit: int = 0) -> str:
    """Labels by parity of the length of the prompt, so that not all are alike."""
    said = oblige(request, hit)
    if said.startswith("answered"):
        return f"##final score: {len(str(request['messages'])) % 5}"
    return said


def test_kiddie_is_graded_and_its_nuggets_are_assigned(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(marked))
    topics = read_topics(DATA / "kiddie/topics.jsonl")
    nuggets = [{"text": f"fact {n}", "importance": "vital"} for n in range(12)]
    write_lines(
        at.home / "nuggets.jsonl",
        *({"qid": t.topic_id, "query": t.narrative, "nuggets": nuggets} for t in topics),
    )
    config = {"topics": str(DATA / "kiddie/topics.jsonl"), "answers": [str(DATA / "kiddie/runs")]}
    lines = [f"{name} = {json.dumps(value)}" for name, value in config.items()]
    lines.append('nuggets.file = "nuggets.jsonl"')
    (at.home / "kiddie.toml").write_text("\n".join(lines), encoding="utf-8")
    words = ("--only", "relevance", "--only", "assign", "--out", "run")
    done = at.run("assess", "kiddie.toml", *words, *at.model)
    assert done.code == 0, done.err
    grades = read_qrels(at.home / "run/qrels.txt")
    held = _pairs_of_kiddie()
    assert (len(grades), len({row.grade for row in grades})) == (held, 5)
    labelled = read_assignments(at.home / "run/assignments.jsonl")
    assert len(labelled) == 20
    assert {len(told.nuggets) for told in labelled} == {12}
    assert {nugget.label for told in labelled for nugget in told.nuggets} == {"full"}


def _pairs_of_kiddie() -> int:
    inputs = load_inputs(
        str(DATA / "kiddie/topics.jsonl"),
        answers=[str(DATA / "kiddie/runs")],
        notice=lambda text: None,
    )
    with inputs.corpora:
        return len(add_cited(inputs).pairs)


# --- neuclir -------------------------------------------------------------------------------------


def test_cited_documents_of_neuclir_reports_are_graded_where_there_is_a_text(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(marked))
    requests, reports = (DATA / "neuclir24" / n for n in ("requests.jsonl", "dev_reports.jsonl"))
    known = {topic.topic_id for topic in read_topics(requests)}
    cited = _cited([report for report in read_answers(reports) if report.topic_id in known])
    assert len(cited) == 12
    there = sorted({docid for _, docid in cited})[::2]
    texts = ({"docid": docid, "text": f"The report on {docid}."} for docid in there)
    write_lines(at.home / "corpus.jsonl", *texts)
    rows = "".join(f"{topic_id} 0 {docid} 0\n" for topic_id, docid in sorted(cited))
    (at.home / "pairs.txt").write_text(rows, encoding="utf-8")
    words = ("--topics", requests, "--corpus", "corpus.jsonl", "--pairs", "pairs.txt")
    done = at.run("relevance", *words, "--out", "run", *at.model)
    assert done.code == 3
    assert "name their documents with --corpus" in done.err
    grades = read_qrels(at.home / "run/qrels.txt")
    with_text = {pair for pair in cited if pair[1] in there}
    assert {(row.topic_id, row.docid) for row in grades} == with_text
    failures = Counter(line.get("failure") for line in judgments(at.home / "run"))
    assert failures == {None: len(with_text), "no_document": 12 - len(with_text)}


def _cited(answers: list[Answer]) -> set[tuple[str, str]]:
    return {
        (told.topic_id, citation.docid)
        for told in answers
        for sentence in told.sentences
        for citation in sentence.citations
        if citation.docid is not None
    }


# --- videos --------------------------------------------------------------------------------------

CLAIMS = DATA / "wikivideo/reference_claims.json"
PREDICTIONS = tuple(sorted(DATA.glob("wikivideo/answers.*.json")))


def videos(at: Desk, cited: set[str]) -> None:
    """A corpus of transcripts, made here as there are no videos; one is of frames alone."""
    silent = min(cited)
    records = [
        {
            "docid": docid,
            "transcript": [f"First words of {docid}.", "More of it."],
            "ocr": f"CAPTION {docid}",
            "images": [f"{docid}.jpg"],
        }
        for docid in sorted(cited - {silent})
    ]
    write_lines(at.home / "videos.jsonl", *records, {"docid": silent, "images": ["a.jpg"]})


def test_videos_are_judged_by_what_is_said_and_shown_in_them(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    answers = [told for path in PREDICTIONS for told in read_answers(path)]
    assert (len(PREDICTIONS), len(answers)) == (3, 30)
    pairs = _cited(answers)
    cited = {docid for _, docid in pairs}
    videos(at, cited)
    config = {
        "topics": str(CLAIMS),
        "answers": list(map(str, PREDICTIONS)),
        "corpus": ["videos.jsonl"],
        "nuggets.file": str(CLAIMS),
        "support.citations": "all",
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in config.items()]
    (at.home / "videos.toml").write_text("\n".join(lines), encoding="utf-8")
    words = ("--only", "relevance", "--only", "assign", "--only", "support")
    done = at.run("assess", "videos.toml", *words, "--out", "run", *at.model)
    assert done.code == 0, done.err
    silent = [line for line in judgments(at.home / "run") if line.get("docid") == min(cited)]
    assert {line["failure"] for line in silent} == {"no_document"}
    assert all("has no text, only 1 images" in line["reason"] for line in silent)
    grades = read_qrels(at.home / "run/qrels.txt")
    assert {(row.topic_id, row.docid) for row in grades} == {p for p in pairs if p[1] != min(cited)}
    labels = Counter(
        citation.status
        for told in read_support(at.home / "run/support.jsonl")
        for sentence in told.sentences
        for citation in sentence.citations
    )
    assert labels["failed"] == sum(line["task"] == "support" for line in silent)
    assert labels.keys() == {"ok", "failed"}
    claims = Counter(nugget.topic_id for nugget in read_nuggets(CLAIMS))
    labelled = read_assignments(at.home / "run/assignments.jsonl")
    assert {told.topic_id: len(told.nuggets) for told in labelled} == claims
    _check_what_was_shown(at, cited - {min(cited)})


def _check_what_was_shown(at: Desk, docids: set[str]) -> None:
    """Transcripts and captions stood in the prompts, as text."""
    prompts = [request["messages"][-1]["content"] for request in at.server.requests]
    assert all(isinstance(prompt, str) for prompt in prompts)
    shown = "\n".join(prompts)
    for docid in docids:
        text = f"Transcript:\nFirst words of {docid}.\nMore of it.\n\nText on screen:\nCAPTION"
        assert text in shown
