"""Reading labels and label lines, and replies that decline: what counts, and near misses."""

from typing import Any

import pytest

from judge.errors import ReadError
from judge.parsing import SUPPORT_LABELS, final_score, json_object, label, label_line, yes_no

SUPPORT = ("full", "partial", "none")


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
        ("Label: full\nLabel: Full Support.", "full"),
        ("Label: 7\nLabel: full", "full"),
        ("The label: full would be wrong.\nLabel: none", "none"),
        ("The date is missing. Label: Partial Support", "partial"),
        ("It is.\nThe date is missing! **Label:** partial.", "partial"),
        ("I weigh the label: full against it. Label: none", "none"),
    ],
)
def test_label_line(text: str, expected: str) -> None:
    assert label_line(text, SUPPORT, SUPPORT_LABELS) == (expected, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Label: Full Support\nOn reflection:\nLabel: none", "none"),
        ("label: none\nlabel: full", "full"),
        ("Label: none. It lacks the date.\nLabel: partial", "partial"),
        ("It says so. Label: full\nLabel: none", "none"),
    ],
)
def test_label_lines_that_disagree_are_flagged_and_the_last_decides(
    text: str, expected: str
) -> None:
    assert label_line(text, SUPPORT, SUPPORT_LABELS) == (expected, True)


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
        "I would not give it the label: full support",
        "It is so. Label: full\nThat is all.",
        "It is so. Label: full. That is all.",
        "It is so. Label: full. Label: none",
        "It is so. Label: full. Label: full",
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
    assert label_line("Label: none\nSupport: full", SUPPORT, field="support").label == "full"


# --- refusals ----------------------------------------------------------------------------------

REFUSALS = [
    "I cannot help with that.",
    "I can't assist with this request",
    "I’m sorry, but I can’t help with that.",
    "I'm sorry. I cannot judge this passage.",
    "Sorry, I won't do that!",
    "I am unable to comply with your request.",
    "I'm not able to answer.",
    "As an AI language model, I cannot evaluate this content.",
    "**I cannot decide.**",
    "Unfortunately, I cannot grade this passage;",
]

REASONED = [
    "I cannot give more than 2, as two parts are answered.",
    "I cannot help with that part, so the date stays open.",
    "I can grade this passage.",
    "I'm sorry to say that the passage is off topic.",
    "I cannot judge this passage as more than related.",
    "The passage says: I cannot help with that.",
]


@pytest.mark.parametrize("read", [final_score, json_object, lambda text: label_line(text, SUPPORT)])
@pytest.mark.parametrize("opening", REFUSALS)
def test_a_reply_that_opens_by_declining_is_no_answer(read: Any, opening: str) -> None:
    with pytest.raises(ReadError, match="the reply declines to judge"):
        read(f"{opening}\n{ANSWERS}")
    with pytest.raises(ReadError, match="the reply declines to judge"):
        read(f"<think>Hm.</think>\n{opening}\n\n{ANSWERS}")


ANSWERS = '##final score: 0\nLabel: none\n{"1": "none"}'


@pytest.mark.parametrize("read", [final_score, json_object, lambda text: label_line(text, SUPPORT)])
@pytest.mark.parametrize("opening", REASONED)
def test_reasoning_that_begins_like_a_refusal_is_none(read: Any, opening: str) -> None:
    assert read(f"{opening}\n{ANSWERS}") == read(ANSWERS)
    assert read(f"{ANSWERS}\nI cannot help with that.") == read(ANSWERS)


@pytest.mark.parametrize(
    ("text", "said", "conflicting"),
    [
        ("Yes", "yes", False),
        ("**No.**", "no", False),
        ("Answer: no", "no", False),
        ("yes, because the passage says so", "yes", False),
        ("No: a date is missing. It is otherwise right.", "no", False),
        ("<think>no, or yes</think>Yes.", "yes", False),
        ("Yes, in part. No, not all of it.", "yes", True),
    ],
)
def test_a_yes_or_no_is_read(text: str, said: str, conflicting: bool) -> None:
    assert yes_no(text) == (said, conflicting)


@pytest.mark.parametrize(
    "text",
    ["No problem, it is all there.", "The answer is yes", "maybe", "yesterday", "yes and no"],
)
def test_what_is_no_plain_yes_or_no_is_not_read(text: str) -> None:
    with pytest.raises(ReadError, match="yes"):
        yes_no(text)
