"""What a call asks first, and what it asks after a reply that could not be used."""

from typing import Any

from judge.llm.request import Identity, Request
from judge.llm.settings import JudgeSettings
from judge.types import Call, Message

_TOP = 20
"""Alternatives a token that are asked for: the most that servers give."""


def first_request(
    call: Call, identity: Identity, settings: JudgeSettings, sample: int = 0
) -> Request:
    """Return the request that a sample of `call` is, with nothing in it that is not sent."""
    params: dict[str, Any] = {"max_tokens": settings.max_tokens or call.max_tokens}
    if settings.temperature is not None:
        params["temperature"] = settings.temperature
    if call.reply_schema is not None:
        form = {"name": "reply", "strict": True, "schema": call.reply_schema}
        params["response_format"] = {"type": "json_schema", "json_schema": form}
    if (settings.logprobs or call.weighed) and call.labels:
        params |= {"logprobs": True, "top_logprobs": _TOP}
    return Request(
        identity=identity,
        messages=call.prompt.messages,
        params=params,
        sample=settings.sample + sample,
    )


def enlarged(request: Request) -> Request:
    """Return `request` with room for a reply twice as long."""
    return request.with_max_tokens(2 * (request.max_tokens or 1))


def repaired(request: Request, original: Request, error: str, turn: int, turns: int) -> Request:
    """Return `request` with the original prompt and, beneath it, what was wrong with the reply.

    The note goes into the last message of the user: many chat templates refuse two messages of
    one role in a row. Unreadable replies are not repeated to the judge, which would copy them.

    Args:
        request: the request that gave the unreadable reply.
        original: the first request of the call.
        error: why the reply could not be read.
        turn: number of this turn, from 2.
        turns: number of the last turn.
    """
    note = (
        f"Your reply to this could not be used: {error}\n"
        "Answer again, in exactly the form asked for above and with nothing else "
        f"(attempt {turn} of {turns})."
    )
    *others, last = original.messages
    if last.role == "user":
        prompt = (*others, last._replace(content=f"{last.content}\n\n{note}"))
    else:
        prompt = (*original.messages, Message(role="user", content=note))
    return Request(
        identity=request.identity, messages=prompt, params=request.params, sample=request.sample
    )
