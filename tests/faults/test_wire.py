"""What goes wrong between a request and its answer, byte by byte, through the openai client."""

import asyncio
import gzip
import json
import os
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable

import pytest

from judge.llm import Completion
from judge.llm.faults import CallError
from judge.llm.providers import transport
from tests.faults.asking import SECRET, ask
from tests.faults.raw import (
    GOOD,
    OPENAI,
    Raw,
    answer,
    completions,
    opened,
    request_to,
    saying,
)
from tests.faults.server import chat

pytestmark = pytest.mark.usefixtures("direct")


# --- answers that are none ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"", "disconnected"),
        (b"this is no HTTP at all\r\n\r\n", "HTTP/"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{", "not completed"),
        (b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id', "not completed"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "chunk"),
        (answer(b"no gzip", "Content-Encoding: gzip"), "gzip"),
        (answer(b"\xff\xfe{}"), "not JSON"),
        (answer(b""), "not JSON"),
    ],
    ids=["nothing", "garbage", "cut", "cut chunk", "bad chunk", "bad gzip", "bytes", "empty"],
)
def test_a_broken_answer_is_a_fault_that_may_pass(raw: Raw, said: bytes, words: str) -> None:
    server = raw(saying(said, stay="JSON" in words))
    failure = ask(server.url, OPENAI, attempts=2).failure
    assert failure.kind == "transport"
    assert words in failure.message
    assert len(server.requests) == 2
    assert SECRET not in str(failure)
    assert "no answer within" not in failure.message


def test_a_connection_that_is_reset_midway_is_a_fault_that_may_pass(raw: Raw) -> None:
    def reset(connection: socket.socket, request: bytes, number: int) -> bool:
        if number > 1:
            connection.sendall(GOOD)
            return True
        connection.sendall(GOOD[:-10])
        time.sleep(0.1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    reply = ask(raw(reset).url, OPENAI).reply
    assert [attempt.failure for attempt in reply.attempts] == ["transport", None]


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("identity", bytes)],
)
def test_a_packed_answer_is_unpacked(
    raw: Raw, encoding: str, packed: Callable[[bytes], bytes]
) -> None:
    body = packed(json.dumps(chat("grade 3")).encode())
    server = raw(saying(answer(body, f"Content-Encoding: {encoding}"), stay=True))
    assert ask(server.url, OPENAI).reply.text == "grade 3"
    assert b"accept-encoding: gzip, deflate\r\n" in server.requests[0].lower()


def test_an_answer_in_pieces_is_put_together(raw: Raw) -> None:
    body = json.dumps(chat("grade 3")).encode()
    parts = [body[n : n + 7] for n in range(0, len(body), 7)]
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert ask(raw(saying(head + chunked)).url, OPENAI).reply.text == "grade 3"


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_without_end_is_given_up(
    raw: Raw, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    monkeypatch.setattr(transport, "LARGEST", 2**20)
    body = b" " * 2**21
    said = answer(gzip.compress(body), "Content-Encoding: gzip") if packed else answer(body)
    server = raw(saying(said))
    failure = ask(server.url, OPENAI).failure
    assert (failure.kind, failure.message) == ("transport", "the answer is larger than 1 MB")
    assert len(server.requests) == 1


def test_a_head_with_long_lines_is_read(raw: Raw) -> None:
    said = answer(json.dumps(chat("grade 3")).encode(), "X-Policy: " + "x" * 20_000)
    assert ask(raw(saying(said)).url, OPENAI).reply.text == "grade 3"


# --- connections --------------------------------------------------------------------------------


def test_a_connection_is_used_again(raw: Raw) -> None:
    server = raw(saying(GOOD, stay=True))
    assert completions(server.url, (0, 0, 0.05), opened(server.url)) == ["grade 3"] * 3
    assert server.connections == 1


def test_a_connection_that_the_server_closed_meanwhile_is_not_used(raw: Raw) -> None:
    server = raw(saying(GOOD, stay=False))
    assert completions(server.url, (0, 0.1, 0.1), opened(server.url)) == ["grade 3"] * 3
    assert server.connections == 3


@pytest.mark.skipif(not hasattr(socket, "MSG_MORE"), reason="needs an end sent with the answer")
@pytest.mark.parametrize("at_once", [1, 16])
def test_a_connection_that_ends_with_its_answer_is_never_used_again(raw: Raw, at_once: int) -> None:
    def act(connection: socket.socket, request: bytes, number: int) -> bool:
        connection.send(GOOD, socket.MSG_MORE)
        connection.shutdown(socket.SHUT_WR)
        return False

    server = raw(act)

    async def run() -> None:
        provider = opened(server.url)

        async def work() -> None:
            for _ in range(10):
                await provider.complete(request_to(server.url), 10.0)

        try:
            await asyncio.gather(*(work() for _ in range(at_once)))
        finally:
            await provider.aclose()

    asyncio.run(run())
    assert server.connections == 10 * at_once


def test_a_connection_that_is_closed_on_the_next_request_is_tried_again(raw: Raw) -> None:
    def act(connection: socket.socket, request: bytes, number: int) -> bool:
        if number == 2:
            return False
        connection.sendall(GOOD)
        return True

    server = raw(act)
    assert completions(server.url, (0, 0, 0), opened(server.url)) == [
        "grade 3",
        "transport",
        "grade 3",
    ]


def test_a_provider_works_in_one_event_loop_after_the_other(raw: Raw) -> None:
    server = raw(saying(GOOD, stay=True))
    provider = opened(server.url)
    for _ in range(2):
        assert completions(server.url, (0,), provider) == ["grade 3"]
    assert server.connections == 2


@pytest.mark.skipif(os.name == "nt", reason="uvloop is not made for Windows")
def test_it_works_under_uvloop(raw: Raw) -> None:
    uvloop = pytest.importorskip("uvloop")
    server = raw(saying(GOOD, stay=True))

    async def run() -> Completion:
        provider = opened(server.url)
        try:
            return await provider.complete(request_to(server.url), 10.0)
        finally:
            await provider.aclose()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(run()).text == "grade 3"


def test_a_call_that_is_given_up_closes_its_connection(raw: Raw) -> None:
    def hang(connection: socket.socket, request: bytes, number: int) -> bool:
        connection.sendall(GOOD[:40])
        return True  # and wait for a request that never comes

    server = raw(hang)

    async def run() -> None:
        provider = opened(server.url)
        task = asyncio.create_task(provider.complete(request_to(server.url), 10.0))
        await asyncio.to_thread(server.asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.gone.wait, 10)
        await provider.aclose()

    asyncio.run(run())


def test_a_server_that_stops_midway_times_out(raw: Raw) -> None:
    def stall(connection: socket.socket, request: bytes, number: int) -> bool:
        connection.sendall(GOOD[:40])
        return True

    server = raw(stall)

    async def run() -> None:
        provider = opened(server.url)
        with pytest.raises(CallError, match=r"no answer within 0\.2 s"):
            await provider.complete(request_to(server.url), 0.2)
        await provider.aclose()

    asyncio.run(run())


def test_as_many_connections_are_open_as_calls_are_under_way(raw: Raw) -> None:
    n = 150
    barrier = threading.Barrier(n)

    def together(connection: socket.socket, request: bytes, number: int) -> bool:
        barrier.wait(30)
        connection.sendall(GOOD)
        return True

    server = raw(together)

    async def run() -> list[Completion]:
        provider = opened(server.url)
        calls = [provider.complete(request_to(server.url), 30.0) for _ in range(n)]
        try:
            return await asyncio.gather(*calls)
        finally:
            await provider.aclose()

    assert len(asyncio.run(run())) == n
