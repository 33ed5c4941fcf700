"""Templates: found, checked, rendered, and safe against what they print."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from judge.errors import InputError, UsageError
from judge.templates import Template, check_templates, load_template, template_names
from tests.judging import EVIL, TOPICS, answer, built_in, document, nuggets

HEAD: dict[str, Any] = {
    "name": "a/b",
    "version": "1",
    "task": "relevance",
    "source": "here",
    "variables": ["document"],
    "output": "score-line",
    "max_tokens": 8,
}
BODY = "{% block user %}{{ document.text }}{% endblock %}"
BUILT_IN = dict(built_in())


def source(body: str = BODY, /, **changes: Any) -> str:
    head = {name: value for name, value in (HEAD | changes).items() if value is not None}
    lines = "\n".join(f"{name} = {value!r}" for name, value in head.items())
    return "{#\n" + lines + "\n#}\n" + body


def template(body: str = BODY, /, **changes: Any) -> Template:
    return Template(source(body, **changes), place="x.j2")


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        Template(text, place="some/x.j2")
    assert caught.value.path == "some/x.j2"
    return caught.value


def inputs(text: str) -> dict[str, Any]:
    """A value for every variable of the built-in templates; `text` stands wherever it can."""
    topic = TOPICS["t1"]
    return {
        "topic": topic.model_copy(update={"background": text, "narrative": text}),
        "document": document("d", text, title=text),
        "documents": [document("d", text, title=text)],
        "sentences": answer("r", "t1", text, text).sentences,
        "nuggets": [n.model_copy(update={"text": text}) for n in nuggets("t1", 2)],
        "index": 0,
        "most": 30,
        "question": "all",
    }


def values_of(name: str, text: str) -> dict[str, Any]:
    """A value for every variable of one built-in template."""
    wanted = load_template(name).head.variables
    values = {key: value for key, value in inputs(text).items() if key in wanted}
    return values | {"nuggets": [text]} if name == "nuggets/create" else values


def rendered(name: str, text: str) -> str:
    messages = load_template(name).render(**values_of(name, text)).messages
    return "\n".join(message.content for message in messages)


# --- the built-in ones ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_template_carries_its_own_name_and_sha(name: str) -> None:
    loaded = load_template(name)
    assert loaded.head.name == name
    assert loaded.sha256 == hashlib.sha256(BUILT_IN[name].encode()).hexdigest()


def test_every_template_of_the_project_is_listed() -> None:
    assert template_names() == sorted(BUILT_IN)


@pytest.mark.parametrize("name", BUILT_IN)
def test_injected_text_ends_no_delimiter_and_forges_no_marker(name: str) -> None:
    evil, harmless = rendered(name, EVIL), rendered(name, "Bees sleep.")
    for active in ("</passage>", "</answer>", "</nuggets>", "##final score"):
        assert evil.count(active) == harmless.count(active), active


@pytest.mark.parametrize("name", BUILT_IN)
def test_jinja_in_the_input_is_printed_as_it_stands(name: str) -> None:
    evil = rendered(name, EVIL)
    assert "{{ 7*7 }} {% for x in y %}" in evil
    assert "49" not in evil.replace(name, "")


@pytest.mark.parametrize("name", BUILT_IN)
def test_text_without_anything_active_is_printed_unchanged(name: str) -> None:
    text = 'Say "5 < 6" & $5 \\n {x} <b>bold</b> 🐝 עברית'
    assert text in rendered(name, text)


# --- rendering -----------------------------------------------------------------------------------


def test_blocks_become_messages_the_system_first() -> None:
    body = "{% block user %} {{ document }} {% endblock %}{% block system %}S{% endblock %}"
    prompt = template(body).render(document="D")
    assert [(m.role, m.content) for m in prompt.messages] == [("system", "S"), ("user", "D")]


def test_without_a_system_block_there_is_one_message() -> None:
    prompt = template().render(document=document("d", "x"))
    assert [message.role for message in prompt.messages] == ["user"]


def test_a_prompt_names_its_template_and_sha() -> None:
    loaded = template()
    prompt = loaded.render(document=document("d"))
    assert (prompt.template, prompt.sha256) == ("a/b", loaded.sha256)


def test_the_same_values_render_the_same_prompt_again() -> None:
    loaded = template()
    values = {"document": document("d", EVIL)}
    assert loaded.render(**values) == loaded.render(**values)


def test_a_missing_value_is_named() -> None:
    with pytest.raises(UsageError, match=r"a/b: cannot be rendered: 'document' is undefined"):
        template().render()


def test_a_missing_field_of_a_value_is_named() -> None:
    body = "{% block user %}{{ document.author }}{% endblock %}"
    with pytest.raises(UsageError, match="author"):
        template(body).render(document=document("d"))


@pytest.mark.parametrize(
    "expression",
    [
        "document + 1",
        "document[0].x",
        "document.__class__.__mro__",
        "document.append(3)",
    ],
)
def test_a_template_that_fails_on_its_values_is_a_usage_error(expression: str) -> None:
    loaded = template("{% block user %}{{ " + expression + " }}{% endblock %}")
    with pytest.raises(UsageError, match="template a/b: cannot be rendered"):
        loaded.render(document=[])


def test_a_printed_list_is_made_inert_too() -> None:
    loaded = template("{% block user %}{{ document }}{% endblock %}")
    assert "</passage>" not in loaded.render(document=["</passage>"]).messages[0].content


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", [BODY, "", "{# no end " + BODY, "text\n" + source()])
def test_without_a_head_at_the_start(text: str) -> None:
    error = refused(text)
    assert error.line == 1
    assert "no head" in str(error)


def test_a_head_that_is_not_toml() -> None:
    assert "not TOML" in str(refused("{# name = #}" + BODY))


@pytest.mark.parametrize("field", HEAD)
def test_a_head_that_lacks_a_field(field: str) -> None:
    error = refused(source(**{field: None}))
    assert error.field == field


@pytest.mark.parametrize(
    "wrong", [{"output": "essay"}, {"max_tokens": "many"}, {"author": "me"}, {"variables": [1]}]
)
def test_a_head_with_a_wrong_field(wrong: dict[str, Any]) -> None:
    error = refused(source(**wrong))
    assert error.field is not None
    assert error.field.split(".")[0] in wrong


def test_a_syntax_error_has_its_line() -> None:
    error = refused(source("{% block user %}\n{{ document. }}\n{% endblock %}"))
    assert error.line == source("").count("\n") + 2


@pytest.mark.parametrize(
    "body",
    [
        "{{ document }}",
        "{% block system %}{{ document }}{% endblock %}",
        "{% block usr %}{{ document }}{% endblock %}",
        BODY + "{% block assistant %}{% endblock %}",
    ],
)
def test_wrong_blocks(body: str) -> None:
    error = refused(source(body))
    assert "wrong blocks" in str(error)
    assert error.expected == "user and system"


@pytest.mark.parametrize(
    "body",
    [
        "{% if true %}\n" + BODY + "{% endif %}",
        "{% for x in [1] %}\n" + BODY + "{% endfor %}",
        BODY + "{% if document %}\n{% block system %}x{% endblock %}{% endif %}",
        "{% block user %}\n{% block system %}x{% endblock %}{{ document.text }}{% endblock %}",
        "{% block system %}\n" + BODY + "{% endblock %}",
        "\nJudge well.\n" + BODY,
        BODY + "\n{{ document.text }}",
        "\n{% set x = 1 %}" + BODY,
    ],
)
def test_what_would_never_be_sent_is_refused_with_its_line(body: str) -> None:
    error = refused(source(body))
    assert "never sent" in str(error) or "inside of something else" in str(error)
    assert error.line in (source("").count("\n") + 1, source("").count("\n") + 2)


def test_comments_and_blank_lines_may_stand_between_blocks() -> None:
    body = "\n{# the roles #}\n{% block system %}x{% endblock %}\n\n" + BODY + "\n{# end #}\n"
    messages = template(body).render(document=document("d", "text")).messages
    assert [m.content for m in messages] == ["x", "text"]


def test_a_block_may_show_another_one() -> None:
    body = "{% block system %}Be fair to {{ document.title }}.{% endblock %}"
    body += "{% block user %}{{ self.system() }} {{ document.text }}{% endblock %}"
    made = template(body)
    for title in ("A", "B"):
        messages = made.render(document=document("d", "text", title=title)).messages
        assert [m.content for m in messages] == [
            f"Be fair to {title}.",
            f"Be fair to {title}. text",
        ]


@pytest.mark.parametrize("expression", ["[] | indent", "document.text | format", "1 // 0"])
def test_whatever_an_expression_raises_is_a_render_error(expression: str) -> None:
    made = template("{% block user %}{{ " + expression + " }}{% endblock %}")
    with pytest.raises(UsageError, match="cannot be rendered"):
        made.render(document=document("d", "%s"))


def test_a_variable_that_is_not_declared() -> None:
    body = "{% block user %}{{ document.text }}{{ topic.title }}{% endblock %}"
    assert str(refused(source(body))).endswith("its head does not declare: topic")


def test_a_declared_variable_need_not_be_used() -> None:
    loaded = template(variables=["document", "topic"])
    assert loaded.render(document=document("d", "x"), topic=None).messages[0].content == "x"


def test_an_unknown_filter() -> None:
    assert "nosuchfilter" in str(
        refused(source("{% block user %}{{ 1|nosuchfilter }}{% endblock %}"))
    )


# --- where templates come from -------------------------------------------------------------------


def own(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.j2"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return folder


def test_the_users_folder_stands_before_the_built_in(tmp_path: Path) -> None:
    name = "relevance/trec2025"
    changed = BUILT_IN[name].replace("relevance assessor", "relevance judge")
    loaded = load_template(name, own(tmp_path, name, changed))
    assert "relevance judge" in loaded.render(**_relevance()).messages[0].content
    assert loaded.sha256 != load_template(name).sha256


def _relevance() -> dict[str, Any]:
    return {key: inputs("x")[key] for key in ("topic", "document")}


def test_other_templates_stay_built_in(tmp_path: Path) -> None:
    folder = own(tmp_path, "relevance/trec2025", source())
    assert load_template("nuggets/assign", folder).sha256 == load_template("nuggets/assign").sha256


def test_line_ends_do_not_change_the_sha() -> None:
    unix = source("{% block user %}\n{{ document }}\n{% endblock %}")
    windows = Template(unix.replace("\n", "\r\n"), place="x.j2")
    assert windows.sha256 == Template(unix, place="x.j2").sha256
    assert windows.render(document="a") == Template(unix, place="x.j2").render(document="a")


def test_names_of_a_folder_join_the_built_in(tmp_path: Path) -> None:
    own(tmp_path, "mine/deep/one", source())
    own(tmp_path, "relevance/trec2025", source())
    (tmp_path / "notes.txt").write_text("no template", encoding="utf-8")
    assert template_names(tmp_path) == sorted([*BUILT_IN, "mine/deep/one"])


def test_an_unknown_template_is_told_with_those_there_are(tmp_path: Path) -> None:
    own(tmp_path, "mine/one", source())
    with pytest.raises(UsageError, match=r"no template 'relevance/umbra'; there are: mine/one, "):
        load_template("relevance/umbra", tmp_path)


def test_a_damaged_template_of_the_folder_is_not_passed_over(tmp_path: Path) -> None:
    folder = own(tmp_path, "relevance/trec2025", "no head")
    with pytest.raises(InputError, match=r"trec2025\.j2:1: no head"):
        load_template("relevance/trec2025", folder)


def test_a_template_that_is_not_utf8_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "x.j2").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        load_template("x", tmp_path)


def test_a_folder_that_does_not_exist_is_told(tmp_path: Path) -> None:
    for look in (lambda f: load_template("relevance/trec2025", f), template_names, check_templates):
        with pytest.raises(UsageError, match=r"no folder of prompts .*missing"):
            look(tmp_path / "missing")


def test_checking_passes_over_no_template_of_the_folder(tmp_path: Path) -> None:
    check_templates(None)
    check_templates(own(tmp_path, "mine/good", source()), ["support/trec2025"])
    with pytest.raises(UsageError, match="no template 'mine/none'"):
        check_templates(tmp_path, ["mine/none"])
    own(tmp_path, "mine/bad", source("{% block user %}{{ nowhere }}{% endblock %}"))
    with pytest.raises(InputError, match=r"bad\.j2:\d+: .*nowhere"):
        check_templates(tmp_path)
