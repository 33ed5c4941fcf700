"""The templates that there are, and where each comes from."""

from pathlib import Path
from typing import Literal

from judge.templates import load_template, template_names
from judge.types import Record

Origin = Literal["built in", "overridden", "own"]


class Listed(Record):
    """A template in a list.

    `origin` says whether it is ours, the user's under a name of ours, or the user's under a name
    of its own. `sha256` is of its text.
    """

    name: str
    version: str
    task: str
    source: str
    output: str
    variables: tuple[str, ...]
    sha256: str
    origin: Origin


def list_prompts(folder: Path | None = None) -> list[Listed]:
    """Return all templates by name, those of `folder` before the built-in ones.

    Raises:
        UsageError: there is no such folder.
        InputError: a template of it is not as it should be.
    """
    return [_listed(name, folder) for name in template_names(folder)]


def origin_of(name: str, folder: Path | None) -> Origin:
    """Where the template of a full name comes from."""
    if folder is None or not folder.joinpath(*f"{name}.j2".split("/")).is_file():
        return "built in"
    return "overridden" if name in template_names() else "own"


def _listed(name: str, folder: Path | None) -> Listed:
    template = load_template(name, folder)
    head = template.head
    return Listed(
        name=name,
        version=head.version,
        task=head.task,
        source=head.source,
        output=head.output,
        variables=head.variables,
        sha256=template.sha256,
        origin=origin_of(name, folder),
    )
