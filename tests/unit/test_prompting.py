"""Prompts looked at before they are sent: listed, shown for real units, and checked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.errors import UsageError
from judge.llm.tokens import prompt_tokens
from judge.prompting import check_folder, list_prompts, show_prompt
from judge.prompting.kinds import KINDS
from judge.prompting.showing import Given
from judge.sample import sample_path
from judge.templates import load_template, template_names
from judge.validation.problems import FileReport, Problem
from tests.judging import built_in
from tests.pictures import frames, write_lines

BUILT_IN = dict(built_in())
SAMPLE = sample_path("narratives.json").parent


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def changed(name: str, *changes: tuple[str, str]) -> str:
    """A built-in template with other words in it."""
    text = BUILT_IN[name]
    for old, new in changes:
        if old not in text:
            raise ValueError(f"{name} has no {old!r}")
        text = text.replace(old, new)
    return text


# --- list ----------------------------------------------------------------------------------------


def test_every_template_is_listed_with_its_head() -> None:
    listed = {row.name: row for row in list_prompts()}
    assert list(listed) == template_names()
    assert all(row.origin == "built in" for row in listed.values())
    row, template = listed["relevance/itemised"], load_template("relevance/itemised")
    assert (row.output, row.variables) == ("sub-narratives", ("topic", "document"))
    assert (row.sha256, row.version) == (template.sha256, template.head.version)


def test_templates_of_the_user_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path, "support/trec2025.j2", BUILT_IN["support/trec2025"] + "\n")
    put(tmp_path, "relevance/mine.j2", changed("relevance/umbrela", ("umbrela", "mine")))
    listed = {row.name: row for row in list_prompts(tmp_path)}
    origins = {name: row.origin for name, row in listed.items() if row.origin != "built in"}
    assert origins == {"support/trec2025": "overridden", "relevance/mine": "own"}
    assert listed["support/trec2025"].sha256 != load_template("support/trec2025").sha256


# --- show ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_prompt_is_shown_for_a_unit_of_the_sample(name: str) -> None:
    shown = show_prompt(name, Given())
    assert shown.template.head.name == name
    assert {unit.task for unit in shown.call.units} == {shown.template.head.task}
    assert shown.prompt_tokens == prompt_tokens(shown.call.prompt.messages) > 100


def test_a_unit_is_chosen_by_its_id() -> None:
    shown = show_prompt("relevance/trec2025", Given(), unit_id="relevance|s2|s2-d01")
    text = json.loads((SAMPLE / "narratives.json").read_text(encoding="utf-8"))[1]["narrative"]
    assert shown.call.units[0].unit_id == "relevance|s2|s2-d01"
    assert text in shown.call.prompt.messages[-1].content


def test_a_unit_inside_of_a_batch_is_shown_with_its_batch() -> None:
    first = show_prompt("nuggets/assign", Given()).call.units
    assert len(first) > 1
    assert show_prompt("nuggets/assign", Given(), unit_id=first[-1].unit_id).call.units == first


def test_an_unknown_unit_is_told_with_those_nearest() -> None:
    with pytest.raises(UsageError, match=r"no unit 'relevance\|s2\|s2-d99'; there are \d+, such"):
        show_prompt("relevance/trec2025", Given(), unit_id="relevance|s2|s2-d99")


def own_world(folder: Path) -> Given:
    write_lines(folder / "topics.jsonl", {"id": "t", "title": "Why is the sky blue?"})
    names = frames(folder, 1)
    write_lines(folder / "corpus.jsonl", {"docid": "d", "text": "It scatters.", "images": names})
    (folder / "pairs.txt").write_text("t 0 gone 1\nt 0 d 1\n", encoding="utf-8")
    return Given(
        topics=str(folder / "topics.jsonl"),
        corpus=(str(folder / "corpus.jsonl"),),
        qrels=str(folder / "pairs.txt"),
    )


def test_inputs_of_the_user_are_shown(tmp_path: Path) -> None:
    shown = show_prompt("umbrela", own_world(tmp_path))
    assert [unit.unit_id for unit in shown.call.units] == ["relevance|t|d"]
    assert "Why is the sky blue?" in shown.call.prompt.messages[-1].content
    assert shown.call.prompt.messages[-1].images == ()


def test_images_are_shown_on_demand(tmp_path: Path) -> None:
    shown = show_prompt("umbrela", own_world(tmp_path), images=True)
    assert len(shown.call.prompt.messages[-1].images) == 1


def test_a_unit_that_cannot_be_asked_about_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'gone' is in none of the corpora"):
        show_prompt("umbrela", own_world(tmp_path), unit_id="relevance|t|gone")


def test_inputs_that_lack_something_say_what(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no unit of the task assign, which takes --answers and"):
        show_prompt("nuggets/assign", own_world(tmp_path))
    with pytest.raises(UsageError, match="--topics is needed"):
        show_prompt("nuggets/assign", Given(nuggets=str(SAMPLE / "nuggets.jsonl")))


def test_an_own_template_is_shown(tmp_path: Path) -> None:
    text = changed("support/trec2025", ("You check citations.", "You weigh citations."))
    put(tmp_path, "support/trec2025.j2", text)
    shown = show_prompt("support/trec2025", Given(), prompts=tmp_path)
    assert shown.origin == "overridden"
    assert shown.call.prompt.messages[0].content.startswith("You weigh citations.")


# --- check ---------------------------------------------------------------------------------------


def report_of(folder: Path) -> FileReport:
    (report,) = check_folder(folder)
    return report


def problems(tmp_path: Path, text: str, name: str = "support/trec2025") -> list[Problem]:
    put(tmp_path, f"{name}.j2", text)
    return list(report_of(tmp_path).problems)


def the_error(tmp_path: Path, text: str, name: str = "support/trec2025") -> Problem:
    found = [p for p in problems(tmp_path, text, name) if p.severity == "error"]
    (error,) = found
    return error


def line_with(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_our_own_templates_have_no_problem() -> None:
    reports = check_folder(Path(__file__).parents[2] / "prompts")
    assert {report.kind for report in reports} == set(BUILT_IN)
    assert [problem for report in reports for problem in report.problems] == []
    assert all(report.counts["prompts rendered"] >= 2 for report in reports)


def test_every_task_of_a_template_is_known() -> None:
    assert {load_template(name).head.task for name in BUILT_IN} == set(KINDS)


def test_an_override_with_other_words_is_fine(tmp_path: Path) -> None:
    text = changed("support/trec2025", ("You check citations.", "You weigh citations."))
    assert problems(tmp_path, text) == []


def test_everything_that_is_wrong_is_listed_at_once(tmp_path: Path) -> None:
    text = changed(
        "support/trec2025",
        ('version = "1"', "version = 1"),
        ("max_tokens = 24", 'max_tokens = "many"'),
        ("{{ document.text }}", "{{ passage }}"),
    )
    lines = [(p.severity, p.line, p.field) for p in problems(tmp_path, text)]
    assert lines == [("error", 3, "version"), ("error", 8, "max_tokens")]
    text = changed(
        "support/trec2025",
        ('name = "support/trec2025"', 'name = "support/trec25"'),
        ("max_tokens = 24", "max_tokens = 2"),
        ("{{ document.text }}", "{{ passage }}"),
        ("{{ document.title }}", "{{ document.heading }}"),
    )
    found = [(p.line, p.field, p.message) for p in problems(tmp_path, text)]
    assert found == [
        (2, "name", "another name than the file's"),
        (8, "max_tokens", "too few"),
        (line_with(text, "document.heading"), None, "document has no 'heading'"),
        (line_with(text, "passage }}"), None, "uses what its head does not declare: passage"),
    ]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("relevance/trec2025", ("##final score:", "grade:"), "does not name '##final score'"),
        ("relevance/umbrela", ("highest = 3\n", ""), "does not name the grade '4'"),
        ("support/trec2025", ('"label:"', '"verdict:"'), "does not name 'label:'"),
        ("support/trec2025", ("partial support", "some support"), "a label for partial"),
        ("nuggets/assign", ('"sentences": [', '"lines": ['), "does not name 'sentences'"),
        ("nuggets/importance", ("okay", "minor"), "does not name 'okay'"),
        ("nuggets/create", ('{"nuggets"', '{"facts"'), "does not name 'nuggets'"),
        ("relevance/itemised", ('"extra"', '"rest"'), None),
        ("relevance/itemised", ("lot", "plenty"), "does not name 'lot'"),
        ("relevance/itemised", ("JSON", "text"), "does not ask for JSON"),
    ],
)
def test_a_reply_that_the_task_cannot_read_is_found(
    tmp_path: Path, name: str, change: tuple[str, str], message: str | None
) -> None:
    found = [p.message for p in problems(tmp_path, changed(name, change), name)]
    assert (message is None and not found) or any((message or "") in told for told in found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<passage>\n", "\n"), "a document stands outside of the delimiters"),
        (
            (
                "{{ document.text }}",
                "{% filter replace('‹', '<') %}{{ document.text }}{% endfilter %}",
            ),
            "lets '</passage' of a judged text through",
        ),
        (
            (
                "{% block user %}\n",
                "{% block user %}\nOf the answer: {{ sentences[index].text }}\n",
            ),
            "a sentence stands outside of the delimiters",
        ),
    ],
)
def test_texts_that_could_pass_for_the_prompt_are_found(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    found = [p.message for p in problems(tmp_path, changed("support/trec2025", change))]
    assert any(message in told for told in found), found


def test_a_prompt_that_ends_with_the_document_is_found(tmp_path: Path) -> None:
    text = changed("relevance/umbrela")
    start = text.index("Grade this passage from 0 to 3.")
    end = text.index("{% endblock %}", start)
    moved = text[:start] + text[end:]
    moved = moved.replace("The query:\n", text[start:end] + "The query:\n")
    assert the_error(tmp_path, moved, "relevance/umbrela").message == (
        "the prompt ends with what is judged"
    )


def test_an_error_of_rendering_has_its_line(tmp_path: Path) -> None:
    text = changed("support/trec2025", ("{{ sentence.text.split()", "{{ sentence.words.split()"))
    error = the_error(tmp_path, text)
    assert error.line == line_with(text, "sentence.words")
    assert "has no attribute 'words'" in error.message


def test_an_error_of_syntax_has_its_line(tmp_path: Path) -> None:
    text = changed("support/trec2025", ("{{ document.text }}", "{{ document. }}"))
    assert the_error(tmp_path, text).line == line_with(text, "document. }}")


def test_a_head_that_is_not_toml_has_its_line(tmp_path: Path) -> None:
    text = changed("support/trec2025", ('task = "support"', "task = support"))
    error = the_error(tmp_path, text)
    assert (error.line, "not TOML" in error.message) == (line_with(text, "task = support"), True)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (('task = "support"', 'task = "suport"'), "task"),
        (('output = "label-line"', 'output = "labels"'), "output"),
        (('variables = ["sentences"', 'variables = ["nuggets", "sentences"'), "variables"),
        (('version = "1"', 'version = " "'), "version"),
        (("max_tokens = 24", "max_tokens = 0"), "max_tokens"),
    ],
)
def test_a_wrong_head_is_told_with_its_line(
    tmp_path: Path, change: tuple[str, str], field: str
) -> None:
    text = changed("support/trec2025", change)
    error = the_error(tmp_path, text)
    assert (error.field, error.line) == (field, line_with(text, f"{field} ="))
    assert error.expected


def test_too_little_room_for_each_thing_is_found(tmp_path: Path) -> None:
    text = changed("nuggets/assign", ("max_tokens_per_item = 40", "max_tokens_per_item = 2"))
    assert the_error(tmp_path, text, "nuggets/assign").field == "max_tokens_per_item"


@pytest.mark.parametrize(
    ("name", "printed", "variable"),
    [
        ("relevance/trec2025", "{{ document.text }}", "document"),
        ("relevance/itemised", "{{ document.text }}", "document"),
        ("support/trec2025", "{{ document.text }}", "document"),
        ("support/trec2025", "{{ sentences[index].text }}", "sentences"),
        ("support/contrast", "{{ sentences[index].text }}", "sentences"),
        ("nuggets/assign", '{{ sentence.text.split() | join(" ") }}', "sentences"),
        ("nuggets/assign", '{{ nugget.text.split() | join(" ") }}', "nuggets"),
        ("nuggets/locate", "{{ document.text }}", "document"),
        ("nuggets/create", "{{ document.text }}", "documents"),
        ("nuggets/mapping", '{{ nugget.text.split() | join(" ") }}', "nuggets"),
    ],
)
def test_a_prompt_that_tests_what_it_is_about_and_does_not_print_it_is_found(
    tmp_path: Path, name: str, printed: str, variable: str
) -> None:
    used = printed.removeprefix("{{ ").removesuffix(" }}")
    text = changed(name, (printed, f"{{% if {used} %}}it is there{{% endif %}}"))
    error = the_error(tmp_path, text, name)
    assert f"the prompt does not show {variable!r}" in error.message
    assert error.line == line_with(text, "block user")


def test_a_prompt_that_leaves_out_what_it_is_about_is_found(tmp_path: Path) -> None:
    text = changed(
        "relevance/umbrela", ("{{ topic.title or topic.narrative }}", "What bees eat in winter")
    )
    found = problems(tmp_path, text, "relevance/umbrela")
    assert [(p.severity, p.field) for p in found] == [
        ("error", "variables"),
        ("warning", "variables"),
    ]
    assert "nothing of 'topic' is in the prompt" in found[0].message


@pytest.mark.parametrize(
    ("name", "message", "severity"),
    [
        ("nuggets/asign", "no command asks with it; is nuggets/assign meant?", "error"),
        ("assign", "no command asks with it", "error"),
    ],
)
def test_a_name_that_no_command_asks_for_is_an_error(
    tmp_path: Path, name: str, message: str, severity: str
) -> None:
    text = changed("nuggets/assign", ('name = "nuggets/assign"', f'name = "{name}"'))
    (problem,) = problems(tmp_path, text, name)
    assert (problem.message, problem.severity) == (message, severity)
    assert problem.expected == "nuggets/assign"


@pytest.mark.parametrize(
    ("name", "severity"), [("relevance/ours", "info"), ("relevance/umbrella", "warning")]
)
def test_a_name_of_its_own_is_used_where_it_is_named(
    tmp_path: Path, name: str, severity: str
) -> None:
    text = changed("relevance/umbrela", ('name = "relevance/umbrela"', f'name = "{name}"'))
    (problem,) = problems(tmp_path, text, name)
    assert problem.severity == severity
    assert f"--prompt {name} names it" in problem.message


def test_a_template_that_stands_for_one_of_another_task_is_an_error(tmp_path: Path) -> None:
    text = changed("relevance/umbrela", ("relevance/umbrela", "support/trec2025"))
    error = the_error(tmp_path, text)
    assert (error.field, error.expected) == ("task", "support")


def test_files_that_are_passed_over_are_told(tmp_path: Path) -> None:
    put(tmp_path, "support/trec2025.j2", BUILT_IN["support/trec2025"])
    put(tmp_path, "relevance/trec2025.jinja", BUILT_IN["relevance/trec2025"])
    put(tmp_path, "README.md", "Our prompts.")
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\xff")
    passed = check_folder(tmp_path)[1]
    assert Path(passed.file).name == "trec2025.jinja"
    assert [p.message for p in passed.problems] == ["the file is not read"]


def test_a_file_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_bytes(b"\xff\xfe")
    assert [p.message for p in report_of(tmp_path).problems] == ["not UTF-8 text"]


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir])
def test_a_folder_without_templates_is_told(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "folder")
    with pytest.raises(UsageError, match="there is no"):
        check_folder(tmp_path / "folder")
