"""How the openai client's requests travel: over aiohttp, at a third of what its own way costs.

Everything above (the protocol, credentials, which proxy) is the openai client's and httpx's;
everything that can go wrong below is said in httpx's exceptions, which the openai client knows.
Imported only once a provider is opened.
"""

import asyncio
import select
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import aiohttp
import httpx2
from aiohttp.connector import Connection
from multidict import CIMultiDict
from yarl import URL

from judge.errors import ModelError
from judge.llm.faults import CallError

LARGEST = 32 * 2**20
"""Bytes of an answer, decoded; a chat completion has a few thousand."""

_KEPT_OPEN = 4.0  # seconds; less than the 5 after which common servers close an idle connection
_LONGEST_HEADER = 64 * 2**10
_UNDONE = {b"content-encoding", b"content-length", b"transfer-encoding"}

Headers = list[tuple[bytes, bytes]]


class Client(httpx2.AsyncClient):
    """An httpx client over aiohttp that follows no redirect and opens connections as needed.

    A redirect would take the prompts, and perhaps the key, to a host that nobody named. How many
    connections there are is for those to limit who send.

    Args:
        trust_env: whether the environment names proxies and certificates.
    """

    def __init__(self, *, trust_env: bool = True) -> None:
        self._trusting = trust_env
        super().__init__(
            trust_env=trust_env,
            follow_redirects=False,
            headers={"Accept-Encoding": "gzip, deflate"},
            limits=httpx2.Limits(keepalive_expiry=_KEPT_OPEN),
        )

    def _init_transport(self, *_: Any, **__: Any) -> httpx2.AsyncBaseTransport:
        return Direct(trust_env=self._trusting)

    def _init_proxy_transport(
        self, proxy: httpx2.Proxy, *rest: Any, **options: Any
    ) -> httpx2.AsyncBaseTransport:
        return Proxied(super()._init_proxy_transport(proxy, *rest, **options), proxy)


class Direct(httpx2.AsyncBaseTransport):
    """Sends each request over aiohttp, with one session that is opened at the first.

    Args:
        trust_env: whether the environment names certificates.
    """

    def __init__(self, *, trust_env: bool) -> None:
        self._trust_env = trust_env
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` and return the answer with its body.

        Raises:
            httpx2.TransportError: no whole answer came.
            CallError: it is larger than `LARGEST`.
            ModelError: certificates that the environment names cannot be read.
        """
        seconds = request.extensions.get("timeout", {}).get("read")
        with _said_as_httpx():
            async with self._opened(request.url).request(
                request.method,
                _address(request.url),
                headers=CIMultiDict(_text(request.headers.raw)),
                data=request.content,
                allow_redirects=False,
                timeout=_within(seconds),
            ) as answer:
                body = await _whole(answer.content.iter_any())
        return _read(answer.status, answer.raw_headers, body)

    async def aclose(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _opened(self, url: httpx2.URL) -> aiohttp.ClientSession:
        """The session, which belongs to the running event loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=_Connector(
                    limit=0,
                    keepalive_timeout=_KEPT_OPEN,
                    resolver=aiohttp.ThreadedResolver(),
                    ssl=_certificates(self._trust_env) if url.scheme == "https" else True,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                max_line_size=_LONGEST_HEADER,
                max_field_size=_LONGEST_HEADER,
            )
        return self._session


class Proxied(httpx2.AsyncBaseTransport):
    """Sends each request through a proxy, by httpx's own means, which know every kind of proxy.

    Args:
        transport: httpx's own.
        proxy: what it goes through, to be named in errors.
    """

    def __init__(self, transport: httpx2.AsyncBaseTransport, proxy: httpx2.Proxy) -> None:
        self._transport = transport
        self._proxy = f"{proxy.url.host}:{proxy.url.port or ''}".rstrip(":")

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` and return the answer with its body.

        Raises:
            httpx2.TransportError: no whole answer came.
            CallError: it is larger than `LARGEST`.
        """
        try:
            answer = await self._transport.handle_async_request(request)
            async with aclosing(answer):
                body = await _whole(answer.aiter_bytes())
        except httpx2.TransportError as error:
            raise type(error)(f"{error}, through the proxy {self._proxy}") from error
        return _read(answer.status_code, answer.headers.raw, body)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()


class _Connector(aiohttp.TCPConnector):
    """Hands out no idle connection that the server has closed, which the loop may not know yet."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._used: WeakSet[asyncio.Transport] = WeakSet()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Any],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's name
    ) -> Connection:
        """Return a connection that is new, or idle with nothing to be read from it."""
        while True:
            connection = await super().connect(req, traces, timeout)
            transport = connection.transport
            if transport is None or transport not in self._used:
                break
            if not _readable(transport.get_extra_info("socket").fileno()):
                break
            connection.close()
        if transport is not None:
            self._used.add(transport)
        return connection


def _readable(descriptor: int) -> bool:
    """Whether there is something to read, or the end: of an idle connection, that it is over."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([descriptor], [], [], 0)[0])  # Windows


@lru_cache(maxsize=8)
def _address(url: httpx2.URL) -> URL:
    """The address as it is asked for; credentials in it were made a header before."""
    return URL(str(url.copy_with(username=None, password=None)), encoded=True)


@lru_cache(maxsize=8)
def _within(seconds: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds)


def _text(headers: Headers) -> Iterator[tuple[str, str]]:
    return ((name.decode("ascii"), value.decode("ascii")) for name, value in headers)


def _certificates(trust_env: bool) -> ssl.SSLContext:
    """What servers are checked against, as httpx does it; reading it takes long."""
    try:
        context = httpx2.create_ssl_context(trust_env=trust_env)
    except OSError as error:
        raise ModelError(
            f"certificates cannot be read: {error}; see SSL_CERT_FILE and SSL_CERT_DIR"
        ) from None
    context.set_alpn_protocols(["http/1.1"])
    return context


async def _whole(parts: AsyncIterator[bytes]) -> bytes:
    body, size = [], 0
    async for part in parts:
        body.append(part)
        size += len(part)
        if size > LARGEST:
            raise CallError("transport", f"the answer is larger than {LARGEST / 2**20:.0f} MB")
    return b"".join(body)


def _read(status: int, headers: Any, body: bytes) -> httpx2.Response:
    """An answer whose body was read and decoded."""
    kept = [(name, value) for name, value in headers if name.lower() not in _UNDONE]
    return httpx2.Response(status, headers=kept, content=body)


@contextmanager
def _said_as_httpx() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except aiohttp.ClientConnectorError as error:
        why = getattr(error, "certificate_error", error.os_error)
        raise httpx2.ConnectError(f"cannot connect to {error.host}:{error.port}: {why}") from error
    except aiohttp.ClientResponseError as error:
        raise httpx2.RemoteProtocolError(error.message) from error
    except (aiohttp.ClientError, OSError) as error:
        words = getattr(error, "strerror", None) or str(error)
        raise httpx2.ReadError(words) from error
