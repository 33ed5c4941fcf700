"""Any server that speaks the OpenAI protocol, through the openai client."""

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from judge.errors import ModelError
from judge.llm.faults import CallError, call_error
from judge.llm.providers.base import Completion, Identity
from judge.llm.providers.wire import completion_of
from judge.llm.redaction import SHORTEST, url_secrets
from judge.llm.request import Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OFFICIAL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"


class OpenAIProvider:
    """Sends requests with one `AsyncOpenAI` client, made at the first request.

    Args:
        identity: which model, at which address.
        base_url: the address in full, with credentials if it has any.
        api_key: what is sent as the bearer token.
    """

    def __init__(self, identity: Identity, *, base_url: str, api_key: str) -> None:
        import openai  # here, so that its import is not counted as a model's time to answer

        self._openai = openai
        self._identity, self._base_url, self._api_key = identity, base_url, api_key
        own = (api_key,) if len(api_key) >= SHORTEST else ()
        self._secrets = (*own, *url_secrets(base_url))
        self._client: AsyncOpenAI | None = None

    @property
    def identity(self) -> Identity:
        """Which model answers, at which address."""
        return self._identity

    async def ready(self) -> None:
        """Make the client, which belongs to the running event loop."""
        self._connected()

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        """Send `request` once.

        Raises:
            CallError: there is no completion.
        """
        messages: Any = request.wire_messages()
        try:
            answer = await self._connected().chat.completions.with_raw_response.create(
                model=request.model,
                messages=messages,
                extra_body=request.params,
                timeout=timeout,
            )
        except self._openai.OpenAIError as error:
            raise call_error(error, timeout=timeout, secrets=self._secrets) from None
        body = _decoded(answer.http_response.content)
        headers = answer.http_response.headers
        return completion_of(body, model=request.model, headers=headers, secrets=self._secrets)

    async def aclose(self) -> None:
        """Close the connections, if any were opened."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _connected(self) -> "AsyncOpenAI":
        if self._client is None:
            self._client = self._openai.AsyncOpenAI(
                api_key=self._api_key, base_url=self._base_url, max_retries=0
            )
        return self._client


def open_openai(identity: Identity, base_url: str | None) -> OpenAIProvider:
    """Return the provider of `identity`, with the key from the environment.

    A server of one's own often needs no key: it gets a placeholder where none is set.

    Raises:
        ModelError: OpenAI itself is asked and no key is set.
    """
    address = address_of(base_url)
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key and _is_official(address):
        raise ModelError(
            f"no key for openai/{identity.model}: set {KEY_VARIABLE}, or name a server of your "
            "own with --base-url"
        )
    return OpenAIProvider(identity, base_url=address, api_key=key or _NO_KEY)


def address_of(base_url: str | None) -> str:
    """Return where requests go: as given, else OPENAI_BASE_URL, else OpenAI itself."""
    return base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL


def _is_official(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "openai.com" or host.endswith(".openai.com")


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise CallError(
            "transport", "the answer is not JSON: is --base-url right?", retryable=True, status=200
        ) from None
