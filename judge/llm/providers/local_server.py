"""The process that holds the embedded model and serves it on 127.0.0.1; run as a script.

A process of its own, because the engine holds the interpreter's lock while it loads, cannot be
shut down while it answers, and ends the process where it crashes.

Its parent writes one JSON line of settings to stdin: `path`, `name`, `api_key`, `slots`,
`context` (tokens a slot), `threads`, `prefix_cache` (MiB, for the starts of prompts that take
turns), and where others are tried `engine` (further parameters, by the engine's own names). It
answers with one JSON line on stdout, {"url": ...} or {"error": ...}, and serves until stdin is
closed, so that it also ends when its parent is killed.
"""

import json
import os
import signal
import sys
from typing import Any


def main() -> None:
    """Serve until stdin is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(2, 1)  # whatever the engine prints must not mix with the answer
        try:
            server = _serve(json.loads(sys.stdin.readline()))
        except RuntimeError as error:
            answer.write(json.dumps({"error": str(error)}))
            return
        answer.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdin.read()
    os._exit(0)  # the engine's own shutdown waits for requests in flight


def _serve(settings: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = settings["path"], {settings["name"]}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [settings["api_key"]]
    params.ui, params.endpoint_slots, params.verbosity = False, False, -1
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["context"] * settings["slots"]  # the slots share it
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.cache_prompt, params.cache_ram_mib = True, settings["prefix_cache"]
    params.sampling.seed = 0
    for name, value in settings.get("engine", {}).items():
        setattr(params, name, value)
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
