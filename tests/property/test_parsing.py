"""Readers of replies over any text: only `ReadError`, and no verdict that is not stated."""

import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from judge.errors import ReadError
from judge.parsing import (
    MAX_DIGITS,
    SUPPORT_LABELS,
    TruncatedReply,
    after_thinking,
    batch,
    final_score,
    json_object,
    label,
    label_line,
)

ANY_PACE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SUPPORT = ("full", "partial", "none")
READERS: tuple[Callable[[str], Any], ...] = (
    after_thinking,
    final_score,
    lambda text: label(text, SUPPORT, SUPPORT_LABELS),
    lambda text: label_line(text, SUPPORT, SUPPORT_LABELS),
    json_object,
    lambda text: batch(text, ["1", "labels"]),
)

PUNCTUATION = [*"{}[]\":,\\#*_-./<>`' \n\t\u200b\u00a0＃３³½\ud800", "##", "\r\n", "```json\n"]
WORDS = ["##final score", "##final score: ", "final", "score", "Label", "label: ", "full support"]
VALUES = [
    "3",
    "-1",
    "2.5",
    "3/4",
    "1e999",
    "True",
    "None",
    "null",
    "NaN",
    '"1"',
    '"labels"',
    "none",
]
TAGS = ["<think>", "</think>", "</Reasoning >"]
PIECES = st.one_of(st.sampled_from([*PUNCTUATION, *WORDS, *VALUES, *TAGS]), st.text(max_size=3))
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))
LINES = st.lists(st.text(max_size=20), max_size=4).map("\n".join)
TEXT_IN_JSON = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<"))
WHOLE = st.integers(1 - 10**MAX_DIGITS, 10**MAX_DIGITS - 1)
ATOMS = st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    ATOMS | TEXT_IN_JSON,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT_IN_JSON, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT_IN_JSON, JSON, max_size=5)


@ANY_PACE
@given(TEXTS)
def test_no_text_raises_anything_but_a_read_error(text: str) -> None:
    for read in READERS:
        message = failure(read, text)
        assert message is None or (message and "\n" not in message)


def failure(read: Callable[[str], Any], text: str) -> str | None:
    try:
        read(text)
    except ReadError as error:
        return str(error)
    return None


@ANY_PACE
@given(TEXTS)
def test_thinking_is_cut_off_once(text: str) -> None:
    try:
        answer = after_thinking(text)
    except ReadError:
        return
    assert after_thinking(answer) == answer


# --- scores ------------------------------------------------------------------------------------


@ANY_PACE
@given(TEXTS.map(lambda text: re.sub("[#＃﹟]", "", text)))
def test_without_a_marker_there_is_no_score(text: str) -> None:
    with pytest.raises(ReadError):
        final_score(text)


@ANY_PACE
@given(
    before=LINES.map(lambda text: text.replace("#", "").replace("<", "")),
    score=st.integers(0, 4),
    form=st.sampled_from(["{}", "{}.", "{}.0", "**{}**", "{}/4", " {} / 4", "*{}*."]),
    lead=st.sampled_from(["", "  ", "- ", "* ", "**"]),
    separator=st.sampled_from([":", ": ", " : ", " - ", "- ", ":** "]),
)
def test_a_well_formed_last_line_is_read(
    before: str, score: int, form: str, lead: str, separator: str
) -> None:
    text = f"{before}\n{lead}##Final  Score{separator}{form.format(score)}"
    assert final_score(text) == (score, False)


def has_digit(value: str) -> bool:
    return re.search("[0-9]", unicodedata.normalize("NFKC", value)) is not None


@ANY_PACE
@given(
    earlier=st.integers(0, 4), value=st.text(max_size=8).filter(lambda value: not has_digit(value))
)
def test_a_last_line_without_a_digit_never_gives_an_earlier_score(earlier: int, value: str) -> None:
    with pytest.raises(ReadError):
        final_score(f"##final score: {earlier}\n##final score: {value}")


@ANY_PACE
@given(st.integers().filter(lambda number: not 0 <= number <= 4))
def test_a_number_off_the_scale_fails(number: int) -> None:
    with pytest.raises(ReadError):
        final_score(f"##final score: 3\n##final score: {number}")


MARKER = "##final score"


@ANY_PACE
@given(
    at=st.sampled_from([place for place, char in enumerate(MARKER) if char != " "]),
    other=st.characters(exclude_categories=["Cs"]),
)
def test_a_marker_with_another_character_counts_only_if_that_folds_to_the_right_one(
    at: int, other: str
) -> None:
    assume(unicodedata.normalize("NFKC", other).casefold() != MARKER[at])
    with pytest.raises(ReadError):
        final_score(f"{MARKER[:at]}{other}{MARKER[at + 1 :]}: 3")


@pytest.mark.parametrize("plane", range(4))
def test_a_character_is_a_score_only_if_it_is_a_decimal_digit(plane: int) -> None:
    for code in range(plane << 16, (plane + 1) << 16):
        char = chr(code)
        if score_of(f"##final score: {char}") is not None:
            assert unicodedata.category(char) == "Nd"
            assert unicodedata.decimal(char) == score_of(f"##final score: {char}")


def score_of(text: str) -> int | None:
    try:
        return final_score(text).score
    except ReadError:
        return None


# --- labels ------------------------------------------------------------------------------------


@ANY_PACE
@given(TEXTS)
def test_a_label_is_one_of_the_closed_wordings(text: str) -> None:
    try:
        found = label(text, SUPPORT, SUPPORT_LABELS)
    except ReadError:
        return
    assert found in SUPPORT
    letters = "".join(filter(str.isalpha, text)).casefold()
    assert letters in {wording.replace(" ", "") for wording in SUPPORT_LABELS}


@ANY_PACE
@given(
    wording=st.sampled_from(sorted(SUPPORT_LABELS)),
    joint=st.sampled_from([" ", "  ", "-", "_", " - ", "\t"]),
    case=st.sampled_from([str.upper, str.lower, str.title]),
    frame=st.sampled_from(["{}", '"{}"', "{}.", '"{}."', "'{}'", " {} ", "“{}”."]),
)
def test_every_wording_is_folded(
    wording: str, joint: str, case: Callable[[str], str], frame: str
) -> None:
    text = frame.format(case(wording).replace(" ", joint))
    assert label(text, SUPPORT, SUPPORT_LABELS) == SUPPORT_LABELS[wording]
    assert (
        label_line(f"It is so.\nLabel: {text}", SUPPORT, SUPPORT_LABELS).label
        == (SUPPORT_LABELS[wording])
    )


@ANY_PACE
@given(
    wording=st.sampled_from(sorted(SUPPORT_LABELS)),
    extra=st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5),
)
def test_a_wording_with_anything_added_is_no_label(wording: str, extra: str) -> None:
    assume(f"{wording} {extra}".casefold() not in SUPPORT_LABELS)
    for text in (f"{wording} {extra}", f"{wording}, {extra}", f"{wording}/{extra}"):
        with pytest.raises(ReadError):
            label(text, SUPPORT, SUPPORT_LABELS)
        with pytest.raises(ReadError):
            label_line(f"Label: {text}", SUPPORT, SUPPORT_LABELS)


# --- JSON --------------------------------------------------------------------------------------


@ANY_PACE
@given(value=OBJECTS, fence=st.booleans(), escaped=st.booleans())
def test_an_object_is_read_back(value: dict[str, Any], fence: bool, escaped: bool) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=escaped)
    framed = f"Here it is:\n```json\n{text}\n```\nThat's all [1]." if fence else text
    assert json_object(framed) == value


@ANY_PACE
@given(st.dictionaries(st.text("abTF ", max_size=5), st.sampled_from([True, False, None])))
def test_python_constants_are_read(value: dict[str, bool | None]) -> None:
    pairs = ", ".join(f'"{key}": {item!r}' for key, item in value.items())
    assert json_object(f"{{{pairs}}}") == value


@ANY_PACE
@given(value=OBJECTS, data=st.data())
def test_an_object_cut_off_is_truncated(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    with pytest.raises(TruncatedReply):
        json_object(cut)


@ANY_PACE
@given(
    asked=st.lists(TEXT_IN_JSON, unique=True, min_size=1),
    changed=st.sets(TEXT_IN_JSON, max_size=2),
    wrapped=st.booleans(),
)
def test_a_batch_holds_what_was_asked_or_fails(
    asked: list[str], changed: set[str], wrapped: bool
) -> None:
    ids = set(asked) ^ changed
    reply: dict[str, Any] = dict.fromkeys(ids, "full")
    text = json.dumps({"labels": reply} if wrapped and "labels" not in asked else reply)
    if ids == set(asked):
        assert list(batch(text, asked)) == asked
    else:
        with pytest.raises(ReadError, match="ids asked as keys"):
            batch(text, asked)


# --- hostile replies ---------------------------------------------------------------------------

HOSTILE = """
from judge.errors import ReadError
from judge.parsing import final_score, json_object, label, label_line
readers = (final_score, json_object, lambda t: label(t, ["a"]), lambda t: label_line(t, ["a"]))
for piece in ("#", "{", "}", "{}", "[", "[ ", "[{", '{"', '{"a":1}', "<", "<think>", "< ",
              "</think>", "##final score", "##final score: 3 ", "##final score: 3\\n", "label: a ",
              "label: a\\n",
              "label: a. ", "sorry ", "i can't ", " ", "\\n", "*", "- ", '\\\\"', "9",
              "\\u0301\\u0323", "True ", "a. "):
    for start in ("", '{"a": "', "##final score: "):
        for read in readers:
            try:
                read(start + piece * (200_000 // len(piece)))
            except ReadError as error:
                assert len(str(error)) < 400
"""


def test_hostile_replies_of_200_kb_take_linear_time() -> None:
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=300)
