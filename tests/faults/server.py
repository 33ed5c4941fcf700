"""A server that speaks the OpenAI protocol and says what a test tells it to, over real HTTP.

A script is a function of the request's JSON and the number of the hit (from 1, over all prompts)
that returns what happens: a `Response`, `DROP` (close the connection), `HANG` (never answer), a
dict (a body for status 200) or a string (a chat completion with that content).
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Action(Enum):
    """What a server can do instead of answering."""

    DROP = "close the connection without a word"
    HANG = "keep the connection open and say nothing"


DROP, HANG = Action.DROP, Action.HANG


@dataclass(frozen=True)
class Response:
    """A response: `body` is sent as JSON, or as it is where it is bytes; `delay` in seconds."""

    body: dict[str, Any] | bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0


Script = Callable[[dict[str, Any], int], Response | Action | dict[str, Any] | str]


def chat(
    content: Any,
    *,
    finish_reason: str | None = "stop",
    model: str = "judge-2025-01-01",
    prompt_tokens: int = 100,
    completion_tokens: int = 10,
    cached_tokens: int = 0,
    **message: Any,
) -> dict[str, Any]:
    """Return the body of a chat completion; further fields go into its message."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
            "prompt_tokens_details": {"cached_tokens": cached_tokens},
        },
    }


def error(
    status: int,
    message: str = "something went wrong",
    *,
    code: str | None = None,
    kind: str = "invalid_request_error",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an error as the OpenAI protocol writes it."""
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Response(body, status=status, headers=headers or {})


def prompt_of(request: dict[str, Any]) -> str:
    """Return the text of a request's messages, joined by blank lines."""
    return "\n\n".join(str(message["content"]) for message in request["messages"])


class _Server(ThreadingHTTPServer):
    """Takes bursts of connections, and is quiet about those that a killed client breaks off."""

    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class ScriptedServer:
    """Serves `script` on a free port of 127.0.0.1 from `__enter__` to `__exit__`.

    `requests` are the JSON bodies received, in order, `headers` those of the last request,
    names in lower case;
    `busiest` is the largest number of requests that were open at one time.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: dict[str, str] = {}
        self.busiest = 0
        self.stopping = threading.Event()
        self._open = 0
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._http = _Server(("127.0.0.1", 0), _handler_of(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The base URL to give to a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def hits(self) -> int:
        """How many requests came in."""
        return len(self.requests)

    @property
    def hits_by_prompt(self) -> Counter[str]:
        """How many requests came in for each prompt (see `prompt_of`)."""
        return Counter(prompt_of(request) for request in list(self.requests))

    def answer(self, request: dict[str, Any], headers: dict[str, str]) -> Response | Action:
        """Count a request and ask the script what to do with it."""
        with self._lock:
            self.requests.append(request)
            self.headers = headers
            hit = len(self.requests)
            self._arrived.notify_all()
        said = self.script(request, hit)
        if isinstance(said, str):
            said = chat(said)
        return Response(said) if isinstance(said, dict) else said

    def wait_for_hits(self, hits: int) -> None:
        """Block until `hits` requests have come in."""
        with self._arrived:
            self._arrived.wait_for(lambda: len(self.requests) >= hits)

    def opened(self, change: int) -> None:
        """Note that a request was opened (1) or is done (-1)."""
        with self._lock:
            self._open += change
            self.busiest = max(self.busiest, self._open)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def _handler_of(server: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            server.opened(1)
            try:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self._act(server.answer(json.loads(body), headers))
            finally:
                server.opened(-1)

        def _act(self, said: Response | Action) -> None:
            if isinstance(said, Response):
                server.stopping.wait(said.delay)
                self._send(said)
                return
            if said is HANG:
                server.stopping.wait()
            self.close_connection = True

        def _send(self, response: Response) -> None:
            raw = response.body if isinstance(response.body, bytes) else _json(response.body)
            self.send_response(response.status)
            given = {"Content-Type": "application/json", **response.headers}
            for name, value in {**given, "Content-Length": str(len(raw))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing: a test's output is its own."""

    return Handler


def _json(body: dict[str, Any]) -> bytes:
    return json.dumps(body).encode()
