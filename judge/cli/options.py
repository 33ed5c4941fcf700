"""The flags that all judging commands share, written once and added by a decorator."""

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

_PANEL = "Judging"
_PLANNED = "Count the units, calls, tokens and the cost of the command; no call is made."


def _flag(name: str, text: str, **more: Any) -> Any:
    return typer.Option(f"--{name}", help=text, rich_help_panel=_PANEL, show_default=False, **more)


def collect(
    *,
    model: Annotated[
        str | None,
        _flag(
            "model",
            "openai/NAME, any litellm name, local/NAME, replay/MODEL "
            "(default: local/qwen2.5-coder-1.5b)",
        ),
    ] = None,
    base_url: Annotated[
        str | None, _flag("base-url", "Address of a server that speaks the OpenAI protocol")
    ] = None,
    temperature: Annotated[float | None, _flag("temperature", "0 to 2 (default: 0)")] = None,
    max_tokens: Annotated[
        int | None, _flag("max-tokens", "Cap on a reply (default: what each prompt declares)")
    ] = None,
    concurrency: Annotated[
        int | None, _flag("concurrency", "Calls in flight (default: by provider)")
    ] = None,
    rpm: Annotated[float | None, _flag("rpm", "Requests per minute (default: no limit)")] = None,
    tpm: Annotated[
        float | None, _flag("tpm", "Tokens per minute, of prompts and replies (default: no limit)")
    ] = None,
    max_cost: Annotated[
        float | None, _flag("max-cost", "US dollars that the run may cost, over all its sessions")
    ] = None,
    price: Annotated[
        str | None,
        _flag(
            "price",
            "US dollars for a million tokens of prompt and of reply, as IN,OUT "
            "(default: the list price)",
        ),
    ] = None,
    timeout: Annotated[
        float | None, _flag("timeout", "Seconds a call may take (default: 120)")
    ] = None,
    prompts: Annotated[
        Path | None, _flag("prompts", "Folder of templates that stand before the built-in ones")
    ] = None,
    images: Annotated[
        bool,
        _flag("images", "Show the images of documents too, to a model that takes them"),
    ] = False,
    cache: Annotated[
        Path | None, _flag("cache", "Folder of the reply store (default: the user's own)")
    ] = None,
    samples: Annotated[
        int | None,
        _flag("samples", "Ask each call so often; the label of most counts (default: 1)"),
    ] = None,
    logprobs: Annotated[
        bool, _flag("logprobs", "Keep how likely each label was, where the server tells")
    ] = False,
    offline: Annotated[bool, _flag("offline", "Answer from the store alone")] = False,
    fresh: Annotated[
        bool, _flag("fresh", "Ignore stored replies; units with a label in --out stay")
    ] = False,
    limit: Annotated[int | None, _flag("limit", "Judge at most so many units of a task")] = None,
    max_failed: Annotated[
        float | None,
        _flag("max-failed", "Share of failed units that withholds a score (default: 0.05)"),
    ] = None,
    allow_incomplete: Annotated[
        bool, _flag("allow-incomplete", "Give scores and end with 0 whatever failed")
    ] = False,
    plan: Annotated[bool, typer.Option(hidden=True)] = False,
) -> dict[str, Any]:
    """The settings that were given, by name."""
    return {
        name: value for name, value in locals().items() if value is not None and value is not False
    }


def judging(command: Callable[..., None]) -> Callable[..., None]:
    """Add the shared flags to a command, which takes those given as its argument `flags`."""
    shared = inspect.signature(collect, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True)

    def wrapper(**values: Any) -> None:
        flags = collect(**{name: values.pop(name) for name in shared})
        command(**values, flags=flags)

    parameters = [p for p in own.parameters.values() if p.name != "flags"]
    merged = [p.replace(kind=p.KEYWORD_ONLY) for p in (*parameters, *shared.values())]
    wrapper.__signature__ = own.replace(parameters=merged)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in merged}
    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    return wrapper


def planned(command: Callable[..., None]) -> Callable[..., None]:
    """Make a judging command count what it would ask; it needs no --out then."""
    signature = inspect.signature(command)

    def wrapper(**values: Any) -> None:
        command(**{"out": Path(os.devnull), **_given(values)}, plan=True)

    kept = [p for p in signature.parameters.values() if p.name != "plan"]
    parameters = [p.replace(default=None) if p.name == "out" else p for p in kept]
    wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    wrapper.__name__ = command.__name__
    wrapper.__doc__ = f"{_PLANNED}\n\n    Example: rag-judge plan {_example(command)}"
    return wrapper


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "out" or value is not None}


def _example(command: Callable[..., None]) -> str:
    return (command.__doc__ or "").rpartition("Example: rag-judge ")[2].strip()


Topics = Annotated[str, typer.Option("--topics", help="Topics or narratives file")]
Answers = Annotated[list[str], typer.Option("--answers", help="Answers: file, folder or glob")]
CorpusFiles = Annotated[list[str], typer.Option("--corpus", help="Documents: file, folder or glob")]
OptionalCorpus = Annotated[
    list[str] | None, typer.Option("--corpus", help="Documents: file, folder or glob")
]
Out = Annotated[Path, typer.Option("--out", help="Run directory; the same one goes on")]
Json = Annotated[bool, typer.Option("--json", help="Results as JSON on stdout")]
