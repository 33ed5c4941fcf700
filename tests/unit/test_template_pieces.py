"""A template rendered in pieces says what it says as a whole, whatever came before."""

import jinja2
import pytest

from judge.templates import load_template
from judge.templates.bodies import _environment
from judge.templates.pieces import cut
from judge.templates.template import RenderError
from judge.types import Topic
from tests.judging import TOPICS, document
from tests.unit.test_templates import BUILT_IN, source, template, values_of

OTHER = Topic(topic_id="t9", narrative="Why do bridges hum?")
USES = {"variables": ["topic", "document"]}


def said(body: str, *values: tuple[Topic, str]) -> list[str]:
    """What one template says of topics and texts, one after the other."""
    made = template(f"{{% block user %}}{body}{{% endblock %}}", **USES)
    prompts = [made.render(topic=topic, document=document("d", text)) for topic, text in values]
    return [prompt.messages[0].content for prompt in prompts]


def test_another_topic_is_rendered_anew_and_the_first_again() -> None:
    one, two = TOPICS["t1"], OTHER
    texts = said("{{ topic.narrative }}: {{ document.text }}", (one, "a"), (two, "a"), (one, "b"))
    assert texts == [f"{one.narrative}: a", f"{two.narrative}: a", f"{one.narrative}: b"]


def test_an_equal_topic_that_is_another_object_is_no_other_prompt() -> None:
    copy = OTHER.model_copy()
    assert said("{{ topic.narrative }}", (OTHER, "a"), (copy, "a")) == [OTHER.narrative] * 2


@pytest.mark.parametrize(
    "body",
    [
        "{% set said = document.text %}{{ topic.topic_id }} {{ said }}",
        "{% set said %}{{ document.text }}{% endset %}{{ topic.topic_id }}{{ said }}",
        "{% macro say(x) %}{{ x }}{{ document.text }}{% endmacro %}{{ say(topic.topic_id) }}",
        "{% with said = document.text %}{{ topic.topic_id }}{{ said }}{% endwith %}",
        "{% for part in topic.narrative.split() %}{{ part }} {{ document.text }}{% endfor %}",
        "{% if document.text == 'b' %}{{ topic.narrative }}{% endif %}{{ document.text }}",
        "{{ topic.narrative if document.text == 'b' else 'no' }}{{ document.text }}",
        "{% filter upper %}{{ topic.topic_id }}{{ document.text }}{% endfilter %}",
    ],
)
def test_what_a_topic_is_shown_with_changes_though_the_topic_does_not(body: str) -> None:
    plain = jinja2.Environment().from_string(body)
    values = [(OTHER, "a"), (OTHER, "b"), (TOPICS["t1"], "b")]
    wanted = [plain.render(topic=t, document=document("d", text)).strip() for t, text in values]
    assert said(body, *values) == wanted
    assert len(set(wanted)) == len(wanted)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_template_says_in_pieces_what_it_says_whole(name: str) -> None:
    whole = _environment().from_string(BUILT_IN[name])
    loaded = load_template(name)
    for text in ("A bridge hums.", "Another text", "A bridge hums."):
        values = values_of(name, text)
        for message in loaded.render(**values).messages:
            block = whole.blocks[message.role]
            assert message.content == "".join(block(whole.new_context(values))).strip()


def test_what_stands_before_the_document_is_one_piece_of_the_topic_alone() -> None:
    pieces = cut(_environment().parse(BUILT_IN["relevance/trec2025"]))
    assert [(piece.of, piece.steady) for piece in pieces] == [
        ("system", True),
        ("user", True),
        ("user", False),
    ]


def test_an_empty_block_is_an_empty_message() -> None:
    made = template("{% block system %}{% endblock %}{% block user %}x{% endblock %}")
    messages = made.render(document=document("d", "a")).messages
    assert [(m.role, m.content) for m in messages] == [("system", ""), ("user", "x")]


def test_a_fault_in_a_later_piece_has_its_line() -> None:
    body = "{% block user %}{{ topic.narrative }}\n{{ document.text }}\n{{ 1 / 0 }}{% endblock %}"
    line = source(body, **USES).split("1 / 0")[0].count("\n") + 1
    with pytest.raises(RenderError, match=rf"line {line}\)"):
        template(body, **USES).render(topic=OTHER, document=document("d", "a"))
