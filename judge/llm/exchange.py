"""All the asking that one call needs: look it up, ask, check, and ask again in other words.

A call is asked as often as its caller allows, at most. What is asked next depends on what was
wrong: a reply that was cut off is asked for with twice the room, once; one that cannot be read,
with the error beneath the original prompt. Each is a request of its own, with its own key.
"""

from collections.abc import Callable

from judge.errors import ReadError
from judge.llm.checks import UnreadableError, answer_of, unreadable
from judge.llm.faults import CallError, CallStoppedError
from judge.llm.providers.base import Completion
from judge.llm.replies import Replies, tag_of
from judge.llm.request import Identity, Request, key
from judge.llm.sending import Sender
from judge.llm.settings import JudgeSettings
from judge.llm.turns import enlarged, first_request, repaired
from judge.types import Attempt, Call, Failure, Reply, Verdict

Read = Callable[[str], dict[str, Verdict]]
"""Reads an answer into one verdict for each unit of the call, or raises `ReadError`."""

_ADVICE = {
    "auth": "check the API key in the environment",
    "quota": "add credit to the account or use another model",
    "parameter": "check --model and --base-url",
}


class Exchange:
    """One call on its way to a reply; made for one `run`.

    Args:
        call: what is asked.
        read: how an answer is read.
        identity: which model answers.
        settings: how calls are made.
        replies: replies of earlier runs.
        sender: the way to the model; None answers from `replies` alone.
        turns: how often the call is asked at most.
    """

    def __init__(
        self,
        call: Call,
        read: Read,
        *,
        identity: Identity,
        settings: JudgeSettings,
        replies: Replies,
        sender: Sender | None,
        turns: int,
    ) -> None:
        self._call, self._read = call, read
        self._identity, self._settings = identity, settings
        self._replies, self._sender = replies, sender
        self._first = first_request(call, identity, settings)
        self._turns = 1 if sender is None else turns
        self._attempts: list[Attempt] = []
        self._unusable: list[Request] = []

    async def run(self) -> Reply | Failure:
        """Return the reply, or why there is none.

        Raises:
            CallStoppedError: the provider would refuse every further call as well.
        """
        if not self._settings.fresh and self._replies.was_halved(key(self._first)):
            return Failure(key=key(self._first), kind="parse", message="answered in halves before")
        request: Request | None = self._first
        while request is not None:
            try:
                return await self._answer(request)
            except CallError as error:
                fault = error
            if fault.fatal:
                raise CallStoppedError(self._why_stopped(fault), tuple(self._attempts))
            self._unusable.append(request)
            request = self._following(request, fault)
        return Failure(
            key=key(self._first),
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

    def _why_stopped(self, fault: CallError) -> str:
        advice = _ADVICE[fault.kind]
        return (
            f"{self._identity.name} refuses every call: {fault}; {advice}, then run the same "
            "command again: what is judged is kept"
        )

    # --- one request -----------------------------------------------------------------------

    async def _answer(self, request: Request) -> Reply:
        found = None if self._settings.fresh else self._replies.find(key(request))
        if found is not None:
            try:
                return self._recalled(*found)
            except CallError:
                if self._sender is None:
                    raise
        if self._sender is None:
            raise CallError("offline", "no stored reply, and nothing else may be asked offline")
        return await self._asked(self._sender, request)

    def _recalled(self, found_key: str, completion: Completion) -> Reply:
        """Read a stored reply again: what counts as readable may have changed since."""
        attempt = Attempt(key=found_key, cached=True, usage=completion.usage, cost=0.0)
        return self._checked(completion, None, attempt)

    async def _asked(self, sender: Sender, request: Request) -> Reply:
        asked_key = key(request)

        def failed(fault: CallError, seconds: float) -> None:
            # an error status is not billed; of a lost or broken answer nobody knows
            refused = fault.status is not None and fault.status >= 400
            cost = 0.0 if refused else None
            self._note(Attempt(key=asked_key, cached=False, cost=cost, seconds=seconds), fault)

        completion, seconds = await sender.send(request, failed)
        attempt = Attempt(
            key=asked_key,
            cached=False,
            usage=completion.usage,
            cost=completion.cost,
            seconds=seconds,
        )
        reply = self._checked(completion, request.max_tokens, attempt)
        self._replies.keep(
            request,
            completion,
            before=self._unusable,
            tag=tag_of(self._identity, self._call.prompt.template),
        )
        return reply

    def _checked(self, completion: Completion, max_tokens: int | None, attempt: Attempt) -> Reply:
        try:
            verdicts = self._verdicts(answer_of(completion, max_tokens))
        except CallError as fault:
            self._note(attempt, fault, completion.text or completion.reasoning)
            raise
        self._attempts.append(attempt)
        return Reply(
            key=attempt.key,
            model=completion.model,
            text=completion.text,
            verdicts=verdicts,
            attempts=tuple(self._attempts),
        )

    def _verdicts(self, answer: str) -> dict[str, Verdict]:
        try:
            return self._read(answer)
        except ReadError as error:
            raise unreadable(answer, error) from None

    def _note(self, attempt: Attempt, fault: CallError, raw: str | None = None) -> None:
        failed = {"failure": fault.kind, "message": str(fault), "raw": raw}
        self._attempts.append(attempt.model_copy(update=failed))
