"""What a model's tokens cost: as the user says, else by the price list that litellm brings along.

The list is a file on this machine. A model that it does not hold, or that answers at an address
of one's own, has no known price: its cost is None, never 0.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from judge.llm.request import Identity
from judge.types import Usage

_LIST = "model_prices_and_context_window_backup.json"


class Price(NamedTuple):
    """US dollars for one token of the prompt, of the reply, and of a prompt read from a cache."""

    prompt: float
    reply: float
    cached: float

    def cost(self, usage: Usage) -> float | None:
        """Return the US dollars that `usage` costs; None where the tokens are not known."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
        new = usage.prompt_tokens - cached
        return new * self.prompt + cached * self.cached + usage.completion_tokens * self.reply


FREE = Price(0.0, 0.0, 0.0)


def per_million(prompt: float, reply: float) -> Price:
    """Return the price from US dollars for a million tokens of the prompt and of the reply."""
    return Price(prompt / 1e6, reply / 1e6, prompt / 1e6)


def list_price(identity: Identity) -> Price | None:
    """Return the list price of a model, or None where it has none that is known."""
    if identity.kind == "local":
        return FREE
    if not _is_official(identity):
        return None
    names = (identity.model, identity.model.partition("/")[2])
    found = (_price(_listed().get(name, {})) for name in names)
    return next((price for price in found if price is not None), None)


def _is_official(identity: Identity) -> bool:
    """Whether the model answers at its provider's own address."""
    if identity.base_url is None:
        return True
    host = urlsplit(identity.base_url).hostname or ""
    return host == "openai.com" or host.endswith(".openai.com")


def _price(entry: dict[str, Any]) -> Price | None:
    prompt, reply = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if prompt is None or reply is None:
        return None
    return Price(prompt, reply, entry.get("cache_read_input_token_cost", prompt))


@cache
def _listed() -> dict[str, dict[str, Any]]:
    spec = find_spec("litellm")  # only its file is read: to import it takes seconds
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).parent / _LIST
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
