"""Documents in a JSONL file, found by docid."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from judge.corpora.index import IndexBuilder, OffsetIndex, hash_of
from judge.corpora.kept import Kept
from judge.corpora.streams import LARGE, open_stream, tell_if_slow
from judge.errors import InputError
from judge.formats.documents import to_documents
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Line, Place, parse_json
from judge.types import Document


class JsonlCorpus:
    """The documents of a JSONL file, plain or gzip, or of a pipe.

    The first time, the file is read through, every document is checked, and its place noted
    (`OffsetIndex`); for a large file that index is kept for the next time. No document stays in
    memory. Any number of threads may ask at once.

    Args:
        path: the file, "-" for stdin; see `judge.formats.documents` for its forms.

    Raises:
        InputError: the file cannot be read, a field is wrong, or a docid stands twice with
            different texts.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._stream = open_stream(path)
        self._kept = _kept_index(path)
        kept = self._kept.load() if self._kept else None
        self._index = self._build() if kept is None else OffsetIndex.unpack(kept)

    def __len__(self) -> int:
        return len(self._index)

    def get(self, docid: str) -> Document | None:
        """Return a document, None where the file has none of this id.

        Raises:
            InputError: the file is no longer what it was when it was indexed.
        """
        for offset in self._index.find(docid):
            documents = self._documents_at(offset)
            if found := [document for document in documents if document.docid == docid]:
                return found[0]
            if hash_of(docid) not in {hash_of(document.docid) for document in documents}:
                raise self._changed()
        return None

    def close(self) -> None:
        """Close the file; no document can be read after that."""
        self._stream.close()

    def _build(self) -> OffsetIndex:
        if self._kept:
            tell_if_slow(Path(self.path))
        notes, builder = Notes(), IndexBuilder()
        for line in self._stream.lines():
            for document in _parse(line, notes):
                builder.add(document.docid, line.offset, _content(document))
        notes.warn(self.path)
        index, doubtful = builder.build()
        if doubtful:
            self._refuse_other_texts(doubtful)
        if self._kept:
            self._kept.save(index.pack())
        return index

    def _refuse_other_texts(self, offsets: set[int]) -> None:
        """Raise an error if lines at `offsets` have different texts of one docid."""
        first: dict[str, _Met] = {}
        for line in self._stream.lines():
            if line.offset not in offsets:
                continue
            for document in _parse(line, Notes()):
                met = first.setdefault(document.docid, _Met(document, line.place))
                if _content(met.document) != _content(document):
                    raise _twice(document, line.place, met)

    def _documents_at(self, offset: int) -> list[Document]:
        try:
            return list(_parse(self._stream.line_at(offset), Notes()))
        except InputError as error:
            raise self._changed() from error

    def _changed(self) -> InputError:
        if self._kept:
            self._kept.drop()
        return InputError("the file has changed since it was opened; start again", path=self.path)


class _Met(NamedTuple):
    """A document and the line where it was met first."""

    document: Document
    place: Place


def _kept_index(path: str | Path) -> Kept | None:
    """The index on disk, of files for which that is worth it."""
    file = Path(path)
    large = file.is_file() and file.stat().st_size >= LARGE
    return Kept(file, "offsets") if large else None


def _parse(line: Line, notes: Notes) -> Iterator[Document]:
    record = Fields(line.place, parse_json(line), "", notes)
    yield from to_documents(record)
    record.note_unknown()


def _content(document: Document) -> str:
    """What two documents of one docid must have in common."""
    return "\0".join([document.text, *document.images])


def _twice(document: Document, place: Place, met: _Met) -> InputError:
    return place.error(
        f"the docid {document.docid!r} stands twice, with different texts, first at {met.place}",
        field="text",
        expected=repr(met.document.text[:40]),
        found=document.text[:40],
    )
