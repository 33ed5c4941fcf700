"""MS MARCO v2.1: documents found by the byte offset that their docid ends in, with no index.

The collection is 60 shards of JSONL. The docid of a segment is
msmarco_v2.1_doc_SHARD_DOCUMENT#NUMBER_OFFSET, that of a whole document
msmarco_v2.1_doc_SHARD_OFFSET; OFFSET counts uncompressed bytes. See
https://trec-rag.github.io/annoucements/2024-corpus-finalization/.
"""

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from judge.corpora.kept import log
from judge.corpora.streams import Stream, has_indexed_gzip, open_packed, open_stream
from judge.errors import InputError, UsageError
from judge.formats.documents import to_document
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Line, can_seek, parse_json
from judge.types import Document

_SHARD = re.compile(r"(msmarco_v2\.1_doc(?:_segmented)?_[0-9]+)\.json(?:\.gz)?")
_DOCID = re.compile(r"msmarco_v2\.1_doc_([0-9]+)_(?:[0-9]+#[0-9]+_)?([0-9]{1,12})")
_TOLD = 3


def is_shard(path: Path) -> bool:
    """Tell whether a file has the name of a shard."""
    return _SHARD.fullmatch(path.name) is not None


class Address(NamedTuple):
    """A shard, by the name of its file without suffixes, and a byte offset in it."""

    shard: str
    offset: int


def address_of(docid: str) -> Address | None:
    """Return where a docid says that its document stands; None for a docid of another kind."""
    parts = _DOCID.fullmatch(docid)
    if parts is None:
        return None
    kind = "doc_segmented" if "#" in docid else "doc"
    return Address(f"msmarco_v2.1_{kind}_{parts[1]}", int(parts[2]))


class MsMarcoCorpus:
    """Shards of MS MARCO v2.1, segmented or whole, plain or gzip.

    A docid that is not where its offset says counts as missing: it is told, and never answered
    with the text that stands there. Any number of threads may ask at once. Of a gzip shard that
    was read from, 13 MB for 3 GB stay in memory.

    Args:
        folder: the folder of the shards, for messages.
        shards: files for which `is_shard` holds; of a shard that is there plain and gzip, the
            plain one is read.

    Raises:
        UsageError: a shard is gzip, and indexed_gzip is not installed.
    """

    def __init__(self, folder: Path, shards: Sequence[Path]) -> None:
        self.path = folder
        self._files = {path.name.split(".json")[0]: path for path in sorted(shards, reverse=True)}
        self._streams: dict[str, Stream] = {}
        self._lock = threading.Lock()
        self._misplaced: set[str] = set()
        self._absent: set[str] = set()
        for path in self._files.values():
            _check_readable(path)

    def get(self, docid: str) -> Document | None:
        """Return a document, None where no shard has it.

        Raises:
            InputError: a shard is damaged.
        """
        address = address_of(docid)
        if address is None:
            return None
        with self._lock:
            stream = self._stream(address.shard)
            return None if stream is None else self._read(stream, docid, address.offset)

    def close(self) -> None:
        """Close the shards; tells how many docids were not where their offsets say."""
        if len(self._misplaced) > _TOLD:
            count = len(self._misplaced)
            log.warning("%s: %d docids are not where their offsets say", self.path, count)
        for stream in self._streams.values():
            stream.close()

    def _stream(self, name: str) -> Stream | None:
        if name not in self._files:
            if name not in self._absent:
                log.warning("%s: there is no shard %s; its documents are missing", self.path, name)
                self._absent.add(name)
            return None
        if name not in self._streams:
            path = self._files[name]
            self._streams[name] = open_stream(path) if can_seek(path) else open_packed(path)
        return self._streams[name]

    def _read(self, stream: Stream, docid: str, offset: int) -> Document | None:
        line = stream.line_at(offset)
        try:
            document = _parse(line)
        except InputError:
            self._tell(docid, stream, offset, "no document begins there")
            return None
        if document.docid != docid:
            self._tell(docid, stream, offset, f"{document.docid!r} stands there")
            return None
        return document

    def _tell(self, docid: str, stream: Stream, offset: int, what: str) -> None:
        """Warn of the first docids that are not in their places."""
        if docid not in self._misplaced and len(self._misplaced) < _TOLD:
            place = f"byte {offset} of {stream.path}"
            log.warning("%r is not at %s, so it is missing: %s", docid, place, what)
        self._misplaced.add(docid)


def _check_readable(path: Path) -> None:
    if not can_seek(path) and not has_indexed_gzip():
        raise UsageError(
            f"{path}: a document is read from the middle of a shard, which takes indexed_gzip for "
            "a .gz file: pip install 'rag-judge[gzip]', or unpack the shards (gunzip -k *.json.gz)"
        )


def _parse(line: Line) -> Document:
    return to_document(Fields(line.place, parse_json(line), "", Notes()))
