"""Reading inputs: which topics, answers, pairs and nuggets are judged, and what does not fit."""

import gc
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError, UsageError
from judge.loading import Inputs, Pair, add_cited, add_nuggets, add_pairs, load_inputs
from judge.types import Qrel


class World:
    """Files of topics t1 to t3 and what belongs to them; `told` is what was noticed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []
        self.opened = ExitStack()
        self.write("topics.jsonl", [{"id": f"t{n}", "narrative": f"Bees {n}?"} for n in (1, 2, 3)])
        self.write("corpus.jsonl", [{"docid": f"d{n}", "text": f"Bees {n}."} for n in range(5)])

    def write(self, name: str, rows: Sequence[dict[str, Any]]) -> str:
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    def answers(self, *topics: str, run: str = "r", docids: Sequence[str] = ("d1",)) -> str:
        rows = [
            {
                "metadata": {
                    "team_id": "x",
                    "run_id": run,
                    "type": "automatic",
                    "narrative_id": topic,
                    "narrative": "Bees?",
                },
                "references": list(docids),
                "answer": [{"text": "Bees.", "citations": list(range(len(docids)))}],
            }
            for topic in topics
        ]
        return self.write(f"{run}.jsonl", rows)

    def text(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def load(self, *answers: str, **more: Any) -> Inputs:
        topics, corpus = self.folder / "topics.jsonl", self.folder / "corpus.jsonl"
        given = {"corpus": [str(corpus)], **more}
        inputs = load_inputs(str(topics), answers=answers, notice=self.told.append, **given)
        self.opened.callback(inputs.corpora.__exit__, None, None, None)
        return inputs


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    with made.opened:
        yield made


def test_all_topics_are_judged_unless_some_are_named(world: World) -> None:
    answers = world.answers("t1", "t2")
    inputs = world.load(answers)
    assert list(inputs.topics) == ["t1", "t2", "t3"]
    assert [a.topic_id for a in inputs.answers] == ["t1", "t2"]
    chosen = world.load(answers, topic_ids=("t2",))
    assert list(chosen.topics) == ["t2"]
    assert [a.topic_id for a in chosen.answers] == ["t2"]
    assert chosen.known == {"t1", "t2", "t3"}
    assert world.told == []
    with pytest.raises(InputError, match=r"topics\.jsonl: no topic 't9'; it has 't1', 't2', 't3'"):
        world.load(answers, topic_ids=("t1", "t9"))


def test_answers_to_topics_that_are_not_there_are_told_and_left_out(world: World) -> None:
    inputs = world.load(world.answers("t1", "x1", "x2", "x3", "x4"))
    assert [a.topic_id for a in inputs.answers] == ["t1"]
    assert world.told == ["answers: 4 topics are not in the topics file: 'x1', 'x2', 'x3', ..."]


def test_no_topic_in_common_shows_ids_of_both_sides(world: World) -> None:
    told = "the answers have 't1.0', 't2.0'; the topics are 't1', 't2', 't3'"
    with pytest.raises(InputError, match=told):
        world.load(world.answers("t2.0", "t1.0"))


def test_files_are_fingerprinted_by_what_they_hold(world: World) -> None:
    answers = world.answers("t1")
    first = world.load(answers).fingerprints("topics", "answers")
    assert set(first) == {"topics/topics.jsonl", "answers/r.jsonl"}
    assert all(value.startswith("sha256:") for value in first.values())
    world.answers("t2")
    second = world.load(answers).fingerprints("topics", "answers")
    assert second["topics/topics.jsonl"] == first["topics/topics.jsonl"]
    assert second["answers/r.jsonl"] != first["answers/r.jsonl"]


def test_pairs_come_from_runs_to_a_depth_each_once(world: World) -> None:
    rows = "t1 Q0 d1 1 3 a\nt1 Q0 d2 2 2 a\nt1 Q0 d3 3 1 a\nx Q0 d1 1 1 a\n"
    one = world.text("a.txt", rows)
    two = world.text("b.txt", "t1 Q0 d4 1 9 b\nt1 Q0 d1 2 8 b\n")
    inputs = add_pairs(world.load(), pool=[one, two], depth=2, notice=world.told.append)
    assert sorted(inputs.pairs) == [("t1", "d1"), ("t1", "d2"), ("t1", "d4")]
    assert set(inputs.fingerprints("pairs")) == {"pairs/a.txt", "pairs/b.txt"}
    assert world.told == ["pairs: 1 topics are not in the topics file: 'x'"]


def test_pairs_of_a_qrels_file_whatever_their_grade(world: World) -> None:
    qrels = world.text("q.txt", "t1 0 d1 0\nt2 0 d2 3\n")
    inputs = add_pairs(world.load(), pairs=qrels, depth=1, notice=world.told.append)
    assert inputs.pairs == [Pair("t1", "d1"), Pair("t2", "d2")]
    with pytest.raises(UsageError, match="not both"):
        add_pairs(world.load(), pairs=qrels, pool=[qrels], depth=1, notice=world.told.append)
    other = world.text("o.txt", "y 0 d1 0\n")
    with pytest.raises(InputError, match="the pairs have 'y'; the topics are 't1'"):
        add_pairs(world.load(), pairs=other, depth=1, notice=world.told.append)


def test_what_answers_cite_is_graded_once_in_the_order_of_topics(world: World) -> None:
    one = world.answers("t2", "t1", docids=("d1", "d2"))
    two = world.answers("t1", run="s", docids=("d2", "d3"))
    pairs = add_cited(world.load(one, two)).pairs
    assert [topic_id for topic_id, _ in pairs] == ["t1", "t1", "t1", "t2", "t2"]
    assert {docid for topic_id, docid in pairs if topic_id == "t1"} == {"d1", "d2", "d3"}


def test_nuggets_by_topic_and_told_where_a_topic_is_not_there(world: World) -> None:
    rows = [
        {
            "qid": topic,
            "query": "Bees?",
            "nuggets": [{"text": f"{topic} a"}, {"text": f"{topic} b"}],
        }
        for topic in ("t2", "t1", "x")
    ]
    path = world.write("nuggets.jsonl", rows)
    inputs = add_nuggets(world.load(), path, world.told.append)
    assert {t: [n.text for n in listed] for t, listed in inputs.nuggets.items()} == {
        "t2": ["t2 a", "t2 b"],
        "t1": ["t1 a", "t1 b"],
    }
    assert world.told == ["nuggets: 1 topics are not in the topics file: 'x'"]
    assert set(inputs.fingerprints("nuggets")) == {"nuggets/nuggets.jsonl"}


def test_rows_of_a_topic_that_is_known_but_not_judged_are_left_out_silently(world: World) -> None:
    inputs = world.load(topic_ids=("t1",))
    rows = [Qrel("t1", "d1", 1), Qrel("t2", "d2", 1)]
    assert inputs.restrict(rows, "qrels", world.told.append) == rows[:1]
    assert inputs.restrict([], "qrels", world.told.append) == []
    assert world.told == []


def test_one_nuggets_file_is_meant(world: World) -> None:
    rows = [{"qid": "t1", "query": "Bees?", "nuggets": [{"text": "a"}]}]
    world.write("n1.jsonl", rows)
    world.write("n2.jsonl", rows)
    with pytest.raises(InputError, match="n\\*"):
        add_nuggets(world.load(), str(world.folder / "n*.jsonl"), world.told.append)


def test_corpora_are_closed_when_later_inputs_cannot_be_read(world: World) -> None:
    """Files that stay open would be a ResourceWarning, which is an error here."""
    corpus = world.folder / "corpus.jsonl"
    topics = str(world.folder / "topics.jsonl")
    with pytest.raises(InputError, match=r"nowhere"):
        add_nuggets(
            load_inputs(topics, corpus=[str(corpus)], notice=world.told.append),
            world.folder / "nowhere",
            world.told.append,
        )
    gc.collect()
