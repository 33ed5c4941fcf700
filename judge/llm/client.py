"""The judge, asked through one door: a call in, a checked reply or a failure out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

from judge.errors import UsageError
from judge.llm.exchange import Exchange, Read
from judge.llm.limits import Combined, Limit
from judge.llm.providers.base import Provider
from judge.llm.replies import Replies, tag_of
from judge.llm.request import Identity, key
from judge.llm.retry import Sleep
from judge.llm.sending import Sender
from judge.llm.settings import JudgeSettings
from judge.llm.store import Store
from judge.llm.turns import first_request
from judge.types import Call, Failure, Reply

_HOSTED_CONCURRENCY = 16


class JudgeClient:
    """Asks one model; any number of calls may be in flight, in one event loop.

    Args:
        provider: the way to the model; None where only the store is to answer.
        identity: which model answers; the provider's own where it has one.
        store: where replies are kept; None keeps none.
        settings: how calls are made.
        limits: what each request must pass, in this order.
        sleep: how the pauses between tries are waited, in seconds.

    Raises:
        UsageError: there is neither a provider nor `settings.offline`, or both ways of
            answering are shut (`offline` with `fresh`).
    """

    def __init__(
        self,
        provider: Provider | None,
        identity: Identity,
        *,
        store: Store | None = None,
        settings: JudgeSettings | None = None,
        limits: tuple[Limit, ...] = (),
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._settings = settings = settings or JudgeSettings()
        self._identity, self._replies = identity, Replies(store)
        self._sender: Sender | None = None
        self._asking: dict[str, tuple[asyncio.Lock, int]] = {}
        if settings.offline and settings.fresh:
            raise UsageError("offline answers from the store alone and fresh ignores it: drop one")
        if settings.offline:
            return
        if provider is None:
            raise UsageError("a judge needs a provider, unless it answers offline")
        self._sender = Sender(
            provider,
            limit=Combined(*limits),
            timeout=settings.timeout,
            attempts=settings.attempts,
            sleep=sleep,
        )

    @property
    def identity(self) -> Identity:
        """Which model answers."""
        return self._identity

    @property
    def concurrency(self) -> int:
        """How many calls in flight suit the model: the embedded one answers one at a time."""
        return 1 if self._identity.kind == "local" else _HOSTED_CONCURRENCY

    async def ask(self, call: Call, read: Read, *, turns: int = 3) -> Reply | Failure:
        """Return the reply to `call`, from the store or from the model, or why there is none.

        Args:
            call: what is asked.
            read: reads an answer into one verdict for each unit, by unit_id, or raises
                `ReadError` in words that the judge can be shown.
            turns: how often to ask at most, while replies cannot be read.

        Raises:
            CallStoppedError: the provider would refuse every further call as well.
            ModelError: the embedded model cannot be had.
        """
        async with self._alone(key(first_request(call, self._identity, self._settings))):
            return await self._exchange(call, read, turns).run()

    def _exchange(self, call: Call, read: Read, turns: int) -> Exchange:
        return Exchange(
            call,
            read,
            identity=self._identity,
            settings=self._settings,
            replies=self._replies,
            sender=self._sender,
            turns=turns,
        )

    @asynccontextmanager
    async def _alone(self, first: str) -> AsyncIterator[None]:
        """Let equal calls go one after the other: the later ones find the reply stored."""
        lock, waiting = self._asking.get(first, (asyncio.Lock(), 0))
        self._asking[first] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._asking.pop(first)
            if waiting > 1:
                self._asking[first] = (lock, waiting - 1)

    def keep_halved(self, call: Call) -> None:
        """Note for later runs that `call` was answered only in halves."""
        request = first_request(call, self._identity, self._settings)
        self._replies.keep_halved(request, tag=tag_of(self._identity, call.prompt.template))

    async def aclose(self) -> None:
        """Close the connections; the store stays open."""
        if self._sender is not None:
            await self._sender.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
