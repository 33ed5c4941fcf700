"""Labelling sheets: units for people to label, as JSONL, or as a table for a spreadsheet.

A sheet is written with an empty label in each row; filled in, it is read back as human labels.
The name decides the form: .tsv is a table with tab-separated columns and quoted cells, anything
else JSONL. What the sheet says beside unit_id, label, annotator and sheet is for the eyes alone.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from judge.formats.fields import Fields, read_records
from judge.formats.lines import Line, Place, Unique, read_lines, write_json, write_lines
from judge.types import SUPPORTS, Label

DISAGREEMENTS = "disagreements"
"""What stands in the field `sheet` of a sheet that shows what raters said."""

_KEYS = ("unit_id", "label", "annotator", "sheet")
_FORMULA = ("=", "+", "-", "@")
_BLANKS = ("", "?")
_LONGEST = 2**31 - 1  # characters of a cell; the csv module would stop at 131,072


class SheetLabel(NamedTuple):
    """A row that was filled in; `annotator` is "" where the row names none.

    `adjudicates` tells whether the sheet showed what others said.
    """

    unit_id: str
    label: Label
    annotator: str
    adjudicates: bool

    @property
    def task(self) -> str:
        """The task of the unit."""
        return self.unit_id.split("|")[0]

    @property
    def topic_id(self) -> str:
        """The topic of the unit."""
        return unquote(self.unit_id.split("|")[1])

    @property
    def run_id(self) -> str | None:
        """The system of the unit, None for the relevance of a document."""
        parts = self.unit_id.split("|")
        return None if self.task == "relevance" else unquote(parts[2])


class Sheet(NamedTuple):
    """The rows that were filled in, and how many were not."""

    labels: list[SheetLabel]
    n_blank: int


def read_sheet(path: str | Path) -> Sheet:
    """Read a sheet; rows whose label is empty, null or "?" are counted and left out.

    Labels are whole numbers, or none, partial and full.

    Raises:
        InputError: the file cannot be read, a row has no unit_id or another label, or one
            annotator labels a unit twice.
    """
    first = next(read_lines(path), None)
    is_table = first is not None and not first.text.lstrip().startswith(("{", "["))
    unique = Unique("the label of (unit, annotator)")
    labels, n_blank = [], 0
    for place, row in _table_rows(path) if is_table else _json_rows(path):
        label = _label(row, place)
        if label is None:
            n_blank += 1
            continue
        adjudicates = row.get("sheet", "").strip() == DISAGREEMENTS
        annotator = row.get("annotator", "").strip()
        found = SheetLabel(_unit_id(row, place), label, annotator, adjudicates)
        unique.add((found.unit_id, found.annotator), place)
        labels.append(found)
    return Sheet(labels, n_blank)


def write_sheet(path: str | Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write a sheet of rows that have the same fields, unit_id and label among them.

    Lists and objects stand as they are in JSONL; in a table None is an empty cell, and a text
    that a spreadsheet would take for a formula has an apostrophe before it.

    Raises:
        UsageError: the file cannot be written.
    """
    if Path(path).suffix.lower() == ".tsv":
        write_lines(path, [_table(rows)])
    else:
        write_json(path, (dict(row) for row in rows))


def _json_rows(path: str | Path) -> Iterator[tuple[Place, dict[str, str]]]:
    for record in read_records(path):
        record.skip(*record.names)
        yield record.place, {name: _cell(record, name) for name in _KEYS if record.has(name)}


def _cell(record: Fields, name: str) -> str:
    value = record.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise record.error(name, "wrong value", expected="a string or a number", found=value)
    return str(value)


def _table_rows(path: str | Path) -> Iterator[tuple[Place, dict[str, str]]]:
    lines = list(read_lines(path))
    text = io.StringIO("\n".join(line.text for line in lines))
    reader = csv.DictReader(text, delimiter="\t", strict=True)
    limit = csv.field_size_limit(_LONGEST)
    try:
        for row in reader:
            yield _place(lines, reader.line_num), {n: row.get(n) or "" for n in _KEYS}
    except csv.Error as error:
        expected = "tab-separated columns, cells that hold tabs or quotes in quotes"
        place = _place(lines, reader.reader.line_num)
        raise place.error(f"not a table: {error}", expected=expected) from error
    finally:
        csv.field_size_limit(limit)


def _place(lines: Sequence[Line], number: int) -> Place:
    """The place of the line that a row of a table ends on."""
    return lines[min(max(number, 1), len(lines)) - 1].place


def _unit_id(row: Mapping[str, str], place: Place) -> str:
    unit_id = row.get("unit_id", "").strip()
    if unit_id.count("|") < (2 if unit_id.startswith("relevance|") else 3):
        expected = "the unit_id that the sheet was written with"
        raise place.error("wrong value", field="unit_id", expected=expected, found=unit_id)
    return unit_id


def _label(row: Mapping[str, str], place: Place) -> Label | None:
    word = row.get("label", "").strip().casefold()
    if word in _BLANKS:
        return None
    relevance = row.get("unit_id", "").startswith("relevance|")
    if relevance and word.removeprefix("-").isdecimal() and word.isascii():
        return int(word)
    if not relevance and word in SUPPORTS:
        return word
    expected = "a whole number" if relevance else " or ".join(SUPPORTS)
    raise place.error("wrong value", field="label", expected=expected, found=row.get("label"))


def _table(rows: Sequence[Mapping[str, object]]) -> str:
    text = io.StringIO()
    names = list(rows[0]) if rows else list(_KEYS)
    writer = csv.DictWriter(text, names, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _safe(name, value) for name, value in row.items()} for row in rows)
    return text.getvalue().removesuffix("\n")


def _safe(name: str, value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if name != "unit_id" and text.startswith(_FORMULA) else text


def blank_rows(
    unit_ids: Iterable[str], details: Mapping[str, Mapping[str, object]], sheet: str = ""
) -> list[dict[str, object]]:
    """Return the rows of a sheet that is to be filled in: what is known of each unit, no label."""
    empty = {"label": "", "annotator": "", "note": "", "sheet": sheet}
    return [{"unit_id": unit_id, **empty, **details.get(unit_id, {})} for unit_id in unit_ids]
