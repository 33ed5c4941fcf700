"""All the asking that one call needs: look it up, ask, check, and ask again in other words.

A call is asked as often as its caller allows, at most. What is asked next depends on what was
wrong: a reply that was cut off is asked for with twice the room, once; one that cannot be read,
with the error beneath the original prompt. Each is a request of its own, with its own key. A
request that is refused for a parameter is not a turn: it is put in simpler words and sent again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.errors import ReadError, StoppedError
from judge.llm.checks import UnreadableError, answer_of, unreadable
from judge.llm.dialect import Spoken
from judge.llm.faults import CallError, CallStoppedError
from judge.llm.providers.base import Completion
from judge.llm.replies import Found, Replies, tag_of
from judge.llm.request import Identity, Request, key
from judge.llm.sending import Sender, Try, understood
from judge.llm.settings import JudgeSettings
from judge.llm.turns import enlarged, repaired
from judge.parsing.likelihood import likelihood
from judge.types import Attempt, Call, Failure, Label, Reply, Token, Verdict

Read = Callable[[str], dict[str, Verdict]]
"""Reads an answer into one verdict for each unit of the call, or raises `ReadError`."""

Noted = Callable[[Attempt], None]
"""Hears of every attempt at once, so that none that was paid for is ever forgotten."""

Missed = Callable[[Request], None]
"""Hears of a request that the store has no reply to, where nothing else may be asked."""

_ADVICE = {
    "auth": "check the API key in the environment",
    "quota": "add credit to the account or use another model",
    "parameter": "check --model and --base-url",
}


@dataclass(frozen=True)
class Way:
    """How the calls of a client are made.

    Attributes:
        identity: which model answers.
        settings: how it is asked.
        replies: those of earlier runs.
        spoken: what of the protocol the model understands.
        sender: the way to the model; None answers from `replies` alone.
        missed: hears of requests without a stored reply, where there is no sender.
    """

    identity: Identity
    settings: JudgeSettings
    replies: Replies
    spoken: Spoken
    sender: Sender | None
    missed: Missed


class Exchange:
    """One call on its way to a reply; made for one `run`.

    Args:
        call: what is asked.
        first: the same as it is asked first.
        read: how an answer is read.
        way: how calls are made.
        turns: how often the call is asked at most.
        noted: hears of every attempt.
    """

    def __init__(
        self, call: Call, first: Request, read: Read, way: Way, turns: int, noted: Noted
    ) -> None:
        self._call, self._first, self._read = call, first, read
        self._way, self._noted = way, noted
        self._turns = 1 if way.sender is None else turns
        self._attempts: list[Attempt] = []
        self._unusable: list[Request] = []

    async def run(self) -> Reply | Failure:
        """Return the reply, or why there is none.

        Raises:
            CallStoppedError: no further call can be made.
        """
        request: Request | None = self._first
        while request is not None:
            try:
                return await self._answer(request)
            except CallError as error:
                fault = error
            if fault.fatal:
                raise self._stop(fault)
            self._unusable.append(self._put(request))
            request = self._following(request, fault)
        return Failure(
            key=key(self._put(self._first)),
            kind=fault.kind,
            message=str(fault),
            attempts=tuple(self._attempts),
        )

    def _following(self, request: Request, fault: CallError) -> Request | None:
        """What to ask after `request` met `fault`; None where nothing more is asked."""
        turn = len(self._unusable) + 1
        if turn > self._turns:
            return None
        if fault.kind == "truncated" and request.max_tokens == self._first.max_tokens:
            return enlarged(request)
        if isinstance(fault, UnreadableError):
            return repaired(request, self._first, str(fault), turn, self._turns)
        return None

    def _stop(self, fault: CallError) -> CallStoppedError:
        again = "then run the same command again: what is judged is kept"
        attempts = tuple(self._attempts)
        if fault.kind == "budget":
            message = f"the budget is reached: {fault}; give more, {again}"
            return CallStoppedError(message, attempts, exit_code=5)
        if fault.kind == "stopped":
            return CallStoppedError(str(fault), attempts, exit_code=StoppedError.exit_code)
        name, advice = self._way.identity.name, _ADVICE[fault.kind]
        message = f"{name} refuses every call: {fault}; {advice}, {again}"
        return CallStoppedError(message, attempts, exit_code=StoppedError.exit_code)

    def _put(self, request: Request) -> Request:
        """The request as this model is asked it."""
        return self._way.spoken.dialect.put(request)

    # --- one request -----------------------------------------------------------------------

    async def _answer(self, request: Request) -> Reply:
        found = self._found(request)
        if found is not None:
            if found.completion is None:
                raise CallError("parse", "answered in halves before")
            try:
                return self._recalled(found.key, found.completion)
            except CallError:
                if self._way.sender is None:
                    raise
        if self._way.sender is None:
            self._way.missed(self._put(request))
            raise CallError("offline", "no stored reply, and nothing else may be asked offline")
        return await self._asked(self._way.sender, request)

    def _found(self, request: Request) -> Found | None:
        """The stored reply; one to the request as it stands counts, whatever was learned since."""
        put = self._put(request)
        found = self._way.replies.find(key(put))
        return self._way.replies.find(key(request)) if found is None and put != request else found

    def _recalled(self, found_key: str, completion: Completion) -> Reply:
        """Read a stored reply again: what counts as readable may have changed since."""
        attempt = Attempt(key=found_key, cached=True, usage=completion.usage, cost=0.0)
        return self._checked(completion, None, attempt)

    async def _asked(self, sender: Sender, request: Request) -> Reply:
        dialect = self._way.spoken
        sent, (completion, cost, at_most, seconds) = await understood(
            sender, dialect, request, self._note_try
        )
        attempt = Attempt(
            key=key(sent),
            cached=False,
            usage=completion.usage,
            cost=cost,
            at_most=at_most,
            seconds=seconds,
        )
        reply = self._checked(completion, sent.max_tokens, attempt)
        tag = tag_of(self._way.identity, self._call.prompt.template)
        self._way.replies.keep(sent, completion, before=self._unusable, tag=tag)
        return reply

    def _note_try(self, sent: Request, lost: Try) -> None:
        attempt = Attempt(
            key=key(sent),
            cached=False,
            cost=lost.cost,
            at_most=lost.at_most,
            seconds=lost.seconds,
        )
        self._note(attempt, lost.fault)

    def _checked(self, completion: Completion, max_tokens: int | None, attempt: Attempt) -> Reply:
        try:
            verdicts = self._verdicts(answer_of(completion, max_tokens), completion)
        except CallError as fault:
            self._note(attempt, fault, completion.text or completion.reasoning)
            raise
        self._add(attempt)
        return Reply(
            key=attempt.key,
            model=completion.model,
            text=completion.text,
            verdicts=verdicts,
            attempts=tuple(self._attempts),
        )

    def _verdicts(self, answer: str, completion: Completion) -> dict[str, Verdict]:
        try:
            verdicts = self._read(answer)
        except ReadError as error:
            raise unreadable(answer, error) from None
        if completion.tokens is None or not self._call.labels:
            return verdicts
        tokens, labels = completion.tokens, self._call.labels
        return {unit: _weighed(verdict, tokens, labels) for unit, verdict in verdicts.items()}

    def _note(self, attempt: Attempt, fault: CallError, raw: str | None = None) -> None:
        self._add(attempt._replace(failure=fault.kind, message=str(fault), raw=raw))

    def _add(self, attempt: Attempt) -> None:
        self._attempts.append(attempt)
        self._noted(attempt)


def _weighed(verdict: Verdict, tokens: Sequence[Token], labels: Sequence[Label]) -> Verdict:
    """The verdict with how likely each label was, where that can be told."""
    found = likelihood(tokens, verdict.marks, labels) if verdict.marks is not None else None
    if found is None:
        return verdict
    detail = {**verdict.detail, "label_mass": found.mass}
    return verdict._replace(probabilities=found.probabilities, detail=detail)
