"""Checks of nuggets: sub-narratives, texts that stand twice, importance and topics."""

from collections.abc import Sequence

from judge.formats.forms import Located
from judge.formats.lines import Place
from judge.metrics.subnarratives import fold
from judge.sub_narratives import link_nuggets, summary
from judge.types import Nugget
from judge.validation.context import Context
from judge.validation.problems import Problems


def check_nuggets(records: Sequence[Located[Nugget]], context: Context, problems: Problems) -> None:
    """Add the problems of the nuggets of a file."""
    _check_repeated(records, problems)
    without = sum(nugget.importance is None for _, nugget in records)
    if without:
        message = f"{without} of {len(records)} nuggets have no importance"
        problems.add("info", f"{message}: measures of vital nuggets leave them out")
    if context.topics is not None:
        _check_topics(records, context, problems)
        _check_links(records, context, problems)


def _check_repeated(records: Sequence[Located[Nugget]], problems: Problems) -> None:
    seen: dict[tuple[object, ...], str] = {}
    for place, nugget in records:
        answers = tuple(fold(answer.text) for answer in nugget.answers)
        key = (nugget.topic_id, fold(nugget.text), *answers)
        first = seen.setdefault(key, nugget.nugget_id)
        if first != nugget.nugget_id:
            message = f"topic {nugget.topic_id} has this nugget twice, first as {first!r}"
            problems.add("warning", message, place, field=nugget.nugget_id, found=nugget.text)


def _check_topics(records: Sequence[Located[Nugget]], context: Context, problems: Problems) -> None:
    topics: dict[str, Place] = {}
    for place, nugget in records:
        topics.setdefault(nugget.topic_id, place)
    context.tell_unknown(topics, "nuggets", problems)
    context.tell_missing(topics, "no nuggets, and no nugget measures", problems)


def _check_links(records: Sequence[Located[Nugget]], context: Context, problems: Problems) -> None:
    topics = context.topics or {}
    known = [located for located in records if located.record.topic_id in topics]
    links = list(link_nuggets((nugget for _, nugget in known), topics))
    line = summary(links)
    if line is None:
        return
    problems.add("info", line)
    for (place, nugget), link in zip(known, links, strict=True):
        if link.how == "unknown":
            message = f"topic {nugget.topic_id} has no such sub-narrative"
            expected = (
                None if link.nearest is None else f"an official text; nearest {link.nearest!r}"
            )
            problems.add(
                "warning",
                message,
                place,
                field=nugget.nugget_id,
                expected=expected,
                found=nugget.sub_narrative,
            )
        elif link.how == "none" and topics[nugget.topic_id].sub_narratives:
            message = f"a nugget of topic {nugget.topic_id} is mapped to no sub-narrative"
            problems.add("warning", message, place, field=nugget.nugget_id, found=nugget.text)
