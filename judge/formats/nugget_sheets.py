"""Sheets on which people edit nuggets: one nugget a line, as a table for a spreadsheet or as JSONL.

The name decides the form: .tsv is a table with tab-separated columns, quoted cells and lines of
comment, which begin with "# "; anything else is JSONL. `near` names a nugget that says nearly the
same; it is for the eyes alone.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from judge.formats.fields import Fields, read_records
from judge.formats.lines import Line, Place, read_lines, write_json, write_lines
from judge.types import Importance, Nugget, Topic

COLUMNS = ("topic_id", "nugget_id", "importance", "sub_narrative", "text", "near")

_READ = COLUMNS[:-1]
_REQUIRED = ("topic_id", "text")
_COMMENT = "# "
_IMPORTANCE: dict[str, Importance | None] = {"vital": "vital", "okay": "okay", "": None}
_FORMULA = re.compile(r"'*[=+\-@]")
_LONGEST = 2**31 - 1  # characters of a cell; the csv module would stop at 131,072
_SHOWN = 200
_HELP = (
    "One nugget a line. Edit text, importance (vital, okay or nothing) and sub_narrative",
    '(the number of a part of the topic, "New: ..." or nothing). Remove a line to drop its nugget;',
    "add a line without a nugget_id for a new one. Read it with: rag-judge nuggets revise",
)


class EditedRow(NamedTuple):
    """A line of a sheet; `nugget_id` is None for a new nugget."""

    place: Place
    topic_id: str
    nugget_id: str | None
    text: str
    importance: Importance | None
    sub_narrative: str | None


def write_nugget_sheet(
    path: str | Path,
    nuggets: Iterable[Nugget],
    topics: Mapping[str, Topic],
    near: Mapping[tuple[str, str], str],
) -> None:
    """Write nuggets for people to edit.

    Args:
        path: the file.
        nuggets: those of any number of topics.
        topics: the topics that are known, by id; their parts stand by number then.
        near: (topic_id, nugget_id) -> the id of a nugget that says nearly the same.

    Raises:
        UsageError: the file cannot be written.
    """
    rows = [_row(nugget, topics.get(nugget.topic_id), near) for nugget in nuggets]
    if Path(path).suffix.lower() == ".tsv":
        write_lines(path, _table(rows, topics))
    else:
        write_json(path, rows)


def read_nugget_sheet(path: str | Path, topics: Mapping[str, Topic]) -> list[EditedRow]:
    """Read a sheet that people have edited.

    Raises:
        InputError: the file cannot be read, a column is missing, or a cell is wrong.
    """
    first = next(read_lines(path), None)
    is_table = first is not None and not first.text.lstrip().startswith(("{", "["))
    rows = _table_rows(path) if is_table else _json_rows(path)
    return [_edited(place, row, topics) for place, row in rows]


def _row(
    nugget: Nugget, topic: Topic | None, near: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    numbers = {part.text: part.sub_id for part in topic.sub_narratives} if topic else {}
    part = nugget.sub_narrative or ""
    return {
        "topic_id": nugget.topic_id,
        "nugget_id": nugget.nugget_id,
        "importance": nugget.importance or "",
        "sub_narrative": numbers.get(part, part),
        "text": nugget.text,
        "near": near.get((nugget.topic_id, nugget.nugget_id), ""),
    }


def _table(rows: Sequence[dict[str, Any]], topics: Mapping[str, Topic]) -> Iterator[str]:
    yield from (_COMMENT + line for line in _HELP)
    yield "\t".join(COLUMNS)
    told: set[str] = set()
    for row in rows:
        topic = topics.get(row["topic_id"])
        if topic is not None and topic.topic_id not in told:
            told.add(topic.topic_id)
            yield from (_COMMENT + " ".join(line.split()) for line in _about(topic))
        text = io.StringIO()
        cells = [_safe(str(row[name])) for name in COLUMNS]
        csv.writer(text, delimiter="\t", lineterminator="").writerow(cells)
        yield text.getvalue()


def _about(topic: Topic) -> Iterator[str]:
    asked = topic.narrative
    yield f"{topic.topic_id}: {asked[:_SHOWN]}{'...' if len(asked) > _SHOWN else ''}"
    yield from (f"{topic.topic_id} part {p.sub_id}: {p.text}" for p in topic.sub_narratives)


def _safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula; `_plain` reads it back."""
    return f"'{text}" if _FORMULA.match(text) else text


def _plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _table_rows(path: str | Path) -> Iterator[tuple[Place, dict[str, str]]]:
    lines = [line for line in read_lines(path) if not _is_comment(line)]
    text = io.StringIO("\n".join(line.text for line in lines))
    reader = csv.reader(text, delimiter="\t", strict=True)
    limit = csv.field_size_limit(_LONGEST)
    try:
        names = next(reader, [])
        if missing := [name for name in _REQUIRED if name not in names]:
            expected = ", ".join(COLUMNS)
            raise lines[0].place.error(
                f"no column {missing[0]!r}", expected=expected, found=", ".join(names)
            )
        for cells in reader:
            row = dict(zip(names, cells, strict=False))
            place = lines[min(reader.line_num, len(lines)) - 1].place
            yield place, {name: _plain(row.get(name, "")) for name in _READ}
    except csv.Error as error:
        place = lines[min(max(reader.line_num, 1), len(lines)) - 1].place
        expected = "tab-separated columns, cells that hold tabs or quotes in quotes"
        raise place.error(f"not a table: {error}", expected=expected) from error
    finally:
        csv.field_size_limit(limit)


def _is_comment(line: Line) -> bool:
    return line.text.lstrip('"').startswith(_COMMENT)


def _json_rows(path: str | Path) -> Iterator[tuple[Place, dict[str, str]]]:
    for record in read_records(path):
        record.skip("near")
        yield record.place, {name: _json_cell(record, name) for name in _READ}


def _json_cell(record: Fields, name: str) -> str:
    if name in ("topic_id", "nugget_id", "sub_narrative"):
        return record.ident(name) if record.get(name) not in (None, "") else ""
    return record.optional_text(name)


def _edited(place: Place, row: Mapping[str, str], topics: Mapping[str, Topic]) -> EditedRow:
    cells = {name: value.strip() for name, value in row.items()}
    for name in _REQUIRED:
        if not cells[name]:
            raise place.error("empty", field=name, expected="a value", found="")
    importance = cells["importance"].casefold()
    if importance not in _IMPORTANCE:
        expected = "vital, okay or nothing"
        raise place.error("wrong value", field="importance", expected=expected, found=importance)
    return EditedRow(
        place=place,
        topic_id=cells["topic_id"],
        nugget_id=cells["nugget_id"] or None,
        text=" ".join(row["text"].split()),
        importance=_IMPORTANCE[importance],
        sub_narrative=_part(cells["sub_narrative"], topics.get(cells["topic_id"]), place),
    )


def _part(cell: str, topic: Topic | None, place: Place) -> str | None:
    """The text of a sub-narrative that a cell names, by number or as it is."""
    texts = {part.sub_id: part.text for part in topic.sub_narratives} if topic else {}
    if cell.isdecimal() and texts and cell not in texts:
        expected = f"a part of the topic: {', '.join(texts)}"
        raise place.error("wrong value", field="sub_narrative", expected=expected, found=cell)
    return texts.get(cell, cell) or None
