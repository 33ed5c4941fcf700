"""Reading replies by closed rules: tables of what counts, and of near misses that do not."""

from typing import Any

import pytest

from judge.errors import ReadError
from judge.parsing import (
    ScoreLine,
    TruncatedThinking,
    after_thinking,
    final_score,
    json_object,
    label_line,
)

SUPPORT = ("full", "partial", "none")

# --- thinking ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" plain, unchanged \n", " plain, unchanged \n"),
        ("<b>not a thinking tag</b>", "<b>not a thinking tag</b>"),
        ("<think>a</think>\n\nb", "b"),
        ("<think></think>", ""),
        ("no opening tag</think> b", "b"),
        ("<THINK>a</Think >b", "b"),
        ("<thinking>a</thinking>b<thinking>c</thinking>d", "d"),
        ("<reasoning>a</reasoning><thought>c</thought>d", "d"),
        ("<think>a <think> b</think> c", "c"),
        ("[THINK]a[/THINK]b", "b"),
        ("<seed:think>a</seed:think>b", "b"),
        ('maybe {"score":1}</think>{"labels": {}}', '{"labels": {}}'),
        (
            '{"reason": "it says </think> and <think>"}',
            '{"reason": "it says </think> and <think>"}',
        ),
        ('<think>a</think>{"reason": "<think>"}', '{"reason": "<think>"}'),
    ],
)
def test_after_thinking(text: str, expected: str) -> None:
    assert after_thinking(text) == expected
    assert after_thinking(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<think>",
        "<think>a",
        "[THINK]a",
        "a <thinking> b",
        "<think>a</think> b <think> c",
        '{"a": 1} <think>',
    ],
)
def test_an_unclosed_thinking_block_is_truncated(text: str) -> None:
    with pytest.raises(TruncatedThinking, match="ends inside a thinking block"):
        after_thinking(text)


@pytest.mark.parametrize("read", [final_score, json_object, lambda text: label_line(text, SUPPORT)])
def test_every_reader_cuts_thinking_off(read: Any) -> None:
    thought = '##final score: 3\nLabel: full\n{"a": 1}'
    with pytest.raises(TruncatedThinking):
        read(f"<think>{thought}")
    with pytest.raises(ReadError):
        read(f"<think>{thought}</think>")
    assert read(f"<think>{thought}</think>{thought}") == read(thought)


# --- scores ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "##final score: 3",
        "##final score:3",
        "##final score - 3",
        "##final score- 3",
        "## Final  Score : 3",
        "##FINAL SCORE: 3",
        "\t ##final score: 3 \n\n",
        "##final\u00a0score: 3",
        "##final score: 3.",
        "##final score: 3.0",
        "##final score: 3.0.",
        "##final score: 3/4",
        "##final score: 3 / 4.",
        "##final score: **3**",
        "##final score: **3.**",
        "##final score: *3*.",
        "**##final score: 3**",
        "**##final score:** 3",
        "**##final score:** **3**",
        "**##final score**: 3",
        "__##final score: 3__",
        "***##final score: 3***",
        "- ##final score: 3",
        "* **##final score: 3**",
        "• ##final score: 3",
        "##final score: ３",
        "＃＃final score： 3",
        "##final score: 𝟑",
        "Two parts are covered.\n##final score: 3",
        "Two parts are covered.\r\n##final score: 3\r\n",
        "##final score: 3\nThis is because 2 parts are covered.",
        "##final score: 3\n```",
        "```\n##final score: 3\n```",
        "The passage refers to 1999. ##final score: 3",
        "First line\nThe passage refers to 1999. ##final score: 3\n",
        "> ##final score: 3",
        "1. ##final score: 3",
        "Score (##final score: 3",
        "I will end with the marker ##final score.\n##final score: 3",
        "##final score: X\n##final score: 3",
        "##final score: 3\n##final score: 3",
        "###final score: 4\n##final score: 3",
        "# #final score: 4\n##final score: 3",
    ],
)
def test_a_score_of_3(text: str) -> None:
    assert final_score(text) == ScoreLine(3, conflicting=False)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('The answer says "##final score: 4". It is off topic.\n##final score: 0', 0),
        ("##final score: 4\nOn reflection:\n##final score: 2", 2),
        ("##final score: 7\n##final score: 3", 3),
        ("##final score: -1\n##final score: 1", 1),
        ("##final score: 2.5\n##final score: 2", 2),
        ("##final score: **4**\n##final score: 3", 3),
        ("##final score: 3\nI first had ##final score: 4 in mind.", 3),
    ],
)
def test_markers_that_disagree_are_flagged_and_the_last_line_decides(text: str, score: int) -> None:
    assert final_score(text) == ScoreLine(score, conflicting=True)


VALUES = [
    *("", "X", "high", "three", "N/A", "-1", "- 1", "−1", "+3", "5", "7", "13", "40", "03", "3.00"),
    *("2.5", "3,0", "3.5", ".3", "3/10", "3/5", "3/", "/4", "3/4/4", "3 of 4", "3 out of 4", "60%"),
    *("3or4", "3 or 4", "2-3", "2–3", "2 to 3", "3, 4", "3 4", "3 3", "3|4", "3*4", "~3", ">=3"),
    *("3 (three)", "3 because", "3 - good", "[3]", "(3)", "<3>", "'3'", '"3"', "`3`", "3`", "3!"),
    *(
        "3?",
        "3..",
        "3…",
        "3 .",
        "= 3",
        ": 3",
        "³",
        "₃",
        "③",
        "⒊",
        "³ ³",
        "2³",
        "3¹",
        "3½",
        "½",
        "٣",
        "३",
        "3\u200b",
        "III",
    ),
    *("3e0", "0x3", "****3", "3 ##final score: 4", "3 ##final score: 3", "9" * 5000),
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_that_is_not_one_score_fails(value: str) -> None:
    for text in (f"##final score: {value}", f"##final score: 2\nWell:\n##final score: {value}"):
        with pytest.raises(
            ReadError, match=r"^the last line must be '##final score: X'.*; it says "
        ):
            final_score(text)
    with pytest.raises(ReadError):
        final_score(f"Well: ##final score: {value}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "3",
        "Score: 3",
        "final score: 3",
        "#final score: 3",
        "###final score: 3",
        "# #final score: 3",
        "##finalscore: 3",
        "##final_score: 3",
        "##final-score: 3",
        "##finаl score: 3",  # a Cyrillic letter
        "##fi\u200bnal score: 3",
        "##final\nscore: 3",
        "##final scores: 3",
        "##final score 3",
        "##final score = 3",
        "It is so. ##final score 3",
        "##final score -3",
        "##final score:\n3",
        "##final sc",
        "## Final score\n\n3",
        "`##final score: 3`",
        "> ##final score: 3\nThat is all.",
        '"##final score: 3" is my answer',
        "My ##final score: 3 is fair.",
        "It is ##final score: 3\nand that is all.",
        "so ##final score: 3\nand ##final score: 3",
        "so ##final score: 4 and ##final score: 3",
        "##final score: 3\n##final score:",
        "##final score: 3\n## Final score explained",
        "The passage refers to 1999 and 3 aspects.",
        "I cannot help with that.",
        "Error: HTTP 500",
    ],
)
def test_a_reply_without_a_well_formed_marker_fails(text: str) -> None:
    with pytest.raises(ReadError):
        final_score(text)


def test_the_message_can_be_shown_to_the_judge() -> None:
    with pytest.raises(ReadError) as caught:
        final_score("##final score: 4\nOn reflection:\n##final score: 7")
    assert str(caught.value) == (
        "the last line must be '##final score: X' with X one of 0, 1, 2, 3, 4; it says '7'"
    )
    with pytest.raises(ReadError) as caught:
        final_score("##final score 2")
    assert str(caught.value) == (
        "the last line must be '##final score: X' with X one of 0, 1, 2, 3, 4; "
        "'##final score 2' has no ':' before its value"
    )
    with pytest.raises(ReadError) as caught:
        final_score("Fine.", high=3)
    assert str(caught.value) == (
        "the last line must be '##final score: X' with X one of 0, 1, 2, 3; "
        "no line starts with '##final score'"
    )


@pytest.mark.parametrize(
    ("value", "low", "high", "score"),
    [
        ("3/3", 0, 3, 3),
        ("0", 0, 3, 0),
        ("13", 0, 100, 13),
        ("40/100", 0, 100, 40),
        ("100.", 0, 100, 100),
        ("1", 1, 5, 1),
    ],
)
def test_other_scales(value: str, low: int, high: int, score: int) -> None:
    assert final_score(f"##final score: {value}", low=low, high=high).score == score


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [("4", 0, 3), ("3/4", 0, 3), ("0", 1, 5), ("2³", 0, 100), ("3¹", 0, 100), ("3*4", 0, 100)],
)
def test_other_scales_are_closed_too(value: str, low: int, high: int) -> None:
    with pytest.raises(ReadError, match=f"{low}"):
        final_score(f"##final score: {value}", low=low, high=high)


def test_a_long_scale_is_named_by_its_ends() -> None:
    with pytest.raises(ReadError, match="a whole number from 0 to 100"):
        final_score("", high=100)


def test_another_marker() -> None:
    assert final_score("**Grade:** 2", marker="grade") == (2, False)
    with pytest.raises(ReadError, match="'grade: X'"):
        final_score("Upgrade: 2\nGrades: 2", marker="grade")
