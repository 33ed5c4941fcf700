"""Families of models, told from the names that providers and people give them."""

import pytest

from judge.agreement.families import family_of, same_family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/gpt-4.1", "GPT"),
        ("GPT4o", "GPT"),
        ("o3-mini", "GPT"),
        ("openai/gpt-oss-120b", "GPT"),
        ("anthropic/claude-3-5-sonnet-20241022", "Claude"),
        ("gemini/gemini-2.5-pro", "Gemini"),
        ("google/gemma-3-27b-it", "Gemini"),
        ("meta-llama/Meta-Llama-3.1-70B-Instruct", "Llama"),
        ("qwen2.5-coder-1.5b@sha256:cc324af070c2", "Qwen"),
        ("Qwen/QwQ-32B", "Qwen"),
        ("deepseek-r1-distill-llama-70b", "DeepSeek"),
        ("mistralai/Mixtral-8x7B", "Mistral"),
        ("ollama/qwen3:8b", "Qwen"),
        ("my-own-model", None),
        ("philosopher", None),
        ("", None),
    ],
)
def test_the_family_of_a_model(name: str, family: str | None) -> None:
    assert family_of(name) == family


def test_systems_whose_generator_is_of_a_judges_family() -> None:
    generators = {"r1": "gpt-4o", "r2": "claude-3", "r3": "mine", "r4": "o1"}
    assert same_family(["openai/gpt-4.1"], generators) == {"GPT": ["r1", "r4"]}
    assert same_family(["my-own"], generators) == {}
    assert same_family([], generators) == {}
