"""What a server says of its limits, over HTTP, holds back what is sent next."""

from typing import Any

import pytest

from judge.llm import Limit, ServerPace
from tests.faults.asking import MODELS, MemoryStore, ask, call_for
from tests.faults.commands import Serve
from tests.faults.server import Response, chat, error

HEADERS = {
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "17s",
    "x-ratelimit-remaining-tokens": "100000",
    "x-ratelimit-reset-tokens": "1s",
}


class Watch:
    """A clock that moves as it is waited for, and what was waited."""

    def __init__(self) -> None:
        self.now, self.waited = 0.0, list[float]()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds

    def limits(self) -> tuple[Limit, ...]:
        return (ServerPace(clock=self, sleep=self.sleep),)


@pytest.mark.parametrize("model", MODELS)
def test_a_limit_that_is_used_up_is_waited_for(serve: Serve, model: str) -> None:
    def script(request: dict[str, Any], hit: int) -> Response:
        return Response(chat("hm" if hit == 1 else "grade 2"), headers=HEADERS)

    watch = Watch()
    server = serve(script)
    outcome = ask(server.url, model, limits=watch.limits)
    assert outcome.reply
    assert server.hits == 2
    assert watch.waited == [17.0]


@pytest.mark.parametrize("model", MODELS)
def test_a_retry_after_holds_every_request_back(serve: Serve, model: str) -> None:
    def script(request: dict[str, Any], hit: int) -> Response:
        if hit == 1:
            return error(429, "slow down", headers={"Retry-After": "9"})
        return Response(chat("grade 2"))

    watch = Watch()
    server = serve(script)
    outcome = ask(server.url, model, limits=watch.limits)
    assert outcome.reply
    assert watch.waited == [9.0]


def test_what_a_server_says_of_its_limits_is_not_kept(serve: Serve) -> None:
    server = serve(lambda request, hit: Response(chat("grade 2"), headers=HEADERS))
    store = MemoryStore()
    ask(server.url, MODELS[0], call_for(), store=store)
    assert "pace" not in str(store.rows)
    assert "ratelimit" not in str(store.rows)
