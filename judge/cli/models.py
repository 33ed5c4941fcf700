"""`models list` and `models pull`: the embedded models and their weights."""

from typing import Annotated

import typer


def list_models() -> None:
    """List the embedded models, and whether their weights are on this machine.

    Example: rag-judge models list
    """
    from judge.report.weights import print_models

    print_models()


def pull(name: Annotated[str, typer.Argument(help="Such as local/qwen2.5-coder-0.5b")]) -> None:
    """Fetch the weights of an embedded model into the user's cache.

    Example: rag-judge models pull local/qwen2.5-coder-0.5b
    """
    from judge.llm import weights
    from judge.llm.progress import progress_on_stderr

    with progress_on_stderr(name) as progress:
        typer.echo(weights.pull(name, progress))
