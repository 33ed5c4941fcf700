"""What a reply says after its thinking blocks."""

import re

from judge.errors import ReadError
from judge.parsing.json_text import closing, load
from judge.parsing.truncated import TruncatedThinking

THINKING_TAGS = ("think", "thinking", "thought", "reasoning", "seed:think")

_THINKING = re.compile(rf"<\s*+/?\s*+(?:{'|'.join(THINKING_TAGS)})\s*+>|\[/?THINK\]", re.IGNORECASE)


def after_thinking(text: str) -> str:
    """Return what a reply says after its thinking blocks.

    A reply without thinking tags (`THINKING_TAGS` in any case, `[THINK]`), or one that is a JSON
    object as it stands, is returned unchanged. Otherwise the answer is what follows the last
    closing tag, without surrounding white space; the opening tag may be missing, as some servers
    drop it.

    Raises:
        TruncatedThinking: a tag is opened and never closed.
    """
    tags = list(_THINKING.finditer(text))
    if not tags or _is_object(text):
        return text
    closings = [tag.end() for tag in tags if "/" in tag[0]]
    answer = text[closings[-1] :].strip() if closings else text
    if "/" not in tags[-1][0] and not _is_object(answer):
        raise TruncatedThinking(
            "the reply ends inside a thinking block; think less, close it, and then answer"
        )
    return answer


def thinking_end(text: str) -> int:
    """Return where the answer of a reply begins: after its last thinking block, else at 0."""
    closings = [tag.end() for tag in _THINKING.finditer(text) if "/" in tag[0]]
    return closings[-1] if closings and not _is_object(text) else 0


def _is_object(text: str) -> bool:
    text = text.strip()
    if not text.startswith("{"):
        return False
    try:
        return closing(text, 0) == len(text) and bool(load(text))
    except ReadError:
        return False
