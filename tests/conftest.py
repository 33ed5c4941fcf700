"""Fixtures that every test can use."""

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.faults.asking import SECRET
from tests.faults.raw import Raw, RawServer
from tests.faults.server import Script, ScriptedServer


def pytest_configure() -> None:
    """Take Ctrl-C: a shell that starts the tests in the background has programs ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def serve() -> Iterator[Callable[[Script], ScriptedServer]]:
    """Return a function that starts a server with a script; all stop when the test ends."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(ScriptedServer(script))


@pytest.fixture
def raw() -> Iterator[Raw]:
    """Start servers of raw bytes, which end with the test."""
    with ExitStack() as stack:
        yield lambda act: stack.enter_context(RawServer(act))


@pytest.fixture
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, and nothing in the environment that requests take another way by."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
