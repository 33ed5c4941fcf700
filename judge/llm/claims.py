"""What a request may take, known before it is sent, and what it took, known afterwards."""

import math
from functools import cached_property

from judge.llm.pace import Pace
from judge.llm.prices import Price
from judge.llm.request import Request
from judge.llm.tokens import prompt_tokens
from judge.types import Record

_MARGIN = 1.25  # how far a model's own count of a prompt may be above the estimate
_REPLY = 4096  # tokens of a reply that has no cap


class Claim:
    """What one request may take at most; worked out only if a limit asks.

    Args:
        request: what is about to be sent.
        price: of the model that is asked, None where it is not known.
        longer: how many times longer than estimated prompts of this model were, at least 1.
    """

    def __init__(self, request: Request, price: Price | None, longer: float = 1.0) -> None:
        self._request, self._price, self._longer = request, price, longer

    @cached_property
    def estimate(self) -> int:
        """About how many tokens the prompt is, whatever was learned of the model."""
        return prompt_tokens(self._request.messages)

    @property
    def estimated(self) -> bool:
        """Whether a limit asked."""
        return "estimate" in self.__dict__

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens the prompt is."""
        return math.ceil(self.estimate * self._longer)

    @property
    def reply_tokens(self) -> int:
        """The tokens a reply may have."""
        return self._request.max_tokens or _REPLY

    @property
    def tokens(self) -> int:
        """Prompt and reply together."""
        return self.prompt_tokens + self.reply_tokens

    @cached_property
    def cost(self) -> float | None:
        """The most it can cost in US dollars; None where the price is not known."""
        if self._price is None:
            return None
        if not any(self._price):
            return 0.0
        prompt = self.prompt_tokens * _MARGIN * max(self._price.prompt, self._price.cached)
        return prompt + self.reply_tokens * self._price.reply


class Spent(Record):
    """What one request took; None where nobody knows.

    Attributes:
        tokens: of prompt and reply.
        cost: in US dollars.
        pace: what the server says of its limits.
        wait: seconds for which it wants no further request.
    """

    tokens: int | None = None
    cost: float | None = None
    pace: Pace | None = None
    wait: float | None = None


UNSENT = Spent(tokens=0, cost=0.0)
