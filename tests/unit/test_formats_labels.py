"""Support labels and scores: forms, labels, round trips."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats import (
    read_nugget_scores,
    read_scores,
    read_support,
    write_nugget_scores,
    write_scores,
    write_support,
)
from judge.types import CitationLabel, Score, SupportedAnswer, SupportedSentence


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "labels.jsonl"


def save(file: Path, *records: dict[str, Any]) -> Path:
    file.write_text("\n".join(map(json.dumps, records)))
    return file


def support(*citations: dict[str, Any], topic: str = "topic_id") -> dict[str, Any]:
    sentence = {"sentenceID": "0", "text": "x", "citations": list(citations)}
    return {topic: "1", "run_id": "r", "sentences": [sentence]}


@pytest.mark.parametrize("topic", ["topic_id", "narrative_id"])
@pytest.mark.parametrize(
    ("code", "status", "label"),
    [
        ("2", "ok", "full"),
        ("1", "ok", "partial"),
        ("0", "ok", "none"),
        ("-1", "unjudged", None),
        (2, "ok", "full"),
        (0, "ok", "none"),
        (-1, "unjudged", None),
        (None, "failed", None),
    ],
)
def test_support(
    file: Path,
    topic: str,
    code: str | int | None,
    status: str,
    label: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    citation = {"citationID": "0", "reference": "a#1", "support": code}
    (answer,) = read_support(save(file, support(citation, topic=topic)))
    assert (answer.run_id, answer.topic_id) == ("r", "1")
    ((read,),) = (sentence.citations for sentence in answer.sentences)
    assert (read.mention, read.docid, read.status, read.label) == ("a#1", "a#1", status, label)
    assert not caplog.records


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            support({"reference": "a", "support": "3"}),
            r"field 'sentences\[0\].citations\[0\].support': .*expected 2 or 1 or 0 or -1, found",
        ),
        (support({"reference": "a", "support": True}), "found True"),
        (support({"reference": "a", "support": 1.0}), "found 1.0"),
        (support({"reference": "a"}), "support': missing; expected 2, 1, 0, -1 or null"),
        (support({"support": "2"}), "reference': missing; expected a docid or null"),
        (
            support({"reference": None, "support": "2", "mention": "9"}),
            "a label without a reference",
        ),
        (support({"reference": None, "support": None}), "mention': missing"),
        ({"run_id": "r", "sentences": []}, "field 'topic_id': missing"),
        ({"topic_id": "1", "sentences": []}, "field 'run_id': missing"),
        ({"topic_id": "1", "run_id": "r"}, "field 'sentences': missing"),
    ],
)
def test_support_errors(file: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f":1: .*{message}"):
        read_support(save(file, record))


def test_support_twice(file: Path) -> None:
    with pytest.raises(InputError, match=r":2: .*\('r', '1'\) stands twice, first at .*:1"):
        read_support(save(file, support(), support()))


def test_support_round_trip(file: Path) -> None:
    citations = (
        CitationLabel(mention="0", docid="a#1", status="ok", label="full"),
        CitationLabel(mention="b", docid="b", status="ok", label="partial"),
        CitationLabel(mention="c", docid="c", status="ok", label="none"),
        CitationLabel(mention="3", docid="d", status="failed"),
        CitationLabel(mention="e", docid="e", status="unjudged"),
        CitationLabel(mention="-1", docid=None, status="invalid"),
    )
    answers = [
        SupportedAnswer(
            run_id="r",
            topic_id="007",
            sentences=(SupportedSentence(text="x\u2028\ny", citations=citations),
                       SupportedSentence(text="")),
        ),
        SupportedAnswer(run_id="r", topic_id="2", sentences=()),
    ]  # fmt: skip
    write_support(file, answers)
    assert read_support(file) == answers
    written = json.loads(file.read_text(encoding="utf-8").split("\n")[0])
    assert [s["sentenceID"] for s in written["sentences"]] == [0, 1]
    assert written["sentences"][0]["citations"][1] == {
        "citationID": 1,
        "reference": "b",
        "support": "1",
    }
    assert [c["support"] for c in written["sentences"][0]["citations"]] == [
        *("2", "1", "0"),
        *(None, "-1", None),
    ]


def score(**fields: Any) -> Score:
    start: dict[str, Any] = {
        "run_id": "r",
        "topic_id": "1",
        "measure": "strict_vital_recall",
        "value": 1 / 3,
        "low": 0.25,
        "high": 0.5,
        "n_judged": 3,
        "n_failed": 1,
    }
    return Score(**{**start, **fields})


def test_scores_round_trip(file: Path) -> None:
    scores = [
        score(),
        score(value=None, low=None, high=None, reason="no vital nuggets"),
        score(topic_id="all", se=0.1, n_topics=30, n_missing=10, n_undefined=0),
    ]
    write_scores(file, scores)
    assert read_scores(file) == scores
    assert json.loads(file.read_text().split("\n")[1])["value"] is None


def test_nan_is_never_written(file: Path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_scores(file, [score(value=float("nan"))])
    assert not file.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [({"value": "x"}, "value"), ({"n_judged": None}, "n_judged"), ({"what": 1}, "what")],
)
def test_scores_errors(file: Path, change: dict[str, Any], field: str) -> None:
    save(file, score().model_dump(), {**score().model_dump(), **change})
    with pytest.raises(InputError, match=f":2: field '{field}': not a score"):
        read_scores(file)


def test_nugget_scores(file: Path) -> None:
    write_nugget_scores(
        file,
        [
            score(value=0.5),
            score(measure="all_recall", value=None),
            score(measure="weighted_recall"),
            score(measure="strict_all_recall", topic_id="all"),
            score(measure="vital_recall", value=0.75),
        ],
    )
    first, second = (json.loads(line) for line in file.read_text().splitlines())
    assert first == {
        "qid": "1",
        "run_id": "r",
        "strict_vital_score": 0.5,
        "all_score": None,
        "vital_score": 0.75,
    }
    assert second == {"qid": "all", "run_id": "r", "strict_all_score": 1 / 3}
    assert read_nugget_scores(file)["r", "1"] == {
        "strict_vital_recall": 0.5,
        "strict_all_recall": None,
        "vital_recall": 0.75,
        "all_recall": None,
    }


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"qid": "1", "run_id": "r", "all_score": "x"}], ":1: field 'all_score': wrong value"),
        ([{"qid": "1"}], ":1: field 'run_id': missing"),
        ([{"qid": "1", "run_id": "r"}] * 2, r":2: .*\('r', '1'\) stands twice"),
    ],
)
def test_nugget_scores_errors(file: Path, records: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_nugget_scores(save(file, *records))
