"""`prompts list`, `show` and `check` as commands: what they print, and how they end."""

from pathlib import Path

import pytest

from tests.faults.commands import Desk, Serve, desk
from tests.faults.obliging import oblige
from tests.judging import built_in

BUILT_IN = dict(built_in())


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(oblige))


def put(at: Desk, name: str, text: str) -> Path:
    path = at.home / "mine" / f"{name}.j2"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_list_names_every_template(at: Desk) -> None:
    listed = at.run("prompts", "list", "--json").json
    assert [row["name"] for row in listed] == sorted(BUILT_IN)
    assert {len(row["sha256"]) for row in listed} == {64}
    shown = at.run("prompts", "list")
    assert all(row["name"] in shown.out and row["sha256"][:12] in shown.out for row in listed)
    put(at, "support/trec2025", BUILT_IN["support/trec2025"])
    assert "overridden" in at.run("prompts", "list", "--prompts", "mine").out


def test_show_prints_the_messages_of_a_unit(at: Desk) -> None:
    words = ("prompts", "show", "itemised", "--unit", "relevance|s1|s1-d02")
    done = at.run(*words)
    assert done.code == 0, done.err
    assert "relevance/itemised version 1, built in" in done.out
    assert "labels 1 unit: relevance|s1|s1-d02" in done.out
    data = at.run(*words, "--json").json
    assert [message["role"] for message in data["messages"]] == ["system", "user"]
    assert all(message["content"] in done.out for message in data["messages"])
    assert data["units"] == ["relevance|s1|s1-d02"]
    assert data["prompt_tokens"] > 100
    assert f"about {data['prompt_tokens']} prompt tokens" in done.out
    assert data["reply_schema"]["required"] == ["parts", "related", "extra"]
    assert at.server.hits == 0


def test_roles_have_colours_for_people(at: Desk) -> None:
    done = at.run("prompts", "show", "umbrela", FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[35m" in done.out
    assert "\x1b[36m" in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("none/such",), "no template 'none/such'"),
        (("trec2025",), "may be relevance/trec2025 or support/trec2025"),
        (("umbrela", "--unit", "relevance|s1|none"), "no unit 'relevance|s1|none'"),
        (("umbrela", "--corpus", "x.jsonl"), "--topics is needed"),
    ],
)
def test_what_cannot_be_shown_is_told(at: Desk, words: tuple[str, ...], told: str) -> None:
    done = at.run("prompts", "show", *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_check_lists_each_problem_with_file_and_line_and_ends_with_2(at: Desk) -> None:
    good = BUILT_IN["support/trec2025"]
    put(at, "support/trec2025", good)
    assert at.run("prompts", "check", "mine").code == 0
    path = put(at, "support/trec2025", good.replace("{{ document.text }}", "{{ document.txt }}"))
    put(at, "relevance/trec2025", BUILT_IN["relevance/trec2025"].replace("##final score", "score"))
    done = at.run("prompts", "check", "mine")
    line = path.read_text(encoding="utf-8").split("document.txt")[0].count("\n") + 1
    assert done.code == 2
    assert f"mine/support/trec2025.j2:{line}: error: document has no 'txt'" in done.out
    assert "mine/relevance/trec2025.j2:" in done.out
    assert "does not name '##final score'" in done.out
    assert done.out.splitlines()[-1] == "2 files: 2 errors"
    told = at.run("prompts", "check", "mine", "--json")
    assert told.code == 2
    assert [report["n_error"] for report in told.json] == [1, 1]
    assert told.json[1]["problems"][0]["line"] == line


def test_check_of_no_folder_is_told(at: Desk) -> None:
    done = at.run("prompts", "check", "nowhere")
    assert (done.code, "no folder of prompts nowhere" in done.err) == (2, True)
