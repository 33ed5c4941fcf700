"""The ways to a model, chosen by the part of its name before the first slash.

    openai/<name>     any server that speaks the OpenAI protocol, through the openai client
    local/<name>      the embedded model, on this machine
    anything else/... through litellm

Nothing here imports a client: that waits until a provider is opened or first used.
"""

import re
from urllib.parse import urlsplit

from judge.errors import ModelError
from judge.llm.providers.base import Completion, Identity, Provider
from judge.llm.providers.openai import address_of, open_openai

__all__ = ["Completion", "Identity", "Provider", "identity_of", "open_provider"]

_URL = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_FAMILIES = (
    (re.compile(r"gpt|chatgpt|o\d", re.IGNORECASE), "openai"),
    (re.compile(r"claude", re.IGNORECASE), "anthropic"),
    (re.compile(r"gemini", re.IGNORECASE), "gemini"),
)


def identity_of(model: str, base_url: str | None = None) -> Identity:
    """Return who answers for `model`, without a key, a client or a connection.

    Raises:
        ModelError: the name has no provider before a slash, or the embedded model is not known.
    """
    kind, slash, name = model.partition("/")
    if not (kind and slash and name):
        raise ModelError(_without_provider(model))
    if base_url is not None:
        _check_address(base_url)
    if kind == "openai":
        return Identity(kind="openai", base_url=address_of(base_url), model=name)
    if kind == "local":
        from judge.llm.providers.local import local_identity

        return local_identity(model)
    return Identity(kind="litellm", base_url=base_url, model=model)


def _check_address(base_url: str) -> None:
    if not _URL.match(base_url):
        raise ModelError("--base-url must start with http:// or https:// and name a host")
    parts = urlsplit(base_url)
    try:
        _ = parts.port
    except ValueError as error:
        raise ModelError(f"--base-url is no address: {error}") from None
    if parts.path.rstrip("/").endswith("/chat/completions"):
        raise ModelError(
            "--base-url ends before /chat/completions, which is added: http://localhost:8000/v1"
        )


def open_provider(
    model: str, base_url: str | None = None, *, parallel: int | None = None
) -> Provider:
    """Return the provider of `model`; no request is sent.

    Args:
        model: `openai/<name>`, `local/<name>` or a litellm name.
        base_url: where the server listens, if not where its provider does.
        parallel: requests that the embedded model evaluates at one time.

    Raises:
        ModelError: the model is not known, or its key is not set.
    """
    if model.startswith("local/"):
        from judge.llm.providers.local import open_local

        return open_local(model, parallel=parallel)
    identity = identity_of(model, base_url)
    if identity.kind == "openai":
        return open_openai(identity, base_url)
    from judge.llm.providers.litellm import LitellmProvider

    return LitellmProvider(identity, base_url)


def _without_provider(model: str) -> str:
    families = [family for shape, family in _FAMILIES if shape.match(model)]
    hint = f" Did you mean {families[0]}/{model}?" if families else ""
    return (
        f"model {model!r} names no provider.{hint} Accepted are openai/<name> (also for a server "
        "of your own, with --base-url), local/<name> and litellm names such as anthropic/<name>."
    )
