"""Ids with blanks, which a qrels file cannot hold, do not end a run that was paid."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import judge
from judge.config import AssessConfig
from judge.formats.qrels import read_qrels
from tests.faults.obliging import oblige
from tests.faults.server import Script, ScriptedServer


def test_a_document_named_in_two_words_is_judged_to_the_end(
    serve: Callable[[Script], ScriptedServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server = serve(oblige)
    documents = {docid: {"id": docid, "text": f"About {docid}."} for docid in ("New York", "Rome")}
    report = {
        "metadata": {"team_id": "t", "run_id": "r", "topic_id": "1"},
        "responses": [{"text": "It is large.", "citations": ["New York", "Rome"]}],
        "documents": documents,
    }
    (tmp_path / "answers.jsonl").write_text(json.dumps(report))
    (tmp_path / "topics.jsonl").write_text(json.dumps({"id": "1", "title": "Which city?"}))
    config = AssessConfig(root=tmp_path, topics="topics.jsonl", answers=("answers.jsonl",))
    result = judge.assess(
        config,
        out=tmp_path / "run",
        model="openai/judge",
        base_url=server.url,
        cache=tmp_path / "cache",
    )
    assert result.complaint is None
    assert [tally.n_failed for tally in result.tallies.values()] == [0] * len(result.tallies)
    assert {score.value for score in result.scores} == {1.0}
    assert [row.docid for row in read_qrels(tmp_path / "run" / "qrels.txt")] == ["Rome"]
    judged = (tmp_path / "run" / "judgments.jsonl").read_text()
    assert '"docid":"New York"' in judged
