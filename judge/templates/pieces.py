"""The blocks of a template in pieces, so that what the topic alone decides is rendered once for it.

Prompts of one topic come one after the other, and all of them show it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import jinja2
from jinja2 import meta, nodes
from jinja2.runtime import Context

N = TypeVar("N", bound=nodes.Node)

_TOPIC = "topic"
_BINDING = (
    nodes.Assign,
    nodes.AssignBlock,
    nodes.Block,
    nodes.FromImport,
    nodes.Import,
    nodes.Include,
    nodes.Macro,
)
"""What may give a name its value for all that follows: a block with one is left whole."""


class Piece(NamedTuple):
    """A piece of the block `of` a template, compiled as the block `name`.

    `steady` if nothing but the topic decides its text.
    """

    of: str
    name: str
    steady: bool


class Rendering:
    """A piece that can be rendered; the text of a steady one is kept until the topic changes."""

    def __init__(self, compiled: jinja2.Template, piece: Piece) -> None:
        self._block, self._steady = compiled.blocks[piece.name], piece.steady
        self._kept: tuple[object, str] | None = None

    def text(self, context: Context, topic: object) -> str:
        """The text in a context; `topic` is the one that it has, None if it has none."""
        kept = self._kept
        if kept is not None and kept[0] is topic:
            return kept[1]
        text = "".join(self._block(context))
        if self._steady:
            self._kept = topic, text
        return text


def cut(tree: nodes.Template) -> list[Piece]:
    """Cut the blocks of a parsed template in place; return their pieces in order."""
    pieces: list[Piece] = []
    body: list[nodes.Node] = []
    blocks = [node for node in tree.body if isinstance(node, nodes.Block)]
    if any(name.name == "self" for name in tree.find_all(nodes.Name)):  # one may call the other
        return [Piece(block.name, block.name, steady=False) for block in blocks]
    for block in blocks:
        for steady, content in _runs(block):
            piece = Piece(block.name, f"{block.name}_{len(pieces)}", steady)
            pieces.append(piece)
            body.append(_like(block, nodes.Block(piece.name, content, False, False)))
    tree.body = body
    return pieces


def _runs(block: nodes.Block) -> list[tuple[bool, list[nodes.Node]]]:
    """The content of a block in runs that are steady or not; what is constant goes on with one."""
    if not block.body or any(block.find_all(_BINDING)):
        return [(False, block.body)]
    steady, runs = True, list[tuple[bool, list[nodes.Node]]]()
    for part in _parts(block.body):
        used = meta.find_undeclared_variables(_like(part, nodes.Template([part])))
        changes = bool(used) and (used == {_TOPIC}) != steady
        if changes or not runs:
            steady ^= changes
            runs.append((steady, []))
        runs[-1][1].append(part)
    return runs


def _parts(content: Iterable[nodes.Node]) -> Iterator[nodes.Node]:
    """The nodes of a block, what they put out one by one."""
    for node in content:
        if isinstance(node, nodes.Output):
            yield from (_like(part, nodes.Output([part])) for part in node.nodes)
        else:
            yield node


def _like(old: nodes.Node, new: N) -> N:
    """A new node, in the place of an old one."""
    new.lineno, new.environment = old.lineno, old.environment
    return new
