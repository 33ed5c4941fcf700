"""The embedded model's provider, with a stand-in for the process that holds the model."""

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from judge.errors import ModelError
from judge.llm.faults import CallError
from judge.llm.providers import local
from judge.llm.providers.local import LocalProvider, local_identity, open_local
from judge.llm.request import Request, key
from judge.llm.retry import with_retries
from judge.types import Message

STAND_IN = """\
import http.server, json, os, pathlib, sys, threading, time
settings = json.loads(sys.stdin.readline())
home = pathlib.Path(__file__).parent
with (home / "starts").open("a") as starts:
    print(json.dumps({**settings, "pid": os.getpid()}), file=starts)
plan = (home / "plan").read_text()
if plan == "refuse":
    print(json.dumps({"error": "no such thing"}))
    sys.exit()
if plan == "crash":
    print("out of memory", file=sys.stderr)
    os._exit(9)
if plan == "hang":
    time.sleep(600)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        allowed = self.headers["Authorization"] == "Bearer " + settings["api_key"]
        if "die" in body["messages"][0]["content"]:
            os._exit(9)
        message = {"role": "assistant", "content": "yes"}
        answer = {
            "model": "whatever",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 1},
        } if allowed else {"error": {"message": "Invalid API Key"}}
        data, status = json.dumps(answer).encode(), 200 if allowed else 401
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers(), self.wfile.write(data)

    log_message = lambda self, *args: None

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
sys.stdin.read()
os._exit(0)
"""


class Process:
    """What the stand-in is to do, and how often it was started."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.plan("serve")

    def plan(self, plan: str) -> None:
        (self.home / "plan").write_text(plan)

    def starts(self) -> list[dict[str, object]]:
        path = self.home / "starts"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def pids_alive(self) -> list[int]:
        return [pid for start in self.starts() if _alive(pid := int(str(start["pid"])))]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Process:
    home = tmp_path / "stand-in"
    home.mkdir()
    (home / "server.py").write_text(STAND_IN)
    (tmp_path / "tiny.gguf").write_bytes(b"weights")
    monkeypatch.setenv("RAG_JUDGE_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(local, "_SCRIPT", home / "server.py")
    monkeypatch.chdir(tmp_path)
    return Process(home)


def request_to(provider: LocalProvider, text: str = "hello") -> Request:
    messages = (Message(role="user", content=text),)
    return Request(identity=provider.identity, messages=messages, params={"max_tokens": 5})


def with_provider(use: Callable[[LocalProvider], Awaitable[None]]) -> None:
    async def run() -> None:
        provider = open_local("./tiny.gguf")
        try:
            await use(provider)
        finally:
            await provider.aclose()

    asyncio.run(run())


def test_the_identity_is_the_weights_and_not_the_port(process: Process, tmp_path: Path) -> None:
    identity = local_identity("local/qwen2.5-coder-0.5b")
    assert identity.model == "qwen2.5-coder-0.5b@sha256:1d9614638d18"
    assert identity == local_identity("qwen2.5-coder-0.5b")
    assert (identity.kind, identity.base_url) == ("local", None)
    own = local_identity(f"local/{tmp_path / 'tiny.gguf'}")
    assert own == local_identity("./tiny.gguf")
    assert own.model.startswith("tiny.gguf@sha256:")
    (tmp_path / "tiny.gguf").write_bytes(b"other weights")
    assert local_identity("./tiny.gguf") != own


def test_an_unknown_model_is_refused_when_opened() -> None:
    with pytest.raises(ModelError, match="unknown embedded model 'local/gpt-2'"):
        open_local("gpt-2")


def test_nothing_is_started_before_the_first_request(process: Process) -> None:
    async def use(provider: LocalProvider) -> None:
        assert provider.identity.kind == "local"

    with_provider(use)
    assert process.starts() == []


def test_requests_are_answered_by_one_process(process: Process) -> None:
    async def use(provider: LocalProvider) -> None:
        asked = (provider.complete(request_to(provider), 30) for _ in range(5))
        for completion in await asyncio.gather(*asked):
            assert completion.text == "yes"
            assert completion.cost == 0.0
            assert completion.model == provider.identity.model
            assert completion.usage.prompt_tokens == 5
        assert len(process.pids_alive()) == 1

    with_provider(use)
    assert len(process.starts()) == 1
    assert process.pids_alive() == []


def test_the_process_is_told_what_to_hold(process: Process, tmp_path: Path) -> None:
    async def use(provider: LocalProvider) -> None:
        await provider.ready()

    with_provider(use)
    with_provider(use)
    first, second = process.starts()
    assert Path(str(first["path"])) == Path("tiny.gguf")
    assert (first["slots"], first["context"]) == (1, local.CONTEXT)
    assert isinstance(first["threads"], int)
    assert 1 <= first["threads"] <= (os.cpu_count() or 1)
    assert len(str(first["api_key"])) >= 32
    assert first["api_key"] != second["api_key"]


def test_the_key_of_a_request_is_the_same_in_every_process(process: Process) -> None:
    keys = set()

    async def use(provider: LocalProvider) -> None:
        await provider.ready()
        keys.add(key(request_to(provider)))

    with_provider(use)
    with_provider(use)
    assert len(keys) == 1


def test_no_proxy_comes_between(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)

    async def use(provider: LocalProvider) -> None:
        assert (await provider.complete(request_to(provider), 30)).text == "yes"

    with_provider(use)


@pytest.mark.parametrize(
    ("plan", "said"), [("refuse", "no such thing"), ("crash", "out of memory")]
)
def test_a_model_that_cannot_be_loaded_is_tried_once(
    process: Process, plan: str, said: str
) -> None:
    process.plan(plan)

    async def use(provider: LocalProvider) -> None:
        for _ in range(2):
            with pytest.raises(ModelError) as raised:
                await provider.complete(request_to(provider), 30)
            message = str(raised.value)
            assert message.startswith(f"local/./tiny.gguf cannot be loaded: {said}; ")
            assert "\n" not in message

    with_provider(use)
    assert len(process.starts()) == 1


def test_a_process_that_died_is_started_again(process: Process) -> None:
    async def use(provider: LocalProvider) -> None:
        with pytest.raises(CallError) as raised:
            await provider.complete(request_to(provider, "die"), 30)
        assert raised.value.retryable
        await gone(process)
        ask = partial(provider.complete, request_to(provider), 30)
        assert (await with_retries(ask, attempts=4)).text == "yes"

    with_provider(use)
    assert len(process.starts()) == 2
    assert process.pids_alive() == []


def _is_zombie(pid: object) -> bool:
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


async def gone(process: Process) -> None:
    """Wait until the process that the provider started is no more, but for its exit status."""
    pid = process.starts()[-1]["pid"]
    for _ in range(500):
        if sys.platform != "linux" or _is_zombie(pid):
            return
        await asyncio.sleep(0.02)
    pytest.fail("the process lives on")


def test_giving_up_one_request_does_not_end_the_loading(process: Process) -> None:
    async def use(provider: LocalProvider) -> None:
        first = asyncio.create_task(provider.complete(request_to(provider), 30))
        await asyncio.sleep(0)
        first.cancel()
        assert (await provider.complete(request_to(provider), 30)).text == "yes"

    with_provider(use)
    assert len(process.starts()) == 1


def test_closing_ends_a_loading_under_way(process: Process) -> None:
    process.plan("hang")

    async def use(provider: LocalProvider) -> None:
        waiting = asyncio.create_task(provider.complete(request_to(provider), 600))
        while not process.starts():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
        await provider.aclose()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with_provider(use)
    assert process.pids_alive() == []


def test_an_interrupted_loop_ends_the_loading(process: Process) -> None:
    process.plan("hang")

    async def run() -> None:
        provider = open_local("./tiny.gguf")
        waiting = asyncio.create_task(provider.ready())
        while not process.starts():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
        waiting.cancel()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run())
    assert process.pids_alive() == []


def test_a_provider_that_is_dropped_ends_its_process(process: Process) -> None:
    async def run() -> None:
        provider = open_local("./tiny.gguf")
        await provider.ready()
        assert len(process.pids_alive()) == 1

    asyncio.run(run())
    gc.collect()
    deadline = time.monotonic() + 30
    while process.pids_alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert process.pids_alive() == []


def test_closing_twice_or_before_the_first_request_is_fine(process: Process) -> None:
    async def use(provider: LocalProvider) -> None:
        await provider.aclose()
        await provider.ready()
        await provider.aclose()
        await provider.aclose()

    with_provider(use)


def test_a_missing_model_is_fetched_and_the_progress_told(
    process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int, str]] = []

    def fetched(name: str, progress: Callable[[int, int, str], None]) -> Path:
        progress(1, 2, name)
        return tmp_path / "tiny.gguf"

    monkeypatch.setattr(local, "pull", fetched)

    async def run() -> None:
        provider = open_local("qwen2.5-coder-0.5b", progress=lambda *step: told.append(step))
        assert told == []
        await provider.ready()
        await provider.aclose()

    asyncio.run(run())
    assert told == [(1, 2, "local/qwen2.5-coder-0.5b")]


def test_without_a_listener_the_progress_is_on_stderr(
    process: Process,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fetched(name: str, progress: Callable[[int, int, str], None]) -> Path:
        progress(10**8, 10**8, "a part")
        return tmp_path / "tiny.gguf"

    monkeypatch.setattr(local, "pull", fetched)
    with_provider(LocalProvider.ready)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "fetching local/./tiny.gguf: 100% of 100 MB (a part)\n")


def test_closing_ends_a_download_under_way(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []

    def endless(name: str, progress: Callable[[int, int, str], None]) -> Path:
        try:
            while True:
                progress(0, 1, "waiting")
                time.sleep(0.01)
        finally:
            ended.append(True)

    monkeypatch.setattr(local, "pull", endless)

    async def use(provider: LocalProvider) -> None:
        waiting = asyncio.create_task(provider.ready())
        await asyncio.sleep(0.05)
        await provider.aclose()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with_provider(use)
    assert ended == [True]
    assert process.starts() == []


def test_too_little_memory_is_said(
    process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:   100000 kB\n", encoding="ascii")
    monkeypatch.setattr(local, "_MEMINFO", meminfo)

    async def use(provider: LocalProvider) -> None:
        with pytest.raises(ModelError, match=r"needs about 0\.5 GB of memory and 0\.1 GB are"):
            await provider.complete(request_to(provider), 30)

    with_provider(use)
    assert process.starts() == []


@pytest.mark.parametrize("content", [None, "MemTotal: 9 kB\n"])
def test_a_system_that_does_not_tell_its_memory_tries(
    process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    meminfo = tmp_path / "meminfo"
    if content is not None:
        meminfo.write_text(content, encoding="ascii")
    monkeypatch.setattr(local, "_MEMINFO", meminfo)
    with_provider(LocalProvider.ready)
    assert len(process.starts()) == 1
