"""The judge, asked through one door: a call in, a checked reply or a failure out."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from judge.errors import UsageError
from judge.llm.dialect import Dialect, Spoken
from judge.llm.exchange import Exchange, Missed, Noted, Read, Way
from judge.llm.faults import CallStoppedError
from judge.llm.limits import Combined, Limit
from judge.llm.prices import Price
from judge.llm.providers.base import Provider
from judge.llm.replies import Replies, tag_of
from judge.llm.request import Identity
from judge.llm.retry import Sleep
from judge.llm.sending import Sender
from judge.llm.settings import JudgeSettings
from judge.llm.store import Store
from judge.llm.turns import first_request
from judge.types import Call, Failure, Reply

_HOSTED_CONCURRENCY = 16
_PATIENCE = 20
"""Calls one after the other that no answer came to, before the server is taken for dead."""


class JudgeClient:
    """Asks one model; any number of calls may be in flight, in one event loop.

    Args:
        provider: the way to the model; None where only the store is to answer.
        identity: which model answers; the provider's own where it has one.
        store: where replies are kept; None keeps none.
        settings: how calls are made.
        limits: what each request must pass, in this order.
        price: of the model's tokens; None where it is not known.
        sleep: how the pauses between tries are waited, in seconds.
        tell: takes a line for people: what of the protocol the model refuses.
        missed: hears of requests without a stored reply, where only the store is to answer.

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
        price: Price | None = None,
        sleep: Sleep = asyncio.sleep,
        tell: Callable[[str], None] = lambda text: None,
        missed: Missed = lambda request: None,
    ) -> None:
        settings = settings or JudgeSettings()
        if settings.offline and settings.fresh:
            raise UsageError("offline answers from the store alone and fresh ignores it: drop one")
        if provider is None and not settings.offline:
            raise UsageError("a judge needs a provider, unless it answers offline")
        sender = None
        if provider is not None and not settings.offline:
            sender = Sender(
                provider,
                limit=Combined(*limits),
                price=price,
                timeout=settings.timeout,
                attempts=settings.attempts,
                sleep=sleep,
            )
        self._tell = tell
        replies = Replies(store, fresh=settings.fresh)
        known = Dialect() if settings.fresh else replies.dialect(identity)
        spoken = Spoken(known, self._learned)
        self._way = Way(identity, settings, replies, spoken, sender, missed)
        self._asking: dict[str, asyncio.Event | None] = {}
        self._unanswered = 0

    @property
    def identity(self) -> Identity:
        """Which model answers."""
        return self._way.identity

    @property
    def dialect(self) -> Dialect:
        """What of the OpenAI protocol the model understands, as far as it is known."""
        return self._way.spoken.dialect

    @property
    def concurrency(self) -> int:
        """How many calls in flight suit the model: the embedded one answers one at a time."""
        return 1 if self.identity.kind == "local" else _HOSTED_CONCURRENCY

    async def ask(
        self,
        call: Call,
        read: Read,
        *,
        turns: int = 3,
        noted: Noted = lambda attempt: None,
        sample: int = 0,
    ) -> Reply | Failure:
        """Return the reply to `call`, from the store or from the model, or why there is none.

        Args:
            call: what is asked.
            read: reads an answer into one verdict for each unit, by unit_id, or raises
                `ReadError` in words that the judge can be shown.
            turns: how often to ask at most, while replies cannot be read.
            noted: hears of every attempt as soon as it is over.
            sample: which of several askings of the same call this is, from 0.

        Raises:
            CallStoppedError: no further call can be made: the provider refuses, the budget is
                reached, or no answer came to many calls one after the other.
            ModelError: the embedded model cannot be had.
        """
        first = first_request(call, self.identity, self._way.settings, sample)
        while first.key in self._asking:
            await self._over(first.key)  # then the reply is stored, unless there is none
        self._asking[first.key] = None
        try:
            outcome = await Exchange(call, first, read, self._way, turns, noted).run()
        finally:
            over = self._asking.pop(first.key)
            if over is not None:
                over.set()
        self._listen(outcome)
        return outcome

    async def _over(self, key: str) -> None:
        """Wait until what is asked now under `key` is over."""
        over = self._asking[key] = self._asking[key] or asyncio.Event()
        await over.wait()

    def _listen(self, outcome: Reply | Failure) -> None:
        """Stop where the server seems dead, or refuses whatever is sent."""
        if isinstance(outcome, Reply) or outcome.kind not in ("transport", "parameter"):
            self._unanswered = 0
            return
        self._unanswered += 1
        if self._unanswered >= _PATIENCE:
            raise CallStoppedError(
                f"{self.identity.name} answered none of the last {_PATIENCE} calls: "
                f"{outcome.message}; see whether the server is well, then run the same command "
                "again: what is judged is kept",
                outcome.attempts,
            )

    def _learned(self, dialect: Dialect) -> None:
        self._way.replies.keep_dialect(self.identity, dialect)
        self._tell(f"{self.identity.name} is asked {dialect.told()}, since it refuses otherwise")

    def halt(self) -> set[asyncio.Task[Any]]:
        """Send nothing more; return the tasks whose request is under way and may be let end."""
        return set() if self._way.sender is None else self._way.sender.halt()

    def keep_halved(self, call: Call) -> None:
        """Note for later runs that `call` was answered only in halves."""
        request = first_request(call, self.identity, self._way.settings)
        self._way.replies.keep_halved(request, tag=tag_of(self.identity, call.prompt.template))

    async def aclose(self) -> None:
        """Close the connections; the store stays open."""
        if self._way.sender is not None:
            await self._way.sender.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()
