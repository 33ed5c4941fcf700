"""How calls to a model are made."""

from pydantic import Field

from judge.types import Record


class JudgeSettings(Record):
    """How calls to a model are made.

    Attributes:
        temperature: sampling temperature, from 0 to 2; None leaves it to the provider.
        max_tokens: cap on a reply, instead of what each call asks for.
        timeout: seconds that one request may take.
        attempts: tries of one request while faults pass, the first included.
        fresh: ask although a reply is stored; the new one takes its place.
        offline: answer from the store alone.
        logprobs: ask for log-probabilities of the tokens of replies that state labels.
        sample: number of the first sample, from 0: repeated judgments of the same call.
    """

    temperature: float | None = Field(0.0, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    timeout: float = Field(120.0, gt=0)
    attempts: int = Field(4, ge=1)
    fresh: bool = False
    offline: bool = False
    logprobs: bool = False
    sample: int = Field(0, ge=0)
