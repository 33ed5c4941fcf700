"""The manifest of a run: what made it, so that it can be repeated, and refused when it changed."""

import hashlib
import subprocess
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import Field

from judge.formats.lines import STDIN, stdin_bytes
from judge.migrations import FORMAT
from judge.types import Record

_PACKAGES = ("openai", "litellm", "xllamacpp", "tenacity", "jinja2", "diskcache", "pydantic")
_HASHED_BYTES = 256 * 1024 * 1024


class Stage(Record):
    """What one task of a run rests on: its template, its inputs, and choices such as a depth."""

    template: str
    template_sha256: str
    inputs: dict[str, str] = Field(default_factory=dict)
    choices: dict[str, Any] = Field(default_factory=dict)


class Manifest(Record):
    """Everything that a run rests on. Secrets never enter it.

    `named` is the model as --model names it; `parameters` are those sent to it, and `adapted` is
    what it was asked otherwise, since it refused them; `stages` are by task name; `commands` is
    every command line that worked on this run, and `continued_by` every other version of the tool
    that went on with it.
    """

    format: int = FORMAT
    tool_version: str
    git_revision: str | None
    packages: dict[str, str]
    created: str
    model: str
    base_url: str | None
    parameters: dict[str, Any]
    adapted: dict[str, Any] = Field(default_factory=dict)
    stages: dict[str, Stage] = Field(default_factory=dict)
    commands: tuple[str, ...] = ()
    named: str | None = None
    continued_by: tuple[str, ...] = ()

    def taken_up(self, version: str, command: str) -> "Manifest":
        """The manifest once `command` of a version of the tool works on the run."""
        versions = self.continued_by
        if version not in (self.tool_version, *versions):
            versions = (*versions, version)
        update = {"commands": (*self.commands, command), "continued_by": versions}
        return self.model_copy(update=update)


def new_manifest(
    model: str, base_url: str | None, parameters: dict[str, Any], named: str | None = None
) -> Manifest:
    """A manifest of this tool, now, with no stage yet."""
    return Manifest(
        tool_version=tool_version(),
        git_revision=_git_revision(),
        packages={name: metadata.version(name) for name in _PACKAGES},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        model=model,
        base_url=base_url,
        parameters=parameters,
        named=named,
    )


def differences(old: Manifest, new: Manifest, task: str) -> list[str]:
    """What in `new` would make judgments of `task` unlike those of `old`, a line each."""
    before = {"model": old.model, "base_url": old.base_url, "parameters": old.parameters}
    after = {"model": new.model, "base_url": new.base_url, "parameters": new.parameters}
    if task in old.stages and task in new.stages:
        before |= old.stages[task].model_dump()
        after |= new.stages[task].model_dump()
    return [
        f"{name}: the run has {old_value!r}, this command {new_value!r}"
        for name in before
        for old_value, new_value in _unlike(before[name], after[name])
    ]


def _unlike(old: Any, new: Any) -> list[tuple[Any, Any]]:
    """The two values where they differ; of two dicts, the entries that do."""
    if old == new:
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in old | new if old.get(key) != new.get(key)]
        return [({k: old[k] for k in keys if k in old}, {k: new[k] for k in keys if k in new})]
    return [(old, new)]


def fingerprint(paths: Iterable[Path]) -> dict[str, str]:
    """Name and content of input files: sha256, or the size of files over 256 MB.

    Files of the same name go by their whole paths.
    """
    given = list(paths)
    counts = Counter(path.name for path in given)
    return {str(p) if counts[p.name] > 1 else p.name: _content(p) for p in given}


def tool_version() -> str:
    """The installed version of rag-judge."""
    return metadata.version("rag-judge")


def _content(path: Path) -> str:
    if str(path) == STDIN:
        return "sha256:" + hashlib.sha256(stdin_bytes()).hexdigest()
    size = path.stat().st_size
    if size > _HASHED_BYTES:
        return f"size:{size}"
    with path.open("rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def _git_revision() -> str | None:
    """The commit of the checkout that this code runs from, if it is one."""
    root = Path(__file__).resolve().parent.parent
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return result.stdout.strip() or None
