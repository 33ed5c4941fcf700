"""Whatever a pattern matches contains one of the words without which it is not tried."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.injection.active import FAMILIES
from judge.injection.forms import Form
from judge.injection.languages import LATIN
from judge.injection.wording import FRAME, INSTRUCTION

FORMS = [*(form for forms in FAMILIES.values() for form in forms), *INSTRUCTION, *LATIN, FRAME]


def generous(form: Form) -> re.Pattern[str]:
    """The pattern without possessive quantifiers, which can be drawn from; it matches no less."""
    pattern = re.sub(r"(?<=[^\\(])([*+?}])\+", r"\1", form.pattern.pattern)
    return re.compile(pattern, form.pattern.flags)


@pytest.mark.parametrize("form", FORMS, ids=[form.needs[0] for form in FORMS])
def test_a_match_contains_what_is_needed(form: Form) -> None:
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.from_regex(generous(form)))
    def check(text: str) -> None:
        match = form.pattern.search(text)
        if match is not None:
            assert any(need in match[0].lower() for need in form.needs), match[0]
            assert form.found(text, text.lower())

    check()
