"""Fixtures that every test can use."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.faults.server import Script, ScriptedServer


@pytest.fixture
def serve() -> Iterator[Callable[[Script], ScriptedServer]]:
    """Return a function that starts a server with a script; all stop when the test ends."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(ScriptedServer(script))
