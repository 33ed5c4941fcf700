"""Checks of topics, labels and documents."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from judge.formats.forms import Located
from judge.formats.lines import Place
from judge.metrics.subnarratives import fold
from judge.types import AssignedAnswer, Document, SupportedAnswer, Topic
from judge.validation.context import Context
from judge.validation.problems import Problems


def check_topics(records: Sequence[Located[Topic]], context: Context, problems: Problems) -> None:
    """Add the problems of topics: a sub-narrative that stands twice."""
    del context
    for place, topic in records:
        seen: set[str] = set()
        for part in topic.sub_narratives:
            if fold(part.text) in seen:
                message = f"topic {topic.topic_id} has a sub-narrative twice; it counts once"
                problems.add("warning", message, place, found=part.text)
            seen.add(fold(part.text))


def check_assignments(
    records: Sequence[Located[AssignedAnswer]], context: Context, problems: Problems
) -> None:
    """Add the problems of nugget labels: those that were not had, nuggets that differ, topics."""
    n = sum(label.label is None for _, answer in records for label in answer.nuggets)
    _tell_unlabelled(n, problems)
    asked: dict[str, tuple[frozenset[str], Place]] = {}
    for place, answer in records:
        nuggets = frozenset(nugget.text for nugget in answer.nuggets)
        first, where = asked.setdefault(answer.topic_id, (nuggets, place))
        if nuggets != first:
            message = f"({answer.run_id}, {answer.topic_id}) is labelled for other nuggets than"
            problems.add("warning", f"{message} the answer at {where}", place)
    _check_labelled(records, context, problems)


def check_support(
    records: Sequence[Located[SupportedAnswer]], context: Context, problems: Problems
) -> None:
    """Add the problems of support labels: those that were not had, and topics."""
    citations = (
        label
        for _, answer in records
        for sentence in answer.sentences
        for label in sentence.citations
    )
    _tell_unlabelled(sum(label.status == "failed" for label in citations), problems)
    _check_labelled(records, context, problems)


def checked_documents(
    records: Iterable[Located[Document]], problems: Problems
) -> Iterator[Located[Document]]:
    """Pass documents on, and add an error for each id that stands again with another text."""
    seen: dict[str, bytes] = {}
    for place, document in records:
        digest = blake2b(document.text.encode(), digest_size=8).digest()
        if seen.setdefault(document.docid, digest) != digest:
            message = f"the docid {document.docid!r} stands again, with another text"
            problems.add("error", message, place)
        if not document.text.strip():
            problems.add("warning", f"the document {document.docid!r} has no text", place)
        yield Located(place, document)


def _tell_unlabelled(number: int, problems: Problems) -> None:
    if number:
        problems.add("info", f"{number} labels were not had: scores count them as failed")


def _check_labelled(
    records: Sequence[Located[AssignedAnswer]] | Sequence[Located[SupportedAnswer]],
    context: Context,
    problems: Problems,
) -> None:
    places: dict[str, Place] = {}
    for place, answer in records:
        places.setdefault(answer.topic_id, place)
    context.tell_unknown(places, "labels", problems)
