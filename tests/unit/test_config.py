"""The configuration of `assess`: what is read, where paths stand, what is refused."""

from pathlib import Path
from typing import Any

import pytest

from judge.config import (
    AssessConfig,
    LocateConfig,
    make_settings,
    read_citations,
    read_config,
    read_mode,
)
from judge.errors import InputError, UsageError
from judge.settings import DEFAULT_MODEL, Settings, default_cache


def config(folder: Path, text: str) -> AssessConfig:
    path = folder / "c.toml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def test_defaults_and_paths_relative_to_the_file(tmp_path: Path) -> None:
    given = config(tmp_path, 'topics = "t.json"\nanswers = ["a/*.jsonl", "/abs/b.jsonl"]\n')
    assert given.path(given.topics) == str(tmp_path / "t.json")
    assert given.paths(given.answers) == [str(tmp_path / "a/*.jsonl"), "/abs/b.jsonl"]
    assert (given.relevance.depth, given.relevance.pool, given.relevance.pairs) == (20, (), None)
    assert (given.nuggets.file, given.nuggets.qrels, given.nuggets.min_grade) == (None, None, 1)
    assert given.support.citations == "first"
    assert (given.score.measures, given.score.empty_as_zero) == (None, False)
    assert given.settings() == {}


def test_every_field_is_read(tmp_path: Path) -> None:
    given = config(
        tmp_path,
        """
        topics = "t.json"
        topic_ids = ["1", "2"]
        corpus = ["c.jsonl"]
        [relevance]
        pool = ["r.txt"]
        depth = 5
        prompt = "relevance/mine"
        [nuggets]
        qrels = "q.txt"
        min_grade = 2
        [support]
        citations = 3
        prompt = "support/mine"
        [score]
        measures = "vital_recall"
        empty_as_zero = true
        [judge]
        model = "openai/gpt-4.1"
        prompts = "prompts"
        """,
    )
    assert given.topic_ids == ("1", "2")
    assert (given.relevance.pool, given.relevance.depth) == (("r.txt",), 5)
    assert (given.nuggets.qrels, given.nuggets.min_grade) == ("q.txt", 2)
    assert (given.support.citations, given.support.prompt) == (3, "support/mine")
    assert (given.score.measures, given.score.empty_as_zero) == ("vital_recall", True)
    assert given.settings() == {"model": "openai/gpt-4.1", "prompts": tmp_path / "prompts"}


@pytest.mark.parametrize(
    ("text", "field", "told"),
    [
        ("", "topics", "Field required"),
        ("topics = 1", "topics", "Input should be a valid string"),
        ("topics = 't'\nanswers = 'a.jsonl'", "answers", "Input should be a valid tuple"),
        ("topics = 't'\nanswer = []", "answer", "unknown field; expected answers, corpus, judge"),
        ("topics = 't'\n[nuggets]\nfiles = 'n'", "nuggets.files", "unknown field"),
        ("topics = 't'\n[relevance]\ndepth = 0", "relevance.depth", "greater than or equal to 1"),
    ],
)
def test_a_field_that_is_not_right_is_named_with_its_file(
    tmp_path: Path, text: str, field: str, told: str
) -> None:
    with pytest.raises(InputError) as refused:
        config(tmp_path, text)
    assert refused.value.path == tmp_path / "c.toml"
    assert refused.value.field == field
    assert told in str(refused.value)


def test_an_unknown_field_of_a_table_names_those_of_the_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected file, min_grade, qrels"):
        config(tmp_path, "topics = 't'\n[nuggets]\nfiles = 'n'\n")


@pytest.mark.parametrize("number", [0, -1])
def test_citations_of_a_configuration_are_at_least_one(tmp_path: Path, number: int) -> None:
    with pytest.raises(InputError, match=r"support\.citations"):
        config(tmp_path, f"topics = 't'\n[support]\ncitations = {number}\n")


@pytest.mark.parametrize("content", [b"topics = ", b"topics = '\xff'", b"\x00"])
def test_what_is_no_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"c\.toml: not TOML"):
        read_config(path)


def test_a_file_that_is_not_there_and_one_that_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_config(tmp_path / "none.toml")
    with pytest.raises(InputError, match="not TOML"):
        read_config(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 2.1),
        ("temperature", -0.1),
        ("max_tokens", 0),
        ("concurrency", 0),
        ("rpm", 0),
        ("timeout", 0),
        ("attempts", 0),
        ("limit", 0),
        ("max_failed", 1.1),
        ("max_failed", -0.1),
        ("offline", "perhaps"),
    ],
)
def test_settings_out_of_range(name: str, value: Any) -> None:
    with pytest.raises(InputError) as refused:
        make_settings({name: value}, "flags")
    assert (refused.value.path, refused.value.field) == ("flags", name)
    assert repr(value) in str(refused.value)


def test_settings_that_are_not_known_name_those_that_are() -> None:
    with pytest.raises(InputError, match="expected allow_incomplete, attempts") as refused:
        make_settings({"temprature": 1})
    assert refused.value.field == "temprature"
    assert make_settings({}).model == DEFAULT_MODEL


def test_the_store_lies_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_JUDGE_CACHE", "some/where")
    assert default_cache() == Path("some/where")
    assert Settings().cache == Path("some/where")
    monkeypatch.delenv("RAG_JUDGE_CACHE")
    assert default_cache().parts[-2:] == ("rag-judge", "replies")


@pytest.mark.parametrize(("text", "number"), [("first", "first"), ("all", "all"), ("3", 3)])
def test_citations_flag(text: str, number: object) -> None:
    assert read_citations(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "", "1.0", "First", " 1", "²"])
def test_citations_flag_refused(text: str) -> None:
    with pytest.raises(UsageError, match="first, all or a number from 1"):
        read_citations(text)


def test_locate_is_asked_for_by_its_table(tmp_path: Path) -> None:
    assert config(tmp_path, 'topics = "t.json"\n').locate is None
    plain = config(tmp_path, 'topics = "t.json"\n[locate]\n').locate
    assert plain == LocateConfig(documents="cited", needed=False, gold=False, partial=False)
    given = config(tmp_path, 'topics = "t"\nlocate.documents = "both"\nlocate.gold = true\n')
    assert given.locate == LocateConfig(documents="both", gold=True)
    with pytest.raises(InputError, match=r"locate\.documents"):
        config(tmp_path, 'topics = "t"\nlocate.documents = "all"\n')
    with pytest.raises(InputError, match=r"unknown field; expected documents, gold, needed"):
        config(tmp_path, 'topics = "t"\nlocate.depth = 3\n')


def test_how_what_is_cited_together_is_judged(tmp_path: Path) -> None:
    given = config(tmp_path, 'topics = "t"\nsupport.mode = "both"\n')
    assert given.support.mode == "both"
    assert read_mode("concatenated") == "concatenated"
    with pytest.raises(UsageError, match="--mode is each, concatenated, both, not 'alce'"):
        read_mode("alce")
