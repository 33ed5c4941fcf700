"""Programs that see a file system of their own: a small one that fills up, a read-only one.

They run in a namespace of mounts, which ends with them; so that it needs no rights, in one of
users as well.
"""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import pytest

_ENTER = ["unshare", "--mount", *(["--user", "--map-root-user"] if os.geteuid() else [])]


def small(folder: Path, size: str) -> str:
    """Return the shell command that puts an empty file system of `size` at `folder`."""
    return f"mount -t tmpfs -o size={size} tmpfs '{folder}'"


def readonly(folder: Path) -> str:
    """Return the shell command after which nothing in `folder` can be written, not even by root."""
    return f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}'"


def mounted(mount: str, *words: object) -> list[str]:
    """Return the command that runs `words` after `mount`, alone with what that mounts."""
    return [*_ENTER, "sh", "-c", f'{mount} && exec "$@"', "sh", *map(str, words)]


def script(folder: Path, mount: str, program: Path) -> Path:
    """Write a program that is `program` after `mount`, alone with what that mounts."""
    path = folder / "mounted"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(mounted(mount, program))} "$@"\n')
    path.chmod(0o755)
    return path


def _possible() -> bool:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = mounted(f"{readonly(folder)} && {small(folder, '1m')}", "true")
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            return False


needs_mounts = pytest.mark.skipif(
    not _possible(), reason="this system lets a test mount no file system"
)
