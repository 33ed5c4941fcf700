"""Indexes of large files: right, kept for the next time, and never trusted for another file."""

import contextlib
import gzip
import json
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.corpora import JsonlCorpus, index, streams
from judge.corpora.index import IndexBuilder, OffsetIndex, hash_of
from judge.corpora.kept import Kept, index_folder
from judge.corpora.streams import open_stream
from judge.errors import InputError, UsageError
from judge.types import Document


@pytest.fixture(autouse=True)
def kept_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every file counts as large, and indexes are kept in a folder of the test's own."""
    monkeypatch.setenv("RAG_JUDGE_INDEXES", str(tmp_path / "indexes"))
    monkeypatch.setattr("judge.corpora.jsonl.LARGE", 0)
    monkeypatch.setattr("judge.corpora.streams.LARGE", 0)
    return tmp_path / "indexes"


DOCIDS = [f"d{number}" for number in range(10)]


def rows(count: int, text: str = "text") -> bytes:
    lines = (json.dumps({"docid": f"d{i}", "text": f"{text} {i}"}) + "\n" for i in range(count))
    return "".join(lines).encode()


def save(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


@contextlib.contextmanager
def opened(path: Path) -> Iterator[JsonlCorpus]:
    with contextlib.closing(JsonlCorpus(path)) as corpus:
        yield corpus


def text_of(path: Path, docid: str) -> str | None:
    with opened(path) as corpus:
        document = corpus.get(docid)
    return None if document is None else document.text


def never_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: JsonlCorpus) -> None:
        pytest.fail("the index was made again")

    monkeypatch.setattr(JsonlCorpus, "_build", refuse)


# --- the table ---------------------------------------------------------------------------------


@given(st.lists(st.text(max_size=3), unique=True), st.lists(st.text(max_size=3)))
def test_every_docid_is_found_and_no_other(docids: list[str], others: list[str]) -> None:
    builder = IndexBuilder()
    for number, docid in enumerate(docids):
        builder.add(docid, number * 10, docid)
    table, doubtful = builder.build()
    again = OffsetIndex.unpack(memoryview(b"".join(table.pack())))
    assert not doubtful
    for built in (table, again):
        assert len(built) == len(docids)
        assert [built.find(docid) for docid in docids] == [[10 * i] for i in range(len(docids))]
        assert not any(built.find(docid) for docid in others if docid not in docids)


def test_the_same_document_again_is_left_out_and_another_is_doubtful() -> None:
    builder = IndexBuilder()
    for docid, offset, content in [("a", 0, "x"), ("b", 1, "y"), ("a", 2, "x"), ("b", 3, "z")]:
        builder.add(docid, offset, content)
    table, doubtful = builder.build()
    assert (len(table), table.find("a"), sorted(doubtful)) == (3, [0], [1, 3])
    assert sorted(table.find("b")) == [1, 3]


def test_docids_with_the_same_hash_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("index", "jsonl"):
        chance = f"judge.corpora.{module}.hash_of"
        monkeypatch.setattr(chance, lambda text: 7 if text in DOCIDS else hash_of(text))
    path = save(tmp_path / "docs", rows(8))
    with opened(path) as corpus:
        assert [corpus.get(docid) for docid in DOCIDS] == [
            *(Document(docid=f"d{i}", text=f"text {i}") for i in range(8)),
            None,
            None,
        ]


def test_hashes_stay_the_same() -> None:
    """Kept indexes hold them."""
    assert hash_of("d1") == hash_of("d1") == index.hash_of("d1") != hash_of("d2")
    assert hash_of("\ud800")  # no docid of a file, but it can be asked for
    assert f"{hash_of('msmarco_v2.1_doc_29_677149#3_1637632'):016x}" == "f6a9058653f93b72"


# --- kept --------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_index_is_made_once(
    tmp_path: Path, kept_folder: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    raw = rows(50)
    path = save(tmp_path / "docs", gzip.compress(raw) if packed else raw)
    assert text_of(path, "d7") == "text 7"
    assert len(list(kept_folder.glob("*.offsets"))) == 1
    assert len(list(kept_folder.iterdir())) == (2 if packed else 1)
    never_built(monkeypatch)
    with opened(path) as corpus:
        assert len(corpus) == 50
        assert [corpus.get(f"d{i}") for i in range(50)] == [
            Document(docid=f"d{i}", text=f"text {i}") for i in range(50)
        ]
        assert corpus.get("d50") is None


def test_small_files_leave_nothing_behind(
    tmp_path: Path, kept_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.corpora.jsonl.LARGE", 10_000)
    assert text_of(save(tmp_path / "docs", rows(50)), "d7") == "text 7"
    assert not kept_folder.exists()


def test_changed_file_is_indexed_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = save(tmp_path / "docs", rows(50))
    assert text_of(path, "d7") == "text 7"
    save(path, rows(50, text="other"))
    assert text_of(path, "d7") == "other 7"
    assert caplog.messages == [f"{path}: the kept index is made anew: the file has changed"]
    caplog.clear()
    assert text_of(path, "d7") == "other 7"
    assert not caplog.messages


def test_change_that_keeps_size_and_time_is_noticed_at_the_ends(tmp_path: Path) -> None:
    path = save(tmp_path / "docs", rows(10))
    times = path.stat()
    assert text_of(path, "d7") == "text 7"
    save(path, rows(10, text="best"))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert text_of(path, "d7") == "best 7"


def test_change_in_the_middle_is_noticed_when_read(tmp_path: Path) -> None:
    """The docid that stands at the offset is compared; then the index is forgotten."""
    long = 40_000 * b" "
    raw = b"".join(b'{"docid": "d%d", "text": "%d%s"}\n' % (i, i, long) for i in range(5))
    path = save(tmp_path / "docs", raw)
    times = path.stat()
    assert text_of(path, "d2") is not None
    save(path, raw.replace(b'"d2"', b'"e2"'))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(InputError, match="docs: the file has changed since it was opened"):
        text_of(path, "d2")
    assert text_of(path, "d2") is None
    assert text_of(path, "e2") is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw[:-8],
        lambda raw: raw[:100],
        lambda raw: b"",
        lambda raw: b"[]" + raw[2:],
        lambda raw: raw[:5000] + bytes([raw[5000] ^ 1]) + raw[5001:],
    ],
)
def test_damaged_index_is_made_anew(
    tmp_path: Path, kept_folder: Path, caplog: pytest.LogCaptureFixture, damage: Any
) -> None:
    path = save(tmp_path / "docs", rows(200))
    assert text_of(path, "d7") == "text 7"
    (kept,) = kept_folder.iterdir()
    sound = kept.read_bytes()
    assert damage(sound) != sound
    kept.write_bytes(damage(sound))
    assert text_of(path, "d7") == "text 7"
    assert [message.split(":")[1] for message in caplog.messages] == [
        " the kept index is made anew"
    ]
    assert kept.read_bytes() == sound


def test_folder_that_cannot_be_written(
    tmp_path: Path, kept_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept_folder.write_text("a file, where a folder is wanted")
    assert text_of(save(tmp_path / "docs", rows(50)), "d7") == "text 7"
    (message,) = caplog.messages
    assert "docs: its index cannot be kept for the next time: " in message


def test_half_an_index_is_never_seen(
    tmp_path: Path, kept_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> None:
        raise OSError("no space")

    path = save(tmp_path / "docs", rows(50))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        assert text_of(path, "d7") == "text 7"
    assert not list(kept_folder.iterdir())
    assert Kept(path, "offsets").load() is None


def test_files_of_one_name_have_indexes_of_their_own(tmp_path: Path, kept_folder: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        path = save(tmp_path / name / "docs", rows(50, text=name))
        assert text_of(path, "d7") == f"{name} 7"
    assert len(list(kept_folder.iterdir())) == 2


def test_where_indexes_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert index_folder() == tmp_path / "indexes"
    monkeypatch.delenv("RAG_JUDGE_INDEXES")
    assert index_folder().parts[-2:] == ("rag-judge", "corpora")


# --- what must survive the index -----------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_two_texts_of_a_docid_are_an_error_with_both_lines(tmp_path: Path, packed: bool) -> None:
    raw = b"\n" + rows(9) + b'{"docid": "d3", "text": "text 3"}\n\n{"docid": "d5", "text": "no"}\n'
    path = save(tmp_path / "docs", gzip.compress(raw) if packed else raw)
    message = (
        r"docs:13: field 'text': the docid 'd5' stands twice, with different texts, "
        r"first at .*docs:7; expected 'text 5', found 'no'"
    )
    for _ in range(2):  # nothing was kept
        with pytest.raises(InputError, match=message):
            JsonlCorpus(path)


def test_candidates_of_rank_llm(tmp_path: Path) -> None:
    def line(qid: str, *docids: str) -> dict[str, Any]:
        candidates = [
            {"docid": docid, "score": 1.5, "doc": {"segment": f"text {docid}", "title": "T"}}
            for docid in docids
        ]
        return {"query": {"text": "q", "qid": qid}, "candidates": candidates}

    lines = [line("1", "a", "b"), line("2", "b", "c"), line("3")]
    path = save(tmp_path / "docs", "\n".join(map(json.dumps, lines)).encode())
    with opened(path) as corpus:
        assert len(corpus) == 3
        for docid in "abc":
            assert corpus.get(docid) == Document(docid=docid, text=f"text {docid}", title="T")
    lines[1]["candidates"][0]["doc"]["segment"] = "other"
    save(path, "\n".join(map(json.dumps, lines)).encode())
    with pytest.raises(InputError, match=r"docs:2: .* the docid 'b' stands twice"):
        JsonlCorpus(path)


def test_memory_holds_no_document(tmp_path: Path) -> None:
    """24 bytes a document while the index is made, 16 a slot after it."""
    builder = IndexBuilder()
    for number in range(1000):
        builder.add(f"d{number}", number, "x" * 1000)
    table, _ = builder.build()
    assert sum(part.nbytes for part in table.pack()) <= 1000 * 3 * 16 + 8


# --- gzip and pipes ------------------------------------------------------------------------------


def test_gzip_without_the_extra_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(streams, "has_indexed_gzip", lambda: False)
    path = save(tmp_path / "docs.gz", gzip.compress(rows(50)))
    assert text_of(path, "d7") == "text 7"
    (message,) = caplog.messages
    assert "docs.gz: unpacked into a temporary file; pip install 'rag-judge[gzip]'" in message


def test_no_room_to_unpack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, chunk: bytes) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    monkeypatch.setattr("judge.corpora.streams.LARGE", 10**9)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda prefix: Full())
    path = save(tmp_path / "docs.gz", gzip.compress(rows(50)))
    with pytest.raises(UsageError, match=r"docs\.gz: cannot be unpacked into .* TMPDIR"):
        JsonlCorpus(path)


@pytest.mark.parametrize("large", [0, 10**9])
def test_damaged_gzip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    monkeypatch.setattr("judge.corpora.streams.LARGE", large)
    raw = gzip.compress(os.urandom(1 << 16) + rows(50))
    for damaged in (raw[:-20], raw[:40_000], raw[:1000] + bytes(100) + raw[1100:]):
        path = save(tmp_path / "docs.gz", damaged)
        with pytest.raises(InputError, match=r"docs\.gz"):
            JsonlCorpus(path)


def test_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[gzip.compress(rows(50))])
    writer.start()
    try:
        assert text_of(pipe, "d7") == "text 7"
    finally:
        writer.join()


def test_forgotten_stream_closes_its_file(tmp_path: Path) -> None:
    """A file that nobody closes is a ResourceWarning, which is an error here."""
    stream = open_stream(save(tmp_path / "docs", rows(5)))
    assert stream.line_at(0).text == '{"docid": "d0", "text": "text 0"}'
    del stream


def test_building_a_large_index_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("judge.corpora.streams.SLOW", 100)
    path = save(tmp_path / "docs", rows(50))
    assert text_of(path, "d7") == text_of(path, "d7") == "text 7"
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().startswith(f"{path}: read through once")
