"""The flags that all judging commands share, written once and added by a decorator."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

_PANEL = "Judging"


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
    timeout: Annotated[
        float | None, _flag("timeout", "Seconds a call may take (default: 120)")
    ] = None,
    prompts: Annotated[
        Path | None, _flag("prompts", "Folder of templates that stand before the built-in ones")
    ] = None,
    cache: Annotated[
        Path | None, _flag("cache", "Folder of the reply store (default: the user's own)")
    ] = None,
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


Topics = Annotated[str, typer.Option("--topics", help="Topics or narratives file")]
Answers = Annotated[list[str], typer.Option("--answers", help="Answers: file, folder or glob")]
CorpusFiles = Annotated[list[str], typer.Option("--corpus", help="Documents: file, folder or glob")]
OptionalCorpus = Annotated[
    list[str] | None, typer.Option("--corpus", help="Documents: file, folder or glob")
]
Out = Annotated[Path, typer.Option("--out", help="Run directory; the same one goes on")]
Json = Annotated[bool, typer.Option("--json", help="Results as JSON on stdout")]
