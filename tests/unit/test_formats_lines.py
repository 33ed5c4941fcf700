"""Lines and JSON: BOM, CRLF, blank lines, gzip, stdin, bad bytes, bad JSON, and writing."""

import gzip
import io
import json
import os
import sys
from pathlib import Path

import pytest

from judge.errors import InputError, UsageError
from judge.formats.lines import (
    STDIN,
    can_seek,
    read_json,
    read_lines,
    write_json,
    write_lines,
)


def texts(path: str | Path) -> list[str]:
    return [line.text for line in read_lines(path)]


def values(path: str | Path) -> list[object]:
    return [value for _, value in read_json(read_lines(path))]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "some.jsonl"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\r\nb\r\n", ["a", "b"]),
        (b"a\n\n  \n\r\nb\n\n", ["a", "b"]),
        ("a\u2028b\u0085c\x0cd\re\n".encode(), ["a\u2028b\u0085c\x0cd\re"]),
        ("  \u00e9\t\n".encode(), ["  \u00e9\t"]),
    ],
)
def test_lines_end_at_newline_only(file: Path, raw: bytes, expected: list[str]) -> None:
    file.write_bytes(raw)
    assert texts(file) == expected


def test_line_numbers_count_blank_lines_and_offsets_find_the_line(file: Path) -> None:
    raw = b"\xef\xbb\xbfone\r\n\n\xc3\xa9\n\nlast"
    file.write_bytes(raw)
    lines = list(read_lines(file))
    assert [line.place.line for line in lines] == [1, 3, 5]
    assert [raw[line.offset :].split(b"\n")[0].rstrip(b"\r").decode() for line in lines] == [
        line.text for line in lines
    ]


@pytest.mark.parametrize("name", ["some.jsonl.gz", "gzip-by-content.txt"])
def test_gzip_is_told_by_content(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(b"\xef\xbb\xbfa\r\nb"))
    assert texts(file) == ["a", "b"]


@pytest.mark.parametrize("cut", [3, 15, -5])
def test_damaged_gzip_is_an_error(file: Path, cut: int) -> None:
    file.write_bytes(gzip.compress(os.urandom(2000).hex().encode())[:cut])
    with pytest.raises(InputError, match="gzip data is damaged or cut off") as caught:
        texts(file)
    assert caught.value.path == file


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_stdin(monkeypatch: pytest.MonkeyPatch, pack: type[bytes]) -> None:
    raw = io.BytesIO(pack(b"a\nb\xff\n"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
    with pytest.raises(InputError, match=r"^-:2: not UTF-8"):
        texts(STDIN)


def test_pipe(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b'{"a": 1}\n')
    os.close(write)
    assert values(f"/dev/fd/{read}") == [{"a": 1}]
    assert not can_seek(f"/dev/fd/{read}")
    os.close(read)


def test_can_seek(file: Path) -> None:
    file.write_bytes(b"plain")
    assert can_seek(file)
    assert not can_seek(STDIN)
    file.write_bytes(gzip.compress(b"packed"))
    assert not can_seek(file)


def test_bad_bytes_name_the_line(file: Path) -> None:
    file.write_bytes(b"fine\n\nab\xff\xfe\n")
    with pytest.raises(InputError, match=r":3: not UTF-8: .* at byte 3 of the line") as caught:
        texts(file)
    assert caught.value.line == 3


@pytest.mark.parametrize("raw", ['"\u00e9"\n'.encode("utf-16"), '"\u00e9"\n'.encode("latin-1")])
def test_other_encodings_are_refused(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    with pytest.raises(InputError, match=":1: not UTF-8"):
        texts(file)


def test_encoded_surrogates_are_not_utf8(file: Path) -> None:
    file.write_bytes(b"\xed\xa0\x80\n")
    with pytest.raises(InputError, match="not UTF-8"):
        texts(file)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such file"):
        texts(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a folder, not a file"):
        texts(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        texts("a\0b")


@pytest.mark.parametrize("raw", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_empty_file_is_told(file: Path, raw: bytes, caplog: pytest.LogCaptureFixture) -> None:
    file.write_bytes(raw)
    assert values(file) == []
    assert [r.getMessage() for r in caplog.records] == [f"{file}: the file is empty"]
    assert caplog.records[0].name == "judge.formats"


def test_separators_inside_a_string_are_data(file: Path) -> None:
    file.write_text('{"a": "x\u2028y\u2029z\u0085"}\r\n{"a": "b"}', encoding="utf-8")
    assert values(file) == [{"a": "x\u2028y\u2029z\u0085"}, {"a": "b"}]


def test_list_over_many_lines(file: Path) -> None:
    file.write_text('\n [\n\n {"a":\n 1}, {"a": [2,\n 3]}\n,\n"x"]\n\n')
    assert [(place.line, value) for place, value in read_json(read_lines(file))] == [
        (4, {"a": 1}),
        (5, {"a": [2, 3]}),
        (8, "x"),
    ]


@pytest.mark.parametrize("text", ["[]", "[ ]", " [\n]\n"])
def test_empty_list(file: Path, text: str) -> None:
    file.write_text(text)
    assert values(file) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[{"a": 1}\n{"a": 2}]', 2),
        ("[1,\n2,\n]", 2),
        ("[1]\n\n[2]", 3),
        ("[1,\n2", 2),
        ("[1,\n\n", 1),
        ("[1, tru\n]", 1),
        ("[", 1),
        ("[1,\n2,\nNaN]", 3),
        ('[1,\n{"a": 1, "a": 2}]', 2),
    ],
)
def test_damaged_list_names_the_line(file: Path, text: str, line: int) -> None:
    file.write_text(text)
    with pytest.raises(InputError, match="not JSON") as caught:
        values(file)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1}\n{"a": "half wri', "Unterminated string starting at column"),
        ('{"a": 1}\n{"a": 1', "Expecting ',' delimiter"),
        ('{"a": 1}\n{"a": NaN}', "NaN is no JSON value"),
        ('{"a": 1}\n{"a": -Infinity}', "-Infinity is no JSON value"),
        ('{"a": 1}\n{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice"),
        ('{"a": 1}\n' + "[" * 100_000, "recursion"),
        ('{"a": 1}\n' + "1" * 5000, "digits"),
        ('{"a": 1}\n{"a": 1} {"a": 2}', "Extra data"),
        ('{"a": 1}\n\ufeff{"a": 1}', "Expecting value"),
    ],
)
def test_bad_json_names_the_line(file: Path, text: str, reason: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f":2: not JSON: .*{reason}"):
        values(file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n "a": 1\n}', [(1, {"a": 1})]),
        ('\n{\n"a":\n{\n}\n}\n', [(2, {"a": {}})]),
        ('{"a": [\n1]}\n\n{\n"b": 2}\n', [(1, {"a": [1]}), (4, {"b": 2})]),
        ('{"a": 1}\n{"b": 2}\n', [(1, {"a": 1}), (2, {"b": 2})]),
    ],
)
def test_objects_over_many_lines(file: Path, text: str, expected: list[object]) -> None:
    file.write_text(text)
    assert [(place.line, value) for place, value in read_json(read_lines(file))] == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [('{\n "a": 1,\n "b" 2\n}', 3), ('{\n "a": 1\n}\n}\n', 4), ('{\n "a": 1\n', 2)],
)
def test_damaged_objects_over_many_lines_name_the_line(file: Path, text: str, line: int) -> None:
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        values(file)
    assert caught.value.line == line


def test_a_first_line_that_was_cut_off_is_no_object_over_many_lines(file: Path) -> None:
    file.write_text('{"a": 1, "b\n{"a": 2}\n')
    errors: list[InputError] = []
    assert [value for _, value in read_json(read_lines(file), errors.append)] == [{"a": 2}]
    assert [error.line for error in errors] == [1]


def test_reading_goes_on_after_errors_that_are_noted(file: Path) -> None:
    file.write_bytes(b'{"a": 1}\n\xff\n{"a": 1, "a": 2}\n[\n{"a": 3}\nNaN\n')
    errors: list[InputError] = []
    read = read_json(read_lines(file, errors.append), errors.append)
    assert [(place.line, value) for place, value in read] == [(1, {"a": 1}), (5, {"a": 3})]
    assert [error.line for error in errors] == [2, 3, 4, 6]
    assert "the key 'a' stands twice in one object" in str(errors[1])


def test_after_the_end_of_a_damaged_gzip_file_nothing_comes(file: Path) -> None:
    rows = [json.dumps({"number": number}) for number in range(9999)]
    file.write_bytes(gzip.compress("\n".join(rows).encode())[:-2000])
    errors: list[InputError] = []
    read = list(read_lines(file, errors.append))
    assert 0 < len(read) < len(rows)
    assert [str(error) for error in errors][-1].startswith(f"{file}: the gzip data is damaged")


def test_half_written_line_in_the_middle(file: Path) -> None:
    file.write_text('{"a": 1}\n{"a"\n{"a": 3}\n')
    with pytest.raises(InputError, match=r":2: not JSON.*expected complete JSON, found"):
        values(file)


def test_written_json_reads_back(file: Path) -> None:
    rows: list[dict[str, object]] = [
        {"a": 'x\u2028\n"\\ \u00e9\U0001f600', "b": None},
        {"a": [1, 0.1, True]},
    ]
    write_json(file, rows)
    assert values(file) == rows
    assert file.read_bytes().count(b"\n") == 2


def test_nan_is_never_written_and_the_old_file_stays(file: Path) -> None:
    file.write_text("old")
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(file, [{"a": 1}, {"a": float("nan")}])
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_unwritable_is_a_usage_error(tmp_path: Path, file: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write_lines(tmp_path / "nowhere" / "file", ["a"])
    file.write_text(json.dumps({}))
    with pytest.raises(UsageError, match="cannot be written"):
        write_lines(file / "below a file", ["a"])
