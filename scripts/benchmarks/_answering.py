"""A server of the OpenAI protocol that answers at once, so that a client's own cost is seen.

A process of its own, and raw bytes: it reads no JSON and says the same to every request.
"""

import asyncio
import json
import multiprocessing
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

REPLY = "label: full support"
_COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "judge-1",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": REPLY},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 600, "completion_tokens": 6, "total_tokens": 606},
}
_BODY = json.dumps(_COMPLETION).encode()
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(_BODY),
    _BODY,
)
_BACKLOG = 1024


class Answering:
    """The server's address, how often it was asked, and how long it lets a request wait.

    Args:
        port: where it listens, on 127.0.0.1.
        hits: shared with its process: requests answered.
        latency: shared with its process: seconds before an answer.
    """

    def __init__(self, port: int, hits: Any, latency: Any) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self._hits, self._latency = hits, latency

    @property
    def hits(self) -> int:
        """Requests answered so far."""
        return int(self._hits.value)

    @contextmanager
    def slowed(self, seconds: float) -> Iterator[None]:
        """Let every request wait so long meanwhile."""
        self._latency.value = seconds
        try:
            yield
        finally:
            self._latency.value = 0.0


@contextmanager
def answering(core: int | None) -> Iterator[Answering]:
    """Run the server, on one core alone where one is named."""
    hits = multiprocessing.Value("q", 0, lock=False)
    latency = multiprocessing.Value("d", 0.0, lock=False)
    with socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG) as listening:
        process = multiprocessing.Process(
            target=_serve, args=(listening, hits, latency, core), daemon=True
        )
        process.start()
        try:
            yield Answering(listening.getsockname()[1], hits, latency)
        finally:
            process.terminate()
            process.join()


def pin(cores: set[int]) -> None:
    """Keep this process on some cores, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


def _serve(listening: socket.socket, hits: Any, latency: Any, core: int | None) -> None:
    if core is not None:
        pin({core})

    async def forever() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(hits, latency), sock=listening)
        await server.serve_forever()

    asyncio.run(forever())


class _Connection(asyncio.Protocol):
    """Answers each request of a connection that is kept open, once its body is there."""

    def __init__(self, hits: Any, latency: Any) -> None:
        self._hits, self._latency = hits, latency
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if not isinstance(transport, asyncio.Transport):
            raise TypeError("a connection is a stream")
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := _end_of_request(self._received)) is not None:
            self._received = self._received[end:]
            self._hits.value += 1
            asyncio.get_running_loop().call_later(
                self._latency.value, self._transport.write, _ANSWER
            ) if self._latency.value else self._transport.write(_ANSWER)


def _end_of_request(received: bytes) -> int | None:
    """Where the first request ends; None while some of it is still to come."""
    head = received.find(b"\r\n\r\n")
    if head < 0:
        return None
    _, found, rest = received[:head].lower().partition(b"\r\ncontent-length:")
    length = int(rest.split(b"\r\n", 1)[0]) if found else 0
    end = head + 4 + length
    return end if len(received) >= end else None
