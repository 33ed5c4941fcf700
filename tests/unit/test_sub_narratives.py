"""Sub-narratives that nuggets name: which are official, by which wording, and which are not."""

from pathlib import Path

import pytest

from judge.formats import write_nuggets, write_topics
from judge.loading import add_nuggets, load_inputs
from judge.metrics import parse_measures
from judge.metrics.subnarratives import fold
from judge.sub_narratives import Link, doubts, link_nuggets, summary
from judge.types import AssignedAnswer, Nugget, NuggetLabel, SubNarrative, Topic

OFFICIAL = ("How do games affect aggression, and addiction?", "definition of a community.")
TOPIC = Topic(
    topic_id="1",
    narrative="x",
    sub_narratives=tuple(
        SubNarrative(sub_id=str(i), text=text) for i, text in enumerate(OFFICIAL, start=1)
    ),
)
BARE = Topic(topic_id="2", narrative="x")
TOPICS = {"1": TOPIC, "2": BARE}


def nugget(sub_narrative: str | None, topic_id: str = "1") -> Nugget:
    return Nugget(nugget_id="n", topic_id=topic_id, text="x", sub_narrative=sub_narrative)


def link(sub_narrative: str | None, topic_id: str = "1") -> Link:
    (found,) = link_nuggets([nugget(sub_narrative, topic_id)], TOPICS)
    return found


@pytest.mark.parametrize(
    ("text", "how", "official"),
    [
        (OFFICIAL[0], "same", OFFICIAL[0]),
        ("How do games affect aggression，and addiction？", "folded", OFFICIAL[0]),
        ("how do games  affect aggression ,and addiction?", "folded", OFFICIAL[0]),
        ("“definition of a community.”", "folded", OFFICIAL[1]),
        ("definition of a community", "unknown", None),
        ("How do games affect aggression and addiction?", "unknown", None),
        ("New: something", "new", None),
        ("new:  something", "new", None),
        (None, "none", None),
    ],
)
def test_how_a_text_names_a_sub_narrative(text: str | None, how: str, official: str | None) -> None:
    found = link(text)
    assert (found.how, found.official) == (how, official)


def test_the_nearest_official_text_is_shown_and_not_taken() -> None:
    found = link("How do games affect aggression and addiction?")
    assert (found.nearest, found.official) == (OFFICIAL[0], None)
    assert link("anything", "2").nearest is None


def test_nuggets_of_other_topics_are_left_out() -> None:
    assert list(link_nuggets([nugget("x", "3")], TOPICS)) == []


def test_a_line_on_all() -> None:
    texts = (OFFICIAL[0], OFFICIAL[1].upper(), "New: x", None, "else")
    line = summary(list(link_nuggets(map(nugget, texts), TOPICS)))
    assert line == (
        "sub-narratives of 5 nuggets: 1 official word for word, 1 official after folding, "
        '1 in "New: ..." groups, 1 without one, 1 of no official text'
    )


def test_there_is_no_line_where_no_topic_has_official_ones() -> None:
    assert summary(list(link_nuggets([nugget("x", "2")], TOPICS))) is None
    assert doubts([nugget("x", "2")], TOPICS) is None


def test_only_what_is_not_word_for_word_is_told_when_judging() -> None:
    assert doubts([nugget(OFFICIAL[0]), nugget("New: x")], TOPICS) is None
    folded = doubts([nugget(OFFICIAL[1].upper())], TOPICS)
    assert folded == "sub-narratives of 1 nuggets: 1 official after folding"
    unknown = doubts([nugget(OFFICIAL[0]), nugget("else")], TOPICS)
    assert unknown is not None
    assert "such as 'else' of topic 1; `rag-judge validate --topics` lists them" in unknown


def test_loading_nuggets_tells_of_doubts(tmp_path: Path) -> None:
    topics, nuggets = tmp_path / "topics", tmp_path / "nuggets"
    write_topics(topics, [TOPIC])
    write_nuggets(nuggets, [nugget(OFFICIAL[0]), nugget("else")], {})
    nuggets.write_text(nuggets.read_text().replace('"id": "n", ', ""))
    notices: list[str] = []
    inputs = load_inputs(str(topics), notice=notices.append)
    with inputs.corpora:
        assert len(add_nuggets(inputs, nuggets, notices.append).nuggets["1"]) == 2
    (line,) = notices
    assert line.startswith("sub-narratives of 2 nuggets: 1 official word for word")
    assert "such as 'else' of topic 1" in line


def test_scores_count_what_folding_finds_as_official() -> None:
    labels = tuple(
        NuggetLabel(nugget_id=str(i), text="x", importance="vital", label="full", sub_narrative=s)
        for i, s in enumerate(("How do games affect aggression，and addiction？", "else"))
    )
    (measure,) = parse_measures("sub_narrative_coverage(denominator=official)")
    got = measure.evaluate(AssignedAnswer(run_id="r", topic_id="1", nuggets=labels), TOPIC)
    assert (got.value, got.n_judged) == (0.5, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [("a，b", "a, b"), ("Ａ，Ｂ？", "a, b ?"), ("«x»", "X"), ("x :y", "x: y"), ("x\u00a0y", "x y")],
)
def test_folding(first: str, second: str) -> None:
    assert fold(first) == fold(second)


@pytest.mark.parametrize(("first", "second"), [("a b", "ab"), ("a-b", "a b"), ("a.", "a")])
def test_folding_keeps_words_and_full_stops(first: str, second: str) -> None:
    assert fold(first) != fold(second)
