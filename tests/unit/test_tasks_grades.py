"""The grade that follows from the findings: every boundary, and that it never leaves the scale."""

import pytest

from judge.tasks.grades import EXTRAS, Extra, grade

BY_COUNT = {0: 1, 1: 2, 2: 3, 3: 3, 4: 4, 5: 4}
"""Of a related document without anything beside the point."""


@pytest.mark.parametrize(("detailed", "expected"), BY_COUNT.items())
@pytest.mark.parametrize(("extra", "off"), [("none", 0), ("some", 1), ("lot", 2)])
def test_a_related_document(detailed: int, expected: int, extra: Extra, off: int) -> None:
    assert grade(detailed, related=True, extra=extra) == max(0, expected - off)


@pytest.mark.parametrize("extra", EXTRAS)
def test_nothing_on_the_subject_is_0_whatever_else_there_is(extra: Extra) -> None:
    assert grade(0, related=False, extra=extra) == 0


@pytest.mark.parametrize("detailed", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("extra", EXTRAS)
def test_what_answers_a_part_is_related(detailed: int, extra: Extra) -> None:
    related, unrelated = (grade(detailed, related=r, extra=extra) for r in (True, False))
    assert related == unrelated


@pytest.mark.parametrize(
    ("detailed", "extra", "expected"),
    [
        (0, "some", 0),
        (0, "lot", 0),  # the floor
        (1, "some", 1),
        (1, "lot", 0),
        (2, "some", 2),
        (3, "lot", 1),
        (4, "some", 3),
        (5, "lot", 2),
        (22, "none", 4),  # the cap
    ],
)
def test_values_by_hand(detailed: int, extra: Extra, expected: int) -> None:
    assert grade(detailed, related=True, extra=extra) == expected


def test_less_than_nothing_is_no_count() -> None:
    with pytest.raises(ValueError, match="-1"):
        grade(-1, related=True, extra="none")
