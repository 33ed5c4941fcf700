"""Answers: every form, and the rules of citations."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats import read_all_answers, read_answers
from judge.types import Answer, Document

A = "msmarco_v2.1_doc_29_677149#3_1637632"
B = "007"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


def read(file: Path, *records: dict[str, Any]) -> list[Answer]:
    file.write_text("\n".join(map(json.dumps, records)))
    return read_answers(file)


def report(citations: object, **rest: object) -> dict[str, Any]:
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "1"}
    return {"metadata": metadata, "responses": [{"text": "x", "citations": citations}], **rest}


def cited(file: Path, citations: object, **rest: object) -> list[tuple[str, str | None]]:
    (answer,) = read(file, report(citations, **rest))
    return [(c.mention, c.docid) for c in answer.sentences[0].citations]


FORMS: list[dict[str, Any]] = [
    {
        "run_id": "r",
        "topic_id": "1",
        "topic": "a question",
        "references": [A, B],
        "response_length": 3,
        "answer": [{"text": "x", "citations": [1]}, {"text": "", "citations": []}],
    },
    {
        "metadata": {
            "team_id": "t",
            "run_id": "r",
            "type": "automatic",
            "narrative_id": 1,
            "narrative": "a question",
            "prompt": "p",
        },
        "references": [A, B],
        "answer": [{"text": "x", "citations": [B]}, {"text": ""}],
    },
    {
        "metadata": {"team_id": "t", "run_id": "r", "topic_id": "1"},
        "responses": [{"text": "x", "citations": {B: 0.5}}, {"text": "", "citations": {}}],
        "references": [A, B],
    },
    {
        "metadata": {"team_id": "t", "run_id": "r", "topic_id": "1"},
        "answer": [{"text": "x", "citations": [B]}, {"text": "", "citations": None}],
        "references": [A, B],
    },
]


@pytest.mark.parametrize("record", FORMS)
def test_forms_with_references(
    file: Path, record: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    (answer,) = read(file, record)
    assert (answer.run_id, answer.topic_id, answer.references) == ("r", "1", (A, B))
    assert [s.text for s in answer.sentences] == ["x", ""]
    assert [[c.docid for c in s.citations] for s in answer.sentences] == [[B], []]
    assert not caplog.records


def test_neuclir_report(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    sentences = [{"text": "x", "citations": [A, B]}]
    (answer,) = read(
        file, {"request_id": "3", "run_id": "r", "collection_ids": ["c"], "sentences": sentences}
    )
    assert (answer.run_id, answer.topic_id, answer.references) == ("r", "3", ())
    assert [c.docid for c in answer.sentences[0].citations] == [A, B]
    assert not caplog.records


def test_inline_documents(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    documents = {
        A: {"id": A, "text": "the text", "title": "T", "url": "u"},
        B: {"text": "other", "title": None},
    }
    (answer,) = read(file, report([B], documents=documents))
    assert answer.documents == (
        Document(docid=A, text="the text", title="T", url="u"),
        Document(docid=B, text="other"),
    )
    assert answer.references == (A, B)
    assert not caplog.records


@pytest.mark.parametrize(
    ("citations", "references", "expected"),
    [
        ([0], [A], [("0", A)]),
        ([1], [A], [("1", None)]),
        ([0, 0], [A], [("0", A)]),
        ([-1], [A, B], [("-1", None)]),
        ([0], [], [("0", None)]),
        (["docid not in references"], [A], [("docid not in references", None)]),
        ([B], [], [(B, None)]),
        ([7, 7], [A], [("7", None)]),
        ([1, 0, 1], [A, B], [("1", B), ("0", A)]),
        ([0, A], [A], [("0", A)]),
        ([0, 1], [A, A], [("0", A)]),
        ([10**30], [A], [(str(10**30), None)]),
        (["0"], [A], [("0", None)]),
        (["7"], [B], [("7", None)]),
        ([5, "5"], ["5"], [("5", None), ("5", "5")]),
        ({A: 0.2, B: 0.9}, [A, B], [(B, B), (A, A)]),
        ({B: 1, A: 1.0, "x": 2}, [A, B], [("x", None), (B, B), (A, A)]),
    ],
)
def test_citations_with_references(
    file: Path, citations: object, references: list[str], expected: list[tuple[str, str | None]]
) -> None:
    assert cited(file, citations, references=references) == expected


@pytest.mark.parametrize(
    ("citations", "rest", "expected"),
    [
        ([A], {"documents": {A: {"text": "x"}}}, [(A, A)]),
        ([B], {"documents": {A: {"text": "x"}}}, [(B, None)]),
        ([1, 2], {"documents": {A: {"text": "x"}, B: {"text": "y"}}}, [("1", B), ("2", None)]),
        ([B], {"documents": {A: {"text": "x"}}, "references": [B]}, [(B, B)]),
        ([A], {"documents": {A: {"text": "x"}}, "references": [B]}, [(A, None)]),
        ([A], {"documents": {A: {"text": "x"}}, "references": None}, [(A, A)]),
        ([A, "any"], {}, [(A, A), ("any", "any")]),
        ([A], {"documents": {}}, [(A, A)]),
        ([0], {}, [("0", None)]),
    ],
)
def test_citations_without_references(
    file: Path, citations: object, rest: dict[str, Any], expected: list[tuple[str, str | None]]
) -> None:
    assert cited(file, citations, **rest) == expected


@pytest.mark.parametrize(
    ("citations", "field"),
    [
        ([True], "responses[0].citations[0]"),
        ([0, None], "responses[0].citations[1]"),
        ([0.0], "responses[0].citations[0]"),
        ([""], "responses[0].citations[0]"),
        ([["a"]], "responses[0].citations[0]"),
        ("a", "responses[0].citations"),
        (0, "responses[0].citations"),
        ({"a": "high"}, "responses[0].citations[a]"),
        ({"a": None}, "responses[0].citations[a]"),
        ({"a": True}, "responses[0].citations[a]"),
    ],
)
def test_wrong_citations_name_the_field(file: Path, citations: object, field: str) -> None:
    with pytest.raises(InputError) as caught:
        cited(file, citations, references=[A])
    assert (caught.value.path, caught.value.line, caught.value.field) == (str(file), 1, field)


def test_answers_without_sentences_or_citations_stay(file: Path) -> None:
    empty = {"run_id": "r", "topic_id": "1", "references": [], "answer": []}
    unsure = {**empty, "topic_id": "2", "answer": [{"text": "I don't know."}]}
    first, second = read(file, empty, unsure)
    assert first.sentences == ()
    assert [(s.text, s.citations) for s in second.sentences] == [("I don't know.", ())]


@pytest.mark.parametrize("text", ["{{ 7*7 }} {% for %}", "\U0001f600", "\u202eabc", "x" * 10**6])
def test_texts_come_through(file: Path, text: str) -> None:
    (answer,) = read(file, {"run_id": "r", "topic_id": "1", "answer": [{"text": text}]})
    assert answer.sentences[0].text == text


def test_same_run_and_topic_twice_names_both_places(tmp_path: Path) -> None:
    line = json.dumps({"run_id": "r", "topic_id": "1", "answer": []})
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(f"\n{line}")
    second.write_text(line)
    message = r"b.jsonl:1: the answer of .*\('r', '1'\) stands twice, first at .*a.jsonl:2"
    with pytest.raises(InputError, match=message):
        read_all_answers([first, second])
    assert len(read_answers(first)) == 1


def test_one_file_may_hold_many_runs_and_forms(file: Path) -> None:
    answers = read(file, FORMS[0], report([]) | {"metadata": {"run_id": "q", "topic_id": "1"}})
    assert [answer.run_id for answer in answers] == ["r", "q"]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"run_id": "r", "answer": []}, r"not an answer; expected .*found \['run_id', 'answer'\]"),
        ({"topic_id": "1", "answer": []}, "field 'run_id': missing"),
        (
            {"metadata": {"run_id": "r"}, "answer": []},
            "field 'metadata.topic_id': missing; expected topic_id or narrative_id",
        ),
        ({"metadata": {"topic_id": "1"}, "answer": []}, "field 'metadata.run_id': missing"),
        (
            {"metadata": {"run_id": "r", "topic_id": "1"}},
            "field 'answer': missing; expected answer or responses",
        ),
        ({"run_id": "r", "request_id": "1"}, "field 'sentences': missing"),
        (
            {"run_id": "r", "topic_id": "1", "answer": [{"citations": []}]},
            r"field 'answer\[0\].text'",
        ),
        ({"run_id": "r", "topic_id": "1", "answer": [], "references": "x"}, "field 'references'"),
        (
            {"run_id": "r", "topic_id": "1", "answer": [], "references": [1, None]},
            r"field 'references\[1\]'",
        ),
        (
            report([], documents={"d": {"title": "no text"}}),
            "field 'documents.d.text': missing; expected text or segment or contents",
        ),
    ],
)
def test_errors(file: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(file, record)
