"""Reading replies by closed rules: tables of what counts, and of near misses that do not."""

from typing import Any

import pytest

from judge.errors import ReadError
from judge.parsing import (
    SUPPORT_LABELS,
    ScoreLine,
    TruncatedThinking,
    after_thinking,
    final_score,
    json_object,
    label,
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
    ["<think>", "<think>a", "a <thinking> b", "<think>a</think> b <think> c", '{"a": 1} <think>'],
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
        "##final score: ³",
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
        with pytest.raises(ReadError, match=r"^the last line must be '##final score: X'.*it says"):
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


# --- labels ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("full", "full"),
        ("FULL", "full"),
        (" Full \n", "full"),
        ('"Full Support."', "full"),
        ('"Full Support".', "full"),
        ("“Full Support”", "full"),
        ("ＦＵＬＬ", "full"),
        ("support", "full"),
        ("Fully supported", "full"),
        ("PARTIAL-SUPPORT", "partial"),
        ("partial_support", "partial"),
        ("Partial \u2011 support", "partial"),
        ("'partial'!", "partial"),
        ("No Support", "none"),
        ("not_support", "none"),
        ("Not supported.", "none"),
        ("`none`", "none"),
    ],
)
def test_support_labels(value: str, expected: str) -> None:
    assert label(value, SUPPORT, SUPPORT_LABELS) == expected


@pytest.mark.parametrize(
    "value",
    [
        *("", ".", "-", '""', "yes", "no", "supported", "nosupport", "non-support", "unsupported"),
        *(
            "no full support",
            "not full",
            "fullish",
            "full?",
            "full..",
            "full/partial",
            "full support"[1:],
        ),
        *(
            "full or partial",
            "full, partial",
            "Label: full",
            "**full**",
            "full (all)",
            "No\nSupport",
        ),
        *("fu\u200bll", "fսll", "0", "null"),
        *(None, True, 3, 2.5, ["full"], {"label": "full"}),
    ],
)
def test_a_value_outside_of_the_closed_set_fails(value: object) -> None:
    with pytest.raises(ReadError, match="the label must be one of full, none, partial; it is "):
        label(value, SUPPORT, SUPPORT_LABELS)


def test_without_synonyms_only_the_labels_count() -> None:
    assert label("Partial-Support", ["partial_support", "support"]) == "partial_support"
    assert label("A Lot", ("none", "some", "a lot")) == "a lot"
    with pytest.raises(ReadError):
        label("No Support", ["support", "partial_support"])


def test_a_synonym_of_a_label_that_is_not_allowed_fails() -> None:
    with pytest.raises(ReadError):
        label("partial support", ("full", "none"), SUPPORT_LABELS)


def test_the_support_table_maps_folded_wordings_to_the_three_levels() -> None:
    assert set(SUPPORT_LABELS.values()) == set(SUPPORT)
    assert all(label(wording, [wording]) == wording for wording in SUPPORT_LABELS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Full Support", "full"),
        ("**Full Support.**\n", "full"),
        ("Label: No Support", "none"),
        ("Label: No Support. Full Support would need a date.", "none"),
        ("**Label: No Support.** Full Support would need a date.", "none"),
        ('Label: "No Support." Full Support would need a date.', "none"),
        ("The date is missing.\nLabel: Partial Support", "partial"),
        ("- **LABEL:** partial_support", "partial"),
        ("label - none", "none"),
        ("Label: Full Support\nThe document says so.", "full"),
        ("Label: Full Support\nOn reflection:\nLabel: none", "none"),
        ("The label: full would be wrong.\nLabel: none", "none"),
    ],
)
def test_label_line(text: str, expected: str) -> None:
    assert label_line(text, SUPPORT, SUPPORT_LABELS) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Label:",
        "Label\nfull",
        "Label full",
        "Label = full",
        "Labels: full",
        "Full\nSupport",
        "full\nfull",
        "It is full",
        "I say Label: full",
        "Label: full or partial",
        "Label: full, as the document says so.",
        "Label: No. Support is missing.",
        "Label: full? Perhaps.",
        "Label: full Label: none",
        "Label: full\nLabel: 7",
        "Label: full\nLabel definitions are above.",
        "Verdict: full",
    ],
)
def test_a_reply_without_one_label_fails(text: str) -> None:
    with pytest.raises(ReadError, match=r"the last line must be 'Label: X' with X one of full"):
        label_line(text, SUPPORT, SUPPORT_LABELS)


def test_label_line_of_another_field() -> None:
    assert label_line("Label: none\nSupport: full", SUPPORT, field="support") == "full"
