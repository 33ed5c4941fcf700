"""Which models are of one family, and so may favour each other's texts.

Judges rate answers of their own family higher than people do (Panickssery et al. 2024,
"LLM evaluators recognize and favor their own generations").
"""

import re
from collections.abc import Iterable, Mapping

_FAMILIES: dict[str, str] = {
    "gpt": "GPT",
    "chatgpt": "GPT",
    "o1": "GPT",
    "o3": "GPT",
    "o4": "GPT",
    "claude": "Claude",
    "gemini": "Gemini",
    "gemma": "Gemini",
    "llama": "Llama",
    "qwen": "Qwen",
    "qwq": "Qwen",
    "mistral": "Mistral",
    "mixtral": "Mistral",
    "ministral": "Mistral",
    "magistral": "Mistral",
    "codestral": "Mistral",
    "deepseek": "DeepSeek",
    "command": "Command",
    "aya": "Command",
    "phi": "Phi",
    "grok": "Grok",
    "nova": "Nova",
    "granite": "Granite",
    "olmo": "OLMo",
    "glm": "GLM",
    "kimi": "Kimi",
    "nemotron": "Nemotron",
    "yi": "Yi",
}
_WORD = re.compile(r"[a-z]+\d?")


def family_of(model: str) -> str | None:
    """Return the family that a model's name speaks of, None for a name that is not known.

    A distilled model belongs to the family that its name begins with:
    "deepseek-r1-distill-llama-70b" is DeepSeek.
    """
    name = model.casefold().rpartition("/")[2]
    for word in _WORD.findall(name):
        family = _FAMILIES.get(word) or _FAMILIES.get(word.rstrip("0123456789"))
        if family:
            return family
    return None


def same_family(judges: Iterable[str], generators: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the systems whose generator is of a judge's family, by the family.

    Args:
        judges: names of the models that judged.
        generators: run_id -> name of the model that wrote the system's answers.
    """
    judging = {family_of(model) for model in judges} - {None}
    shared: dict[str, list[str]] = {}
    for run_id, model in generators.items():
        family = family_of(model)
        if family in judging and family is not None:
            shared.setdefault(family, []).append(run_id)
    return shared
