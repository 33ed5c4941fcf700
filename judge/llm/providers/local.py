"""The embedded model: a process on this machine, asked like any server of the OpenAI protocol."""

import asyncio
import contextlib
import json
import logging
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from typing import IO, Any

from judge.errors import ModelError
from judge.llm.fetch import Progress
from judge.llm.providers.base import Completion, Identity
from judge.llm.providers.openai import OpenAIProvider
from judge.llm.request import Request
from judge.llm.weights import PREFIX, digest, pull

_log = logging.getLogger(__name__)

CONTEXT = 8192
"""Tokens that a prompt and its reply may have together."""

_SCRIPT = Path(__file__).with_name("local_server.py")
_MEMINFO = Path("/proc/meminfo")
_TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
_PREFIX_CACHE = 256  # MiB


def local_identity(name: str) -> Identity:
    """Return the identity of an embedded model: its name and the start of its weights' sha256.

    Args:
        name: a known model's name or the path of a .gguf file, with or without `local/`.

    Raises:
        ModelError: the model is not known, or its file is not there.
    """
    name = name.removeprefix(PREFIX)
    sha256 = digest(PREFIX + name)
    shown = Path(name).name if name.endswith(".gguf") else name
    return Identity(kind="local", base_url=None, model=f"{shown}@sha256:{sha256[:12]}")


def open_local(
    name: str, *, parallel: int | None = None, progress: Progress | None = None
) -> "LocalProvider":
    """Return the provider of an embedded model; nothing is fetched or loaded yet.

    Args:
        name: a known model's name or the path of a .gguf file, with or without `local/`.
        parallel: requests evaluated at the same time. One, the default, evaluates the common
            start of the prompts of a topic once, is the fastest where prompts are long and
            replies short, and keeps a reply from depending on what is evaluated beside it.
        progress: hears of the bytes fetched; by default they are shown on stderr.

    Raises:
        ModelError: the model is not known, or its file is not there.
    """
    return LocalProvider(name, slots=parallel or 1, progress=progress)


class LocalProvider:
    """Asks the embedded model, which is fetched and loaded at the first request.

    A model whose process died is loaded again at the next request.
    """

    def __init__(self, name: str, *, slots: int, progress: Progress | None) -> None:
        self._identity = local_identity(name)
        self._name = PREFIX + name.removeprefix(PREFIX)
        self._slots, self._progress = slots, progress
        self._server: ModelServer | None = None
        self._starting: asyncio.Task[OpenAIProvider] | None = None

    @property
    def identity(self) -> Identity:
        """Which model answers; its address is of no account and not in it."""
        return self._identity

    async def ready(self) -> None:
        """Fetch and load the model where that is not done: seconds, or minutes for a download.

        Raises:
            ModelError: the model cannot be fetched or loaded.
        """
        await self._loaded()

    async def complete(self, request: Request, timeout: float) -> Completion:  # noqa: ASYNC109
        """Send `request` once; loading the model is not counted against `timeout`.

        Raises:
            CallError: there is no completion.
            ModelError: the model cannot be fetched or loaded.
        """
        loaded = await self._loaded()
        completion = await loaded.complete(request, timeout)
        return completion.model_copy(update={"model": self._identity.model, "cost": 0.0})

    async def aclose(self) -> None:
        """End the model's process, and a download or a loading under way."""
        starting, self._starting = self._starting, None
        server, self._server = self._server, None
        if starting is None or server is None:
            return
        starting.cancel()
        (outcome,) = await asyncio.gather(starting, return_exceptions=True)
        await asyncio.to_thread(server.stop)
        if isinstance(outcome, OpenAIProvider):
            await outcome.aclose()

    async def _loaded(self) -> OpenAIProvider:
        """Concurrent first requests load once; one that is given up does not end the loading."""
        if self._has_died():
            _log.warning("the process of %s ended; the model is loaded again", self._name)
            await self.aclose()
        if self._starting is None:
            self._server = ModelServer()
            self._starting = asyncio.create_task(self._start(self._server))
        return await asyncio.shield(self._starting)

    def _has_died(self) -> bool:
        """Tell whether the model was loaded and its process is gone; a failed start stays one."""
        starting, server = self._starting, self._server
        if starting is None or server is None or not starting.done() or starting.cancelled():
            return False
        return starting.exception() is None and not server.running()

    async def _start(self, server: "ModelServer") -> OpenAIProvider:
        key = secrets.token_urlsafe(32)
        try:
            url = await asyncio.to_thread(self._launch, server, key)
        except asyncio.CancelledError:
            server.stop()
            raise
        return OpenAIProvider(self._identity, base_url=f"{url}/v1", api_key=key, trust_env=False)

    def _launch(self, server: "ModelServer", key: str) -> str:
        path = self._pull(server)
        _check_memory(self._name, path, self._slots)
        settings = {
            "path": str(path),
            "name": self._identity.model,
            "api_key": key,
            "slots": self._slots,
            "context": CONTEXT,
            "threads": _cores(),
            "prefix_cache": _PREFIX_CACHE,
        }
        return server.start(self._name, settings)

    def _pull(self, server: "ModelServer") -> Path:
        from judge.llm.progress import progress_on_stderr

        with contextlib.ExitStack() as stack:
            shown = self._progress

            def progress(done: int, total: int, text: str) -> None:
                nonlocal shown
                server.check()
                shown = shown or stack.enter_context(progress_on_stderr(self._name))
                shown(done, total, text)

            return pull(self._name, progress)


# --- the process -------------------------------------------------------------------------------


class _StoppedError(Exception):
    """The start was given up."""


class ModelServer:
    """The process that holds a model; it ends with `stop`, with this object, or with its parent."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._process: subprocess.Popen[str] | None = None

    def start(self, name: str, settings: dict[str, Any]) -> str:
        """Load the model and return the address it is served at; blocks for seconds.

        Args:
            name: what the model is called in errors.
            settings: what `local_server` reads.

        Raises:
            ModelError: the model cannot be loaded.
        """
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
            process = self._spawn(log)
            self.check()
            answer = _exchange(process, json.dumps(settings))
            self.check()
            if "url" in answer:
                return str(answer["url"])
            self.stop()
            reason = answer.get("error") or _last_line(log) or f"status {process.returncode}"
        raise ModelError(
            f"{name} cannot be loaded: {reason}; is {settings['path']} a whole GGUF file, and is "
            "there memory for it?"
        )

    def _spawn(self, log: IO[str]) -> "subprocess.Popen[str]":
        # -P: the folder of the script must not be searched for modules
        process = subprocess.Popen(  # noqa: S603 - a fixed command
            [sys.executable, "-P", str(_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            encoding="utf-8",
        )
        self._process = process
        weakref.finalize(self, _end, process)
        if self._stopped.is_set():
            _end(process)
        return process

    def check(self) -> None:
        """Raise where `stop` was called."""
        if self._stopped.is_set():
            raise _StoppedError

    def running(self) -> bool:
        """Tell whether the process was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the process, or keep it from being started; may be called from any thread."""
        self._stopped.set()
        if self._process is not None:
            _end(self._process)


def _exchange(process: "subprocess.Popen[str]", line: str) -> dict[str, Any]:
    """Send the settings and wait for the answer; empty where the process ended without one."""
    if process.stdin is None or process.stdout is None:
        raise TypeError("the process has no pipes")
    try:
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        return dict(json.loads(process.stdout.readline() or "{}"))
    except (BrokenPipeError, ValueError):  # it died, or was stopped
        return {}


def _end(process: "subprocess.Popen[str]") -> None:
    """Kill the process, which has nothing to save, and close its pipes."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _last_line(log: IO[str]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log if line.strip()]
    return lines[-1] if lines else ""


# --- the machine -------------------------------------------------------------------------------


def _check_memory(name: str, path: Path, slots: int) -> None:
    """Raise where the model would not fit; where the system does not say, it is tried.

    The need is a rule of thumb, measured with models of 0.5 and 1.5 billion parameters.
    """
    need = path.stat().st_size * 1.3 + slots * 2.5e8 + _PREFIX_CACHE * 2**20
    available = _available_memory()
    if available is not None and available < need:
        raise ModelError(
            f"{name} needs about {need / 1e9:.1f} GB of memory and {available / 1e9:.1f} GB are "
            "available; close other programs, or use a smaller model"
        )


def _available_memory() -> int | None:
    """Return the bytes of memory that can be had, or None where the system does not say."""
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    sizes = dict(line.split(":", 1) for line in lines if ":" in line)
    return int(sizes["MemAvailable"].split()[0]) * 1024 if "MemAvailable" in sizes else None


def _cores() -> int:
    """Return the number of physical cores this process may use; hyper-threads do not help."""
    if sys.platform == "linux":
        usable = os.sched_getaffinity(0)
        try:
            return len({Path(_TOPOLOGY.format(cpu)).read_text("ascii") for cpu in usable})
        except OSError:
            return len(usable)
    return os.cpu_count() or 1
