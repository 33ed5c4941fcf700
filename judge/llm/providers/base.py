"""What the call layer asks of a provider: one request in, one completion or one `CallError` out."""

from typing import Protocol

from pydantic import Field

from judge.llm.pace import Pace
from judge.llm.request import Identity, Request
from judge.types import Record, Token, Usage

__all__ = ["Completion", "Identity", "Provider"]


class Completion(Record):
    """What a model said, unchecked.

    `text` is the content alone; `reasoning` is kept apart by the server and never read for an
    answer. `tokens` are those of the text, where they were asked for and sent. `model` is the
    name the provider gives. `cost` is in US dollars, None where unknown. `pace` is what the
    answer says of rate limits; it is of the moment, and not dumped.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    model: str
    usage: Usage = Usage()
    tokens: tuple[Token, ...] | None = None
    cost: float | None = None
    pace: Pace | None = Field(None, exclude=True)


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
