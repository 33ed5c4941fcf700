"""Prompts as files: find, check and render a Jinja template.

A template is one file, `<name>.j2`, that opens with a Jinja comment holding its head in TOML:
name, version, task, source, variables, output, max_tokens (and max_tokens_per_item where a call
labels several units). Its blocks `system` and `user` become the messages. Everything a template
prints passes through `neutralise`, so no text of a topic, a document or an answer can carry our
delimiters or output markers; an undefined variable is an error.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import ValidationError

from judge.errors import InputError, UsageError
from judge.injection import neutralise
from judge.types import Message, Prompt, Record

Output = Literal["score-line", "label-line", "labels", "nugget-list"]

_ROLES: tuple[Literal["system", "user"], ...] = ("system", "user")
_HEAD = re.compile(r"\A\{#(.*?)#\}", re.DOTALL)


class Head(Record):
    """What a template says of itself; `max_tokens` bounds the reply, in tokens."""

    name: str
    version: str
    task: str
    source: str
    variables: tuple[str, ...]
    output: Output
    max_tokens: int
    max_tokens_per_item: int = 0


class Template:
    """A checked template.

    Attributes:
        head: what the file declares.
        sha256: of the file's text, its line ends folded to a bare newline.
    """

    def __init__(self, source: str, *, place: str) -> None:
        source = source.replace("\r\n", "\n")
        self.head = _read_head(source, place)
        self.sha256 = hashlib.sha256(source.encode()).hexdigest()
        self._compiled = _compile(self.head, source, place)

    def render(self, **values: Any) -> Prompt:
        """Render the messages; `values` are the declared variables.

        Raises:
            UsageError: a value is missing or the template fails on it.
        """
        name = self.head.name
        try:
            messages = [
                Message(role=role, content=self._block(role, values))
                for role in _ROLES
                if role in self._compiled.blocks
            ]
        except (jinja2.TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
            raise UsageError(f"template {name}: cannot be rendered: {error}") from error
        return Prompt(template=name, sha256=self.sha256, messages=tuple(messages))

    def _block(self, role: str, values: dict[str, Any]) -> str:
        context = self._compiled.new_context(values)
        return "".join(self._compiled.blocks[role](context)).strip()


def load_template(name: str, folder: Path | None = None) -> Template:
    """Load `name` from `folder` if it has it, else the built-in one.

    Raises:
        UsageError: there is no such template, or no such folder.
        InputError: its head or body is not as it should be.
    """
    for root in _roots(folder):
        file = root.joinpath(*f"{name}.j2".split("/"))
        if file.is_file():
            return Template(_text_of(file), place=str(file))
    known = ", ".join(template_names(folder))
    raise UsageError(f"no template {name!r}; there are: {known}")


def template_names(folder: Path | None = None) -> list[str]:
    """Names of all templates, the built-in ones and those of `folder`."""
    return sorted({name for root in _roots(folder) for name in _names_under(root)})


def check_templates(folder: Path | None, names: Iterable[str] = ()) -> None:
    """Load every template of `folder`, and those named, so that none fails half-way.

    Raises:
        UsageError: there is no such template, or no such folder.
        InputError: a template is not as it should be.
    """
    for name in {*template_names(folder), *names}:
        load_template(name, folder)


def _roots(folder: Path | None) -> list[Path | Traversable]:
    if folder is None:
        return [_built_in()]
    if not folder.is_dir():
        raise UsageError(f"there is no folder of prompts {folder}")
    return [folder, _built_in()]


def _built_in() -> Traversable:
    return resources.files("judge.prompts")


def _names_under(root: Path | Traversable, prefix: str = "") -> Iterator[str]:
    for entry in root.iterdir():
        if entry.is_dir():
            yield from _names_under(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".j2"):
            yield prefix + entry.name.removesuffix(".j2")


def _environment() -> jinja2.Environment:
    return ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: value if isinstance(value, int) else neutralise(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def _read_head(source: str, place: str) -> Head:
    match = _HEAD.match(source)
    if match is None:
        raise InputError("no head", path=place, line=1, expected="a comment {# ... #} with TOML")
    try:
        return Head.model_validate(tomllib.loads(match[1]))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the head is not TOML: {error}", path=place, line=1) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(first["msg"], path=place, line=1, field=field) from error


def _text_of(file: Path | Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8 text", path=str(file)) from error


def _compile(head: Head, source: str, place: str) -> jinja2.Template:
    environment = _environment()
    try:
        tree = environment.parse(source)
        compiled = environment.from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise InputError(error.message or "syntax", path=place, line=error.lineno) from error
    blocks = {block.name for block in tree.find_all(jinja2.nodes.Block)}
    if "user" not in blocks or not blocks <= set(_ROLES):
        raise InputError("wrong blocks", path=place, expected="user and system", found=blocks)
    undeclared = meta.find_undeclared_variables(tree) - set(head.variables)
    if undeclared:
        names = ", ".join(sorted(undeclared))
        raise InputError(f"uses what its head does not declare: {names}", path=place)
    return compiled
