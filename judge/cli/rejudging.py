"""`rejudge`: the units of a run, judged again."""

from pathlib import Path
from typing import Annotated, Any

import typer

from judge.cli.options import Json, OptionalCorpus, Out, judging


@judging
def rejudge(
    run: Annotated[Path, typer.Argument(help="The run directory; it is only read")],
    out: Out,
    flags: dict[str, Any],
    prompt: Annotated[
        list[str] | None,
        typer.Option(help="Template, for the task that it names (default: those of RUN)"),
    ] = None,
    answers: Annotated[
        list[str] | None, typer.Option(help="The answers of RUN, where it keeps none")
    ] = None,
    corpus: OptionalCorpus = None,
    json: Json = False,
) -> None:
    """Judge the units of a run again, as it was judged but for what is given here.

    RUN and the reply store are all it takes, on another machine as well (`cache export`). A
    request that is the same as before is answered from the store.

    Example: rag-judge rejudge runs/first --out runs/second --model openai/gpt-4.1-mini
    """
    from judge import rejudging
    from judge.cli.judging import carry_out
    from judge.recorded import Given

    given = Given(answers or (), corpus or ())
    carry_out(
        lambda settings, report: rejudging.rejudge(
            run, out=out, prompts=prompt or (), given=given, settings=settings, report=report
        ),
        rejudging.settings_of(run, flags),
        json=json,
    )
