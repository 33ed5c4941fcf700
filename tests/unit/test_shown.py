"""What a run keeps of its inputs: whole, once, and refused where other hands were at it."""

from pathlib import Path

import pytest

from judge.errors import InputError
from judge.shown import ANSWERS, DOCUMENTS, Shown, ShownDocuments, shown_answers
from judge.types import Answer, Citation, Document, Sentence

VIDEO = Document(
    docid="v", text="Transcript:\nHello", transcript="Hello", images=("frames/1.jpg", "/2.jpg")
)
ODD = Document(docid="a b|c", text="half \ud800 a pair\u2028and a line", title="été")


def answer(text: str, *documents: Document) -> Answer:
    cited = Citation(mention="0", docid="d")
    sentences = (Sentence(text=text, citations=(cited, Citation(mention="9", docid=None))),)
    return Answer(run_id="r", topic_id="t", sentences=sentences, documents=documents)


def keep(run: Path, *documents: Document, answers: tuple[Answer, ...] = ()) -> None:
    shown = Shown(run)
    shown.answers(answers)
    for document in documents:
        shown.document(document)
    shown.close()


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def test_documents_come_back_as_they_were(tmp_path: Path) -> None:
    keep(tmp_path, VIDEO, ODD)
    documents = ShownDocuments(tmp_path)
    assert [documents.get(docid) for docid in ("a b|c", "v", "x")] == [ODD, VIDEO, None]
    documents.close()


def test_answers_come_back_as_they_were(tmp_path: Path) -> None:
    given = (answer("one"), answer("two", VIDEO, ODD))
    keep(tmp_path, answers=given)
    assert shown_answers(tmp_path) == list(given)


def test_nothing_is_kept_twice(tmp_path: Path) -> None:
    for _ in range(2):
        keep(tmp_path, VIDEO, ODD, VIDEO, answers=(answer("one"), answer("two")))
    assert (lines(tmp_path / ANSWERS), lines(tmp_path / DOCUMENTS)) == (2, 2)


def test_nothing_shown_leaves_no_file(tmp_path: Path) -> None:
    keep(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert shown_answers(tmp_path) == []
    documents = ShownDocuments(tmp_path)
    assert documents.get("v") is None
    documents.close()


def test_a_last_line_that_a_kill_cut_off_is_left_out_and_mended(tmp_path: Path) -> None:
    keep(tmp_path, VIDEO, ODD)
    path = tmp_path / DOCUMENTS
    path.write_bytes(path.read_bytes()[:-5])
    documents = ShownDocuments(tmp_path)
    assert (documents.get("v"), documents.get("a b|c")) == (VIDEO, None)
    documents.close()
    keep(tmp_path, ODD)
    documents = ShownDocuments(tmp_path)
    assert documents.get("a b|c") == ODD
    documents.close()


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b"[]",
        b'[["docid", "x"], ["text", "y"]]',
        b"not JSON",
        b"[" * 5000,
        b'{"docid": "x", "text": 3}',
    ],
)
def test_other_hands_are_told_by_line(tmp_path: Path, line: bytes) -> None:
    keep(tmp_path, VIDEO)
    path = tmp_path / DOCUMENTS
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(InputError, match=r"judged_documents\.jsonl:2: .* changed by other hands"):
        ShownDocuments(tmp_path)
