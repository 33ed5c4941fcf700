"""Records of documents: the usual names, videos, and the candidates of rank_llm."""

from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats.documents import to_documents
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Place
from judge.types import Document


def read(record: dict[str, Any], path: str = "corpora/videos.jsonl") -> list[Document]:
    notes = Notes()
    fields = Fields(Place(path, 3), record, "", notes)
    documents = list(to_documents(fields))
    fields.note_unknown()
    assert not notes.unknown
    return documents


@pytest.mark.parametrize("identifier", ["docid", "id", "docno", "_id"])
@pytest.mark.parametrize("text", ["text", "segment", "contents", "body"])
def test_usual_names(identifier: str, text: str) -> None:
    record = {identifier: "007", text: "x", "url": None, "headings": "h", "start_char": 1}
    assert read({**record, "end_char": 2}) == [Document(docid="007", text="x", headings="h")]


def test_video() -> None:
    record = {
        "docid": "v",
        "transcript": "said",
        "ocr": ["shown", "below"],
        "images": ["frames/1.jpg", "/tmp/2.jpg", "https://example.org/3.jpg", "data:image/png;,"],
    }
    assert read(record) == [
        Document(
            docid="v",
            text="Transcript:\nsaid\n\nText on screen:\nshown\nbelow",
            transcript="said",
            ocr="shown\nbelow",
            images=(
                "corpora/frames/1.jpg",
                "/tmp/2.jpg",
                "https://example.org/3.jpg",
                "data:image/png;,",
            ),
        )
    ]


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"text": "a description", "transcript": "said"}, "a description\n\nTranscript:\nsaid"),
        ({"ocr": "shown"}, "Text on screen:\nshown"),
        ({"images": ["1.jpg"]}, ""),
        ({"transcript": "", "ocr": None}, ""),
    ],
)
def test_text_of_a_video(record: dict[str, Any], text: str) -> None:
    (document,) = read({"docid": "v", **record})
    assert document.text == text


def test_images_from_stdin_stand_relative_to_the_working_folder() -> None:
    (document,) = read({"docid": "v", "images": ["1.jpg"]}, path="-")
    assert document.images == (str(Path("1.jpg")),)


def test_candidates() -> None:
    doc = {"segment": "x", "title": "T", "start_char": 0, "end_char": 1, "docid": "a"}
    record = {
        "query": {"text": "q", "qid": 1},
        "candidates": [
            {"docid": "a", "score": 2.5, "doc": doc},
            {"docid": 7, "score": 1, "rank": 2, "doc": {"contents": "y"}},
        ],
    }
    assert read(record) == [
        Document(docid="a", text="x", title="T"),
        Document(docid="7", text="y"),
    ]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"docid": "d"}, "field 'text': missing; expected text or segment or contents or body"),
        ({"docid": "d", "images": "1.jpg"}, "field 'images': wrong value; expected a list"),
        ({"docid": "d", "images": [1.5]}, r"field 'images\[0\]': wrong value"),
        ({"docid": "d", "transcript": 3}, "field 'transcript': wrong value; expected a string"),
        ({"docid": "d", "ocr": [{}]}, r"field 'ocr\[0\]': wrong value"),
        ({"candidates": {}}, "field 'candidates': wrong value; expected a list"),
        ({"candidates": [{"doc": {}}]}, r"field 'candidates\[0\]\.docid': missing"),
        ({"candidates": [{"docid": "a"}]}, r"field 'candidates\[0\]\.doc': missing|'doc': missing"),
        (
            {"candidates": [{"docid": "a", "doc": {"title": "T"}}]},
            r"field 'candidates\[0\]\.doc\.text': missing",
        ),
    ],
)
def test_errors(record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=rf"videos\.jsonl:3: {message}"):
        read(record)
