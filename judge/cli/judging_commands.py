"""`relevance`, `nuggets create`, `assign` and `locate`, `support`: one judging task each."""

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
def locate(
    topics: Topics,
    nuggets: Annotated[str, typer.Option(help="Nuggets file")],
    out: Out,
    flags: dict[str, Any],
    corpus: OptionalCorpus = None,
    pool: Annotated[
        list[str] | None, typer.Option(help="Retrieval runs whose top documents are asked")
    ] = None,
    depth: Annotated[int, typer.Option(help="How far down each run", min=1)] = 20,
    answers: Annotated[
        list[str] | None, typer.Option(help="Answers whose cited documents are asked")
    ] = None,
    needed: Annotated[
        bool,
        typer.Option("--needed", help="Only what coverage hangs on, by the assign labels in --out"),
    ] = False,
    gold: Annotated[
        bool, typer.Option("--gold", help="Use the lists of documents that nuggets have")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="In the qrels, what is held in part is held")
    ] = False,
    json: Json = False,
) -> None:
    """Label which nuggets documents hold; writes subtopics.qrels, and coverage.jsonl after assign.

    A document holds what it says in full: grade 1, else 0. `rag-judge retrieval` takes the file
    for alpha_nDCG and StRecall.

    Example: rag-judge nuggets locate --topics topics.jsonl --nuggets nuggets.jsonl
    --pool 'runs/*' --depth 20 --corpus docs.jsonl --out run1
    """
    from judge import verbs
    from judge.cli.judging import carry_out

    carry_out(
        lambda settings, report: verbs.locate_nuggets(
            topics,
            out=out,
            nuggets=nuggets,
            corpus=corpus or (),
            pool=pool or (),
            depth=depth,
            answers=answers or (),
            needed=needed,
            gold=gold,
            partial=partial,
            settings=settings,
            report=report,
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
    mode: Annotated[
        str,
        typer.Option(help="each document by itself, concatenated as in ALCE, or both"),
    ] = "each",
    prompt: Annotated[str, typer.Option(help="Template")] = "support/trec2025",
    json: Json = False,
) -> None:
    """Label how far cited documents support each sentence; writes support.jsonl.

    Concatenated, all that a sentence cites is judged together, then what that leaves open; that
    takes all citations and writes citations.jsonl, for citation_precision and citation_recall.

    Example: rag-judge support --topics topics.jsonl --answers 'answers/*.jsonl'
    --corpus docs.jsonl --out run1
    """
    from judge import verbs
    from judge.cli.judging import carry_out
    from judge.config import read_citations, read_mode

    carry_out(
        lambda settings, report: verbs.support(
            topics,
            out=out,
            answers=answers,
            corpus=corpus or (),
            citations=read_citations(citations),
            mode=read_mode(mode),
            prompt=prompt,
            settings=settings,
            report=report,
        ),
        flags,
        json=json,
    )
