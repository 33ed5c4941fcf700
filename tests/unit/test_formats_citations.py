"""Citations: what each points at, in every form, and what is written is read back."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.errors import InputError
from judge.formats import read_answers, write_answers
from judge.formats.submissions import AnswerForm
from judge.types import Answer, Citation, Document, Sentence

Cited = list[tuple[str, str | None]]


def cited(file: Path, citations: object, **rest: object) -> Cited:
    answer = {"text": "x", "citations": citations}
    record = {"metadata": {"run_id": "r", "topic_id": "1"}, "answer": [answer], **rest}
    file.write_text(json.dumps(record))
    (read,) = read_answers(file)
    return [(c.mention, c.docid) for c in read.sentences[0].citations]


@pytest.mark.parametrize(
    ("citations", "expected"),
    [
        ([0], [("0", "a")]),
        ([2], [("2", None)]),  # out of range
        ([-1], [("-1", None)]),  # not the last one
        ([0, 0, "a"], [("0", "a")]),  # duplicates count once, however they are named
        ([1, "a", 0], [("1", "7"), ("a", "a")]),  # places and docids mixed
        (["zz"], [("zz", None)]),  # not among the references
        (["7", 7], [("7", "7"), ("7", None)]),  # a docid of digits is no place
        ([9, "9"], [("9", None)]),
        ({"a": 0.1, "7": 0.9}, [("7", "7"), ("a", "a")]),  # the strongest first
        ({"a": 0.5, "7": 0.5}, [("a", "a"), ("7", "7")]),  # ties stay as written
        ([], []),
        (None, []),
    ],
)
def test_what_a_citation_points_at(tmp_path: Path, citations: object, expected: Cited) -> None:
    assert cited(tmp_path / "a", citations, references=["a", "7"]) == expected


def test_places_among_the_documents_where_there_are_no_references(tmp_path: Path) -> None:
    documents = {"d": {"text": "x"}, "e": {"text": "y"}}
    got = cited(tmp_path / "a", [1, "d", "f"], documents=documents)
    assert got == [("1", "e"), ("d", "d"), ("f", None)]


def test_an_empty_list_of_references_allows_nothing_and_none_at_all_everything(
    tmp_path: Path,
) -> None:
    assert cited(tmp_path / "a", ["d"], references=[]) == [("d", None)]
    assert cited(tmp_path / "a", ["d", 0]) == [("d", "d"), ("0", None)]


@pytest.mark.parametrize(
    ("citations", "message"),
    [
        ([True], r"answer\[0\].citations\[0\].*expected an id, as a string, found True"),
        ([0.5], "found 0.5"),
        ([None], "expected an id, as a string"),
        ([["a"]], r"found \['a'\]"),
        ("a", "expected a list, found 'a'"),
        ({"a": "high"}, r"citations\[a\].*expected a finite number, found 'high'"),
    ],
)
def test_what_is_no_citation(tmp_path: Path, citations: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cited(tmp_path / "a", citations, references=["a"])


# --- round trip --------------------------------------------------------------------------------

docids = st.sampled_from(["a", "0", "1", "-1", "01", "msmarco_v2.1_doc_29_677149#3_1637632"])
references = st.lists(docids, max_size=4, unique=True)
places = st.integers(-2, 5)


@st.composite
def answers(draw: st.DrawFn, *, docids_only: bool = False) -> dict[str, Any]:
    """A record as a system may hand it in, with anything wrong about its citations."""
    listed = draw(references)
    one = st.sampled_from(listed) if docids_only and listed else st.one_of(places, docids)
    some = st.lists(one, max_size=0 if docids_only and not listed else 4)
    sentences = draw(st.lists(st.builds(lambda c: {"text": "x y", "citations": c}, some)))
    return {"run_id": "r", "topic_id": "1", "references": listed, "answer": sentences}


@pytest.mark.parametrize("form", ["rag24", "rag25", "ragtime"])
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(record=answers())
def test_answers_round_trip(tmp_path: Path, form: AnswerForm, record: dict[str, Any]) -> None:
    (tmp_path / "a").write_text(json.dumps(record))
    read = read_answers(tmp_path / "a")
    write_answers(tmp_path / "b", read, form)
    assert read_answers(tmp_path / "b") == read


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(record=answers(docids_only=True))
def test_neuclir_reports_round_trip(tmp_path: Path, record: dict[str, Any]) -> None:
    report = {"run_id": "r", "request_id": "1", "sentences": record["answer"]}
    (tmp_path / "a").write_text(json.dumps(report))
    read = read_answers(tmp_path / "a")
    write_answers(tmp_path / "b", read, "neuclir24")
    assert read_answers(tmp_path / "b") == read


@pytest.mark.parametrize("listed", [(), ("d",), ("d", "e")])
def test_inline_documents_round_trip(tmp_path: Path, listed: tuple[str, ...]) -> None:
    sentence = Sentence(text="x", citations=(Citation(mention="q", docid=None),))
    documents = (Document(docid="d", text="t", title="T"), Document(docid="e", text=""))
    answer = Answer(
        run_id="r", topic_id="1", sentences=(sentence,), references=listed, documents=documents
    )
    write_answers(tmp_path / "b", [answer], "ragtime")
    assert read_answers(tmp_path / "b") == [answer]


def test_a_form_that_cannot_hold_an_answer_says_so(tmp_path: Path) -> None:
    nothing = Sentence(text="x", citations=(Citation(mention="9", docid=None),))
    answer = Answer(run_id="r", topic_id="1", sentences=(nothing,))
    with pytest.raises(
        InputError, match="expected a citation that points at a document, found '9'"
    ):
        write_answers(tmp_path / "b", [answer], "neuclir24")
    carrying = answer.model_copy(update={"documents": (Document(docid="d", text="t"),)})
    for form in ("rag24", "rag25", "neuclir24"):
        with pytest.raises(InputError, match="an answer without inline documents"):
            write_answers(tmp_path / "b", [carrying], form)
    assert not (tmp_path / "b").exists()
