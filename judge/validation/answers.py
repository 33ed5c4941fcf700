"""Checks of answers: a track's limits, citations, empty sentences, topics and documents."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from judge.formats.forms import Located
from judge.formats.lines import Place
from judge.types import Answer, Citation
from judge.validation.context import Context, Limits
from judge.validation.problems import Problems


def check_answers(records: Sequence[Located[Answer]], context: Context, problems: Problems) -> None:
    """Add the problems of the answers of a file."""
    for place, answer in records:
        _check_sentences(place, answer, problems)
        _check_citations(place, answer, problems)
        if context.limits is not None:
            _check_limits(place, answer, context.limits, problems)
        _check_documents(place, answer, context, problems)
        _check_other_files(place, answer, context, problems)
    _check_topics(records, context, problems)


class _Cited(NamedTuple):
    field: str
    citation: Citation


def _cited(answer: Answer) -> Iterator[_Cited]:
    for i, sentence in enumerate(answer.sentences):
        for citation in sentence.citations:
            yield _Cited(f"sentence {i}", citation)


def _check_sentences(place: Place, answer: Answer, problems: Problems) -> None:
    if not answer.sentences:
        problems.add("warning", f"{_name(answer)} has no sentences: it scores 0 on recall", place)
    for i, sentence in enumerate(answer.sentences):
        if not sentence.text.strip():
            cited = f" but cites {len(sentence.citations)}" if sentence.citations else ""
            message = f"an empty sentence of {_name(answer)}{cited}; measures count it"
            problems.add("warning", message, place, field=f"sentence {i}")


def _check_citations(place: Place, answer: Answer, problems: Problems) -> None:
    n = len(answer.references)
    for docid, count in Counter(answer.references).items():
        if count > 1:
            message = f"a reference of {_name(answer)} that stands {count} times"
            problems.add("warning", message, place, field="references", found=docid)
    for field, citation in _cited(answer):
        if citation.docid is None:
            expected = f"a place from 0 to {n - 1}, or one of the references" if n else "none"
            message = f"a citation of {_name(answer)} that is not among its {n} references"
            problems.add(
                "error", message, place, field=field, expected=expected, found=citation.mention
            )


def _check_limits(place: Place, answer: Answer, limits: Limits, problems: Problems) -> None:
    words = sum(len(sentence.text.split()) for sentence in answer.sentences)
    _check_limit(place, f"words in {_name(answer)}", words, limits.words, problems)
    n_references = len(answer.references)
    _check_limit(place, f"references of {_name(answer)}", n_references, limits.references, problems)
    for i, sentence in enumerate(answer.sentences):
        what, n = f"citations of one sentence of {_name(answer)}", len(sentence.citations)
        _check_limit(place, what, n, limits.citations, problems, f"sentence {i}")


def _check_limit(
    place: Place,
    what: str,
    number: int,
    limit: int | None,
    problems: Problems,
    field: str | None = None,
) -> None:
    if limit is not None and number > limit:
        message = f"too many {what}"
        problems.add(
            "error", message, place, field=field, expected=f"at most {limit}", found=number
        )


def _check_documents(place: Place, answer: Answer, context: Context, problems: Problems) -> None:
    if context.corpora is None:
        return
    for docid in dict.fromkeys(c.docid for _, c in _cited(answer) if c.docid is not None):
        if context.corpora.cited(answer, docid) is None:
            message = f"{_name(answer)} cites a document that is in none of the corpora"
            problems.add("error", message, place, found=docid)


def _check_other_files(place: Place, answer: Answer, context: Context, problems: Problems) -> None:
    first = context.answered.setdefault((answer.run_id, answer.topic_id), place)
    if first.path != place.path:
        problems.add("error", f"{_name(answer)} stands in another file too, at {first}", place)


def _check_topics(records: Sequence[Located[Answer]], context: Context, problems: Problems) -> None:
    if context.topics is None:
        return
    runs: dict[str, dict[str, Place]] = {}
    for place, answer in records:
        runs.setdefault(answer.run_id, {})[answer.topic_id] = place
    for run_id, topics in runs.items():
        context.tell_unknown(topics, f"an answer of {run_id!r}", problems)
        context.tell_missing(topics, f"{run_id!r} has no answer, and scores 0", problems)


def _name(answer: Answer) -> str:
    return f"({answer.run_id}, {answer.topic_id})"
