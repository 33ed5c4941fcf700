"""What a run has judged, kept beside its judgments, so that it can be judged again from there.

    RUN/judged_answers.jsonl      every answer, whole, with the documents that it carries
    RUN/judged_documents.jsonl    every document of a corpus that was read

A line each, in our own types. Both grow by whole lines, and a document is on disk before the
judgment that rests on it.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from pydantic import ValidationError

from judge.appending import LineFile
from judge.errors import InputError
from judge.json_lines import read_object
from judge.types import Answer, Document

ANSWERS, DOCUMENTS = "judged_answers.jsonl", "judged_documents.jsonl"

R = TypeVar("R", Answer, Document)


class Shown:
    """Keeps what a run judges; no file is made before there is something to keep.

    Args:
        run: the run directory.
        held: write nothing before `release`, so that a run that is refused stays as it was.
    """

    def __init__(self, run: Path, *, held: bool = False) -> None:
        self._run = run
        self._held: list[Answer | Document] | None = [] if held else None
        self._documents: LineFile | None = None
        self._docids: set[str] = set()

    def answers(self, answers: Iterable[Answer]) -> None:
        """Keep answers; what is there already is not written again.

        Raises:
            InputError: what is there was changed by other hands.
            RunError: the disk does not take them.
        """
        given = list(answers)
        if self._held is not None:
            self._held += given
            return
        if not given:
            return
        file = LineFile(self._run / ANSWERS)
        try:
            known = set(shown_answers(self._run))
            file.append(b"".join(_line(answer) for answer in given if answer not in known))
        finally:
            file.close()

    def document(self, document: Document) -> None:
        """Keep a document, unless one of its docid is there already.

        Raises:
            InputError: what is there was changed by other hands.
            RunError: the disk does not take it.
        """
        if self._held is not None:
            self._held.append(document)
            return
        if self._documents is None:
            self._documents = LineFile(self._run / DOCUMENTS)
            self._docids = {found.docid for _, found in _records(self._documents.path, Document)}
        if document.docid not in self._docids:
            self._documents.append(_line(document))
            self._docids.add(document.docid)

    def release(self) -> None:
        """Keep what was held back, and from now on everything at once.

        Raises:
            InputError: what is there was changed by other hands.
            RunError: the disk does not take it.
        """
        held, self._held = self._held or [], None
        self.answers(record for record in held if isinstance(record, Answer))
        for record in held:
            if isinstance(record, Document):
                self.document(record)

    def close(self) -> None:
        """Close what is open."""
        if self._documents is not None:
            self._documents.close()


def shown_answers(run: Path) -> list[Answer]:
    """The answers that a run has judged, none where it kept none.

    Raises:
        InputError: the file was changed by other hands.
    """
    return [answer for _, answer in _records(run / ANSWERS, Answer)]


class ShownDocuments:
    """The documents that a run has judged, as a corpus (see `judge.corpora.Corpus`).

    Raises:
        InputError: the file was changed by other hands.
    """

    def __init__(self, run: Path) -> None:
        self.path = run / DOCUMENTS
        self._places = {found.docid: place for place, found in _records(self.path, Document)}
        self._file: BinaryIO | None = self.path.open("rb") if self._places else None

    def get(self, docid: str) -> Document | None:
        """Return a document, None where the run has seen none of this id."""
        place = self._places.get(docid)
        if place is None or self._file is None:
            return None
        self._file.seek(place)
        return Document.model_validate(read_object(self._file.readline()))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _line(record: Answer | Document) -> bytes:
    """Text that is no valid Unicode comes back as it went in, since all but ASCII is escaped."""
    return json.dumps(record.model_dump(exclude_defaults=True)).encode() + b"\n"


def _records(path: Path, kind: type[R]) -> Iterator[tuple[int, R]]:
    """Each record with the offset of its line; a last line that a kill cut off is left out."""
    if not path.is_file():
        return
    offset = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield offset, kind.model_validate(read_object(line))
            except (ValueError, ValidationError) as error:
                raise InputError(
                    "the file was changed by other hands",
                    path=path,
                    line=number,
                    expected=f"what the run kept of its {kind.__name__.lower()}s",
                    found=line[:80].decode(errors="replace"),
                ) from error
            offset += len(line)
