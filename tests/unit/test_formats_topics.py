"""Topics: every form, told from the content, and what is wrong with them."""

import json
from pathlib import Path

import pytest

from judge.errors import InputError
from judge.formats import read_topics, write_topics
from judge.types import SubNarrative, Topic

NARRATIVE = {
    "id": "007",
    "narrative": "How do bees dance?",
    "sub_narratives": [
        {"text": "Which dances are there?", "importance": "vital"},
        {"text": "Who found out?", "importance": None},
        {"text": "When?"},
    ],
}
REQUEST = {
    "request_id": "b",
    "title": "Bees",
    "problem_statement": "A report on bees.",
    "background": "I keep them.",
    "limit": 2000,
    "collection_ids": ["c"],
}
NARRATIVE_TOPIC = Topic(
    topic_id="007",
    narrative="How do bees dance?",
    sub_narratives=(
        SubNarrative(sub_id="1", text="Which dances are there?", importance="vital"),
        SubNarrative(sub_id="2", text="Who found out?"),
        SubNarrative(sub_id="3", text="When?"),
    ),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "topics"


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ('{"id": "1", "title": "I want bees."}', Topic(topic_id="1", narrative="I want bees.")),
        ('{"id": 1, "title": "I want bees."}', Topic(topic_id="1", narrative="I want bees.")),
        (json.dumps(NARRATIVE), NARRATIVE_TOPIC),
        (json.dumps([NARRATIVE]), NARRATIVE_TOPIC),
        (json.dumps([NARRATIVE], indent=4), NARRATIVE_TOPIC),
        (
            '{"id": "1", "title": "Bees", "narrative": "I want bees.", "sub_narratives": null}',
            Topic(topic_id="1", title="Bees", narrative="I want bees."),
        ),
        (
            json.dumps(REQUEST),
            Topic(
                topic_id="b", title="Bees", narrative="A report on bees.", background="I keep them."
            ),
        ),
        (
            '{"request_id": "b", "problem_statement": "A report on bees.", "background": null}',
            Topic(topic_id="b", narrative="A report on bees."),
        ),
        ('{"qid": "28", "query": "bees ."}', Topic(topic_id="28", narrative="bees .")),
        (
            "2024-1\tbees, what\tare they\r\n",
            Topic(topic_id="2024-1", narrative="bees, what\tare they"),
        ),
        ("\ufeff007\t{bees}\n\n", Topic(topic_id="007", narrative="{bees}")),
    ],
)
def test_forms(file: Path, text: str, topic: Topic, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text(text, encoding="utf-8", newline="")
    assert read_topics(file) == [topic]
    assert not caplog.records


def test_order_of_the_file_is_kept(file: Path) -> None:
    file.write_text("2\tb\n10\ta\n1\tc\n")
    assert [topic.topic_id for topic in read_topics(file)] == ["2", "10", "1"]


def test_round_trip(file: Path) -> None:
    full = NARRATIVE_TOPIC.model_copy(update={"title": "Bees", "background": "I keep\nthem."})
    topics = [full, NARRATIVE_TOPIC.model_copy(update={"topic_id": "8", "sub_narratives": ()})]
    write_topics(file, topics)
    assert read_topics(file) == topics


def test_separators_inside_a_title(file: Path) -> None:
    file.write_text('{"id": "1", "title": "a\u2028b"}\n', encoding="utf-8")
    assert read_topics(file)[0].narrative == "a\u2028b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"id": "1", "text": "x"}',
            r":1: not a topic; expected .*id and title, found \['id', 'text'\]",
        ),
        ("1 a topic with a space", ":1: not a topic; expected id<TAB>text"),
        ("1\t \n", ":1: not a topic; expected id<TAB>text"),
        ("\ttext\n", ":1: not a topic; expected id<TAB>text"),
        ('{"title": "x"}', ":1: field 'id': missing; expected an id"),
        ('{"id": "1", "title": ""}', ":1: field 'title': wrong value; expected a string that is"),
        ('{"request_id": "1"}', ":1: field 'problem_statement': missing"),
        (
            '{"id": "1", "narrative": "x", "sub_narratives": {}}',
            "field 'sub_narratives': wrong value",
        ),
        (
            '[\n{"id": "1", "narrative": "x", "sub_narratives": [{"text": "", "importance": 1}]}]',
            r":2: field 'sub_narratives\[0\].text': wrong value; expected a string that is not",
        ),
        (
            '{"id": "1", "narrative": "x","sub_narratives": [{"text": "y", "importance": "must"}]}',
            r":1: field 'sub_narratives\[0\].importance': .*expected vital or okay.*, found 'must'",
        ),
        ("1\ta\n2\tb\n1\tc", ":3: the topic '1' stands twice, first at .*:1;"),
        ('[{"id": "1", "title": "a"},\n{"id": 1, "title": "b"}]', ":2: the topic '1' stands twice"),
        ('{"id": "1", "title": "a"}\n["x"]', ":2: not an object"),
    ],
)
def test_errors(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_topics(file)
