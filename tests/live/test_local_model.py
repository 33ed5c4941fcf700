"""The embedded model itself, the smaller one: loaded, asked, and gone afterwards."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from judge.llm.faults import CallError
from judge.llm.providers.base import Completion
from judge.llm.providers.local import CONTEXT, LocalProvider, open_local
from judge.llm.request import Request
from judge.types import Message

pytestmark = [pytest.mark.live_local, pytest.mark.usefixtures("small_model")]

NAME = "local/qwen2.5-coder-0.5b"
TIMEOUT = 300.0
INSTRUCTION = "You decide whether a passage mentions a colour. Answer with the given labels only. "
SCHEMA = {
    "type": "object",
    "properties": {"label": {"enum": ["yes", "no"]}, "count": {"type": "integer"}},
    "required": ["label", "count"],
    "additionalProperties": False,
}


def request_to(provider: LocalProvider, text: str, **params: Any) -> Request:
    messages = (
        Message(role="system", content=INSTRUCTION * 10),
        Message(role="user", content=text),
    )
    params = {"temperature": 0, "max_tokens": 30, **params}
    return Request(identity=provider.identity, messages=messages, params=params)


def with_provider(use: Callable[[LocalProvider], Awaitable[None]]) -> None:
    async def run() -> None:
        provider = open_local(NAME)
        try:
            await use(provider)
        finally:
            await provider.aclose()

    asyncio.run(run())


def test_two_calls_share_the_start_of_their_prompts(capfd: pytest.CaptureFixture[str]) -> None:
    replies: list[Completion] = []
    response_format = {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }

    async def use(provider: LocalProvider) -> None:
        plain = request_to(provider, "Passage: The sea is blue. Is there a colour?")
        formed = request_to(
            provider, "Passage: Two red boats.", response_format=response_format, seed=1
        )
        replies.append(await provider.complete(plain, TIMEOUT))
        replies.append(await provider.complete(formed, TIMEOUT))

    with_provider(use)
    first, second = replies
    assert first.text
    answer = json.loads(second.text)
    assert set(answer) == {"label", "count"}
    assert answer["label"] in ("yes", "no")
    assert second.finish_reason == "stop"
    assert first.usage.prompt_tokens is not None
    assert (first.usage.cached_tokens, first.cost) == (0, 0.0)
    assert second.usage.cached_tokens is not None
    assert second.usage.cached_tokens > 0.5 * first.usage.prompt_tokens
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_others_are_refused_and_the_server_is_gone_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from judge.llm.providers import local

    urls: list[str] = []
    start = local.ModelServer.start

    def noted(self: local.ModelServer, name: str, settings: dict[str, Any]) -> str:
        urls.append(start(self, name, settings))
        return urls[-1]

    monkeypatch.setattr(local.ModelServer, "start", noted)

    async def use(provider: LocalProvider) -> None:
        await provider.ready()
        with pytest.raises(urllib.error.HTTPError, match="401"):
            await asyncio.to_thread(urllib.request.urlopen, f"{urls[0]}/v1/models", timeout=30)

    with_provider(use)
    assert urls[0].startswith("http://127.0.0.1:")
    with pytest.raises(urllib.error.URLError, match="refused"):
        urllib.request.urlopen(f"{urls[0]}/v1/models", timeout=30)


def test_a_prompt_beyond_the_context_is_told_as_one() -> None:
    async def use(provider: LocalProvider) -> None:
        with pytest.raises(CallError) as raised:
            await provider.complete(request_to(provider, "word " * CONTEXT), TIMEOUT)
        assert raised.value.kind == "context"

    with_provider(use)


def test_closing_while_it_answers_does_not_hang() -> None:
    async def use(provider: LocalProvider) -> None:
        await provider.ready()
        long = request_to(provider, "Tell a story.", max_tokens=2000, ignore_eos=True)
        waiting = asyncio.create_task(provider.complete(long, TIMEOUT))
        await asyncio.sleep(1)
        await asyncio.wait_for(provider.aclose(), 60)
        with pytest.raises(CallError):
            await waiting

    with_provider(use)


PARENT = f"""
import asyncio, sys
from judge.llm.providers.local import open_local
async def main():
    provider = open_local({NAME!r})
    await provider.ready()
    print(provider._server._process.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_the_model_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(pid, 0)
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
