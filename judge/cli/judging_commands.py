"""`relevance`, `nuggets create`, `nuggets assign` and `support`: one judging task each."""

from typing import Annotated, Any

import typer

from judge.cli.options import Answers, CorpusFiles, Json, OptionalCorpus, Out, Topics, judging


@judging
def relevance(
    topics: Topics,
    corpus: CorpusFiles,
    out: Out,
    flags: dict[str, Any],
    pool: Annotated[
        list[str] | None, typer.Option(help="Retrieval runs whose top documents are graded")
    ] = None,
    depth: Annotated[int, typer.Option(help="How far down each run", min=1)] = 20,
    pairs: Annotated[str | None, typer.Option(help="A qrels file that lists the pairs")] = None,
    prompt: Annotated[str, typer.Option(help="Template")] = "relevance/trec2025",
    json: Json = False,
) -> None:
    """Grade documents 0-4 for topics; writes qrels.txt.

    Example: rag-judge relevance --topics topics.jsonl --pool 'runs/*' --depth 10
    --corpus docs.jsonl --out run1
    """
    from judge import verbs
    from judge.cli.judging import carry_out

    carry_out(
        lambda settings, report: verbs.relevance(
            topics,
            out=out,
            pool=pool or (),
            depth=depth,
            pairs=pairs,
            corpus=corpus,
            prompt=prompt,
            settings=settings,
            report=report,
        ),
        flags,
        json=json,
    )


@judging
def create(
    topics: Topics,
    qrels: Annotated[str, typer.Option(help="Grades that choose the documents")],
    corpus: CorpusFiles,
    out: Out,
    flags: dict[str, Any],
    min_grade: Annotated[int, typer.Option(help="The least grade a document needs")] = 1,
    json: Json = False,
) -> None:
    """Create nuggets from relevant documents; writes nuggets.jsonl.

    Example: rag-judge nuggets create --topics topics.jsonl --qrels run1/qrels.txt
    --corpus docs.jsonl --out run1
    """
    from judge import verbs
    from judge.cli.judging import carry_out

    carry_out(
        lambda settings, report: verbs.create_nuggets(
            topics,
            out=out,
            qrels=qrels,
            corpus=corpus,
            min_grade=min_grade,
            settings=settings,
            report=report,
        ),
        flags,
        json=json,
    )


@judging
def assign(
    topics: Topics,
    nuggets: Annotated[str, typer.Option(help="Nuggets file")],
    answers: Answers,
    out: Out,
    flags: dict[str, Any],
    json: Json = False,
) -> None:
    """Label which nuggets each answer holds; writes assignments.jsonl.

    Example: rag-judge nuggets assign --topics topics.jsonl --nuggets nuggets.jsonl
    --answers 'answers/*.jsonl' --out run1
    """
    from judge import verbs
    from judge.cli.judging import carry_out

    carry_out(
        lambda settings, report: verbs.assign_nuggets(
            topics, out=out, nuggets=nuggets, answers=answers, settings=settings, report=report
        ),
        flags,
        json=json,
    )


@judging
def support(
    topics: Topics,
    answers: Answers,
    out: Out,
    flags: dict[str, Any],
    corpus: OptionalCorpus = None,
    citations: Annotated[
        str, typer.Option(help="Citations judged in a sentence: first, all, or a number")
    ] = "first",
    prompt: Annotated[str, typer.Option(help="Template")] = "support/trec2025",
    json: Json = False,
) -> None:
    """Label how far cited documents support each sentence; writes support.jsonl.

    Example: rag-judge support --topics topics.jsonl --answers 'answers/*.jsonl'
    --corpus docs.jsonl --out run1
    """
    from judge import verbs
    from judge.cli.judging import carry_out
    from judge.config import read_citations

    carry_out(
        lambda settings, report: verbs.support(
            topics,
            out=out,
            answers=answers,
            corpus=corpus or (),
            citations=read_citations(citations),
            prompt=prompt,
            settings=settings,
            report=report,
        ),
        flags,
        json=json,
    )
