"""The embedded model evaluates what the prompts of a topic have in common once."""

from pathlib import Path

import pytest

import judge
from judge.runs import LEDGER, ledger_entries
from judge.sample import sample_path

pytestmark = pytest.mark.live_local

CALLS = 6


def test_relevance_evaluates_at_most_half_of_its_prompt_tokens(
    tmp_path: Path, small_model: str
) -> None:
    judge.relevance(
        str(sample_path("narratives.json")),
        pool=[str(sample_path("run.alder.txt"))],
        corpus=[str(sample_path("corpus.jsonl"))],
        out=tmp_path / "run",
        cache=tmp_path / "cache",
        model=small_model,
        limit=CALLS,
    )
    entries = list(ledger_entries(tmp_path / "run" / LEDGER))
    assert len(entries) >= CALLS
    sent = sum(entry["prompt_tokens"] for entry in entries)
    cached = sum(entry["cached_tokens"] for entry in entries)
    assert cached >= sent / 2
