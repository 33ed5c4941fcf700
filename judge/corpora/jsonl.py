"""Documents in a JSONL file, found by docid."""

import threading
from pathlib import Path
from typing import BinaryIO

from judge.errors import InputError
from judge.formats.documents import to_document
from judge.formats.fields import Fields, Notes
from judge.formats.lines import Line, Place, can_seek, decode, parse_json, read_lines
from judge.types import Document


class JsonlCorpus:
    """The documents of a JSONL file, which is read through once at the start.

    Of a plain file only docid -> byte offset stays in memory, and a document is read when it is
    asked for. A gzip file or a pipe cannot be read from its middle: all of its documents stay
    in memory. Any number of threads may ask at once.

    Args:
        path: the file, "-" for stdin; see `judge.formats.documents.to_document` for its fields.

    Raises:
        InputError: the file cannot be read, a field is wrong, or a docid stands twice with
            different texts.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._held: dict[str, int | Document] = {}
        self._lock = threading.Lock()
        self._file = _open(path) if can_seek(path) else None
        try:
            self._index()
        except InputError:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._held)

    def get(self, docid: str) -> Document | None:
        """Return a document, None where the file has none of this id.

        Raises:
            InputError: the file has changed since it was opened.
        """
        held = self._held.get(docid)
        return self._read(docid, held) if isinstance(held, int) else held

    def close(self) -> None:
        """Close the file; no document can be read after that."""
        if self._file is not None:
            self._file.close()

    def _index(self) -> None:
        notes = Notes()
        for line in read_lines(self.path):
            document = _parse(line, notes)
            held = line.offset if self._file else document
            if document.docid not in self._held:
                self._held[document.docid] = held
            else:
                self._refuse_other_text(document, line.place)
        notes.warn(self.path)

    def _refuse_other_text(self, document: Document, place: Place) -> None:
        first = self.get(document.docid)
        if first is not None and first.text != document.text:
            raise place.error(
                f"the docid {document.docid!r} stands twice, with different texts",
                field="text",
                expected=repr(first.text[:40]),
                found=document.text[:40],
            )

    def _read(self, docid: str, offset: int) -> Document:
        try:
            document = _parse(self._line_at(offset), Notes())
        except InputError as error:
            raise self._changed() from error
        if document.docid != docid:
            raise self._changed()
        return document

    def _line_at(self, offset: int) -> Line:
        if self._file is None:
            raise self._changed()
        with self._lock:
            self._file.seek(offset)
            raw = self._file.readline()
        place = Place(str(self.path), 0)
        return Line(place, offset, decode(raw, place))

    def _changed(self) -> InputError:
        return InputError("the file has changed since it was opened; start again", path=self.path)


def _open(path: str | Path) -> BinaryIO:
    return Path(path).open("rb")


def _parse(line: Line, notes: Notes) -> Document:
    record = Fields(line.place, parse_json(line), "", notes)
    document = to_document(record)
    record.note_unknown()
    return document
