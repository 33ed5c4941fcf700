"""The body of a template: its blocks, and the variables that they use."""

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple

import jinja2
from jinja2 import meta, nodes
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from judge.errors import InputError
from judge.injection import neutralise
from judge.templates.pieces import Piece, cut
from judge.types import Record

ROLES: tuple[Literal["system", "user"], ...] = ("system", "user")


class BodyRead(NamedTuple):
    """A compiled body, None where it cannot be used, what it uses, and everything that is wrong.

    `pieces` are those that its blocks were compiled in. `used` gives the line on which each
    variable is used first, and `fields` the same for attributes of variables; both are None where
    the body cannot be parsed.
    """

    compiled: jinja2.Template | None
    pieces: list[Piece]
    used: dict[str, int] | None
    fields: dict[tuple[str, str], int] | None
    errors: list[InputError]


def read_body(source: str, place: str, declared: Collection[str] | None) -> BodyRead:
    """Compile a template.

    Args:
        source: the text of the file, with its head.
        place: where it is, for errors.
        declared: the variables that its head names; None where the head cannot be read.
    """
    environment = _environment()
    try:
        tree = environment.parse(source)
        used = _used(tree)
        errors = [
            *_wrong_blocks(tree, place),
            *_misplaced(tree, place),
            *_undeclared(used, declared, place),
        ]
        fields = _fields(tree, used)
        pieces = cut(tree)
        compiled = environment.from_string(tree)
    except jinja2.TemplateSyntaxError as error:
        wrong = InputError(error.message or "syntax", path=place, line=error.lineno)
        return BodyRead(None, [], None, None, [wrong])
    compiled.globals = dict(compiled.globals)  # a chain of maps is slow to copy
    return BodyRead(None if errors else compiled, pieces, used, fields, errors)


class _Environment(ImmutableSandboxedEnvironment):
    """The sandbox, with a short way to what is plain data: fields of our types, places of loops."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What is known to be harmless at once; everything else as the sandbox allows it."""
        if attribute in _FIELDS[type(obj)]:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)


class _Fields(dict[type, frozenset[str]]):
    """The fields of each type that is a record, and of those given; none of any other."""

    def __missing__(self, kind: type) -> frozenset[str]:
        found = frozenset(kind.model_fields) if issubclass(kind, Record) else frozenset[str]()
        return self.setdefault(kind, found)


_FIELDS = _Fields(
    {
        LoopContext: frozenset({"index", "index0", "first", "last", "length"}),
        str: frozenset({"split", "strip"}),
    }
)


def _printed(value: Any) -> Any:
    return value if isinstance(value, int) else neutralise(str(value))


def _environment() -> jinja2.Environment:
    return _Environment(
        undefined=jinja2.StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def _used(tree: nodes.Template) -> dict[str, int]:
    names = meta.find_undeclared_variables(tree)
    lines: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        if node.ctx == "load" and node.name in names:
            lines[node.name] = min(node.lineno, lines.get(node.name, node.lineno))
    return lines


def _fields(tree: nodes.Template, variables: Collection[str]) -> dict[tuple[str, str], int]:
    lines: dict[tuple[str, str], int] = {}
    for node in tree.find_all(nodes.Getattr):
        if isinstance(node.node, nodes.Name) and node.node.name in variables:
            lines.setdefault((node.node.name, node.attr), node.lineno)
    return lines


def _wrong_blocks(tree: nodes.Template, place: str) -> Iterator[InputError]:
    blocks = {block.name: block.lineno for block in tree.find_all(nodes.Block)}
    if "user" not in blocks or not blocks.keys() <= set(ROLES):
        line = min((blocks[name] for name in blocks.keys() - set(ROLES)), default=None)
        found = ", ".join(blocks) or "none"
        yield InputError(
            "wrong blocks", path=place, line=line, expected="user and system", found=found
        )


def _misplaced(tree: nodes.Template, place: str) -> Iterator[InputError]:
    """What is never sent: text outside of the blocks, and blocks inside of something else."""
    for node in tree.body:
        inner = node.find_all(nodes.Block)
        for block in inner:
            message = f"block {block.name} stands inside of something else"
            expected = "blocks side by side, with ifs and loops inside of them"
            yield InputError(message, path=place, line=block.lineno, expected=expected)
        if not isinstance(node, nodes.Block) and not _is_blank(node):
            message = "what stands outside of the blocks is never sent"
            yield InputError(message, path=place, line=node.lineno, expected="blocks and comments")


def _is_blank(node: nodes.Node) -> bool:
    parts = node.nodes if isinstance(node, nodes.Output) else [node]
    return all(isinstance(part, nodes.TemplateData) and not part.data.strip() for part in parts)


def _undeclared(
    used: dict[str, int], declared: Collection[str] | None, place: str
) -> Iterator[InputError]:
    if declared is None:
        return
    for name, line in used.items():
        if name not in declared:
            message = f"uses what its head does not declare: {name}"
            yield InputError(message, path=place, line=line)
