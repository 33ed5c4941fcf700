"""Tables read many rows at a time: for runs and qrels of millions of rows.

What `columns.read_rows` says of rows and cells holds here too, and so do its errors. Rows are
parted, and cells turned into numbers, all at once; one by one only where that fails.
"""

import math
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from judge.formats.columns import Row, cells_of, wrong_width
from judge.formats.lines import Place, decode, log, reading

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


def read_blocks(path: str | Path, form: str, widths: Sequence[int]) -> Iterator[Block]:
    """Yield the rows of a table in blocks, none of them empty; see `columns.read_rows`.

    Raises:
        InputError: the file cannot be read, or a row has another number of columns.
    """
    first, empty = 1, True
    with reading(path) as stream:
        while raw := stream.read(_BYTES) + stream.readline():
            text = _text(raw.removeprefix(BOM_UTF8) if first == 1 else raw, str(path), first)
            lines = range(first, first + text.count("\n"))
            columns = _columns(text, len(lines), widths)
            if columns is not None:
                blocks: Iterator[Block] = iter([Block(str(path), lines, columns)])
            else:
                blocks = _by_rows(text, str(path), first, form, widths)
            for block in blocks:
                empty = False
                yield block
            first = lines.stop
    if empty:
        log.warning("%s: the file is empty", path)


def _text(raw: bytes, path: str, first: int) -> str:
    r"""Return the text of some lines, each ended by "\n" and without a "\r" before it."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        for number, line in enumerate(raw.split(b"\n"), start=first):
            decode(line, Place(path, number))
        raise
    text = text if text.endswith("\n") else text + "\n"
    return text.replace("\r\n", "\n") if "\r" in text else text


def _columns(text: str, n_lines: int, widths: Sequence[int]) -> list[list[str]] | None:
    """Return the columns of lines that are all of one width; None if it takes more to part them.

    Each line gets a mark at its end: these stand at equal distances if all lines are of one width.
    """
    if not text.isascii() or any(character in text for character in _NOT_PLAIN):
        return None
    cells = text.replace("\n", f" {_MARK} ").split()
    for width in widths:
        step = width + 1
        if len(cells) == step * n_lines and cells[width::step].count(_MARK) == n_lines:
            return [cells[column::step] for column in range(width)]
    return None


def _by_rows(text: str, path: str, first: int, form: str, widths: Sequence[int]) -> Iterator[Block]:
    """Yield the same rows, each line parted by itself."""
    rows = [
        Row(Place(path, number), tuple(cells_of(line)))
        for number, line in enumerate(text.split("\n"), start=first)
        if line.strip()
    ]
    for row in rows:
        if len(row.cells) not in widths:
            raise wrong_width(row, form, widths)
    for _, group in groupby(rows, key=lambda row: len(row.cells)):
        alike = list(group)
        columns = list(zip(*(row.cells for row in alike), strict=True))
        yield Block(path, [row.place.line for row in alike], columns)


def _all_at_once(kind: type[T], cells: Sequence[str]) -> list[T] | None:
    """Return the numbers that `cells` spell, None if one is spelled as Python alone would."""
    joined = "".join(cells)
    if "_" in joined or not joined.isascii():
        return None
    try:
        return list(map(kind, cells))
    except ValueError:
        return None
