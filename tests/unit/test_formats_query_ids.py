"""Topics that runs and qrels know by a query id, as WikiVideo's do."""

import json
from pathlib import Path

import pytest

from judge.errors import InputError
from judge.formats.query_ids import read_query_ids
from judge.loading import Inputs, add_pairs, load_inputs
from judge.retrieving import evaluate
from judge.types import Qrel
from judge.validation import validate


def topics(path: Path, **query_ids: str) -> Path:
    claims = {"A bird flies.": {"supporting_videos": ["v1.mp4"]}}
    rows = {
        name: {"claims_to_supporting_videos": claims, "query_id": query_id}
        for name, query_id in query_ids.items()
    }
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return topics(tmp_path / "claims.json", Birds="q_1", Bees="q_2")


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_a_topic_by_its_query_id(claims: Path) -> None:
    query_ids = read_query_ids(claims)
    assert [query_ids.topic(name) for name in ("q_1", "Bees", "other")] == [
        "Birds",
        "Bees",
        "other",
    ]
    rows = [Qrel("q_1", "d", 1), Qrel("Bees", "d", 0)]
    assert query_ids.rows(rows, "f") == [Qrel("Birds", "d", 1), Qrel("Bees", "d", 0)]
    assert query_ids.by_topic({"q_2": 5}, "f") == {"Bees": 5}


def test_other_topics_have_none(tmp_path: Path) -> None:
    plain = write(tmp_path / "t.jsonl", json.dumps({"id": "q_1", "title": "t"}))
    assert read_query_ids(plain).topic("q_1") == "q_1"


@pytest.mark.parametrize("names", [{"A": "q", "B": "q"}, {"A": "B", "B": "q"}])
def test_a_query_id_of_two_topics(tmp_path: Path, names: dict[str, str]) -> None:
    with pytest.raises(InputError, match="an id of this topic alone"):
        read_query_ids(topics(tmp_path / "t.json", **names))


def test_a_file_that_names_a_topic_twice(claims: Path) -> None:
    query_ids = read_query_ids(claims)
    with pytest.raises(InputError, match="under its query_id 'q_1' and under its own id"):
        query_ids.rows([Qrel("q_1", "d", 1), Qrel("Birds", "d", 0)], "f")
    with pytest.raises(InputError, match="f: a topic stands under its query_id"):
        query_ids.by_topic({"q_1": 1, "Birds": 2}, "f")


def test_retrieval_of_runs_and_qrels_that_name_topics_differently(
    claims: Path, tmp_path: Path
) -> None:
    qrels = write(tmp_path / "qrels.txt", "q_1 0 v1 3", "Bees 0 v2 1")
    run = write(tmp_path / "run.txt", "Birds Q0 v1 1 1.0 r", "q_2 Q0 v9 1 2.0 r")
    rows = evaluate(qrels, [run], measures="RR", topics=claims)
    assert {row.topic_id: row.value for row in rows} == {"Birds": 1.0, "Bees": 0.0, "all": 0.5}


def test_what_is_judged_has_the_topics_own_ids(claims: Path, tmp_path: Path) -> None:
    run = write(tmp_path / "run.txt", "q_1 Q0 v1 1 1.0 r", "q_2 Q0 v9 1 2.0 r")
    qrels = write(tmp_path / "qrels.txt", "q_1 0 v1 3")
    told: list[str] = []

    def inputs() -> Inputs:
        return load_inputs(str(claims), notice=told.append)

    pooled = add_pairs(inputs(), pool=[str(run)], depth=5, notice=told.append)
    assert set(pooled.pairs) == {("Birds", "v1"), ("Bees", "v9")}
    paired = add_pairs(inputs(), pairs=str(qrels), depth=5, notice=told.append)
    assert paired.pairs == [("Birds", "v1")]
    assert inputs().graded(qrels, told.append) == [Qrel("Birds", "v1", 3)]
    assert told == []


def test_validation_knows_both_ids(claims: Path, tmp_path: Path) -> None:
    run = write(tmp_path / "run.txt", "q_1 Q0 v1 1 1.0 r", "q_9 Q0 v9 1 2.0 r")
    (report,) = validate([run], topics=claims)
    assert [p.message for p in report.problems] == [
        "documents of topic 'q_9', which the topics file lacks",
        "no documents, and scores 0: 1 topics: Bees",
    ]
