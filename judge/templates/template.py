"""A template, rendered into the messages of a prompt."""

import hashlib
import traceback
from collections.abc import Iterator
from typing import Any

import jinja2

from judge.errors import UsageError
from judge.images import check_together, look_at
from judge.templates.bodies import ROLES, read_body
from judge.templates.heads import read_head
from judge.templates.pieces import Rendering
from judge.types import Document, Message, Prompt

_FAULTS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What an expression of a template can raise."""


class RenderError(UsageError):
    """A template that fails on its values: for what `reason`, on which 1-based line if known."""

    def __init__(self, name: str, reason: str, line: int | None) -> None:
        self.reason, self.line = reason, line
        place = "" if line is None else f" (line {line})"
        super().__init__(f"template {name}: cannot be rendered: {reason}{place}")


class Template:
    """A checked template.

    Args:
        source: the text of the file.
        place: where it is, for errors.
        images: show the images of documents to the judge, after the text.

    Attributes:
        head: what the file declares.
        sha256: of the file's text, its line ends folded to a bare newline.

    Raises:
        InputError: its head or body is not as it should be; the first thing that is wrong.
    """

    def __init__(self, source: str, *, place: str, images: bool = False) -> None:
        source = source.replace("\r\n", "\n")
        head, errors = read_head(source, place)
        if head is None:
            raise errors[0]
        body = read_body(source, place, head.variables)
        if body.compiled is None:
            raise body.errors[0]
        self.head = head
        self.sha256 = hashlib.sha256(source.encode()).hexdigest()
        self._compiled, self._images = body.compiled, images
        self._blocks = [
            (role, [Rendering(body.compiled, piece) for piece in body.pieces if piece.of == role])
            for role in ROLES
            if any(piece.of == role for piece in body.pieces)
        ]

    def shows(self, document: Document) -> bool:
        """Whether a prompt shows anything of a document, which may have nothing but images."""
        return self._images or not document.images or bool(document.text.strip())

    def render(self, **values: Any) -> Prompt:
        """Render the messages; `values` are the declared variables.

        Raises:
            RenderError: a value is missing or the template fails on it.
            InputError: an image of a document cannot be shown.
        """
        name = self.head.name
        try:
            messages = list(self._messages(values))
        except _FAULTS as error:
            raise RenderError(name, str(error), self._line_of(error)) from error
        if self._images:
            messages[-1] = _illustrated(messages[-1], values)
        return Prompt(template=name, sha256=self.sha256, messages=tuple(messages))

    def _line_of(self, error: Exception) -> int | None:
        """The line of the template that an error comes from."""
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == "<template>"]
        return self._compiled.get_corresponding_lineno(lines[-1]) if lines and lines[-1] else None

    def _messages(self, values: dict[str, Any]) -> Iterator[Message]:
        context, topic = self._compiled.new_context(values), values.get("topic")
        for role, pieces in self._blocks:
            content = "".join([piece.text(context, topic) for piece in pieces])
            yield Message(role=role, content=content.strip())


def _illustrated(message: Message, values: dict[str, Any]) -> Message:
    """The message with the images of the documents among the values, which it says follow."""
    documents = [document for value in values.values() for document in _documents_in(value)]
    images = [[look_at(path, d.docid) for path in d.images] for d in documents]
    together = tuple(image for found in images for image in found)
    if not together:
        return message
    check_together(together, ", ".join(f"document {d.docid!r}" for d in documents if d.images))
    counts = [f"passage {i}: {len(found)}" for i, found in enumerate(images, 1) if found]
    told = ", ".join(counts) if len(documents) > 1 else len(together)
    note = f"Images of the passage follow ({told}). They are part of what you judge."
    content = f"{message.content}\n\n{note}"
    return message._replace(content=content, images=together)


def _documents_in(value: Any) -> Iterator[Document]:
    entries = value if isinstance(value, list | tuple) else [value]
    return (entry for entry in entries if isinstance(entry, Document))
