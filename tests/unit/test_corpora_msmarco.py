"""MS MARCO v2.1 by the offset in the docid, on shards made here in the collection's own layout."""

import contextlib
import gzip
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.corpora import MsMarcoCorpus, find_sources, open_corpora
from judge.errors import InputError, UsageError
from judge.types import Document

SEGMENTS = 3


def whole(shard: str, number: int, offset: int) -> dict[str, str]:
    return {
        "docid": f"msmarco_v2.1_doc_{shard}_{offset}",
        "url": f"https://example.org/{shard}/{number}",
        "title": f"Title {number} \u00e9",
        "headings": f"Heading {number}",
        "body": f"Body {number}\u2028\U0001f600 of shard {shard}.",
    }


def segments(document: dict[str, str], offset: int) -> Iterator[tuple[dict[str, object], int]]:
    """Segments of a document, the first at `offset`; each with the offset of the next one."""
    shard, start = document["docid"].split("_")[-2:]
    for number in range(SEGMENTS):
        segment: dict[str, object] = {
            "docid": f"msmarco_v2.1_doc_{shard}_{start}#{number}_{offset}",
            "url": document["url"],
            "title": document["title"],
            "headings": document["headings"],
            "segment": f"Segment {number} of: {document['body']}",
            "start_char": number * 10,
            "end_char": number * 10 + 40,
        }
        offset += len(line(segment))
        yield segment, offset


def line(record: object) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode()


class Collection:
    """Two shards of five documents each, whole and in segments, plain or gzip."""

    def __init__(self, folder: Path, *, packed: bool) -> None:
        self.documents: dict[str, Document] = {}
        self.folder = folder
        for kind in ("whole", "segmented"):
            (folder / kind).mkdir(parents=True)
        for shard in ("00", "59"):
            documents, parts = self._shard(shard)
            self._write("whole", f"msmarco_v2.1_doc_{shard}.json", documents, packed)
            self._write("segmented", f"msmarco_v2.1_doc_segmented_{shard}.json", parts, packed)

    def _shard(self, shard: str) -> tuple[bytes, bytes]:
        documents, parts = b"", b""
        for number in range(5):
            document = whole(shard, number, len(documents))
            documents += line(document)
            self._note(document, document["body"])
            for segment, _ in segments(document, len(parts)):
                parts += line(segment)
                self._note(segment, str(segment["segment"]))
        return documents, parts

    def _note(self, record: dict[str, str] | dict[str, object], text: str) -> None:
        shown = {name: str(record[name]) for name in ("docid", "title", "url", "headings")}
        self.documents[shown["docid"]] = Document(text=text, **shown)

    def _write(self, folder: str, name: str, raw: bytes, packed: bool) -> None:
        path = self.folder / folder / name
        if packed:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(raw))
        else:
            path.write_bytes(raw)


@pytest.fixture(autouse=True)
def kept_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAG_JUDGE_INDEXES", str(tmp_path / "indexes"))
    return tmp_path / "indexes"


@pytest.fixture(params=["plain", "gzip"])
def collection(request: pytest.FixtureRequest, tmp_path: Path) -> Collection:
    return Collection(tmp_path / "collection", packed=request.param == "gzip")


@contextlib.contextmanager
def shards(folder: Path) -> Iterator[MsMarcoCorpus]:
    with contextlib.closing(MsMarcoCorpus(folder, sorted(folder.iterdir()))) as corpus:
        yield corpus


def a_segment(collection: Collection) -> Document:
    return next(d for docid, d in collection.documents.items() if "_59_" in docid and "#2" in docid)


def test_every_document_is_found(collection: Collection) -> None:
    folder = collection.folder
    with open_corpora([folder / "whole", folder / "segmented"]) as corpora:
        for docid, document in collection.documents.items():
            assert corpora.get(docid) == document
        assert corpora.missing == []
    assert len(collection.documents) == 2 * (5 + 5 * SEGMENTS)


def test_a_segment_is_no_whole_document(collection: Collection) -> None:
    document = a_segment(collection)
    with shards(collection.folder / "whole") as corpus:
        assert corpus.get(document.docid) is None
        assert corpus.get(document.docid.split("#")[0]) is not None


@pytest.mark.parametrize("step", [1, -1, 40, 10**6, 10**11])
def test_wrong_offset_is_told_and_gives_no_text(
    collection: Collection, caplog: pytest.LogCaptureFixture, step: int
) -> None:
    docid = a_segment(collection).docid
    head, offset = docid.rsplit("_", 1)
    wrong = f"{head}_{int(offset) + step}"
    with shards(collection.folder / "segmented") as corpus:
        caplog.clear()
        assert corpus.get(wrong) is None
    (message,) = caplog.messages
    assert message.startswith(f"{wrong!r} is not at byte {int(offset) + step} of ")
    assert message.endswith("so it is missing: no document begins there")


def test_offset_of_another_document_is_told_and_gives_no_text(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    docid = a_segment(collection).docid
    wrong = docid.replace("#2_", "#1_")
    with shards(collection.folder / "segmented") as corpus:
        caplog.clear()
        assert corpus.get(wrong) is None
        assert corpus.get(docid) is not None
    (message,) = caplog.messages
    assert message.endswith(f"so it is missing: {docid!r} stands there")


def test_many_wrong_offsets_are_told_in_few_lines(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    with shards(collection.folder / "segmented") as corpus:
        caplog.clear()
        for number in range(20):
            assert corpus.get(f"msmarco_v2.1_doc_59_0#{number + 7}_0") is None
    assert len(caplog.messages) == 4
    folder = collection.folder / "segmented"
    assert caplog.messages[-1] == f"{folder}: 20 docids are not where their offsets say"


def test_absent_shard_is_told_once(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    with shards(collection.folder / "segmented") as corpus:
        assert corpus.get("msmarco_v2.1_doc_07_1#1_2") is None
        assert corpus.get("msmarco_v2.1_doc_07_3#1_4") is None
    (message,) = caplog.messages
    assert "there is no shard msmarco_v2.1_doc_segmented_07; its documents are" in message


@pytest.mark.parametrize(
    "docid",
    [
        "",
        "d1",
        "msmarco_v2.1_doc_00_",
        "msmarco_v2.1_doc_00_0 ",
        "msmarco_v2.1_doc_00_-1",
        "msmarco_v2.1_doc_00_0#1",
        "msmarco_v2.1_doc_00_\u0660",
        "msmarco_v2.1_doc_00_" + "9" * 18,
        "msmarco_v2.1_doc_00_" + "9" * 400,
        "../msmarco_v2.1_doc_00_0",
    ],
)
def test_other_docids_are_simply_not_there(
    collection: Collection, caplog: pytest.LogCaptureFixture, docid: str
) -> None:
    with shards(collection.folder / "whole") as corpus:
        assert corpus.get(docid) is None
    assert not caplog.messages


def test_gzip_is_entered_at_places_that_are_kept(
    tmp_path: Path,
    kept_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("judge.corpora.streams.SLOW", 100)
    collection = Collection(tmp_path / "collection", packed=True)
    document = a_segment(collection)
    for told in (1, 0):
        with shards(collection.folder / "segmented") as corpus:
            caplog.clear()
            assert corpus.get(document.docid) == document
            assert len(caplog.messages) == told
    assert [path.suffix for path in kept_folder.iterdir()] == [".gzip"]


def test_gzip_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = Collection(tmp_path / "collection", packed=True)
    monkeypatch.setattr("judge.corpora.msmarco.has_indexed_gzip", lambda: False)
    with pytest.raises(UsageError, match=r"pip install 'rag-judge\[gzip\]', or unpack the shards"):
        open_corpora([collection.folder / "segmented"])


def test_damaged_gzip_is_an_error(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "collection", packed=True)
    for path in (collection.folder / "segmented").iterdir():
        raw = path.read_bytes()
        path.write_bytes(raw[:60] + bytes(60) + raw[120:])
    with (
        shards(collection.folder / "segmented") as corpus,
        pytest.raises(InputError, match=r"_59\.json\.gz: the gzip data is damaged"),
    ):
        corpus.get(a_segment(collection).docid)


def test_unpacked_shard_is_preferred(tmp_path: Path, kept_folder: Path) -> None:
    collection = Collection(tmp_path / "collection", packed=True)
    folder = collection.folder / "segmented"
    for path in list(folder.iterdir()):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    document = a_segment(collection)
    with shards(folder) as corpus:
        assert corpus.get(document.docid) == document
    assert not kept_folder.exists()


def test_other_files_of_the_folder_are_left_out_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = Collection(tmp_path / "collection", packed=False).folder / "segmented"
    (folder / "md5sums.txt").write_text("no documents")
    sources = find_sources([folder])
    assert [path.name[-7:] for path in sources.shards[folder]] == ["00.json", "59.json"]
    assert (sources.files, sources.datasets) == ([], [])
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert record.getMessage().endswith("read as shards of MS MARCO v2.1, without md5sums.txt")


def test_shards_can_be_named_one_by_one(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "collection", packed=False)
    other = tmp_path / "other.jsonl"
    other.write_text('{"docid": "x", "text": "y"}\n')
    document = a_segment(collection)
    with open_corpora([other, collection.folder / "segmented" / "*_59.json"]) as corpora:
        assert corpora.get(document.docid) == document
        assert corpora.get("x") == Document(docid="x", text="y")


def test_many_threads(collection: Collection) -> None:
    wrong: list[str] = []
    with shards(collection.folder / "segmented") as corpus:

        def ask() -> None:
            for docid, document in collection.documents.items():
                if "#" in docid and corpus.get(docid) != document:
                    wrong.append(docid)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
