"""Files read from any place: plain, gzip and pipes alike, always by uncompressed offset.

gzip cannot be read from its middle. A large gzip file is read in place by indexed_gzip, where
that is installed; any other, and every pipe, is unpacked into a temporary file once.
"""

import io
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from judge.corpora.kept import Kept, log
from judge.errors import InputError, UsageError
from judge.formats.lines import Line, Place, can_seek, decode, lines_of, read_lines, reading

LARGE = 16 * 1024 * 1024
"""Bytes from which a file is worth an index that outlives the process."""

SLOW = 256 * 1024 * 1024
"""Bytes from which people are told that a file is read through."""

_SPACING = 8 * 1024 * 1024  # between two places at which a gzip file can be entered
_CHUNK_BYTES = 1024 * 1024


class Stream:
    """The uncompressed bytes of a file. Any number of threads may ask at once.

    Args:
        path: where the bytes come from, for errors.
        file: a file that can seek; closed with the stream, or when that is no longer used.
    """

    def __init__(self, path: str | Path, file: IO[bytes]) -> None:
        self.path, self._file = path, file
        self._lock = threading.Lock()
        self._closing = weakref.finalize(self, file.close)

    def lines(self) -> Iterator[Line]:
        """Yield all lines that are not blank, from the start.

        Raises:
            InputError: a line cannot be read.
        """
        self._file.seek(0)
        yield from lines_of(self._file, self.path)

    def line_at(self, offset: int) -> Line:
        """Return the line that begins at an offset, an empty one from the end of the file on.

        Raises:
            InputError: it cannot be read.
        """
        place = Place(str(self.path), 0)
        try:
            with self._lock:
                self._file.seek(offset)
                raw = self._file.readline()
        except OSError as error:
            raise InputError(f"cannot be read: {error}", path=self.path) from error
        return Line(place, offset, decode(raw, place))

    def close(self) -> None:
        """Close the file; nothing can be read after that."""
        self._closing()


class _Packed(Stream):
    """A gzip file that is entered at kept places."""

    def lines(self) -> Iterator[Line]:
        return read_lines(self.path)  # unlike indexed_gzip it notices a file that is cut off


def open_stream(path: str | Path) -> Stream:
    """Open a file to be read from any place.

    Raises:
        InputError: the file cannot be read.
        UsageError: there is no room to unpack it.
    """
    if can_seek(path):
        return Stream(path, Path(path).open("rb"))
    if _is_large(path):
        if has_indexed_gzip():
            return open_packed(Path(path))
        log.warning(
            "%s: unpacked into a temporary file; pip install 'rag-judge[gzip]' reads it in place",
            path,
        )
    return Stream(path, _unpacked(path))


def open_packed(path: Path) -> Stream:
    """Open a gzip file in place; the places where it can be entered are found once, and kept.

    Raises:
        InputError: the file is damaged.
        ImportError: indexed_gzip is not installed.
    """
    from indexed_gzip import IndexedGzipFile

    kept = Kept(path, "gzip")
    file = IndexedGzipFile(filename=str(path), spacing=_SPACING)
    stream = _Packed(path, file)
    with _gzip_errors(path):
        known = kept.load()
        if known is not None:
            file.import_index(fileobj=io.BytesIO(known))
            return stream
        tell_if_slow(path)
        file.build_full_index()
        kept.save([_exported(file)])
    return stream


def has_indexed_gzip() -> bool:
    """Tell whether gzip files can be read in place."""
    return find_spec("indexed_gzip") is not None


def tell_if_slow(path: Path) -> None:
    """Say that a file is read through once, if that takes more than a moment."""
    if path.stat().st_size >= SLOW:
        log.warning("%s: read through once, to find documents by seek afterwards", path)


def _is_large(path: str | Path) -> bool:
    return Path(path).is_file() and Path(path).stat().st_size >= LARGE


def _exported(file: Any) -> bytes:
    buffer = io.BytesIO()
    file.export_index(fileobj=buffer)
    return buffer.getvalue()


def _unpacked(path: str | Path) -> IO[bytes]:
    """Return a temporary file with the uncompressed bytes of a file or pipe."""
    spool = tempfile.TemporaryFile(prefix="rag-judge-")  # noqa: SIM115 - stays open
    try:
        with reading(path) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                _write(spool, chunk, path)
    except BaseException:
        spool.close()
        raise
    return spool


def _write(spool: IO[bytes], chunk: bytes, path: str | Path) -> None:
    try:
        spool.write(chunk)
        spool.flush()
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be unpacked into {tempfile.gettempdir()}: {error}; make room, "
            "name another folder with TMPDIR, or unpack the file yourself"
        ) from error


@contextmanager
def _gzip_errors(path: str | Path) -> Iterator[None]:
    """Turn what indexed_gzip raises, an OSError of its own, into an error about the file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"the gzip data is damaged or cut off: {error}", path=path) from error
