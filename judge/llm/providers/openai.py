"""Any server that speaks the OpenAI protocol, through the openai client."""

import json
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from judge.errors import ModelError
from judge.llm.faults import CallError, call_error
from judge.llm.providers.base import Completion, Identity
from judge.llm.providers.wire import completion_of
from judge.llm.redaction import SHORTEST, redact, url_secrets
from judge.llm.request import Request

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from judge.llm.providers.transport import Client

OFFICIAL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
_NO_KEY = "none"


class OpenAIProvider:
    """Sends requests with one `AsyncOpenAI` client, made at the first request.

    Args:
        identity: which model, at which address.
        base_url: the address in full, with credentials and a query if it has any.
        api_key: what is sent as the bearer token.
        trust_env: whether proxies and certificates of the environment count.
    """

    def __init__(
        self, identity: Identity, *, base_url: str, api_key: str, trust_env: bool = True
    ) -> None:
        import httpx2  # here, so that imports are not counted as a model's time to answer
        import openai

        from judge.llm.providers import transport

        self._openai, self._response, self._transport = openai, httpx2.Response, transport
        self._identity, self._base_url, self._api_key = identity, base_url, api_key
        self._endpoint, self._trust_env = _endpoint(base_url), trust_env
        own = (api_key,) if len(api_key) >= SHORTEST else ()
        self._secrets = (*own, *url_secrets(base_url))
        self._client: AsyncOpenAI | None = None

    @property
    def identity(self) -> Identity:
        """Which model answers, at which address."""
        return self._identity

    async def ready(self) -> None:
        """Make the client, which belongs to the running event loop.

        Raises:
            ModelError: the environment names a proxy that cannot be used.
        """
        self._connected()

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        """Send `request` once.

        Raises:
            CallError: there is no completion.
            ModelError: what the environment names, a proxy or certificates, cannot be used.
        """
        body = {"model": request.model, "messages": request.wire_messages(), **request.params}
        try:
            answer = await self._connected().post(
                self._endpoint,
                body=body,
                cast_to=self._response,
                options={"timeout": timeout, "security": {"bearer_auth": True}},
            )
        except self._openai.OpenAIError as error:
            raise call_error(error, timeout=timeout, secrets=self._secrets) from None
        return completion_of(
            _decoded(answer.content),
            model=request.model,
            headers=answer.headers,
            secrets=self._secrets,
        )

    async def aclose(self) -> None:
        """Close the connections, if any were opened."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _connected(self) -> "AsyncOpenAI":
        if self._client is None:
            self._client = self._openai.AsyncOpenAI(
                api_key=self._api_key,
                base_url=self._base_url,
                max_retries=0,
                http_client=self._http_client(),
            )
        return self._client

    def _http_client(self) -> "Client":
        try:
            return self._transport.Client(trust_env=self._trust_env)
        except (ImportError, ValueError) as error:
            raise ModelError(
                f"the proxy that the environment names cannot be used: {redact(str(error))}"
            ) from None


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
    if not (key.isascii() and key.isprintable()):
        raise ModelError(f"{KEY_VARIABLE} holds a character that no key has; set it again")
    return OpenAIProvider(identity, base_url=address, api_key=key or _NO_KEY)


def address_of(base_url: str | None) -> str:
    """Return where requests go: as given, else OPENAI_BASE_URL, else OpenAI itself."""
    return base_url or os.environ.get("OPENAI_BASE_URL") or OFFICIAL


def _is_official(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "openai.com" or host.endswith(".openai.com")


def _endpoint(base_url: str) -> str:
    """Where chat completions are asked for; a query, as gateways want it, stays behind the path."""
    parts = urlsplit(base_url)
    path = f"{parts.path.rstrip('/')}/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def _decoded(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise CallError(
            "transport", "the answer is not JSON: is --base-url right?", retryable=True, status=200
        ) from None
