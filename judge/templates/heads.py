"""The head of a template: the TOML in the comment that it opens with."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from judge.errors import InputError
from judge.types import Record

Output = Literal["score-line", "label-line", "labels", "nugget-list", "sub-narratives", "yes-no"]
"""The forms of replies that templates may ask for."""

_HEAD = re.compile(r"\A\{#(.*?)#\}", re.DOTALL)


class Head(Record):
    """What a template says of itself.

    `max_tokens` bounds the reply, in tokens; a call that asks for several things at once has
    `max_tokens_per_item` more for each. `highest` is the top of the scale of a "score-line".
    `probabilities` asks for those of the labels, whatever the settings.
    """

    name: str
    version: str
    task: str
    source: str
    variables: tuple[str, ...]
    output: Output
    highest: int = Field(4, ge=1, le=100)
    max_tokens: int
    max_tokens_per_item: int = 0
    probabilities: bool = False


class HeadRead(NamedTuple):
    """A head, None where it cannot be read, and everything that is wrong with it."""

    head: Head | None
    errors: list[InputError]


def read_head(source: str, place: str) -> HeadRead:
    """Read the head of a template; `place` says where it is, for errors."""
    match = _HEAD.match(source)
    if match is None:
        expected = "a comment {# ... #} with TOML"
        return HeadRead(None, [InputError("no head", path=place, line=1, expected=expected)])
    try:
        data = tomllib.loads(match[1])
    except tomllib.TOMLDecodeError as error:
        line = _line_told(str(error))
        return HeadRead(None, [InputError(f"the head is not TOML: {error}", path=place, line=line)])
    try:
        return HeadRead(Head.model_validate(data), [])
    except ValidationError as error:
        return HeadRead(None, list(_wrong(error, source, place)))


def line_of(source: str, field: str) -> int:
    """Return the 1-based line on which a field of the head is set, 1 where it is not."""
    match = re.search(rf"^[ \t]*[\"']?{re.escape(field)}[\"']?[ \t]*=", source, re.MULTILINE)
    return 1 if match is None else source.count("\n", 0, match.start()) + 1


def _wrong(error: ValidationError, source: str, place: str) -> Iterator[InputError]:
    for entry in error.errors():
        field = ".".join(str(part) for part in entry["loc"])
        found: dict[str, Any] = {} if entry["type"] == "missing" else {"found": entry["input"]}
        line = line_of(source, str(entry["loc"][0]))
        yield InputError(entry["msg"], path=place, line=line, field=field, **found)


def _line_told(message: str) -> int:
    """The line that tomllib names, counted from that of the opening brace."""
    match = re.search(r"at line (\d+)", message)
    return int(match[1]) if match else 1
