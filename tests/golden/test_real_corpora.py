"""The reading of MS MARCO docids, against those that a real system cited."""

import itertools
from pathlib import Path

import pytest

from judge.corpora.msmarco import address_of
from judge.formats import read_answers

DATA = Path(__file__).parents[3] / "shared" / "data"
ANSWERS = DATA / "rag24/answers.gpt-4o.jsonl"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not there")


def parts(docid: str) -> tuple[int, int, int, int]:
    """Shard, offset of the document, number of the segment, offset of the segment."""
    head, tail = docid.removeprefix("msmarco_v2.1_doc_").split("#")
    numbers = [*head.split("_"), *tail.split("_")]
    shard, document, number, offset = map(int, numbers)
    return shard, document, number, offset


def test_offsets_of_neighbouring_segments_grow() -> None:
    cited = {docid for answer in read_answers(ANSWERS) for docid in answer.references}
    assert len(cited) == 481
    for docid in cited:
        shard, _, _, offset = parts(docid)
        assert address_of(docid) == (f"msmarco_v2.1_doc_segmented_{shard:02}", offset)
    in_order = sorted(map(parts, cited))
    pairs = [(a, b) for a, b in itertools.pairwise(in_order) if a[0] == b[0]]
    assert sum(a[1] == b[1] for a, b in pairs) == 182  # of one document
    assert all(a[3] < b[3] for a, b in pairs)
