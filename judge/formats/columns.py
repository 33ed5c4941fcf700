"""Tables whose columns are set apart by blanks: retrieval runs and qrels.

They are read by `judge.formats.blocks`; here is what a row is, and how one is written.
"""

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from judge.errors import InputError
from judge.formats.lines import Place, write_lines

_GAP = re.compile(r"[ \t]+")  # not str.split: it takes U+00A0 and U+001F for blanks too
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Row(NamedTuple):
    """A row of a table, its cells as they are written."""

    place: Place
    cells: tuple[str, ...]

    def integer(self, column: int, name: str) -> int:
        """Return the cell of a 0-based column as a whole number.

        Raises:
            InputError: it is none.
        """
        if not _INTEGER.fullmatch(self.cells[column]):
            raise self.error(column, name, "a whole number")
        return int(self.cells[column])

    def number(self, column: int, name: str) -> float:
        """Return the cell of a 0-based column as a finite number.

        Raises:
            InputError: it is none, such as NaN or an infinity.
        """
        cell = self.cells[column]
        if not _NUMBER.fullmatch(cell) or not math.isfinite(float(cell)):
            raise self.error(column, name, "a finite number")
        return float(cell)

    def error(self, column: int, name: str, expected: str) -> InputError:
        """Return the error that says what is wrong with a cell."""
        found = self.cells[column]
        return self.place.error("wrong value", field=name, expected=expected, found=found)


def cells_of(line: str) -> list[str]:
    """Return the cells of a line that is not blank."""
    return _GAP.split(line.strip(" \t"))


def wrong_width(row: Row, form: str, widths: Sequence[int]) -> InputError:
    """Return the error of a row that has another number of columns."""
    count = " or ".join(map(str, widths))
    return row.place.error(
        f"{len(row.cells)} columns", expected=f"{count} columns ({form})", found=" ".join(row.cells)
    )


def write_rows(path: str | Path, rows: Iterable[Sequence[str | int]]) -> None:
    """Write a table, its columns set apart by one space.

    Raises:
        InputError: a cell is empty or holds a blank, so that it could not be read back.
        UsageError: the file cannot be written.
    """
    write_lines(path, (" ".join(_cell(cell, path) for cell in row) for row in rows))


def _cell(cell: str | int, path: str | Path) -> str:
    text = str(cell)
    if text.split() != [text]:
        expected = "an id without blanks, as the format has columns"
        raise InputError("cannot be written", path=path, expected=expected, found=text)
    return text
