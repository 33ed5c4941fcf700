"""Who gave the labels that are scored together: told where it was not one and the same judge."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from judge.formats.paths import expand
from judge.manifest import Manifest
from judge.runs import ASSIGNMENTS, SUPPORT, read_manifest

_FILES = {"assign": ASSIGNMENTS, "support": SUPPORT}


def mixed(
    run: Path | None, *, assignments: Sequence[str] = (), support: Sequence[str] = ()
) -> list[str]:
    """A line for every way in which labels of unlike judgings meet, empty where they do not.

    What is known of a label file is the manifest beside it; files without one are left out.

    Args:
        run: a run directory, whose own labels stand where none are named.
        assignments: files, folders or globs of nugget labels.
        support: the same of support labels.

    Raises:
        InputError: a name stands for no file, or a manifest is damaged.
    """
    given = {"assign": expand(assignments), "support": expand(support)}
    judges: dict[str, dict[str, list[str]]] = {}
    folders: dict[Path, Manifest] = {}
    for task, name in _FILES.items():
        own = [] if run is None else [run / name]
        for path in given[task] or own:
            manifest = read_manifest(path.parent) if path.is_file() else None
            if manifest is not None and task in manifest.stages:
                folders[path.parent] = manifest
                said = _described(manifest, task)
                judges.setdefault(task, {}).setdefault(said, []).append(str(path.parent))
    return [*_by_task(judges), *_by_model(folders), *_by_version(folders)]


def _described(manifest: Manifest, task: str) -> str:
    stage = manifest.stages[task]
    return f"{manifest.model} with {stage.template} {stage.template_sha256[:12]}"


def _by_task(judges: dict[str, dict[str, list[str]]]) -> Iterator[str]:
    for task, found in judges.items():
        if len(found) > 1:
            told = "; ".join(f"{', '.join(names)}: {said}" for said, names in found.items())
            yield f"{task} labels of different judges or prompts are scored together: {told}"


def _by_model(folders: dict[Path, Manifest]) -> Iterator[str]:
    """Nugget labels of one model beside support labels of another."""
    if len({manifest.model for manifest in folders.values()}) > 1:
        told = "; ".join(f"{folder}: {manifest.model}" for folder, manifest in folders.items())
        yield f"labels of different models are scored together: {told}"


def _by_version(folders: dict[Path, Manifest]) -> Iterator[str]:
    versions = {version for m in folders.values() for version in (m.tool_version, *m.continued_by)}
    if len(versions) > 1:
        yield f"the labels are of several versions of rag-judge: {', '.join(sorted(versions))}"
