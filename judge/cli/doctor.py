"""`doctor`: what a model and its server support, found out with a few short calls."""

from typing import Any

from judge.cli.options import Json, judging


@judging
def doctor(flags: dict[str, Any], json: Json = False) -> None:
    """Try a model with a few short calls: what its server supports, and what to set.

    Example: rag-judge doctor --model openai/gpt-4.1
    """
    import asyncio

    from judge.config import make_settings
    from judge.doctor import examine
    from judge.report.examination import print_examination

    examination = asyncio.run(examine(make_settings(flags, "flags")))
    print_examination(examination, json=json)
