"""Lines of JSON: ASCII, one line each, and read back as they went in."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.json_lines import json_line, read_object

LINE_ENDS = "a\u2028b\u2029c\x85d\ne\rf\x0bg\x1ch"


@pytest.mark.parametrize(
    "data",
    [
        {"reason": LINE_ENDS},
        {"reason": "caf\u00e9 \U0001f600"},
        {"reason": "\ud800 alone"},
        {"count": 2**70, "least": -(2**70)},
        {"probabilities": {"0": 1e-07, "1": 1e16, "2": -0.0}},
        {"detail": {1: "a number for a key"}},
        {},
    ],
)
def test_a_line_is_ascii_ends_once_and_holds_what_json_holds(data: dict[str, Any]) -> None:
    line = json_line(data)
    assert line.endswith(b"\n")
    assert len(line.decode("ascii").splitlines()) == 1
    assert json.loads(line) == json.loads(json.dumps(data))


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=())), _VALUES))
def test_any_json_comes_back(data: dict[str, Any]) -> None:
    line = json_line(data)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line) == data


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(TypeError):
        json_line({"of": object()})


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b'[["a", 1]]',
        b"null",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": "\xff"}',
        b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_what_is_no_object_of_json_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_object(line)


def test_a_line_is_read_as_it_was_written() -> None:
    data = {"a": "\ud800", "b": [1.5, 2**70, None], "c": {"d": "ü"}}
    assert read_object(json_line(data)) == data
