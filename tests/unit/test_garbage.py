"""Garbage is collected rarely within a run, and as before after it."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from judge.garbage import ALLOCATIONS, collected_rarely


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_runs_that_overlap_leave_what_they_found() -> None:
    gc.set_threshold(700, 11, 12)
    with ExitStack() as second:
        with collected_rarely():
            assert gc.get_threshold() == (ALLOCATIONS, 11, 12)
            second.enter_context(collected_rarely())
        assert gc.get_threshold() == (ALLOCATIONS, 11, 12)
    assert gc.get_threshold() == (700, 11, 12)


def test_a_failure_leaves_what_it_found() -> None:
    gc.set_threshold(700, 11, 12)
    with pytest.raises(ZeroDivisionError), collected_rarely():
        _ = 1 // 0
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("first", [0, ALLOCATIONS * 2])
def test_what_the_program_has_set_higher_or_off_stays(first: int) -> None:
    gc.set_threshold(first, 11, 12)
    with collected_rarely():
        assert gc.get_threshold() == (first, 11, 12)
    assert gc.get_threshold() == (first, 11, 12)
