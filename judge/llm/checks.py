"""Whether a completion may be read at all, and what of it is the answer.

In this order: the finish reason, empty content, a refusal, thinking blocks. What comes after them
is read by the task itself. Reasoning that a server sends in a field of its own is never read.
"""

import re

from judge.errors import ReadError, shorten
from judge.llm.faults import CallError
from judge.llm.providers.base import Completion
from judge.parsing import TruncatedReply, after_thinking

_CUT = {"length", "max_tokens", "model_length"}
_BROKEN = {"error"}
_FILTERED = {"content_filter", "safety"}
_DECLINES = re.compile(
    r"\W*(?:(?:i['’]m|i am) (?:sorry|unable|not able)|sorry|as an ai|"
    r"i (?:can(?:not|['’]t| not)|won['’]t|will not) "
    r"(?:help|assist|comply|answer|provide|judge|do|fulfil|continue|evaluate|rate))\b",
    re.IGNORECASE,
)


class UnreadableError(CallError):
    """A whole answer that does not hold what was asked; worth asking again with the error."""


def answer_of(completion: Completion, max_tokens: int | None) -> str:
    """Return the part of a completion that is the answer, never empty.

    Args:
        completion: what the model said.
        max_tokens: the cap it had, for the message; None where it had none.

    Raises:
        CallError: of kind truncated, blocked, transport, refused or empty.
    """
    reason = (completion.finish_reason or "").lower()
    if reason in _CUT:
        raise CallError(
            "truncated", f"the reply was cut off {_at(max_tokens)}; --max-tokens gives more room"
        )
    if reason in _FILTERED:
        raise CallError("blocked", "the provider's content filter stopped the reply")
    if reason in _BROKEN:
        raise CallError("transport", "the server broke the reply off")
    if completion.refusal:
        raise CallError("refused", f"the judge declined: {shorten(completion.refusal)}")
    answer = _after_thinking(completion.text, max_tokens).strip()
    if not answer:
        raise CallError("empty", _why_empty(completion))
    return answer


def unreadable(answer: str, error: ReadError) -> UnreadableError:
    """Return why `answer` cannot be read: cut off, a refusal in words, or not what was asked."""
    if isinstance(error, TruncatedReply):
        return UnreadableError("truncated", str(error))
    return UnreadableError("refused" if _DECLINES.match(answer) else "parse", str(error))


def _after_thinking(text: str, max_tokens: int | None) -> str:
    try:
        return after_thinking(text)
    except TruncatedReply:
        raise CallError(
            "truncated", f"a thinking block was never closed {_at(max_tokens)}"
        ) from None


def _at(max_tokens: int | None) -> str:
    return "at max_tokens" if max_tokens is None else f"at max_tokens = {max_tokens}"


def _why_empty(completion: Completion) -> str:
    if completion.text.strip():
        return "empty content: the reply holds a thinking block and nothing after it"
    if completion.reasoning:
        return (
            "empty content, but text in the reasoning field: the server's reasoning parser took "
            "the answer; turn that parser off for this model"
        )
    return "empty content"
