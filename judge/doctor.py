"""A look at a model and its server before money is spent: a few short calls, and what to set."""

import asyncio
from dataclasses import dataclass
from typing import Any, NamedTuple

from judge.clients import price_of
from judge.errors import ReadError, StoppedError
from judge.llm import CallError, Combined, Dialect, Identity, Request
from judge.llm.dialect import Spoken
from judge.llm.providers import Completion, Provider, identity_of, open_provider
from judge.llm.retry import Sleep
from judge.llm.sending import Sender, understood
from judge.parsing import after_thinking, json_object
from judge.settings import Settings
from judge.types import Message

_ROOM = 200  # tokens of a reply: models that think need more than the word that is asked for
_LABELS = ("full", "partial", "none")
_SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": list(_LABELS)}},
    "required": ["label"],
    "additionalProperties": False,
}
_FORM = {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": _SCHEMA}}
_LOGPROBS: dict[str, Any] = {"logprobs": True, "top_logprobs": 5}
_PADDING = "A topic is told once and stands before every document that is judged for it. " * 120


class Finding(NamedTuple):
    """Something that was looked at: how it is, and what to set because of it.

    `works` is None where it cannot be told.
    """

    what: str
    works: bool | None
    found: str
    advice: str = ""


@dataclass(frozen=True)
class Examination:
    """What was found of a model, and what finding it out cost in US dollars (None: not known)."""

    identity: Identity
    findings: tuple[Finding, ...]
    calls: int
    cost: float | None


async def examine(settings: Settings, *, sleep: Sleep = asyncio.sleep) -> Examination:
    """Ask a model four to seven short questions and report what its server supports.

    Raises:
        ModelError: the model is not known, or has no key.
        StoppedError: it does not answer at all.
    """
    identity = identity_of(settings.model, settings.base_url)
    provider = open_provider(settings.model, settings.base_url, parallel=settings.concurrency)
    doctor = _Doctor(settings, identity, provider, sleep)
    try:
        findings = await doctor.findings()
    finally:
        await provider.aclose()
    return Examination(identity, tuple(findings), doctor.calls, doctor.cost)


class _Doctor:
    """The questions, and what the answers say."""

    def __init__(
        self, settings: Settings, identity: Identity, provider: Provider, sleep: Sleep
    ) -> None:
        self._settings, self._identity = settings, identity
        self._price = price_of(settings, identity)
        self._sender = Sender(
            provider,
            limit=Combined(),
            price=self._price,
            timeout=settings.timeout,
            attempts=2,
            sleep=sleep,
        )
        self._spoken = Spoken(Dialect(), lambda dialect: None)
        self.calls = 0
        self.cost: float | None = 0.0
        self._seconds = 0.0

    async def findings(self) -> list[Finding]:
        """Everything, the most important first."""
        first = await self._first()
        return [
            self._answer(first),
            self._usage(first),
            self._temperature(),
            self._cap(),
            await self._json(),
            await self._logprobs(),
            await self._prefix(),
            self._priced(),
        ]

    async def _first(self) -> Completion:
        try:
            return await self._ask("Reply with the one word ready.")
        except CallError as error:
            raise StoppedError(
                f"{self._identity.name} does not answer: {error} ({error.kind}); see --model, "
                "--base-url and the key in the environment"
            ) from error

    async def _ask(self, text: str, **params: Any) -> Completion:
        temperature = {"temperature": self._settings.temperature}
        request = Request(
            identity=self._identity,
            messages=(Message(role="user", content=text),),
            params={"max_tokens": _ROOM, **temperature, **params},
        )

        def failed(sent: Request, lost: object) -> None:
            del sent, lost
            self.calls += 1

        _, answered = await understood(self._sender, self._spoken, request, failed)
        self.calls += 1
        known = self.cost is not None and answered.cost is not None
        self.cost = (self.cost or 0.0) + (answered.cost or 0.0) if known else None
        self._seconds = answered.seconds
        return answered.completion

    def _answer(self, first: Completion) -> Finding:
        found = f"{first.model}, {self._seconds:.2f} s, finish reason {first.finish_reason}"
        if first.text.strip():
            return Finding("answers", True, found)
        advice = "give --max-tokens more room, or turn off the server's reasoning parser"
        return Finding("answers", False, f"{found}, but empty content", advice)

    def _usage(self, first: Completion) -> Finding:
        usage = first.usage
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return Finding("usage", False, "no token counts", "costs cannot be known")
        tokens = f"{usage.prompt_tokens} prompt and {usage.completion_tokens} reply tokens"
        return Finding("usage", True, tokens)

    def _temperature(self) -> Finding:
        if self._spoken.dialect.temperature:
            return Finding("temperature", True, f"{self._settings.temperature:g} is taken")
        found = "refused; it is asked without, and labels may differ from call to call"
        return Finding("temperature", False, found, "nothing: this is done by itself")

    def _cap(self) -> Finding:
        cap = self._spoken.dialect.cap
        plain = cap == "max_tokens"
        advice = "" if plain else "--max-tokens 2000 or more, if it thinks before it answers"
        return Finding("max_tokens", plain, "taken" if plain else f"{cap} instead", advice)

    async def _json(self) -> Finding:
        question = (
            'Does "it rained" say that it rained? Reply in JSON, as {"label": "full"}, with full, '
            "partial or none."
        )
        try:
            answer = await self._ask(question, response_format=_FORM)
        except CallError as error:
            return Finding("JSON replies", False, str(error), "batches of nuggets may fail")
        form = self._spoken.dialect.form
        if not _is_label(answer.text):
            return Finding("JSON replies", False, f"{form}, but not obeyed", "see the reply's form")
        return Finding("JSON replies", form == "json_schema", f"{form}, obeyed")

    async def _logprobs(self) -> Finding:
        try:
            answer = await self._ask("Reply with yes or no: is water wet?", **_LOGPROBS)
        except CallError as error:
            return Finding("logprobs", False, f"refused: {error}", "no expected grades")
        if not answer.tokens or not any(token.top for token in answer.tokens):
            return Finding("logprobs", False, "not sent", "no expected grades")
        most = max(len(token.top) for token in answer.tokens)
        return Finding("logprobs", True, f"{most} alternatives a token")

    async def _prefix(self) -> Finding:
        """Whether the start that two prompts have in common is evaluated once."""
        try:
            await self._ask(f"{_PADDING}\nReply with the one word first.")
            second = await self._ask(f"{_PADDING}\nReply with the one word second.")
        except CallError as error:
            return Finding("prefix cache", None, str(error))
        cached = second.usage.cached_tokens
        if cached is None:
            advice = "vLLM: --enable-prefix-caching, and --enable-prompt-tokens-details to see it"
            return Finding("prefix cache", None, "the server does not tell", advice)
        share = f"{cached} of {second.usage.prompt_tokens} prompt tokens"
        return Finding("prefix cache", cached > 0, share)

    def _priced(self) -> Finding:
        if self._price is None:
            return Finding("price", None, "not known", "--price IN,OUT, if it has one")
        million = 1e6
        prompt, reply = self._price.prompt * million, self._price.reply * million
        return Finding("price", True, f"${prompt:g} and ${reply:g} for a million tokens")


def _is_label(text: str) -> bool:
    try:
        return json_object(after_thinking(text)).get("label") in _LABELS
    except ReadError:
        return False
