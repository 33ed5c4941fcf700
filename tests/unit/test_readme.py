"""What README and CONTRIBUTING say is so: commands, flags, files, measures, names."""

import inspect
import re
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import judge
from judge import metrics
from judge.cli.app import app
from judge.config import AssessConfig, read_config
from judge.injection import DELIMITERS
from judge.metrics import parse_measures
from judge.tasks import Task

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_configuration_shown_is_one(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    path = tmp_path / "trec.toml"
    path.write_text(text, encoding="utf-8")
    given = read_config(path)
    assert given.answers == ("answers/*.jsonl",)
    assert given.settings() == {"model": "openai/gpt-4.1", "concurrency": 32}
    assert set(tomllib.loads(text)) <= set(AssessConfig.model_fields)


def commands() -> list[list[str]]:
    """The words of every `rag-judge` command shown in a block."""
    lines = [line for block in blocks("console") for line in block.splitlines()]
    shown = [line.removeprefix("$ rag-judge ") for line in lines if line.startswith("$ rag-judge")]
    return [line.partition("#")[0].split() for line in shown]


def help_of(*words: str) -> str:
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return re.sub(r"\x1b\[[\d;]*m", "", result.output)


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_shown_has_these_flags(words: list[str]) -> None:
    known = dict(named(typer.main.get_group(app), ()))
    command = next(words[:n] for n in (3, 2, 1) if " ".join(words[:n]) in known)
    told = help_of(*command)
    assert set(re.findall(r"(--[a-z-]+)", " ".join(words))) <= set(re.findall(r"--[a-z-]+", told))


CONTRACT = (
    *("demo", "assess", "relevance", "nuggets create", "nuggets assign", "nuggets locate"),
    *("support", "score", "retrieval", "correlate", "agree", "rejudge", "diff", "report"),
    *("plan assess", "plan relevance", "plan nuggets create", "plan nuggets assign"),
    *("plan nuggets locate", "plan support", "cache stats", "cache verify", "cache export"),
    *("cache import", "cache prune", "prompts list", "prompts show", "prompts check"),
    *("models list", "models pull", "validate", "doctor"),
)
"""The commands that other people's scripts call."""


def test_every_command_has_an_example_in_its_help() -> None:
    found = dict(named(typer.main.get_group(app), ()))
    assert set(found) >= set(CONTRACT)
    for words, text in found.items():
        assert f"Example: rag-judge {words}" in " ".join(text.split())


def named(group: object, above: tuple[str, ...]) -> list[tuple[str, str]]:
    """Every command below a group, with its help."""
    found = []
    for name, command in vars(group)["commands"].items():
        if hasattr(command, "commands"):
            found += named(command, (*above, name))
        else:
            found.append((" ".join((*above, name)), command.help or ""))
    return found


def table(heading: str) -> list[str]:
    """The names in the first column of the table under a heading of README."""
    section = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_the_measures_listed_are_all_there_are() -> None:
    listed = table("Measures")
    assert [str(measure) for measure in parse_measures(" ".join(listed))] == listed
    modules = (metrics.nuggets, metrics.support, metrics.coverage, metrics.citations)
    known = [measure for module in modules for measure in module.MEASURES]
    assert sorted(listed) == sorted(str(measure()) for measure in known)


def test_the_python_shown_names_what_there_is() -> None:
    (code,) = blocks("python")
    compile(code, "README.md", "exec")
    for name in re.findall(r"judge\.(\w+)", code):
        assert callable(getattr(judge, name))
    assert "judge.assess_async" in README


def test_paths_and_names_that_contributing_gives_exist() -> None:
    quoted = re.findall(r"`([\w./-]+)`", CONTRIBUTING)
    paths = [name for name in quoted if "/" in name and "<" not in name]
    assert paths
    for name in paths:
        assert any((ROOT / above / name).exists() for above in ("", "judge", "judge/llm")), name
    for name in ("units", "calls", "read", "template", "name"):
        assert f"`{name}" in CONTRIBUTING
        assert name in dict(inspect.getmembers(Task))
    assert DELIMITERS
    assert "judge.injection.DELIMITERS" in CONTRIBUTING
