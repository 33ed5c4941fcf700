"""How to judge: the settings shared by every command that calls a model."""

import os
from pathlib import Path

from pydantic import Field

from judge.types import Record

DEFAULT_MODEL = "local/qwen2.5-coder-1.5b"


class Settings(Record):
    """Settings of a judging command.

    Attributes:
        model: `openai/<name>`, any litellm name, `local/<name>`, or `replay/<model>`.
        base_url: where an OpenAI-compatible server listens.
        temperature: sampling temperature, 0 to 2.
        max_tokens: cap on the reply in tokens, instead of what each template declares.
        concurrency: calls in flight; None leaves it to the provider.
        rpm: requests per minute; None for no limit.
        timeout: seconds that one request may take.
        attempts: HTTP tries for one request, the first included.
        prompts: folder whose templates stand before the built-in ones.
        cache: folder of the reply store.
        offline: answer from the store alone.
        fresh: ask again although a reply is stored; still store.
        limit: judge at most this many units of each task.
        max_failed: share of failed units (0 to 1) above which a score is withheld.
        allow_incomplete: give scores, and end with status 0, whatever failed.
    """

    model: str = DEFAULT_MODEL
    base_url: str | None = None
    temperature: float = Field(0.0, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    concurrency: int | None = Field(None, ge=1)
    rpm: float | None = Field(None, gt=0)
    timeout: float = Field(120.0, gt=0)
    attempts: int = Field(4, ge=1)
    prompts: Path | None = None
    cache: Path = Field(default_factory=lambda: default_cache())
    offline: bool = False
    fresh: bool = False
    limit: int | None = Field(None, ge=1)
    max_failed: float = Field(0.05, ge=0, le=1)
    allow_incomplete: bool = False


def default_cache() -> Path:
    """Where replies are kept: $RAG_JUDGE_CACHE, else a folder of the user's own data."""
    if path := os.environ.get("RAG_JUDGE_CACHE"):
        return Path(path)
    import platformdirs

    return platformdirs.user_data_path("rag-judge") / "replies"
