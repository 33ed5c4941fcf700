"""Replies that stop before they are complete."""

from judge.errors import ReadError


class TruncatedReply(ReadError):  # noqa: N818  (an outcome of a reply, named as `types` names it)
    """A reply that stops before it is complete; a larger token limit may help."""


class TruncatedThinking(TruncatedReply):
    """A reply that stops inside a thinking block, before any answer."""
