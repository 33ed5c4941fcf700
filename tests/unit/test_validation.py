"""Validation: every problem of a file is listed, each with its place, none more."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError, UsageError
from judge.formats.nuggets import nugget_id
from judge.validation import FileReport, validate

TOPICS = [
    {"id": "1", "narrative": "n", "sub_narratives": [{"text": "What is it?"}]},
    {"id": "2", "narrative": "n"},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    return put(tmp_path / "topics.json", *TOPICS)


def put(file: Path, *records: object) -> Path:
    file.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
    return file


def check(file: Path, **more: Any) -> FileReport:
    (report,) = validate([file], **more)
    return report


def told(report: FileReport, severity: str) -> list[str]:
    """The problems of a severity as `line: field: message`."""
    return [
        ": ".join(str(part) for part in (p.line, p.field, p.message) if part is not None)
        for p in report.problems
        if p.severity == severity
    ]


def answer(*sentences: object, topic: str = "1", run: str = "r", **more: object) -> dict[str, Any]:
    record = {"run_id": run, "topic_id": topic, "references": ["a", "b"], "answer": list(sentences)}
    return {**record, **more}


def sentence(text: str = "x y", *citations: object) -> dict[str, object]:
    return {"text": text, "citations": citations}


def test_a_sound_file_has_no_problems(file: Path, topics: Path) -> None:
    put(file, answer(sentence("x", 0)), answer(sentence("x", "b"), topic="2"))
    report = check(file, topics=topics, track="rag26")
    assert (report.kind, report.problems) == ("answers", ())
    assert report.counts["answers"] == 2
    assert report.counts["citations of nothing"] == 0


def test_every_problem_of_reading_is_listed_with_its_line(file: Path) -> None:
    wrong: Any = 5
    records: list[Any] = [answer(), "{", answer(topic="1"), answer(sentence(wrong), topic="3")]
    records += [["x"], answer(topic="2")]
    report = check(put(file, *records))
    twice = f"3: the answer of (run_id, topic) ('r', '1') stands twice, first at {file}:1; "
    twice += "remove one of them"
    assert told(report, "error") == [
        "2: not JSON: Expecting property name enclosed in double quotes at column 2",
        twice,
        "4: answer[0].text: wrong value",
        "5: not an object",
    ]
    assert report.counts["answers"] == 3  # that on line 4 without the text that is none


def test_citations(file: Path) -> None:
    put(file, answer(sentence("x", 0, 2, -1, "zz", 0), sentence("y", "a")))
    report = check(file)
    assert [(p.severity, p.field, p.found) for p in report.problems] == [
        ("error", "sentence 0", "'2'"),
        ("error", "sentence 0", "'-1'"),
        ("error", "sentence 0", "'zz'"),
        ("info", None, None),
    ]
    assert told(report, "info") == ["counted once what answer[].citations repeats, 1 times"]


def test_references_that_stand_twice(file: Path) -> None:
    put(file, answer(sentence("x", 2), references=["a", "b", "a"]))
    report = check(file)
    assert told(report, "warning") == ["1: references: a reference of (r, 1) that stands 2 times"]
    assert told(report, "error") == []


def test_empty_sentences_and_answers(file: Path) -> None:
    put(file, answer(sentence(" ", 0), sentence("")), answer(topic="2"))
    assert told(check(file), "warning") == [
        "1: sentence 0: an empty sentence of (r, 1) but cites 1; measures count it",
        "1: sentence 1: an empty sentence of (r, 1); measures count it",
        "2: (r, 2) has no sentences: it scores 0 on recall",
    ]


@pytest.mark.parametrize(
    ("track", "n_words", "n_references", "n_citations", "errors"),
    [
        ("rag24", 400, 101, 4, []),
        ("rag24", 401, 1, 0, ["too many words in (r, 1)"]),
        ("rag25", 400, 100, 4, []),
        ("rag25", 401, 101, 0, ["too many words in (r, 1)", "too many references of (r, 1)"]),
        ("rag26", 1024, 100, 3, []),
        ("rag26", 1025, 100, 3, ["too many words in (r, 1)"]),
        ("rag26", 9, 100, 4, ["sentence 0: too many citations of one sentence of (r, 1)"]),
        (None, 5000, 500, 50, []),
    ],
)
def test_limits_of_a_track(
    file: Path,
    track: str | None,
    n_words: int,
    n_references: int,
    n_citations: int,
    errors: list[str],
) -> None:
    text, references = "word " * (n_words - 1), [f"d{i}" for i in range(n_references)]
    put(
        file,
        answer(sentence(text, *range(n_citations)), sentence("word"), references=references),
    )
    assert told(check(file, track=track), "error") == [f"1: {error}" for error in errors]


def test_topics_without_an_answer_and_answers_without_a_topic(file: Path, topics: Path) -> None:
    put(file, answer(sentence(), run="q"), answer(sentence(), topic="9"))
    report = check(file, topics=topics)
    assert told(report, "error") == [
        "2: an answer of 'r' of topic '9', which the topics file lacks"
    ]
    assert told(report, "warning") == [
        "'q' has no answer, and scores 0: 1 topics: 2",
        "'r' has no answer, and scores 0: 2 topics: 1, 2",
    ]


def test_documents_in_no_corpus(
    file: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = put(tmp_path / "corpus", {"docid": "a", "text": "x"})
    put(file, answer(sentence("x", 0, 1), sentence("y", 1)))
    report = check(file, corpus=[corpus])
    assert [p.found for p in report.problems] == ["'b'"]
    assert told(report, "error") == ["1: (r, 1) cites a document that is in none of the corpora"]
    assert not caplog.records


def test_documents_that_an_answer_carries_need_no_corpus(file: Path, tmp_path: Path) -> None:
    corpus = put(tmp_path / "corpus", {"docid": "z", "text": "x"})
    carried = {"a": {"text": "x"}, "b": {"text": "y"}}
    put(
        file,
        {
            "metadata": {"run_id": "r", "topic_id": "1"},
            "responses": [sentence("x", 0)],
            "documents": carried,
        },
    )
    assert check(file, corpus=[corpus]).problems == ()


def test_the_same_answer_in_two_files(tmp_path: Path) -> None:
    first = put(tmp_path / "a", answer(sentence()))
    second = put(tmp_path / "b", answer(sentence()), answer(sentence(), topic="2"))
    one, two = validate([first, second])
    assert one.problems == ()
    assert told(two, "error") == [f"1: (r, 1) stands in another file too, at {first}:1"]


def test_nuggets(file: Path, topics: Path) -> None:
    listed = [
        {"text": "a", "mapped_sub_narrative": '"What is it?"', "importance": "vital"},
        {"text": "A ", "mapped_sub_narrative": "What  is it？", "importance": "okay"},
        {"text": "b", "mapped_sub_narrative": "What was it?"},
        {"text": "c", "mapped_sub_narrative": "New: more", "importance": "okay"},
        {"text": "d", "importance": "okay"},
    ]
    report = check(put(file, {"qid": "1", "nuggets": listed}), topics=topics)
    assert [p.message for p in report.problems if p.severity == "warning"] == [
        "no nuggets, and no nugget measures: 1 topics: 2",
        f"topic 1 has this nugget twice, first as {nugget_id('a')!r}",
        "topic 1 has no such sub-narrative",
        "a nugget of topic 1 is mapped to no sub-narrative",
    ]
    (unknown,) = [p for p in report.problems if p.message == "topic 1 has no such sub-narrative"]
    assert unknown.expected == "an official text; nearest 'What is it?'"
    assert (unknown.line, unknown.field, unknown.found) == (1, nugget_id("b"), "'What was it?'")
    without, line = told(report, "info")
    assert without.startswith("1 of 5 nuggets have no importance")
    assert line.startswith(
        "sub-narratives of 5 nuggets: 1 official word for word, 1 official after"
    )


def test_runs(file: Path) -> None:
    rows = (
        "1 Q0 a 1 3.0 t",
        "1 Q0 b 2 nan t",
        "1 Q0 a 3 1 t",
        "1 Q0 c 4 5 t",
        "1 Q0 d 4 5 t",
        "2 Q0 a one 1 t",
        "2 Q0 b 1 1 u",
        "x",
    )
    report = check(put(file, *rows))
    assert report.kind == "run"
    twice = "3: docid: the document of (topic, docid) ('1', 'a') stands twice, "
    twice += f"first at {file}:1; remove one of them"
    assert told(report, "error") == [
        "2: score: wrong value",
        twice,
        "6: rank: wrong value",
        "7: tag: wrong value",
        "8: 1 columns",
    ]
    assert told(report, "warning") == [
        "4: score: topic 1 has a higher score below a lower one: the score decides",
        f"5: rank: topic 1 has the rank 4 twice, first at {file}:4",
    ]
    (tie,) = told(report, "info")
    assert tie.startswith("2 documents of 1 topics share their score")


def test_qrels(file: Path, topics: Path) -> None:
    rows = ("1 0 a 1", "1 0 b -1", "1 0 a 1", "1 0 a 2", "1 0 c x", "9 0 a 1")
    report = check(put(file, *rows), topics=topics)
    assert report.kind == "qrels"
    assert told(report, "error") == [
        "4: grade: wrong value",
        "5: grade: wrong value",
        "6: grades of topic '9', which the topics file lacks",
    ]
    assert told(report, "warning") == [f"3: the pair (1, a) stands again, first at {file}:1"]
    assert told(report, "info") == ["1 grades are negative: they count as not relevant"]


def test_labels(file: Path, topics: Path) -> None:
    rows = [
        {"qid": "1", "run_id": "r", "nuggets": [{"text": "n", "assignment": None}]},
        {"qid": "1", "run_id": "q", "nuggets": [{"text": "m", "assignment": "support"}]},
        {"qid": "9", "run_id": "q", "nuggets": [{"text": "m", "assignment": "maybe"}]},
    ]
    report = check(put(file, *rows), topics=topics)
    assert told(report, "error") == ["3: nuggets[0].assignment: wrong value"]
    (other,) = told(report, "warning")
    assert other.startswith("2: (q, 1) is labelled for other nuggets")
    assert told(report, "info") == ["1 labels were not had: scores count them as failed"]


def test_topics(file: Path) -> None:
    parts = [{"text": "What is it?"}, {"text": "what is  it?"}]
    put(file, {"id": "1", "narrative": "n", "sub_narratives": parts}, {"id": "1", "narrative": "n"})
    report = check(file)
    assert told(report, "warning") == ["1: topic 1 has a sub-narrative twice; it counts once"]
    assert len(told(report, "error")) == 1


def test_documents(file: Path) -> None:
    texts = [("a", "x"), ("b", ""), ("a", "x"), ("a", "y")]
    lines = [{"docid": docid, "text": text} for docid, text in texts]
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    report = check(file)
    assert report.counts == {"documents": 4}
    assert told(report, "error") == ["4: the docid 'a' stands again, with another text"]
    assert told(report, "warning") == ["2: the document 'b' has no text"]


def test_what_readers_tell_of_is_listed_and_not_logged(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    report = check(put(file, answer(sentence(), more=1)))
    assert told(report, "warning") == ["ignored unknown fields: more"]
    assert not caplog.records


def test_a_file_of_no_kind(file: Path) -> None:
    report = check(put(file, {"foo": 1}))
    assert (report.kind, report.counts) == (None, {})
    (problem,) = told(report, "error")
    assert problem.startswith("1: the kind of the file cannot be told")


def test_a_damaged_gzip_file_is_an_error_and_not_the_end(tmp_path: Path) -> None:
    good = put(tmp_path / "a", answer(sentence()))
    (tmp_path / "b").write_bytes(gzip.compress(b'{"foo": 1}\n' * 99)[:-9])
    one, two = validate([good, tmp_path / "b"])
    assert one.problems == ()
    assert two.number("error") >= 1


def test_a_list_that_breaks_off(file: Path) -> None:
    report = check(put(file, "[", json.dumps(TOPICS[0]), ",", '{"id": '), kind="topics")
    assert report.counts["topics"] == 1
    assert [problem.line for problem in report.problems] == [4]


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"track": "rag23"}, UsageError, "no track 'rag23'; the tracks are rag24, rag25, rag26"),
        ({"kind": "x"}, UsageError, "no kind 'x'"),
        ({"topics": "nowhere"}, InputError, "no such file or folder"),
        ({"corpus": ["nowhere"]}, InputError, "no such file or folder"),
    ],
)
def test_wrong_use(file: Path, more: dict[str, Any], error: type[Exception], message: str) -> None:
    put(file, answer(sentence()))
    with pytest.raises(error, match=message):
        check(file, **more)


def test_a_file_that_is_not_there(file: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        validate([file])


ROWS = {
    "qrels": "1 0 {} 1",
    "subtopics": "1 s1 {} 1",
    "run": "1 Q0 {} 1 2.0 r",
    "nuggets": '{{"qid": "1", "nuggets": [{{"text": "n", "docids": ["{}"]}}]}}',
    "support": '{{"topic_id": "1", "run_id": "r", "sentences": [{{"text": "s", "citations": '
    '[{{"reference": "{}", "support": "2"}}]}}]}}',
}


@pytest.mark.parametrize("kind", ROWS)
def test_documents_that_the_corpus_lacks(kind: str, file: Path, tmp_path: Path) -> None:
    corpus = put(tmp_path / "corpus", {"docid": "here", "text": "x"})
    row = ROWS[kind]
    if kind in ("nuggets", "support"):
        (found,) = validate([put(file, row.format("here"))], kind=kind, corpus=[corpus])
        assert found.number("error") == 0
        (report,) = validate([put(file, row.format("gone"))], kind=kind, corpus=[corpus])
        line = 1
    else:
        rows = [row.format("here"), row.format("gone").replace(" 1 2.0", " 2 1.0")]
        (report,) = validate([put(file, *rows)], kind=kind, corpus=[corpus])
        line = 2
    assert told(report, "error") == [f"{line}: a document that is in none of the corpora"]
    assert [p.found for p in report.problems if p.severity == "error"] == ["'gone'"]


def test_a_missing_document_is_told_once(file: Path, tmp_path: Path) -> None:
    corpus = put(tmp_path / "corpus", {"docid": "here", "text": "x"})
    report = check(put(file, "1 0 a 1", "2 0 a 1", "2 0 b 0"), corpus=[corpus])
    assert [(p.line, p.found) for p in report.problems] == [(1, "'a'"), (3, "'b'")]
    assert check(file).problems == ()


@pytest.mark.parametrize(
    "damaged",
    [
        '{"run_id": "r", "topic_id": "1", "ans',
        '"topic_id": "1", "answer": []}',
        "garbage\nmore of it",
        "<html>",
    ],
)
def test_later_lines_tell_the_kind_where_the_first_is_damaged(file: Path, damaged: str) -> None:
    records = [answer(sentence(), topic=str(n)) for n in range(4)]
    report = check(put(file, damaged, *records))
    assert (report.kind, report.counts["answers"]) == ("answers", 4)
    errors = [p for p in report.problems if p.severity == "error"]
    assert [p.line for p in errors] == list(range(1, 2 + damaged.count("\n")))
    assert errors[0].message.startswith("not JSON")


def test_the_error_names_the_line_where_no_kind_can_be_told(file: Path) -> None:
    (cut,) = check(put(file, "", '{"run_id": "r", "topic')).problems
    assert (cut.line, cut.found) == (2, repr('{"run_id": "r", "topic'))
    assert "not JSON" in cut.message
    (strange,) = check(put(file, "", {"foo": 1, "bar": 2})).problems
    assert strange.line == 2
    assert "foo" in (strange.found or "")
    (prose,) = check(put(file, "", "once upon a time in a land")).problems
    assert (prose.line, prose.found) == (2, "'once upon a time in a land'")
