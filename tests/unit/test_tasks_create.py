"""Create: a nugget list from a window of documents, and how the reply reads."""

import json
import re
from typing import Any

import pytest

from judge.errors import ReadError
from judge.tasks.create import MOST_NUGGETS, Create, distinct
from judge.types import Document, Verdict
from tests.judging import EVIL, TEMPLATES, TOPICS, call_for, document


def task(*documents: Document, so_far: tuple[str, ...] = (), window: int = 0) -> Create:
    template = TEMPLATES["nuggets/create"]
    return Create(template, TOPICS, window, {"t1": documents, "t2": ()}, {"t1": so_far})


def read(nuggets: Any) -> Verdict:
    create = task(document("d"))
    (verdict,) = create.read(call_for(create), json.dumps({"nuggets": nuggets})).values()
    return verdict


def entry(text: str, *passages: int) -> dict[str, Any]:
    return {"nugget": text, "passages": list(passages)}


def id_of(create: Create) -> str:
    (unit,) = create.units()
    return unit.unit_id


def test_one_unit_a_topic_with_documents() -> None:
    assert re.fullmatch(r"create\|t1\|2-[0-9a-f]{8}", id_of(task(document("d"), window=2)))


def test_the_same_window_keeps_its_id() -> None:
    documents = document("d1"), document("d2", "é\ud800")
    assert id_of(task(*documents, so_far=("a",))) == id_of(task(*documents, so_far=("a",)))


@pytest.mark.parametrize(
    "other",
    [
        task(document("d1"), document("d3"), so_far=("a",)),
        task(document("d2"), document("d1"), so_far=("a",)),
        task(document("d1"), so_far=("a",)),
        task(document("d1"), document("d2", "Another text."), so_far=("a",)),
        task(document("d1"), document("d2"), so_far=("b",)),
        task(document("d1"), document("d2"), so_far=("a", "b")),
        task(document("d1"), document("d2"), so_far=("a",), window=1),
    ],
)
def test_a_window_that_shows_something_else_is_another_unit(other: Create) -> None:
    assert id_of(other) != id_of(task(document("d1"), document("d2"), so_far=("a",)))


def test_the_prompt_holds_the_documents_and_the_list_so_far() -> None:
    documents = document("d1", "First."), document("d2", "Second.", title="Two")
    user = call_for(task(*documents, so_far=("bees cluster",))).prompt.messages[-1].content
    assert user.count("<passage>") == 2
    assert "<passage>\nFirst.\n</passage>" in user
    assert "Two\nSecond." in user
    assert "- bees cluster" in user


def test_an_empty_list_is_said_to_be_empty() -> None:
    user = call_for(task(document("d"))).prompt.messages[-1].content
    assert "list is still empty" in user
    assert "list so far" not in user


def test_any_suspicious_document_is_flagged() -> None:
    call = call_for(task(document("d1"), document("d2", title=EVIL)))
    assert "injection_suspected:delimiter" in call.flags


def test_the_label_is_the_length_of_the_list() -> None:
    verdict = read([entry("bees cluster", 1), entry("honey feeds them", 1)])
    assert verdict.label == 2
    assert verdict.detail == {
        "nuggets": ["bees cluster", "honey feeds them"],
        "passages": [[0], [0]],
    }
    assert verdict.flags == ()


def test_a_list_of_bare_texts_names_no_passages() -> None:
    verdict = read(["bees cluster", "honey feeds them"])
    assert verdict.detail == {
        "nuggets": ["bees cluster", "honey feeds them"],
        "passages": [None, None],
    }
    assert verdict.flags == ("no_passage_named",)


def test_only_a_new_nugget_needs_a_passage() -> None:
    create = task(document("d"), so_far=("bees cluster",))
    listed = [entry("Bees cluster."), entry("honey feeds them", 1)]
    (verdict,) = create.read(call_for(create), json.dumps({"nuggets": listed})).values()
    assert verdict.detail["passages"] == [[], [0]]
    assert verdict.flags == ()
    assert read([entry("bees cluster")]).flags == ("no_passage_named",)


def test_repetitions_have_the_passages_of_all() -> None:
    create = task(document("d1"), document("d2"))
    listed = [entry("bees cluster", 2), "Bees  cluster.", entry("bees cluster", 1, 2)]
    (verdict,) = create.read(call_for(create), json.dumps({"nuggets": listed})).values()
    assert verdict.detail == {"nuggets": ["bees cluster"], "passages": [[0, 1]]}


@pytest.mark.parametrize("passages", [[0], [2], [-1], ["1"], [1.0], [True], "1", 1, None])
def test_passages_that_are_not_there_fail(passages: Any) -> None:
    with pytest.raises(ReadError, match="passage"):
        read([{"nugget": "bees cluster", "passages": passages}])


def test_the_schema_asks_for_the_passages_there_are() -> None:
    schema = call_for(task(document("d1"), document("d2"))).reply_schema or {}
    item = schema["properties"]["nuggets"]["items"]
    assert item["properties"]["passages"]["items"]["enum"] == [1, 2]
    assert item["required"] == ["nugget", "passages"]


def test_repetitions_and_empty_entries_are_dropped() -> None:
    verdict = read(["Bees cluster.", "", "  bees   CLUSTER ", "bees", " . "])
    assert verdict.detail["nuggets"] == ["Bees cluster.", "bees"]
    assert verdict.label == 2


def test_a_long_nugget_is_kept_and_flagged() -> None:
    long = " ".join(["word"] * 13)
    assert read([entry(long, 1)]).flags == ("long_nugget",)
    assert read([entry(long, 1)]).detail["nuggets"] == [long]
    assert read([entry(" ".join(["word"] * 12), 1)]).flags == ()


def test_a_window_that_holds_no_nugget_may_say_so_but_none_may_be_lost() -> None:
    assert read([]).label == 0
    with_list = task(document("d"), so_far=("a fact",))
    with pytest.raises(ReadError, match="nor lose all it had"):
        with_list.read(call_for(with_list), json.dumps({"nuggets": []}))


def test_the_longest_list_allowed() -> None:
    facts = [f"fact {i}" for i in range(MOST_NUGGETS)]
    assert read(facts).label == MOST_NUGGETS
    with pytest.raises(ReadError, match="31 nuggets; at most 30"):
        read([*facts, "one more"])


@pytest.mark.parametrize(
    "nuggets", [[""], [" "], None, "bees", {"1": "bees"}, [1], [None], [{}], [[]]]
)
def test_a_reply_without_a_list_of_texts_fails(nuggets: Any) -> None:
    with pytest.raises(ReadError):
        read(nuggets)


@pytest.mark.parametrize("text", ["", "[]", '["bees"]', '{"list": ["bees"]}', '{"nuggets": ["be'])
def test_a_reply_of_another_form_fails(text: str) -> None:
    create = task(document("d"))
    with pytest.raises(ReadError):
        create.read(call_for(create), text)


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert list(distinct([("caf\u00e9", None), ("cafe\u0301", None)])) == ["caf\u00e9"]


def test_words_that_differ_stay_apart() -> None:
    assert list(distinct((t, [0]) for t in ("bees", "beer", "b.ees"))) == ["bees", "beer", "b.ees"]
