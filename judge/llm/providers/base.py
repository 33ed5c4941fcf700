"""What the call layer asks of a provider: one request in, one completion or one `CallError` out."""

from typing import Protocol

from judge.llm.request import Identity, Request
from judge.types import Record, Usage

__all__ = ["Completion", "Identity", "Provider"]


class Completion(Record):
    """What a model said, unchecked.

    `text` is the content alone; `reasoning` is kept apart by the server and never read for an
    answer. `model` is the name the provider gives. `cost` is in US dollars, None where unknown.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    model: str
    usage: Usage = Usage()
    cost: float | None = None


class Provider(Protocol):
    """A way to a model. It sends one request once: it never retries and never caches."""

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every key."""

    async def ready(self) -> None:
        """Do what must be done once before the first request, however long it takes.

        Raises:
            ModelError: the model cannot be had.
        """

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        """Send `request` and wait at most `timeout` seconds.

        Raises:
            CallError: there is no completion.
        """

    async def aclose(self) -> None:
        """Close what `complete` opened; closing twice, or before the first call, is fine."""
