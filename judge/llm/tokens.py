"""How many tokens a text is, estimated before it is sent.

Every model has a vocabulary of its own; the one counted with here (cl100k, which litellm brings
along) is within some 15% of most on English prose, and further off on other scripts.
"""

import logging
import os
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from judge.types import Message

_log = logging.getLogger(__name__)

_PER_MESSAGE = 8  # what chat templates put around a message
_PER_IMAGE = 1_200  # a frame of some 1,000 by 1,000 pixels, in full detail
_PIECE = 10_000  # characters; the tokenizer is quadratic in the longest run without a blank
_CHARACTERS_PER_TOKEN = 3.0  # fewer than English has, so that the estimate is rather too high


def prompt_tokens(messages: Iterable[Message]) -> int:
    """Return about how many tokens the messages are for a model."""
    count = _counter()
    return sum(
        _PER_MESSAGE + count(message.content) + _PER_IMAGE * len(message.images)
        for message in messages
    )


@cache
def _counter() -> Callable[[str], int]:
    try:
        return _tokenizer()
    except Exception as error:  # noqa: BLE001 - whatever a vocabulary that is not there raises
        _log.warning("tokens are estimated by characters: no vocabulary to count with (%s)", error)
        return lambda text: round(len(text) / _CHARACTERS_PER_TOKEN)


def _tokenizer() -> Callable[[str], int]:
    spec = find_spec("litellm")  # its files are read, it is not imported: that takes seconds
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base")

    def count(text: str) -> int:
        pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces)

    return count
