"""Fields: types, errors that name the field, ids as written, unknown fields, surrogates."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats.fields import Fields, Notes, read_records
from judge.formats.lines import Place


def fields(data: object, prefix: str = "") -> Fields:
    return Fields(Place("f.jsonl", 7), data, prefix, Notes())


@pytest.mark.parametrize("data", [None, 3, "x", [], True])
def test_not_an_object(data: object) -> None:
    with pytest.raises(InputError, match=r"^f.jsonl:7: not an object; expected a JSON object"):
        fields(data)


def test_missing_names_what_is_there() -> None:
    with pytest.raises(InputError) as caught:
        fields({"b": 1, "c": 2}).text("a")
    assert str(caught.value) == (
        "f.jsonl:7: field 'a': missing; expected a string, found ['b', 'c']"
    )


def test_error_has_all_parts() -> None:
    record = fields({"answer": [{"text": "x"}, {"text": 3}]})
    with pytest.raises(InputError) as caught:
        [item.text("text") for item in record.records("answer")]
    error = caught.value
    assert (error.path, error.line, error.field) == ("f.jsonl", 7, "answer[1].text")
    assert (error.expected, error.found) == ("a string", 3)


READS: list[tuple[Callable[[Fields], Any], list[object]]] = [
    (lambda f: f.text("a"), [None, 1, 1.5, True, [], {}]),
    (lambda f: f.text("a", empty=False), [None, "", " \n"]),
    (lambda f: f.optional_text("a"), [1, True, []]),
    (lambda f: f.ident("a"), [None, "", " ", 1.0, True, [], {}, "\ud800"]),
    (lambda f: f.idents("a"), ["x", {}, [None], [""], [True], [1.5]]),
    (lambda f: f.number("a"), [None, "1", True, float("inf"), float("nan"), 10**400]),
    (lambda f: f.optional_integer("a"), ["1", True, 1.0]),
    (lambda f: f.choice("a", {"1": "one", "x": "ex"}), [None, "2", 2, "X", True, 1.0, []]),
    (lambda f: f.items("a"), [None, "x", {}]),
    (lambda f: f.record("a"), [None, "x", []]),
    (lambda f: f.records("a"), [None, {}, [1], [None]]),
]


@pytest.mark.parametrize(("read", "value"), [(r, v) for r, wrong in READS for v in wrong])
def test_wrong_type_names_the_field(read: Callable[[Fields], Any], value: object) -> None:
    with pytest.raises(InputError) as caught:
        read(fields({"a": value}))
    assert caught.value.field is not None
    assert caught.value.field.startswith("a")
    assert caught.value.expected is not None


def test_right_values() -> None:
    record = fields(
        {"s": "", "id": "007", "n": 12, "ids": ["a#1", 5], "f": 2, "c": 1, "none": None, "i": 0}
    )
    assert record.text("s") == ""
    assert record.optional_text("none") == record.optional_text("gone") == ""
    assert (record.ident("id"), record.ident("n")) == ("007", "12")
    assert record.idents("ids") == ("a#1", "5")
    assert record.idents("none") == record.idents("gone") == ()
    assert record.number("f") == 2.0
    assert record.choice("c", {"1": "one"}) == "one"
    assert (record.optional_integer("i"), record.optional_integer("none")) == (0, None)


def test_first_takes_the_first_name_that_is_not_null() -> None:
    assert fields({"b": 1, "a": 0}).first("a", "b") == "a"
    assert fields({"b": 1, "a": None}).first("a", "b") == "b"
    with pytest.raises(InputError, match="field 'a': missing; expected a or b, found"):
        fields({"a": None}).first("a", "b")


def test_unknown_fields_are_told_once_a_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(
        '{"a": [{"b": 1, "n": 2}, {"b": 1, "n": 2}], "m": 1}\n' * 3 + '{"a": [], "z": 0}'
    )
    for record in read_records(file):
        for item in record.records("a"):
            item.get("b")
        record.skip("z")
    assert [r.getMessage() for r in caplog.records] == [f"{file}: ignored unknown fields: m, a[].n"]


def test_unpaired_surrogates_become_replacement_characters(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"a": "x\\ud800y\\udc00"}\n{"a": "\\ud83d\\ude00"}\n')
    assert [record.text("a") for record in read_records(file)] == ["x\ufffdy\ufffd", "\U0001f600"]
    assert [r.getMessage() for r in caplog.records] == [
        f"{file}: replaced unpaired surrogates by U+FFFD in: a"
    ]


def test_a_warning_of_a_field_named_by_a_surrogate_can_be_printed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text('{"\\ud800": 1}\n')
    for record in read_records(path):
        record.skip()
    caplog.text.encode()
    assert "\ufffd" in caplog.text
