"""`retrieval`: scores of retrieval runs, with no model in the loop."""

from pathlib import Path
from typing import Annotated

import typer

from judge.cli.options import Json


def retrieval(
    qrels: Annotated[str, typer.Option(help="Qrels: topic, iteration or subtopic, docid, grade")],
    run: Annotated[list[str], typer.Option(help="TREC runs: file, folder or glob")],
    measures: Annotated[
        str | None, typer.Option(help="Measures, separated by spaces (default: by qrels)")
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="The official topics (default: those of the qrels)")
    ] = None,
    subtopics: Annotated[
        bool | None,
        typer.Option(help="Whether column 2 of the qrels holds subtopics (default: as it seems)"),
    ] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Each topic as well")] = False,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Bootstrap intervals instead of standard errors")
    ] = False,
    by_rank: Annotated[
        bool, typer.Option("--by-rank", help="Order by the rank column, not by the score")
    ] = False,
    dedup: Annotated[
        bool, typer.Option("--dedup", help="Keep the first of repeated documents")
    ] = False,
    empty_as_zero: Annotated[
        bool, typer.Option("--empty-as-zero", help="Count topics with nothing relevant as 0")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write all scores, each topic too, as JSONL")
    ] = None,
    json: Json = False,
) -> None:
    """Score retrieval runs by what was judged of their documents, or of their subtopics.

    Documents rank by score in single precision, then by docid, both descending, as in trec_eval.
    The mean is over the official topics; one that a run lacks counts 0.

    Example: rag-judge retrieval --qrels qrels.txt --run runs/ --measures "alpha_nDCG@20 RR"
    """
    from judge import retrieving
    from judge.formats.scores import write_scores
    from judge.report import terminal

    scores = retrieving.evaluate(
        qrels,
        run,
        measures=measures,
        topics=topics,
        subtopics=subtopics,
        by_rank=by_rank,
        dedup=dedup,
        empty_as_zero=empty_as_zero,
    )
    if out is not None:
        write_scores(out, scores)
    if json:
        typer.echo(terminal.scores_json(scores, per_topic=per_topic))
    else:
        terminal.print_scores(scores, per_topic=per_topic, intervals=intervals)
