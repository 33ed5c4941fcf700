"""Wrong input, wrong use, run directories that do not fit: one clear line, nothing asked."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.commands import (
    SAMPLE,
    Desk,
    Done,
    Serve,
    contents,
    desk,
    ended,
    interrupt_twice,
    known,
    labels,
    until,
)
from tests.faults.server import HANG, ScriptedServer

TOPICS, NUGGETS = SAMPLE / "narratives.json", SAMPLE / "nuggets.jsonl"
CORPUS, ANSWERS = SAMPLE / "corpus.jsonl", SAMPLE / "answers.cedar.jsonl"
RUN, QRELS = SAMPLE / "run.cedar.txt", SAMPLE / "qrels.reference.txt"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk for commands that must not ask anything; a folder of two files lies on it."""
    home = tmp_path_factory.mktemp("inputs")
    (home / "nuggets").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        shutil.copy(NUGGETS, home / "nuggets" / name)
    (home / "taken").write_text("a file")
    with ScriptedServer(known) as server:
        yield desk(home, server)
        assert server.hits == 0


def refused(at: Desk, *words: object, **environment: str) -> str:
    """The line with which a command is refused; it asked nothing and judged nothing."""
    done = at.run(*words, **environment)
    assert_refused(done)
    assert at.server.hits == 0
    assert not any(path.stat().st_size for path in at.home.rglob("judgments.jsonl"))
    return done.told


def assert_refused(done: Done) -> None:
    assert done.code == 2, done.err
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.told.startswith("rag-judge: ")


SUPPORT = ("support", "--topics", TOPICS, "--answers", ANSWERS, "--corpus", CORPUS, "--out", "run")
GRADE = ("relevance", "--topics", TOPICS, "--corpus", CORPUS, "--out", "run")
ASSIGN = ("nuggets", "assign", "--topics", TOPICS, "--answers", ANSWERS, "--out", "run")

CASES: dict[str, tuple[tuple[object, ...], str]] = {
    "configuration missing": (("assess", "none.toml"), "none.toml: there is no such file"),
    "configuration is no TOML": (("assess", QRELS), "not TOML"),
    "topics missing": (
        ("support", "--topics", "none.json", *SUPPORT[3:]),
        "none.json: no such file or folder",
    ),
    "topics are passages": (
        ("support", "--topics", CORPUS, *SUPPORT[3:]),
        "corpus.jsonl:1: field 'id': missing; expected an id",
    ),
    "answers are a run": (
        (*SUPPORT[:3], "--answers", RUN, *SUPPORT[5:]),
        "run.cedar.txt:1: not JSON",
    ),
    "pool is JSON": ((*GRADE, "--pool", CORPUS), "expected 6 columns (topic Q0 docid rank"),
    "no pool and no pairs": (GRADE, "give --pool RUNFILE or --pairs QRELS"),
    "pool and pairs": ((*GRADE, "--pool", RUN, "--pairs", QRELS), "not both"),
    "glob without a file": (
        (*SUPPORT[:3], "--answers", "no*.jsonl", *SUPPORT[5:]),
        "no*.jsonl: no file matches",
    ),
    "no such run": (("score", "nowhere"), "there is no run directory nowhere"),
    "no such measure": (
        ("score", "--assignments", SAMPLE / "assignments.reference.jsonl", "--measures", "ndcg"),
        "there is no measure 'ndcg'; measures: strict_vital_recall, ",
    ),
    "citations": ((*SUPPORT, "--citations", "second"), "first, all or a number from 1"),
    "no citations": ((*SUPPORT, "--citations", "0"), "first, all or a number from 1, not '0'"),
    "temperature": ((*SUPPORT, "--temperature", "3"), "field 'temperature'"),
    "limit": ((*SUPPORT, "--limit", "0"), "field 'limit'"),
    "out is a file": (
        (*SUPPORT[:-1], "taken"),
        "taken cannot be used as a run directory: File exists",
    ),
    "cache is a file": ((*SUPPORT, "--cache", "taken"), "cannot open the reply store"),
    "offline and fresh": ((*SUPPORT, "--offline", "--fresh"), "drop one"),
    "prompts missing": ((*SUPPORT, "--prompts", "none"), "there is no folder of prompts none"),
    "prompt missing": (
        (*SUPPORT, "--prompt", "support/mine"),
        "no template 'support/mine'; there are: nuggets/assign, ",
    ),
    "address": ((*SUPPORT, "--base-url", "localhost:1"), "must start with http:// or https://"),
}


@pytest.mark.parametrize("case", CASES)
def test_wrong_input_is_one_line_and_nothing_is_asked(at: Desk, case: str) -> None:
    words, told = CASES[case]
    judging = words[0] in ("support", "relevance", "assess")
    flags = () if not judging or "--base-url" in words else at.model
    flags = ("--model", "openai/judge") if "--base-url" in words else flags
    assert told in refused(at, *words, *flags)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("gpt-4.1", "names no provider. Did you mean openai/gpt-4.1?"),
        ("local/none", "unknown embedded model 'local/none'; known are local/qwen2.5-coder-1.5b"),
        ("openai/gpt-4.1", "no key for openai/gpt-4.1: set OPENAI_API_KEY"),
        ("replay", "say which model to replay, as replay/<model>; stored are: none"),
    ],
)
def test_a_model_that_cannot_be_asked(at: Desk, model: str, told: str) -> None:
    assert told in refused(at, *SUPPORT, "--model", model, OPENAI_API_KEY="")


CONFIGS = {
    "temprature = 1": "field 'temprature': unknown field; expected answers, corpus, judge",
    "[support]\ncitations = 'second'": "support.citations",
    "[relevance]\ndepth = 0": "field 'relevance.depth': Input should be greater than or equal to 1",
    "[score]\nmeasures = 'ndcg'": "there is no measure 'ndcg'",
    "[support]\nprompt = 'support/mine'": "no template 'support/mine'",
    "[judge]\ntemprature = 1": "field 'judge.temprature': unknown field; expected allow_incompl",
}


@pytest.mark.parametrize("text", CONFIGS)
def test_a_configuration_that_is_not_right(at: Desk, text: str) -> None:
    config = at.home / "wrong.toml"
    top = f"topics = {json.dumps(str(TOPICS))}\nanswers = [{json.dumps(str(ANSWERS))}]\n"
    config.write_text(f"{top}{text}\n", encoding="utf-8")
    assert CONFIGS[text] in refused(at, "assess", config, *at.model, "--out", "run")


def test_a_stage_that_is_not_known(at: Desk) -> None:
    told = refused(at, "assess", at.config(), *at.model, "--out", "run", "--only", "suport")
    stages = "relevance, nuggets, assign, locate, support, score"
    assert f"no stage 'suport'; the stages are {stages}" in told


def test_a_broken_template_is_found_before_the_first_call(at: Desk) -> None:
    folder = at.home / "prompts" / "nuggets"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "importance.j2").write_text("{# name = #}", encoding="utf-8")
    flags = ("--out", "run", *at.model, "--prompts", "prompts")
    told = refused(at, "assess", at.config(), *flags)
    assert "prompts/nuggets/importance.j2:1: the head is not TOML" in told


# --- run directories ---------------------------------------------------------------------------


@pytest.fixture
def judged(tmp_path: Path, serve: Serve) -> Desk:
    """A desk with a run directory `run`: cedar's answers, assigned and checked for support."""
    at = desk(tmp_path, serve(known))
    for name in ("narratives.json", "answers.cedar.jsonl", "nuggets.jsonl"):
        shutil.copy(SAMPLE / name, at.home / name)
    done = at.run(*judging(at))
    assert done.code == 0, done.err
    assert at.server.hits == 5 + 5
    return at


def judging(at: Desk, **changes: str) -> list[object]:
    """The command that made the run of `judged`, or one that differs in an input."""
    given = {
        "topics": "narratives.json",
        "answers": "answers.cedar.jsonl",
        "nuggets": "nuggets.jsonl",
        **changes,
    }
    config = at.home / "cedar.toml"
    config.write_text(
        f"topics = {json.dumps(given['topics'])}\nanswers = [{json.dumps(given['answers'])}]\n"
        f"corpus = [{json.dumps(str(CORPUS))}]\n"
        f"[nuggets]\nfile = {json.dumps(given['nuggets'])}\n",
        encoding="utf-8",
    )
    stages = ("--only", "assign", "--only", "support", "--only", "score")
    return ["assess", config, *at.model, "--out", "run", *stages]


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_run_made_from_something_else_is_refused_with_the_difference(judged: Desk) -> None:
    at = judged
    before, hits = contents(at.home / "run"), at.server.hits
    folder = at.home / "prompts" / "support"
    folder.mkdir(parents=True)
    source = SAMPLE.parent.parent / "prompts" / "support" / "trec2025.j2"
    shutil.copy(source, folder / "trec2025.j2")
    same = at.run(*judging(at), "--prompts", "prompts")
    change(folder / "trec2025.j2", "You check", "You carefully check")
    changes = [
        (at.run(*judging(at), "--prompts", "prompts"), "template_sha256: the run has '"),
        (at.run(*judging(at), "--model", "openai/other"), "model: the run has 'judge', this"),
        (at.run(*judging(at), "--temperature", "1"), "parameters: the run has {'temperature': 0.0"),
    ]
    shutil.copy(SAMPLE / "answers.birch.jsonl", at.home / "answers.cedar.jsonl")
    changes.append((at.run(*judging(at)), "answers.cedar.jsonl"))
    assert same.code == 0
    for done, difference in changes:
        assert_refused(done)
        assert done.told == "rag-judge: run was made from something else; give another --out"
        assert difference in done.err
    assert at.server.hits == hits
    assert contents(at.home / "run") == before


@pytest.mark.parametrize("changed", ["nuggets", "topics"])
def test_a_refused_command_leaves_every_file_of_the_run_as_it_was(
    judged: Desk, changed: str
) -> None:
    at = judged
    before, hits = contents(at.home / "run"), at.server.hits
    if changed == "nuggets":
        change(at.home / "nuggets.jsonl", "compressing the vapour", "compressing vapour")
    else:
        listed = json.loads((at.home / "narratives.json").read_text(encoding="utf-8"))
        (at.home / "narratives.json").write_text(json.dumps(listed[:2]), encoding="utf-8")
    done = at.run(*judging(at))
    assert_refused(done)
    assert at.server.hits == hits
    assert contents(at.home / "run") == before


def test_answers_that_changed_are_found_among_files_of_one_name(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(known))
    for folder, system in (("x", "cedar"), ("y", "birch")):
        (at.home / folder).mkdir()
        shutil.copy(SAMPLE / f"answers.{system}.jsonl", at.home / folder / "answers.jsonl")
    assert at.support("--out", "run", answers="*/answers.jsonl").code == 0
    hits = at.server.hits
    shutil.copy(SAMPLE / "answers.alder.jsonl", at.home / "x" / "answers.jsonl")
    done = at.support("--out", "run", answers="*/answers.jsonl")
    assert_refused(done)
    assert at.server.hits == hits


def test_a_run_without_labels_takes_another_model(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    assert at.support("--out", "run", "--model", "openai/typo", "--offline").code == 3
    done = at.support("--out", "run")
    assert done.code == 0
    assert len(labels(at.home / "run")) == 5


def test_two_commands_on_one_run_directory(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(lambda request, hit: HANG))
    words = ("support", *at.support_words(), *at.model, "--out", "run")
    first = at.start(*words)
    until(first, lambda: at.server.hits == 5)
    second = at.run(*words)
    assert_refused(second)
    assert second.told == "rag-judge: another process works on run; wait, or give another --out"
    assert at.server.hits == 5
    interrupt_twice(first)
    assert ended(first).code == 130
    at.server.script = known
    assert at.run(*words).code == 0
    assert len(labels(at.home / "run")) == 5


# --- several files where one is meant, and other mistakes that must not be met with a traceback --


def test_a_folder_of_nuggets_files(at: Desk) -> None:
    told = refused(at, *ASSIGN, "--nuggets", "nuggets", *at.model)
    assert "nuggets" in told


def test_a_folder_of_topics_files(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    (at.home / "topics").mkdir()
    for name in ("a.json", "b.json"):
        shutil.copy(TOPICS, at.home / "topics" / name)
    told = refused(at, "support", "--topics", "topics", *SUPPORT[3:], *at.model, "--offline")
    assert "topics" in told


def test_answers_from_stdin(at: Desk) -> None:
    told = refused(at, *SUPPORT[:3], "--answers", "-", *SUPPORT[5:], *at.model)
    assert "-" in told


def test_a_configuration_with_less_than_one_citation(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    config = at.config("[support]\ncitations = -1\n")
    told = refused(at, "assess", config, *at.model, "--out", "run", "--offline")
    assert "support.citations" in told


def test_an_unknown_setting_is_placed_in_its_file(at: Desk) -> None:
    config = at.config("[judge]\ntemprature = 1\n", name="setting.toml")
    told = refused(at, "assess", config, *at.model, "--out", "run")
    assert "setting.toml: field 'judge.temprature': unknown field" in told


def test_nuggets_create_checks_all_its_templates_first(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    (at.home / "nuggets").mkdir()
    (at.home / "nuggets" / "mapping.j2").write_text("{# name = #}", encoding="utf-8")
    words = ("--topics", TOPICS, "--qrels", QRELS, "--corpus", CORPUS, "--out", "run")
    told = refused(at, "nuggets", "create", *words, *at.model, "--prompts", ".")
    assert "nuggets/mapping.j2:1" in told
