"""Work that systems share is asked once: what a plan says is what comes in over HTTP."""

from pathlib import Path

import pytest

from scripts.benchmarks.same_work import Size, made_up, measured

SMALL = Size(systems=4, topics=2, passages=24, sentences=3, nuggets=3, quoting=0.7, resubmitting=2)


@pytest.mark.parametrize("concurrency", [1, 32])
def test_every_distinct_call_is_one_request(tmp_path: Path, concurrency: int) -> None:
    rows, server = measured(made_up(tmp_path, SMALL), tmp_path / "judged", concurrency)
    assert [row.task for row in rows] == ["relevance", "assign", "support"]
    assert set(server.hits_by_prompt.values()) == {1}
    for row in rows:
        assert row.hits == row.asked.paid.number
        assert row.hits_again == 0
        assert row.calls == row.hits + row.asked.equal.number
    relevance, assign, support = rows
    assert relevance.wanted > relevance.units == relevance.hits
    assert assign.asked.equal.number > 0  # answers that two systems handed in
    assert support.units == support.calls > support.hits  # sentences quoted from one passage


def test_a_plan_of_fresh_replies_is_what_is_then_asked(tmp_path: Path) -> None:
    world = made_up(tmp_path, SMALL)
    rows, server = measured(world, tmp_path / "judged", concurrency=8, fresh=True)
    assert set(server.hits_by_prompt.values()) == {2}  # once each time it was judged
    for row in rows:
        assert row.hits == row.hits_again == row.asked.paid.number
        assert row.asked.stored.number == 0
