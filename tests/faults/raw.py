"""A server of raw bytes on real sockets, for what no HTTP library would send."""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from judge.llm import identity_of, open_provider
from judge.llm.faults import CallError
from judge.llm.providers.openai import OpenAIProvider
from judge.llm.request import Request
from judge.types import Message
from tests.faults.server import chat

OPENAI = "openai/judge"

Act = Callable[[socket.socket, bytes, int], bool]
"""Takes a connection, a request and its number from 1; tells whether the connection stays open."""


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """The bytes of an answer with its length."""
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def saying(raw: bytes, *, stay: bool = False) -> Act:
    """Send `raw` to every request."""

    def act(connection: socket.socket, request: bytes, number: int) -> bool:
        connection.sendall(raw)
        return stay

    return act


GOOD = answer(json.dumps(chat("grade 3")).encode())


class RawServer:
    """Acts on each request, on a free port of 127.0.0.1, from `__enter__` to `__exit__`.

    `requests` are the bytes received, `connections` how many were opened, and `gone` is set once
    a client closes a connection in the midst of an answer that `act` left open.
    """

    def __init__(self, act: Act, secure: ssl.SSLContext | None = None) -> None:
        self._act, self._secure = act, secure
        self.requests: list[bytes] = []
        self.connections = 0
        self.gone = threading.Event()
        self.asked = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=300)
        self._accepting = threading.Thread(target=self._accept)

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._listening.getsockname()[1]}"

    @property
    def url(self) -> str:
        """The base URL to give to a client."""
        return f"http://{self.address}/v1"

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(30)
        try:
            if self._secure is not None:
                connection = self._secure.wrap_socket(connection, server_side=True)
            with connection:
                while request := _request(connection):
                    self.requests.append(request)
                    self.asked.set()
                    if not self._act(connection, request, len(self.requests)):
                        return
        except OSError:
            connection.close()
        finally:
            self.gone.set()

    def __enter__(self) -> Self:
        self._accepting.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()


def _request(connection: socket.socket) -> bytes:
    """The next request with its body; empty once the client has closed."""
    received = b""
    while b"\r\n\r\n" not in received:
        more = connection.recv(65536)
        if not more:
            return b""
        received += more
    head, _, body = received.partition(b"\r\n\r\n")
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    length = int(rest.split(b"\r\n")[0]) if found else 0
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


# --- a provider that asks it --------------------------------------------------------------------


def request_to(url: str) -> Request:
    messages = (Message(role="user", content="How good is it?"),)
    return Request(identity=identity_of(OPENAI, url), messages=messages, params={"max_tokens": 5})


def completions(url: str, pauses: tuple[float, ...], provider: OpenAIProvider) -> list[str]:
    async def run() -> list[str]:
        said = []
        try:
            for pause in pauses:
                await asyncio.sleep(pause)
                try:
                    said.append((await provider.complete(request_to(url), 10.0)).text)
                except CallError as fault:
                    said.append(fault.kind)
        finally:
            await provider.aclose()
        return said

    return asyncio.run(run())


def opened(url: str) -> OpenAIProvider:
    provider = open_provider(OPENAI, url)
    assert isinstance(provider, OpenAIProvider)
    return provider


Raw = Callable[[Act], RawServer]
"""Starts a server."""
