"""What became of labels that were given twice, by hand."""

import pytest

from judge.agreement.changes import changes


def test_a_matrix_with_the_failed_last() -> None:
    a = {"u1": 0, "u2": 3, "u3": 3, "u4": None, "u5": 1, "gone": 2}
    b = {"u1": 0, "u2": 0, "u3": 2, "u4": 1, "u5": None, "new": 2, "newer": 0}
    found = changes("relevance", a, b)
    assert (found.n, found.only_a, found.only_b) == (5, 1, 2)
    assert found.labels == (0, 1, 2, 3)
    assert found.matrix == (
        (1, 0, 0, 0, 0),
        (0, 0, 0, 0, 1),
        (0, 0, 0, 0, 0),
        (1, 0, 1, 0, 0),
        (0, 1, 0, 0, 0),
    )
    assert found.changed == ("u2", "u3", "u4", "u5")


def test_a_failure_is_no_label() -> None:
    a = {"u1": "full", "u2": "none", "u3": "full"}
    b = {"u1": "full", "u2": "none", "u3": None}
    found = changes("assign", a, b)
    assert (found.exact, found.kappa, found.kappa_quadratic) == (1.0, 1.0, 1.0)
    assert found.changed == ("u3",)


def test_kappa_of_labels_with_and_without_order() -> None:
    a = {"u1": "none", "u2": "partial", "u3": "full", "u4": "full"}
    b = {"u1": "none", "u2": "full", "u3": "full", "u4": "none"}
    found = changes("support", a, b)
    assert found.exact == 0.5
    assert found.kappa == pytest.approx(1 - 0.5 / 0.625)
    assert found.kappa_quadratic == pytest.approx(1 - (1 + 4) / ((2 * 0 + 2 * 4 + 2 + 2 + 16) / 4))
    assert found.changed == ("u4", "u2")
    unordered = changes("importance", {"n": "vital", "m": "okay"}, {"n": "okay", "m": "okay"})
    assert unordered.labels == ("okay", "vital")
    assert unordered.kappa == 0.0
    assert unordered.kappa_quadratic is None


@pytest.mark.parametrize("b", [{"u": None}, {"v": 1}, {}])
def test_nothing_in_common_is_no_number(b: dict[str, int | None]) -> None:
    found = changes("relevance", {"u": 1}, b)
    assert (found.exact, found.kappa, found.kappa_quadratic) == (None, None, None)


def test_one_label_everywhere_has_no_kappa() -> None:
    found = changes("relevance", {"u": 1, "v": 1}, {"u": 1, "v": 1})
    assert (found.exact, found.kappa) == (1.0, None)
