"""What is looked for in a text only where it can be is found wherever it is."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.injection import neutralise
from judge.injection.active import FAMILIES, can_be_active, inert
from judge.injection.forms import Form, Phrase
from judge.injection.languages import LATIN
from judge.injection.readings import Reading, readings
from judge.injection.wording import INSTRUCTION

FORMS = [form for forms in FAMILIES.values() for form in forms]
PHRASES = [*INSTRUCTION, *LATIN]
NEEDED = frozenset[str]().union(*(need for phrase in PHRASES for need in phrase.needs))
quickly = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def generous(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """A pattern without possessive quantifiers, which can be drawn from; it matches no less."""
    return re.compile(re.sub(r"(?<=[^\\(])([*+?}])\+", r"\1", pattern.pattern), pattern.flags)


@pytest.mark.parametrize("form", FORMS, ids=[form.needs[0] for form in FORMS])
def test_a_match_contains_what_is_needed(form: Form) -> None:
    @quickly
    @given(st.from_regex(generous(form.pattern)))
    def check(text: str) -> None:
        match = form.pattern.search(text)
        if match is not None:
            assert any(need in match[0].lower() for need in form.needs), match[0]
            assert can_be_active(text)
            assert form.found(Reading(text))

    check()


_ALPHABET = [
    *"<>&[]#:-=~\"'/|",
    "\n",
    " ",
    "label",
    "Label",
    "passage",
    "full",
    "3",
    "INST",
    "&lt;",
]


@quickly
@given(st.lists(st.sampled_from(_ALPHABET), max_size=12).map("".join))
def test_text_that_holds_no_sign_is_left_as_it_stands(text: str) -> None:
    changes = [change for reading in readings(text) for change in inert(reading, text)]
    assert can_be_active(text) or not changes
    assert (neutralise(text) == text) == (not changes)


def alternatives(phrase: Phrase) -> list[str]:
    r"""The patterns that a phrase is made of, which stand in `\b(?:a|b|c)\b`."""
    inner, depth, found = phrase.pattern.pattern[5:-3], 0, [""]
    for token in re.findall(r"\\.|\[(?:\\.|[^\]])*\]|.", inner):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += token
    return found


@pytest.mark.parametrize(
    ("phrase", "alternative"),
    [(phrase, alternative) for phrase in PHRASES for alternative in alternatives(phrase)],
)
def test_a_phrase_contains_the_words_that_are_needed(phrase: Phrase, alternative: str) -> None:
    pattern = re.compile(rf"\b(?:{alternative})\b")

    @quickly
    @given(st.from_regex(generous(pattern)))
    def check(text: str) -> None:
        reading = Reading(text)
        if phrase.pattern.search(reading.spoken):
            assert phrase.found(reading, NEEDED.intersection(reading.words())), reading.spoken

    check()


def test_each_alternative_is_drawn_from() -> None:
    assert sum(len(alternatives(phrase)) for phrase in PHRASES) > len(PHRASES) * 2


@pytest.mark.parametrize("text", ["a_b c-d.e!", "Üb_er ÇA? z2.", "x\u0301 y\u00a0z\u2009w", "ŠŤ'à"])
def test_words_are_those_that_are_spoken_without_the_sentence_ends(text: str) -> None:
    reading = Reading(text)
    assert [word for word in reading.spoken.split(" ") if word not in ".!?"] == reading.words()


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_words_are_cut_as_all_others_are(text: str) -> None:
    assert Reading(text).words() == re.findall(r"[^\W_]+", text.lower())
