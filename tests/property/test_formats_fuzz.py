"""Every reader under damage: data, or an `InputError` with its line; nothing is dropped silently.

Two kinds of damage, both from fixed seeds: bytes are cut, doubled and replaced; and values inside
of the JSON are replaced by ones of other types. Every kind of file is read in both ways, raising
at the first error and noting them all, and the two must agree.
"""

import copy
import gzip
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError
from judge.formats import read_nuggets, read_qrels, read_ratings, read_run
from judge.formats.kinds import KINDS, Kind, kind_named
from judge.formats.lines import raise_error
from judge.report.validation import reports_json
from judge.types import Nugget, Ranked
from judge.validation import validate

ROUNDS = 120

NUGGET = {
    "id": "n",
    "text": "t\u00e9\u2028",
    "importance": "vital",
    "docids": ["d"],
    "mapped_sub_narrative": '"s"',
    "assignment": "support",
    "answers": [{"text": "a", "docids": ["d"]}],
    "aggregator": "OR",
    "group": "g",
}
LABEL = {"citationID": 0, "reference": "d", "support": "2", "mention": "0"}
SENTENCE = {"text": "x", "citations": [0, -1, "d", 0]}
VIDEOS = {"supporting_videos": ["a", "watch?v=zK1CLu5NX_U"], "videos_modalities": {}}
ITEM = {"question_id": "q", "question_text": "q?", "gold_answers": ["a"], "info": {"used": False}}
QUESTION = {
    "question": "q?",
    "question_id": "q",
    "aggregator_type": "AND",
    "answers": {"a": {"answer": "a", "references": [{"doc_id": "d"}, "e"]}},
    "metadata": {"source": "s"},
}
CLAIM = {"claim": "c", "judgment": True}
SCORE = {"run_id": "r", "topic_id": "1", "measure": "m", "value": 0.5, "low": 0.5, "high": 0.5,
         "n_judged": 1, "n_failed": 0}  # fmt: skip

DETAILED = {"id": "2", "narrative": "b", "sub_narratives": [NUGGET]}
CLAIMS = {"x": [CLAIM, {"claim": "d", "judgment": None}]}
SUPPORTED = {"text": "x", "citations": [LABEL]}
CANDIDATE = {"docid": "d", "doc": {"segment": "x"}}
GROUNDED = {"text": "x", "importance": "vital", "label": "full", "sentences": [0], "grounded": True}
WEIGHING = {"reference": "d", "mention": "0", "alone": "full", "without": None}
WEIGHED = {"text": "x", "together": "full", "citations": [WEIGHING]}
# kind -> files of it, each a list of records (of whatever number of things)
RECORDS: list[tuple[str, list[dict[str, Any]]]] = [
    ("topics", [{"id": "1", "title": "a"}, DETAILED]),
    ("topics", [{"request_id": "1", "problem_statement": "a", "background": "b", "title": "c"}]),
    ("topics", [{"qid": "1", "query": "a"}, {"qid": "2", "query": "b"}]),
    ("answers", [{"run_id": "r", "topic_id": "1", "references": ["d"], "answer": [SENTENCE]}]),
    (
        "answers",
        [
            {
                "metadata": {"run_id": "r", "topic_id": "2"},
                "responses": [{"text": "\ud800", "citations": {"d": 0.5, "e": 1}}],
                "documents": {"d": {"id": "d", "text": "x", "url": None}},
            },
            {"run_id": "r", "request_id": "1", "sentences": [SENTENCE]},
        ],
    ),
    ("answers", [{"T": {"prediction": "x", "sentences": ["x"], "citations": [["/v/a.mp4"]]}}]),
    ("nuggets", [{"qid": "1", "query": "q", "nuggets": [NUGGET, {"text": "x"}]}]),
    ("nuggets", [{"query_id": "1", "nugget_bank": {"q?": QUESTION}, "claim_bank": [CLAIM]}]),
    ("nuggets", [{"query_id": "1", "items": [ITEM, ITEM]}]),
    ("nuggets", [{"T": {"claims_to_supporting_videos": {"c": VIDEOS}, "query_id": "1"}}]),
    ("nuggets", [{"1": ["q?"], "2": ["q?", "r?"]}]),
    ("claims", [{"T": {"prediction": "x", "claims": CLAIMS}}]),
    ("ratings", [{"1": [[0, 5], [-1, 3]], "2": [[1]]}]),
    ("assignments", [{"qid": "1", "run_id": "r", "response_length": 3, "nuggets": [NUGGET]}]),
    ("support", [{"topic_id": "1", "run_id": "r", "sentences": [SUPPORTED]}]),
    (
        "support",
        [
            {
                "id": "1",
                "src_dataset": "s",
                "question": "q",
                "claim": "c",
                "references": ["r"],
                "attribution_label": "attributable",
            }
        ],
    ),
    ("coverage", [{"run_id": "r", "topic_id": "1", "nuggets": [GROUNDED]}]),
    ("citations", [{"run_id": "r", "topic_id": "1", "sentences": [WEIGHED]}]),
    ("scores", [SCORE]),
    ("nugget-scores", [{"qid": "1", "run_id": "r", "strict_vital_score": 0.5}]),
    ("documents", [{"docid": "d", "title": "t", "text": "x"}, {"_id": 7, "contents": "y"}]),
    ("documents", [{"query": {"qid": "1"}, "candidates": [CANDIDATE]}]),
    ("documents", [{"docid": "v", "transcript": ["a", "b"], "ocr": "c", "images": ["i.png"]}]),
]  # fmt: skip
TABLES: list[tuple[str, bytes]] = [
    ("topics", b"1\ta topic\r\n2\tno\r\n"),
    ("run", b"1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n"),
    ("qrels", b"1 0 a 1\n1 0 b -1\n1 Q0 c 2 0.5 r\n"),
    ("subtopics", b"1 n1 a 1\n1 n2 a 0\n2 n1 b 1\n"),
    ("leaderboard", b"run_id\ttopic\tmeasure\tvalue\nr\t1\tm\t1\nr\tall\tm\t1\n"),
]


def jsonl(records: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def samples() -> Iterator[tuple[str, bytes]]:
    for kind, records in RECORDS:
        yield kind, jsonl(records)
        yield kind, json.dumps(records, indent=1).encode()
        if len(records) == 1:
            yield kind, json.dumps(records[0], indent=1).encode()
    yield from TABLES
    yield "qrels", gzip.compress(b"1 0 a 1\n1 0 b -1\n" * 20, mtime=0)
    yield "answers", gzip.compress(jsonl(RECORDS[3][1]), mtime=0)


SAMPLES = list(samples())

# pieces that mean something to a JSON, number, UTF-8 or gzip decoder
PIECES = [
    *(b"null", b"true", b"NaN", b"1e999", b"-9", b"9" * 400, b"9" * 5000, b"0x1", b"1_0"),
    *(b"\\ud800", b'"', b"[", b"]", b"{", b"}", b",", b":", b"\n", b"\r", b"\t", b" ", b"\0"),
    *(b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xff", b"\x1f\x8b", b"[" * 5000),
]
VALUES: list[Any] = [
    *(None, True, False, 0, -1, 7, 1.5, 1e308, 10**30, "", " ", "x", "\ud800", "a\nb", "0", "é"),
    *([], {}, [[]], [{}], {"": ""}, {"a": 1}, ["x"], [None], [0], "NA", "all"),
]


def damaged_bytes(raw: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(raw) + 1)
        length = rng.choice((0, 0, 1, 2, 8, 60))
        new = rng.choice((b"", rng.choice(PIECES), rng.randbytes(rng.randint(0, 3)), raw[at:][:20]))
        raw = raw[:at] + new + raw[at + length :]
    return raw


def damaged_values(records: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    changed = copy.deepcopy(records)
    for _ in range(rng.randint(1, 2)):
        spots = list(places(changed))
        if not spots:
            break
        holder, key = rng.choice(spots)
        action = rng.random()
        if action < 0.6:
            holder[key] = copy.deepcopy(rng.choice(VALUES))
        elif action < 0.8:
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(0, copy.deepcopy(holder[key]))
        else:
            name = rng.choice(("text", "id", "extra", "", "é"))
            holder[name] = copy.deepcopy(rng.choice(VALUES))
    return changed


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every (container, key or index) inside of a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def both_ways(file: Path, kind: Kind) -> tuple[list[Any], list[InputError]]:
    """Read a file noting its errors, and check that raising the first one agrees."""
    errors: list[InputError] = []
    located = list(kind.each(file, errors.append))
    if errors:
        with pytest.raises(InputError) as caught:
            list(kind.each(file, raise_error))
        assert str(caught.value) == str(errors[0])
        assert {str(error.path) for error in errors} == {str(file)}
    else:
        assert list(kind.each(file, raise_error)) == located
    return located, errors


def error_of(read: Callable[[], object]) -> InputError | None:
    """Return the error that a reader raises, None where it reads."""
    try:
        read()
    except InputError as error:
        return error
    return None


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_samples_are_sound(tmp_path: Path, number: int) -> None:
    kind, raw = SAMPLES[number]
    (tmp_path / "a").write_bytes(raw)
    located, errors = both_ways(tmp_path / "a", kind_named(kind))
    assert located
    assert errors == []


def test_every_kind_is_among_the_samples() -> None:
    assert {kind.name for kind in KINDS} == {kind for kind, _ in SAMPLES}


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_damaged_bytes(tmp_path: Path, number: int) -> None:
    name, raw = SAMPLES[number]
    rng, kind = random.Random(number), kind_named(name)
    for turn in range(ROUNDS):
        file = tmp_path / f"{turn}"
        file.write_bytes(damaged_bytes(raw, rng))
        both_ways(file, kind)
        file.unlink()


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_damaged_values(tmp_path: Path, number: int) -> None:
    name, records = RECORDS[number]
    rng, kind = random.Random(number), kind_named(name)
    for turn in range(ROUNDS * 2):
        file = tmp_path / f"{turn}"
        file.write_bytes(jsonl(damaged_values(records, rng)))
        _, errors = both_ways(file, kind)
        # a reader that takes all or nothing of a form in one object may name the file alone
        assert all(error.line is not None for error in errors)
        file.unlink()


# what has one record in each line; the others hold several things a record, or none
ONE_A_LINE = ("topics", "answers", "assignments", "support", "run", "qrels")


@pytest.mark.parametrize("name", ONE_A_LINE)
def test_every_line_is_read_or_told_of(tmp_path: Path, name: str) -> None:
    rng, kind = random.Random(name), kind_named(name)
    for turn in range(ROUNDS):
        file = tmp_path / f"{turn}"
        lines = list(many(name, 12))
        for at in rng.sample(range(1, 12), 4):
            lines[at] = damaged_bytes(lines[at], rng).replace(b"\n", b" ")
        file.write_bytes(b"\n".join(lines))
        located, errors = both_ways(file, kind)
        told = {place.line for place, _ in located} | {error.line for error in errors}
        assert told == {number for number, line in enumerate(lines, start=1) if holds(line)}
        file.unlink()


def many(name: str, number: int) -> Iterator[bytes]:
    """Lines of one kind, each of another topic."""
    lines: dict[str, Callable[[str], object]] = {
        "topics": lambda i: {"id": i, "title": "a"},
        "answers": lambda i: {"run_id": "r", "topic_id": i, "answer": [SENTENCE]},
        "assignments": lambda i: {"qid": i, "run_id": "r", "nuggets": [NUGGET]},
        "support": lambda i: {"topic_id": i, "run_id": "r", "sentences": []},
        "run": lambda i: f"{i} Q0 d 1 0.5 r",
        "qrels": lambda i: f"{i} 0 d 1",
    }
    for i in range(number):
        line = lines[name](f"t{i}")
        yield (line if isinstance(line, str) else json.dumps(line)).encode()


def holds(line: bytes) -> bool:
    """Tell whether a line holds more than blanks; one that is not UTF-8 does."""
    try:
        return bool(line.decode().strip())
    except UnicodeDecodeError:
        return True


@pytest.mark.parametrize("number", range(len(SAMPLES)))
def test_validate_reports_whatever_it_is_given(tmp_path: Path, number: int) -> None:
    rng = random.Random(number)
    for turn in range(ROUNDS // 4):
        (tmp_path / f"{turn}").write_bytes(damaged_bytes(SAMPLES[number][1], rng))
    reports = validate([tmp_path])
    assert len(reports) == ROUNDS // 4
    assert len(json.loads(reports_json(reports))) == ROUNDS // 4


@pytest.mark.parametrize(
    ("reader", "raw"),
    [
        (read_run, b"1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n"),
        (read_qrels, b"1 0 a 1\n1 0 b -1\n1 Q0 c 2 0.5 r\n"),
        (read_nuggets, jsonl([{"qid": "1", "nuggets": [NUGGET]}])),
    ],
)
def test_readers_of_whole_files(
    tmp_path: Path, reader: Callable[[Path], object], raw: bytes
) -> None:
    rng = random.Random(0)
    for turn in range(ROUNDS):
        file = tmp_path / f"{turn}"
        file.write_bytes(damaged_bytes(raw, rng))
        error = error_of(partial(reader, file))
        assert error is None or str(error.path) == str(file)


def test_ratings_of_other_sizes(tmp_path: Path) -> None:
    rng, file = random.Random(1), tmp_path / "a"
    nuggets = [Nugget(nugget_id=i, topic_id="1", text=i) for i in ("n", "m")]
    run = [Ranked("1", f"d{i}", i, 1.0 / i, "r") for i in (1, 2)]
    for _ in range(ROUNDS):
        file.write_bytes(jsonl(damaged_values([{"1": [[0, 5], [-1, 3]]}], rng)))
        error = error_of(partial(read_ratings, file, nuggets, run))
        assert error is None or str(error.path) == str(file)
