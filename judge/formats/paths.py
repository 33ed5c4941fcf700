"""What a user names on the command line or in a configuration -> the files that are meant."""

import glob
from collections.abc import Sequence
from pathlib import Path

from judge.errors import InputError
from judge.formats.lines import STDIN


def expand(specs: Sequence[str | Path]) -> list[Path]:
    """Return the files that `specs` name, in their order, each once.

    Args:
        specs: each a file, a folder (its files, sorted, without hidden ones and without those of
            its folders), a glob pattern ("**" goes into folders), or "-" for stdin.

    Raises:
        InputError: a name stands for no file.
    """
    found = [path for spec in specs for path in _expand(str(spec))]
    return list(dict.fromkeys(found))


def expand_one(spec: str | Path) -> Path:
    """Return the one file that `spec` names.

    Raises:
        InputError: it stands for no file, or for several.
    """
    found = expand([spec])
    if len(found) > 1:
        names = ", ".join(path.name for path in found[:3])
        raise InputError(f"{len(found)} files, where one is meant: {names}", path=spec)
    return found[0]


def _expand(spec: str) -> list[Path]:
    path = Path(spec)
    if spec == STDIN:
        return [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if _is_plain(file))
        return _some(files, spec, "the folder holds no files")
    if path.exists():
        return [path]
    if not glob.has_magic(spec):
        raise InputError("no such file or folder", path=spec)
    # Path.glob takes no absolute pattern
    matches = (Path(match) for match in glob.glob(spec, recursive=True))  # noqa: PTH207
    return _some(sorted(file for file in matches if file.is_file()), spec, "no file matches")


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.name.startswith(".")


def _some(files: list[Path], spec: str, otherwise: str) -> list[Path]:
    if not files:
        raise InputError(otherwise, path=spec)
    return files
