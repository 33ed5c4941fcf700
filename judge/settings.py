"""How to judge: the settings shared by every command that calls a model."""

import math
import os
from pathlib import Path

from pydantic import Field, field_validator

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
        tpm: tokens per minute, prompts and replies together; None for no limit.
        max_cost: US dollars that the run may cost, over all sessions; None for no limit.
        price: US dollars for a million tokens of the prompt and of the reply, as "IN,OUT"; by
            default the list price, where the model has one.
        timeout: seconds that one request may take.
        attempts: HTTP tries for one request, the first included.
        prompts: folder whose templates stand before the built-in ones.
        images: show the images of documents to the judge, which must take them.
        cache: folder of the reply store.
        samples: how often each call is asked; the label that most replies give counts.
        logprobs: ask for log-probabilities of tokens, and keep those of the labels.
        offline: answer from the store alone.
        fresh: ask again although a reply is stored; still store.
        limit: judge at most this many units of each task.
        max_failed: share of failed units (0 to 1) above which a score is withheld.
        allow_incomplete: give scores, and end with status 0, whatever failed.
        plan: count what would be asked; ask nothing, and leave the run directory as it is.
    """

    model: str = DEFAULT_MODEL
    base_url: str | None = None
    temperature: float = Field(0.0, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    concurrency: int | None = Field(None, ge=1)
    rpm: float | None = Field(None, gt=0)
    tpm: float | None = Field(None, gt=0)
    max_cost: float | None = Field(None, ge=0)
    price: tuple[float, float] | None = None
    timeout: float = Field(120.0, gt=0)
    attempts: int = Field(4, ge=1)
    prompts: Path | None = None
    images: bool = False
    cache: Path = Field(default_factory=lambda: default_cache())
    samples: int = Field(1, ge=1)
    logprobs: bool = False
    offline: bool = False
    fresh: bool = False
    limit: int | None = Field(None, ge=1)
    max_failed: float = Field(0.05, ge=0, le=1)
    allow_incomplete: bool = False
    plan: bool = False

    @field_validator("price", mode="before")
    @classmethod
    def _two_prices(cls, given: object) -> object:
        """Read "0.4,1.6"."""
        if not isinstance(given, str):
            return given
        parts = given.split(",")
        try:
            prices = tuple(float(part) for part in parts)
        except ValueError:
            prices = ()
        if len(prices) != 2 or not all(0 <= price < math.inf for price in prices):
            raise ValueError(
                "expected two prices in US dollars for a million tokens, of the prompt and of the "
                f"reply, such as 0.4,1.6; found {given!r}"
            )
        return prices


def default_cache() -> Path:
    """Where replies are kept: $RAG_JUDGE_CACHE, else a folder of the user's own data."""
    if path := os.environ.get("RAG_JUDGE_CACHE"):
        return Path(path)
    import platformdirs

    return platformdirs.user_data_path("rag-judge") / "replies"
