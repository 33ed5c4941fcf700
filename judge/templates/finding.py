"""Where templates are, and by which name: the user's folder stands before the built-in one."""

from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from judge.errors import InputError, UsageError
from judge.templates.template import Template


def load_template(name: str, folder: Path | None = None, *, images: bool = False) -> Template:
    """Load `name` from `folder` if it has it, else the built-in one.

    A name without its task ("itemised") will do where only one task has it.

    Args:
        name: the path of the template without its ending, such as "relevance/itemised".
        folder: the user's own templates.
        images: show the images of documents.

    Raises:
        UsageError: there is no such template, or no such folder.
        InputError: its head or body is not as it should be.
    """
    file = file_of(full_name(name, folder), folder)
    return Template(text_of(file), place=str(file), images=images)


def file_of(name: str, folder: Path | None = None) -> Path | Traversable:
    """The file of a template that there is, by its full name: the user's own before ours."""
    files = (root.joinpath(*f"{name}.j2".split("/")) for root in _roots(folder))
    return next(file for file in files if file.is_file())


def full_name(name: str, folder: Path | None = None) -> str:
    """The name of a template with its task: "itemised" is "relevance/itemised".

    Raises:
        UsageError: there is no such template, or several tasks have one of the name.
    """
    known = template_names(folder)
    if name in known:
        return name
    meant = [other for other in known if other.endswith(f"/{name}")] if "/" not in name else []
    if len(meant) > 1:
        raise UsageError(f"template {name!r} may be {' or '.join(meant)}")
    if not meant:
        raise UsageError(f"no template {name!r}; there are: {', '.join(known)}")
    return meant[0]


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


def text_of(file: Path | Traversable) -> str:
    """The text of a template file.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8 text", path=str(file)) from error
