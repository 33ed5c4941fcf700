"""A prompt as it is sent: messages, and the images that go with them.

Everything here is found in `judge.types` as well, which is where others import it from.
"""

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all types that carry the flow: immutable, and strict about its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Image(Record):
    """A picture: the file it lies in, the sha256 of its bytes, and its media type."""

    path: str
    sha256: str
    media_type: str


class Message(NamedTuple):
    """One message of a prompt; its images follow the text."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[Image, ...] = ()


class Prompt(NamedTuple):
    """A rendered template: its name, the sha256 of its source, and the messages."""

    template: str
    sha256: str
    messages: tuple[Message, ...]
