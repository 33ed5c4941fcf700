"""Documents by docid: files, documents inside of answers, and several sources at once."""

import gzip
import hashlib
import io
import json
import logging
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from judge.corpora import Corpora, InlineCorpus, JsonlCorpus, open_corpora
from judge.errors import InputError
from judge.types import Answer, Document

DOCID = "msmarco_v2.1_doc_29_677149#3_1637632"


def jsonl(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


def save(path: Path, *records: dict[str, Any]) -> Path:
    path.write_bytes(jsonl(*records))
    return path


@pytest.fixture(params=["plain", "gzip"])
def packed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "gzip")


def write(path: Path, raw: bytes, *, packed: bool) -> Path:
    path.write_bytes(gzip.compress(raw) if packed else raw)
    return path


def corpus(path: Path) -> Corpora:
    return open_corpora([path])


def test_documents_are_found(tmp_path: Path, packed: bool) -> None:
    raw = b"\xef\xbb\xbf" + jsonl(
        {"docid": DOCID, "text": "one", "title": "T", "url": "u", "headings": "h"},
        {"id": "007", "segment": "two\u2028\u00e9 \U0001f600"},
        {"docno": 7, "contents": ""},
        {"_id": "d", "text": "x" * 100_000},
    ).replace(b"}\n", b"}\r\n\n")
    with corpus(write(tmp_path / "docs", raw, packed=packed)) as docs:
        assert docs.get(DOCID) == Document(
            docid=DOCID, text="one", title="T", url="u", headings="h"
        )
        assert docs.get("007") == Document(docid="007", text="two\u2028\u00e9 \U0001f600")
        assert docs.get("7") == Document(docid="7", text="")
        assert docs.get("d") == Document(docid="d", text="x" * 100_000)
        assert docs.get("no such") is None


def test_first_name_counts(tmp_path: Path) -> None:
    record = {"_id": "c", "docno": "b", "docid": "a", "contents": "y", "text": "x"}
    with corpus(save(tmp_path / "docs", record)) as docs:
        assert docs.get("a") == Document(docid="a", text="x")
        assert docs.get("b") is docs.get("c") is None


def test_repeated_document(tmp_path: Path, packed: bool) -> None:
    same = {"docid": "a", "text": "x"}
    raw = jsonl(same, {"docid": "b", "text": "y"}, same)
    with corpus(write(tmp_path / "docs", raw, packed=packed)) as docs:
        assert docs.get("a") == Document(docid="a", text="x")
    other = write(tmp_path / "other", raw + jsonl({"docid": "b", "text": "z"}), packed=packed)
    with pytest.raises(
        InputError, match=r"other:4: field 'text': the docid 'b' stands twice, with"
    ):
        corpus(other)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "x"}, ":2: field 'docid': missing; expected docid or id or docno or _id"),
        ({"docid": "d"}, ":2: field 'text': missing; expected text or segment or contents"),
        ({"docid": "d", "text": 3}, ":2: field 'text': wrong value"),
        ({"docid": "", "text": "x"}, ":2: field 'docid': wrong value"),
    ],
)
def test_errors(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        corpus(save(tmp_path / "docs", {"docid": "a", "text": "x"}, record))


def test_unknown_fields_are_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = save(tmp_path / "docs", *({"docid": str(i), "text": "x", "more": 1} for i in range(5)))
    with corpus(path) as docs:
        assert docs.get("3") is not None
    assert [r.getMessage() for r in caplog.records] == [f"{path}: ignored unknown fields: more"]


def test_surrogates_are_mended(tmp_path: Path) -> None:
    path = tmp_path / "docs"
    path.write_text('{"docid": "a", "text": "x\\ud800"}')
    with corpus(path) as docs:
        assert docs.get("a") == Document(docid="a", text="x\ufffd")


@pytest.mark.parametrize("new", [{"docid": "b", "text": "y"}, {"docid": "a"}, {}])
def test_changed_file_gives_no_wrong_text(tmp_path: Path, new: dict[str, Any]) -> None:
    path = save(tmp_path / "docs", {"docid": "a", "text": "x"})
    with corpus(path) as docs:
        save(path, new)
        with pytest.raises(InputError, match="docs: the file has changed since it was opened"):
            docs.get("a")


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO(jsonl({"docid": "a", "text": "x"}))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    with open_corpora(["-"]) as docs:
        assert docs.get("a") == Document(docid="a", text="x")


def test_many_threads(tmp_path: Path) -> None:
    path = save(tmp_path / "docs", *({"docid": str(i), "text": f"{i}" * i} for i in range(200)))
    wrong: list[int] = []
    with corpus(path) as docs:

        def ask() -> None:
            for i in range(200):
                document = docs.get(str(i))
                if document is None or document.text != f"{i}" * i:
                    wrong.append(i)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def answer(run_id: str, topic_id: str, **texts: str) -> Answer:
    documents = tuple(Document(docid=docid, text=text) for docid, text in texts.items())
    return Answer(run_id=run_id, topic_id=topic_id, sentences=(), documents=documents)


def named(docid: str, text: str) -> str:
    return f"{docid}@{hashlib.sha256(text.encode()).hexdigest()[:8]}"


ANSWERS = [
    answer("r", "1", a="one", b="same"),
    answer("s", "1", b="same", a="two", c="three"),
    answer("r", "2", a="two"),
]


def ids(documents: Iterable[Document]) -> list[str]:
    return [document.docid for document in documents]


def test_inline_texts_of_one_docid_are_documents_of_their_own() -> None:
    inline = InlineCorpus(ANSWERS)
    one, two = named("a", "one"), named("a", "two")
    assert ids(inline.documents_of("1")) == [one, "b", two, "c"]
    assert ids(inline.documents_of("2")) == [two]
    assert inline.documents_of("3") == []
    assert inline.get(one) == Document(docid=one, text="one")
    assert inline.get(two) == Document(docid=two, text="two")
    assert inline.get("b") == Document(docid="b", text="same")
    assert inline.get("a") is None
    assert len(inline) == 4


def test_cited_is_the_answers_own() -> None:
    inline = InlineCorpus(ANSWERS)
    assert inline.cited(ANSWERS[0], "a") == Document(docid="a", text="one")
    assert inline.cited(ANSWERS[1], "a") == Document(docid="a", text="two")
    assert inline.cited(ANSWERS[0], "c") is None


def test_different_texts_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    InlineCorpus(ANSWERS)
    assert not caplog.records  # a report reads the same answers as the command before it
    open_corpora([], ANSWERS)
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("judge.corpora", logging.WARNING)
    assert record.getMessage().startswith("1 docids stand for different texts")
    caplog.clear()
    open_corpora([], ANSWERS[1:])
    assert not caplog.records


def test_sources_together(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    save(
        tmp_path / "docs" / "1.jsonl", {"docid": "a", "text": "file a"}, {"docid": "x", "text": "X"}
    )
    save(tmp_path / "docs" / "2.jsonl", {"docid": "x", "text": "X"}, {"docid": "y", "text": "Y"})
    with open_corpora([tmp_path / "docs"], ANSWERS) as docs:
        assert docs.get("x") == Document(docid="x", text="X")
        assert docs.get("y") == Document(docid="y", text="Y")
        assert docs.get("a") == Document(docid="a", text="file a")
        assert docs.get("b") == Document(docid="b", text="same")
        assert docs.get(named("a", "two")) == Document(docid=named("a", "two"), text="two")
        assert docs.get("none") is None
        assert docs.cited(ANSWERS[0], "a") == Document(docid="a", text="one")
        assert docs.cited(ANSWERS[0], "y") == Document(docid="y", text="Y")
        assert docs.cited(ANSWERS[0], "none") is None
        assert ids(docs.documents_of("2")) == [named("a", "two")]


def test_two_files_that_differ(tmp_path: Path) -> None:
    save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"}, {"docid": "y", "text": "Y"})
    save(tmp_path / "2.jsonl", {"docid": "x", "text": "other"})
    with open_corpora([tmp_path / "1.jsonl", tmp_path / "2.jsonl"]) as docs:
        assert docs.get("y") is not None
        message = r"2.jsonl: the docid 'x' has another text here than in .*1.jsonl"
        with pytest.raises(InputError, match=message):
            docs.get("x")


def test_no_sources(tmp_path: Path) -> None:
    with open_corpora([], [answer("r", "1")]) as docs:
        assert docs.get("a") is None
        assert docs.documents_of("1") == []
        assert docs.empty
    with open_corpora([], ANSWERS) as docs:
        assert not docs.empty
    with corpus(save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"})) as docs:
        assert not docs.empty


def test_missing_file(tmp_path: Path) -> None:
    good = save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"})
    with pytest.raises(InputError, match="no such file"):
        open_corpora([good, tmp_path / "nowhere"])
    with pytest.raises(InputError, match="no such file"):
        JsonlCorpus(tmp_path / "nowhere")


def test_files_opened_before_a_bad_one_are_closed(tmp_path: Path) -> None:
    """An open file that is forgotten would be a ResourceWarning, which is an error here."""
    good = save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"})
    bad = save(tmp_path / "2.jsonl", {"text": "no id"})
    with pytest.raises(InputError, match=r"2\.jsonl:1"):
        open_corpora([good, bad])


def test_closed(tmp_path: Path) -> None:
    docs = corpus(save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"}))
    docs.close()
    with pytest.raises(ValueError, match="closed file"):
        docs.get("x")


def test_what_is_missing_is_listed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_corpora([save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"})], ANSWERS) as docs:
        for docid in ("n1", "x", "n2", "b", "n1"):
            docs.get(docid)
        assert docs.cited(ANSWERS[0], "n3") is None
        assert docs.missing == ["n1", "n2", "n3"]
        caplog.clear()
    assert caplog.messages == ["documents in none of the corpora (3): 'n1', 'n2', 'n3'"]


def test_only_some_of_many_missing_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_corpora([save(tmp_path / "1.jsonl", {"docid": "x", "text": "X"})]) as docs:
        for number in range(100):
            docs.get(f"n{number}")
    (message,) = caplog.messages
    assert message.startswith("documents in none of the corpora (100): 'n0', 'n1',")
    assert message.endswith("'n9', ...")
