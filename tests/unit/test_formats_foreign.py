"""Forms with modules of their own: WikiVideo, AttributionBench, NeuCLIR, nugget banks, ratings."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats import (
    read_answers,
    read_nuggets,
    read_ratings,
    read_support,
    read_topics,
    write_nugget_banks,
    write_nuggets,
)
from judge.formats.ratings import holdings
from judge.formats.wikivideo import video_id
from judge.types import Nugget, NuggetAnswer, Ranked, Rating, SubtopicQrel


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.my.run.json"


def put(file: Path, *records: object) -> Path:
    file.write_text("\n".join(map(json.dumps, records)))
    return file


# --- WikiVideo ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/a/b/69uT90tEJdE.mp4", "69uT90tEJdE"),
        ("1485697261250256897", "1485697261250256897"),
        ("watch?v=zK1CLu5NX_U", "zK1CLu5NX_U"),
        ("watch?v=1fjrDbFYWW0&t=46s", "1fjrDbFYWW0"),
    ],
)
def test_video_ids(name: str, expected: str) -> None:
    assert video_id(name) == expected


def prediction(citations: object) -> dict[str, Any]:
    return {"A_topic": {"prediction": "x y", "sentences": ["x", "y"], "citations": citations}}


def test_predictions_are_answers(file: Path) -> None:
    put(file, prediction([["/v/a.mp4", "/w/a.mp4", "b"], []]))
    (answer,) = read_answers(file)
    assert (answer.run_id, answer.topic_id) == ("my.run", "A_topic")
    first, second = answer.sentences
    assert [(c.mention, c.docid) for c in first.citations] == [("/v/a.mp4", "a"), ("b", "b")]
    assert (second.text, second.citations) == ("y", ())


@pytest.mark.parametrize(
    ("citations", "message"),
    [
        ([[]], r"A_topic.citations.*expected a list for each of the 2 sentences, found 1"),
        ([[], "a"], r"field 'A_topic.citations\[1\]'.*expected a list, found 'a'"),
        ([[], [5.5]], r"citations\[1\]\[0\].*found 5.5"),
        ([[], [".mp4"]], "expected the file of a video"),
    ],
)
def test_wrong_predictions(file: Path, citations: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_answers(put(file, prediction(citations)))


def test_reference_claims_are_nuggets_and_topics(file: Path) -> None:
    videos = {"supporting_videos": ["a", "a", "watch?v=zK1CLu5NX_U"], "videos_modalities": {}}
    claims = {"claim 1": videos, "claim 2": {"supporting_videos": []}}
    put(file, {"A_topic": {"claims_to_supporting_videos": claims, "query_id": "q", "videos": {}}})
    first, second = read_nuggets(file)
    assert (first.topic_id, first.text, first.docids) == (
        "A_topic",
        "claim 1",
        ("a", "zK1CLu5NX_U"),
    )
    assert (second.text, second.docids, second.importance) == ("claim 2", (), None)
    (topic,) = read_topics(file)
    assert (topic.topic_id, topic.narrative) == ("A_topic", "A topic")


# --- AttributionBench --------------------------------------------------------------------------


def attribution(label: str = "attributable", references: object = ("one", "two")) -> dict[str, Any]:
    return {
        "id": "x1",
        "src_dataset": "S",
        "question": "why?",
        "claim": "so.",
        "references": references,
        "attribution_label": label,
    }


def test_a_claim_is_a_topic_an_answer_and_a_label(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(file, attribution("not attributable"))
    (topic,), (answer,), (support,) = read_topics(file), read_answers(file), read_support(file)
    assert topic.narrative == "why?"
    assert {answer.topic_id, support.topic_id, topic.topic_id} == {"x1"}
    assert answer.run_id == support.run_id == "S"
    (document,) = answer.documents
    assert document.text == "one\n\ntwo"
    (label,) = support.sentences[0].citations
    assert (label.docid, label.label) == (document.docid, "none")
    assert answer.sentences[0].citations[0].docid == document.docid
    assert not caplog.records


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (attribution("perhaps"), "expected attributable or not attributable, found 'perhaps'"),
        ({**attribution(), "src_dataset": None}, "src_dataset"),
    ],
)
def test_wrong_attribution(file: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_support(put(file, record))


# --- NeuCLIR's questions -----------------------------------------------------------------------


def item(ident: str, answers: list[str], importance: str) -> dict[str, Any]:
    info = {"importance": importance, "used": False}
    return {
        "query_id": "300",
        "info": info,
        "question_id": ident,
        "question_text": f"what is {ident}?",
        "gold_answers": answers,
    }


def test_items_of_one_question_are_a_group(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    items = [
        item("q1", ["a", "A"], "vital"),
        item("q1", ["b"], "okay"),
        item("q2", ["c"], "NA"),
    ]
    put(file, {"query_id": "300", "test_collection": "x", "query_text": "y", "items": items})
    nuggets = read_nuggets(file)
    assert [n.nugget_id for n in nuggets] == ["q1", "q1-2", "q2"]
    assert [n.group for n in nuggets] == ["q1", "q1", "q2"]
    assert [n.importance for n in nuggets] == ["vital", "okay", None]
    assert [[a.text for a in n.answers] for n in nuggets] == [["a", "A"], ["b"], ["c"]]
    assert {n.aggregator for n in nuggets} == {"OR"}
    assert not caplog.records


def test_an_importance_of_another_name(file: Path) -> None:
    record = {"query_id": "300", "items": [item("q1", [], "must")]}
    with pytest.raises(InputError, match=r"items\[0\].info.importance.*found 'must'"):
        read_nuggets(put(file, record))


# --- nugget banks ------------------------------------------------------------------------------

BANK = {
    "query_id": "1",
    "title_query": "t",
    "full_query": "f",
    "format_version": "v3",
    "nugget_bank": {
        "who?": {
            "question": "who?",
            "question_id": "q1",
            "importance": "vital",
            "aggregator_type": "AND",
            "answers": {
                "A": {"answer": "A", "references": [{"doc_id": "d1", "quality": 3}, "d2"]},
                "B": {"answer": "B"},
            },
            "references": ["d3"],
        }
    },
    "claim_bank": [{"claim": "so it is", "query_id": "1"}],
}


def test_a_bank(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    question, claim = read_nuggets(put(file, BANK))
    answers = (NuggetAnswer(text="A", docids=("d1", "d2")), NuggetAnswer(text="B"))
    assert question == Nugget(
        nugget_id="q1",
        topic_id="1",
        text="who?",
        importance="vital",
        docids=("d3", "d1", "d2"),
        answers=answers,
        aggregator="AND",
    )
    assert (claim.text, claim.answers, claim.nugget_id[:2]) == ("so it is", (), "n_")
    assert not caplog.records


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"aggregator_type": "NOT"}, r"nugget_bank.who\?.aggregator_type.*found 'NOT'"),
        ({"question": " "}, "a string that is not empty"),
        ({"answers": {"A": {}}}, "answers.A.answer"),
        ({"references": [{"id": "d"}]}, r"references\[0\].doc_id"),
        ({"importance": 3}, "importance"),
    ],
)
def test_wrong_banks(file: Path, change: dict[str, object], message: str) -> None:
    question = {**BANK["nugget_bank"]["who?"], **change}  # type: ignore[index]
    with pytest.raises(InputError, match=message):
        read_nuggets(put(file, {"query_id": "1", "nugget_bank": {"who?": question}}))


QUESTIONS = [
    Nugget(nugget_id="a", topic_id="1", text="x", importance="okay", docids=("d",), source="s"),
    Nugget(nugget_id="b", topic_id="1", text="x", sub_narrative="New: y", group="g"),
    Nugget(
        nugget_id="c",
        topic_id="2",
        text="who?",
        answers=(NuggetAnswer(text="A", docids=("e",)), NuggetAnswer(text="A")),
        aggregator="OR",
        docids=("f", "e"),
    ),
    Nugget(nugget_id="d", topic_id="2", text="why?", answers=(NuggetAnswer(text="B"),)),
]


def test_banks_and_our_own_form_hold_all_of_a_nugget(tmp_path: Path) -> None:
    write_nugget_banks(tmp_path / "bank", QUESTIONS, {"1": "the query"})
    assert read_nuggets(tmp_path / "bank") == QUESTIONS
    first = json.loads((tmp_path / "bank").read_text().splitlines()[0])
    assert (first["query_id"], first["full_query"]) == ("1", "the query")
    write_nuggets(tmp_path / "own", QUESTIONS, {})
    assert read_nuggets(tmp_path / "own") == QUESTIONS


# --- ratings -----------------------------------------------------------------------------------

NUGGETS = [Nugget(nugget_id=i, topic_id="1", text=i) for i in ("n1", "n2")]
RUN = [
    Ranked("1", "d2", 2, 0.5, "r"),
    Ranked("1", "d1", 1, 0.9, "r"),
    Ranked("1", "d3", 3, 0.1, "r"),
]


def test_ratings_get_their_nuggets_and_documents(file: Path) -> None:
    put(file, {"1": [[5, 0], [-1, 3]]})
    assert read_ratings(file, NUGGETS, RUN) == [
        Rating("1", "n1", "d1", 5),
        Rating("1", "n2", "d1", 0),
        Rating("1", "n1", "d2", None),
        Rating("1", "n2", "d2", 3),
    ]


def test_ratings_say_which_documents_hold_a_nugget() -> None:
    ratings = [Rating("1", "n", d, r) for d, r in (("a", 3), ("b", 2), ("c", None), ("d", 5))]
    assert holdings(ratings) == [
        SubtopicQrel("1", "n", "a", 1),
        SubtopicQrel("1", "n", "b", 0),
        SubtopicQrel("1", "n", "d", 1),
    ]
    assert [row.grade for row in holdings(ratings, 5)] == [0, 0, 1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[5], [3]], "field '1'.*expected 2 nuggets and at most 3 documents, found '1 nuggets"),
        ([[1, 2]] * 4, "found '2 nuggets and 4 documents'"),
        ([[1, 2], [3]], r"1\[1\].*expected 2 ratings, as for the first document, found 1"),
        ([[1, "3"]], r"1\[0\]\[1\].*expected a whole number, found '3'"),
        ([[1, True]], "found True"),
    ],
)
def test_ratings_that_do_not_fit(file: Path, rows: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_ratings(put(file, {"1": rows}), NUGGETS, RUN)
