"""Whatever the bytes of a file are, a reader returns or raises an InputError."""

import contextlib
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.corpora import JsonlCorpus
from judge.errors import InputError
from judge.formats import (
    read_answers,
    read_assignments,
    read_nugget_scores,
    read_nuggets,
    read_qrels,
    read_run,
    read_scores,
    read_support,
    read_topics,
)
from judge.types import Score

Reader = Callable[[Path], object]

ITEM = {"id": "n", "text": "\u00e9\u2028", "importance": "vital", "docids": ["d"],
        "mapped_sub_narrative": '"s"', "assignment": "support"}  # fmt: skip
SCORE = Score(run_id="r", topic_id="1", measure="m", value=0.5, low=0.5, high=0.5,
              n_judged=1, n_failed=0)  # fmt: skip
LABEL = {"citationID": "0", "reference": "d", "support": "2", "mention": "0"}
NARRATIVE: dict[str, object] = {"id": "2", "narrative": "b", "sub_narratives": [ITEM]}
TOPICS: list[dict[str, object]] = [{"id": "1", "title": "a"}, NARRATIVE]
ANSWERS: list[dict[str, object]] = [
    {
        "run_id": "r",
        "topic_id": "1",
        "references": ["d"],
        "answer": [{"text": "x", "citations": [0, -1, "d"]}],
    },
    {
        "metadata": {"run_id": "r", "topic_id": "2"},
        "responses": [{"text": "\ud800", "citations": {"d": 0.5}}],
        "documents": {"d": {"id": "d", "text": "x", "url": None}},
    },
]
SENTENCES = [{"text": "x", "citations": [LABEL]}]
RECORDS: list[tuple[Reader, list[dict[str, object]]]] = [
    (read_topics, TOPICS),
    (read_answers, ANSWERS),
    (read_nuggets, [{"qid": "1", "query": "q", "nuggets": [ITEM, {"text": "x"}]}]),
    (read_assignments, [{"qid": "1", "run_id": "r", "response_length": 3, "nuggets": [ITEM]}]),
    (read_support, [{"topic_id": "1", "run_id": "r", "sentences": SENTENCES}]),
    (read_scores, [SCORE.model_dump()]),
    (read_nugget_scores, [{"qid": "1", "run_id": "r", "strict_vital_score": 0.5}]),
    (JsonlCorpus, [{"docid": "d", "title": "t", "text": "x"}, {"_id": 7, "contents": "y"}]),
]


def jsonl(records: list[dict[str, object]]) -> bytes:
    return "\n".join(json.dumps(record) for record in records).encode()


SAMPLES: list[tuple[Reader, bytes]] = [
    *((reader, jsonl(records)) for reader, records in RECORDS),
    (read_topics, json.dumps(TOPICS, indent=1).encode()),
    (read_topics, b"1\ta topic\r\n2\tno\r\n"),
    (read_run, b"1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n"),
    (read_qrels, b"1 0 a 1\n1 0 b -1\n1 Q0 c 2 0.5 r\n"),
    (read_qrels, gzip.compress(b"1 0 a 1\n1 0 b -1\n", mtime=0)),
]

# pieces that mean something to a JSON, number, UTF-8 or gzip decoder
PIECES = [
    *(b"null", b"true", b"NaN", b"1e999", b"-9", b"9" * 400, b"9" * 5000),
    *(b"\\ud800", b'"', b"[", b"{", b"\n", b"\xef\xbb\xbf", b"\xe2\x80\xa8"),
]
edits = st.lists(
    st.tuples(
        st.integers(0, 1000),
        st.integers(0, 8),
        st.one_of(st.binary(max_size=4), st.sampled_from(PIECES)),
    ),
    min_size=1,
    max_size=4,
)


def damage(raw: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for at, length, new in changes:
        start = at % (len(raw) + 1)
        raw = raw[:start] + new + raw[start + length :]
    return raw


@pytest.mark.parametrize(("reader", "raw"), SAMPLES)
def test_samples_are_sound(tmp_path: Path, reader: Reader, raw: bytes) -> None:
    file = tmp_path / "sound"
    file.write_bytes(raw)
    read = reader(file)
    assert read
    if isinstance(read, JsonlCorpus):
        read.close()


@pytest.mark.parametrize(("reader", "raw"), SAMPLES)
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(changes=edits)
def test_damaged_bytes(
    tmp_path: Path, reader: Reader, raw: bytes, changes: list[tuple[int, int, bytes]]
) -> None:
    file = tmp_path / "damaged"
    file.write_bytes(damage(raw, changes))
    with contextlib.suppress(InputError):
        read = reader(file)
        if isinstance(read, JsonlCorpus):
            read.close()


@pytest.mark.parametrize(("reader", "raw"), SAMPLES)
def test_half_a_last_record_is_refused(tmp_path: Path, reader: Reader, raw: bytes) -> None:
    file = tmp_path / "cut"
    file.write_bytes(raw[: len(raw.rstrip()) - 3])
    with pytest.raises(InputError) as caught:
        reader(file)
    assert str(caught.value.path) == str(file)
