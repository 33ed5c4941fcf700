"""Tables read many rows at a time: for runs and qrels of millions of rows.

Rows are parted, and cells turned into numbers, all at once; one by one only where that fails, so
that an error names its line.
"""

import math
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from io import BufferedIOBase
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from judge.errors import InputError
from judge.formats.columns import Row, cells_of, wrong_width
from judge.formats.lines import OnError, Place, decode, log, raise_error, reading

_BYTES = 1 << 16  # what stays in the processor's cache; larger blocks take longer
_MOST_DIGITS = 18
_MARK = "\0"
_NOT_PLAIN = _MARK + "\r\v\f\x1c\x1d\x1e\x1f"  # the mark, and what str.split takes for blanks

T = TypeVar("T", int, float)


class Block(NamedTuple):
    """Rows of one width that follow one another: the numbers of their lines, and their columns."""

    path: str
    lines: Sequence[int]
    columns: Sequence[Sequence[str]]

    def integers(self, column: int, name: str) -> list[int]:
        """Return the cells of a 0-based column as whole numbers.

        Raises:
            InputError: one is none.
        """
        values = _all_at_once(int, self.columns[column])
        if values is not None and max(map(abs, values)) < 10**_MOST_DIGITS:
            return values
        return [row.integer(column, name) for row in self.rows()]

    def check_integers(self, column: int, name: str) -> None:
        """Refuse what `integers` refuses, without making a number of each cell.

        Raises:
            InputError: a cell is no whole number.
        """
        cells = self.columns[column]
        if not "".join(cells).encode().isdigit() or max(map(len, cells)) > _MOST_DIGITS:
            self.integers(column, name)

    def numbers(self, column: int, name: str) -> list[float]:
        """Return the cells of a 0-based column as finite numbers.

        Raises:
            InputError: one is none, such as NaN or an infinity.
        """
        values = _all_at_once(float, self.columns[column])
        if values is not None and math.isfinite(sum(values)):
            return values
        return [row.number(column, name) for row in self.rows()]

    def rows(self) -> Iterator[Row]:
        """Yield the rows one by one."""
        for line, cells in zip(self.lines, zip(*self.columns, strict=True), strict=True):
            yield Row(Place(self.path, line), cells)


def read_rows(
    path: str | Path, form: str, widths: Sequence[int], on_error: OnError = raise_error
) -> Iterator[Row]:
    """Yield the rows of a table one by one; see `read_blocks`."""
    for block in read_blocks(path, form, widths, on_error):
        yield from block.rows()


def read_blocks(
    path: str | Path, form: str, widths: Sequence[int], on_error: OnError = raise_error
) -> Iterator[Block]:
    """Yield the rows of a table in blocks, none of them empty.

    Args:
        path: the file, "-" for stdin.
        form: the names of the columns, for errors.
        widths: the numbers of columns a row may have.
        on_error: told of each line that is not UTF-8 or has another number of columns, and of a
            file that cannot be read on.

    Raises:
        InputError: the file cannot be read, or a row has another number of columns.
    """
    empty = True

    def told(error: InputError) -> None:
        nonlocal empty
        empty = False
        on_error(error)

    try:
        with reading(path) as stream:
            for block in _blocks(stream, str(path), form, widths, told):
                empty = False
                yield block
    except InputError as error:
        told(error)
    if empty:
        log.warning("%s: the file is empty", path)


def _blocks(
    stream: BufferedIOBase, path: str, form: str, widths: Sequence[int], on_error: OnError
) -> Iterator[Block]:
    first = 1
    while raw := stream.read(_BYTES) + stream.readline():
        raw = (raw.removeprefix(BOM_UTF8) if first == 1 else raw).removesuffix(b"\n")
        lines = range(first, first + raw.count(b"\n") + 1)
        columns = _columns(raw, len(lines), widths)
        if columns is not None:
            yield Block(path, lines, columns)
        else:
            yield from _by_rows(raw, path, first, form, widths, on_error)
        first = lines.stop


def _columns(raw: bytes, n_lines: int, widths: Sequence[int]) -> list[list[str]] | None:
    """Return the columns of lines that are all of one width; None if it takes more to part them.

    Each line gets a mark at its end: these stand at equal distances if all lines are of one width.
    """
    if not raw.isascii():
        return None
    text = f"{raw.decode('ascii')}\n"
    text = text.replace("\r\n", "\n") if "\r" in text else text
    if any(character in text for character in _NOT_PLAIN):
        return None
    cells = text.replace("\n", f" {_MARK} ").split()
    for width in widths:
        step = width + 1
        if len(cells) == step * n_lines and cells[width::step].count(_MARK) == n_lines:
            return [cells[column::step] for column in range(width)]
    return None


def _by_rows(
    raw: bytes, path: str, first: int, form: str, widths: Sequence[int], on_error: OnError
) -> Iterator[Block]:
    """Yield the same rows, each line parted by itself; what is wrong is told in its turn."""
    lines = enumerate(raw.split(b"\n"), start=first)
    parted = (_parted(line, Place(path, number), form, widths) for number, line in lines)
    items = (item for item in parted if item is not None)
    for _, group in groupby(items, key=_width):
        found = list(group)
        for item in found:
            if isinstance(item, InputError):
                on_error(item)
        alike = [item for item in found if isinstance(item, Row)]
        if alike:
            columns = list(zip(*(row.cells for row in alike), strict=True))
            yield Block(path, [row.place.line for row in alike], columns)


def _parted(line: bytes, place: Place, form: str, widths: Sequence[int]) -> Row | InputError | None:
    """Return the row of a line, None where it is blank; or what is wrong with it."""
    try:
        text = decode(line, place)
    except InputError as error:
        return error
    if not text.strip():
        return None
    row = Row(place, tuple(cells_of(text)))
    return row if len(row.cells) in widths else wrong_width(row, form, widths)


def _width(item: Row | InputError) -> int:
    """How many cells a row has; 0 where there is none."""
    return 0 if isinstance(item, InputError) else len(item.cells)


def _all_at_once(kind: type[T], cells: Sequence[str]) -> list[T] | None:
    """Return the numbers that `cells` spell, None if one is spelled as Python alone would."""
    joined = "".join(cells)
    if "_" in joined or not joined.isascii():
        return None
    try:
        return list(map(kind, cells))
    except ValueError:
        return None
