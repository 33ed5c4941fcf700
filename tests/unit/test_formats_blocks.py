"""Tables read in blocks: the same rows and the same errors as row by row, however they are cut."""

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.errors import InputError
from judge.formats import blocks
from judge.formats.blocks import read_blocks, read_rows
from judge.formats.columns import cells_of
from judge.formats.lines import read_lines

FORM = "a b c"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.txt"


def in_blocks(path: Path, widths: list[int]) -> list[tuple[int, tuple[str, ...]]]:
    found = read_blocks(path, FORM, widths)
    return [(row.place.line, row.cells) for block in found for row in block.rows()]


def row_by_row(path: Path, widths: list[int]) -> list[tuple[int, tuple[str, ...]]]:
    """The plain way, line by line, that blocks are to come to as well."""
    rows = [(line.place.line, tuple(cells_of(line.text))) for line in read_lines(path)]
    return [row for row in rows if len(row[1]) in widths]


WORDS = ["a", "b7", "-1", "\u00e9", "\ufeff"]
BLANKS = [
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\x0b",
    "\x1f",
    "\x00",
    "\u00a0",
    "\u2028",
]
pieces = st.sampled_from([*WORDS, *BLANKS])


@given(st.lists(pieces, max_size=60).map("".join), st.integers(1, 9))
@settings(max_examples=400, deadline=None)
def test_blocks_hold_what_rows_hold(
    tmp_path_factory: pytest.TempPathFactory, text: str, n_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("t") / "table.txt"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_BYTES", n_bytes)
        assert in_blocks(path, list(range(1, 61))) == row_by_row(path, list(range(1, 61)))


@pytest.mark.parametrize("end", ["\n", "", "\r\n", "\n\n \n"])
@pytest.mark.parametrize("compressed", [False, True])
def test_many_blocks(file: Path, end: str, compressed: bool) -> None:
    lines = [f"t{i // 700} \t d{i}\u00e9 {i}" if i == 5000 else f"t d{i} {i}" for i in range(9000)]
    raw = ("\ufeff" + "\n".join(lines) + end).encode()
    assert len(raw) > 1.5 * blocks._BYTES
    file.write_bytes(gzip.compress(raw) if compressed else raw)
    found = list(read_blocks(file, FORM, [3]))
    assert len(found) >= 2
    numbers = [number for block in found for number in block.integers(2, "c")]
    assert numbers == list(range(9000))
    assert [row.place.line for block in found for row in block.rows()] == list(range(1, 9001))


def test_rows_of_two_widths_come_in_blocks_of_one(file: Path) -> None:
    file.write_text("a b\nc d\n\ne f g h\ni j\n")
    found = [(list(block.lines), len(block.columns)) for block in read_blocks(file, FORM, [2, 4])]
    assert found == [([1, 2], 2), ([4], 4), ([5], 2)]


@pytest.mark.parametrize("bad", ["a b", "a b c d", "a  b", "\ta b "])
def test_a_row_of_another_width_is_told_with_its_line(file: Path, bad: str) -> None:
    """Also where the number of cells comes out right over all lines."""
    file.write_text(f"a b c\n\n{bad}\n" + ("a b c d\n" if len(bad.split()) == 2 else "a b\n"))
    with pytest.raises(InputError) as caught:
        list(read_blocks(file, FORM, [3]))
    assert caught.value.line == 3
    assert f"{len(bad.split())} columns; expected 3 columns (a b c)" in str(caught.value)
    with pytest.raises(InputError) as as_rows:
        list(read_rows(file, FORM, [3]))
    assert str(caught.value) == str(as_rows.value)


@pytest.mark.parametrize(
    "cell", ["x", "1_0", "1.0", "\u0661", "+", "--1", "1-1", "1e3", "9" * 19, "-" + "9" * 19]
)
@pytest.mark.parametrize("others", ["7", "\u00e9"])
def test_what_is_no_whole_number_is_told_with_its_line(file: Path, cell: str, others: str) -> None:
    file.write_text(f"{others} 1\n{others} -2\n{others} {cell}\n{others} 4\n", encoding="utf-8")
    (block,) = read_blocks(file, FORM, [2])
    for read in (block.integers, block.check_integers):
        with pytest.raises(InputError, match=":3: field 'grade': wrong value; expected a whole nu"):
            read(1, "grade")


def test_whole_numbers(file: Path) -> None:
    file.write_text(f"0\n-3\n+4\n007\n{'9' * 18}\n-{'9' * 18}\n")
    (block,) = read_blocks(file, FORM, [1])
    block.check_integers(0, "grade")
    assert block.integers(0, "grade") == [0, -3, 4, 7, 10**18 - 1, 1 - 10**18]


@pytest.mark.parametrize(
    "cell", ["nan", "inf", "-Infinity", "1e999", "-1e999", "1_0", "x", "\u0661", ".", "1e", "0x1"]
)
def test_what_is_no_finite_number_is_told_with_its_line(file: Path, cell: str) -> None:
    file.write_text(f"a 1\na {cell}\n", encoding="utf-8")
    (block,) = read_blocks(file, FORM, [2])
    with pytest.raises(InputError, match=":2: field 'score': wrong value; expected a finite numb"):
        block.numbers(1, "score")


def test_numbers_whose_sum_is_not_finite_are(file: Path) -> None:
    file.write_text("1e308\n1e308\n-.5E-1\n")
    (block,) = read_blocks(file, FORM, [1])
    assert block.numbers(0, "score") == [1e308, 1e308, -0.05]


def test_bytes_that_are_not_utf_8_are_told_with_their_line(file: Path) -> None:
    lines = [b"a b c"] * 9000
    lines[random.Random(1).randrange(8000, 9000)] = b"a \xff c"
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(InputError, match="not UTF-8: invalid start byte at byte 3") as caught:
        list(read_blocks(file, FORM, [3]))
    assert caught.value.line == lines.index(b"a \xff c") + 1


def test_every_line_that_is_wrong_is_told_and_the_others_are_read(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_bytes(b"a b c\na b\n\nd \xff f\r\ng h i\r\nj\nk l m")
    errors: list[InputError] = []
    rows = list(read_rows(file, FORM, [3], errors.append))
    assert [(row.place.line, row.cells) for row in rows] == [
        (1, ("a", "b", "c")),
        (5, ("g", "h", "i")),
        (7, ("k", "l", "m")),
    ]
    assert sorted((error.line, error.message) for error in errors) == [
        (2, "2 columns"),
        (4, "not UTF-8: invalid start byte at byte 3 of the line"),
        (6, "1 columns"),
    ]
    assert not caplog.records


def test_a_table_of_nothing_but_errors_is_not_called_empty(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_bytes(b"\xff\n")
    errors: list[InputError] = []
    assert list(read_rows(file, FORM, [3], errors.append)) == []
    assert [error.line for error in errors] == [1]
    assert list(read_rows(file.with_name("none"), FORM, [3], errors.append)) == []
    assert errors[1].message == "no such file"
    assert not caplog.records


@pytest.mark.parametrize("text", ["", "\ufeff", " \n\t\n\n", "\r\n"])
def test_an_empty_file_is_told(file: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text(text, encoding="utf-8", newline="")
    assert list(read_blocks(file, FORM, [3])) == []
    assert [r.getMessage() for r in caplog.records] == [f"{file}: the file is empty"]
