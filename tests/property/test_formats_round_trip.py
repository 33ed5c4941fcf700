"""What is written is read back equal, whatever texts and ids there are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.errors import InputError
from judge.formats import (
    read_assignments,
    read_nuggets,
    read_support,
    read_topics,
    write_assignments,
    write_nugget_banks,
    write_nuggets,
    write_support,
    write_topics,
    write_topics_tsv,
)
from judge.types import (
    SUPPORTS,
    AssignedAnswer,
    CitationLabel,
    Nugget,
    NuggetAnswer,
    NuggetLabel,
    SubNarrative,
    SupportedAnswer,
    SupportedSentence,
    Topic,
)

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# text that is awkward in lines, in JSON and in columns, but no surrogate, which no file holds
characters = st.characters(exclude_categories=["Cs"])
awkward = st.sampled_from(
    ['"', '""', "New: x", "\u2028", "\r", "a\tb", "é\n", "{{x}}", "[", "007", "#"]
)
texts = st.one_of(awkward, st.text(characters, min_size=1, max_size=8))
filled = texts.filter(lambda text: bool(text.strip()))
importances = st.sampled_from(["vital", "okay", None])
docids = st.lists(filled, max_size=3, unique=True).map(tuple)


def unique_by(name: str, items: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, max_size=3, unique_by=lambda item: getattr(item, name))


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    parts = draw(st.lists(st.tuples(filled, importances), max_size=3))
    return Topic(
        topic_id=draw(filled),
        narrative=draw(filled),
        title=draw(st.one_of(st.just(""), texts)),
        background=draw(st.one_of(st.just(""), texts)),
        sub_narratives=tuple(
            SubNarrative(sub_id=str(i), text=text, importance=importance)
            for i, (text, importance) in enumerate(parts, start=1)
        ),
    )


@st.composite
def nuggets(draw: st.DrawFn) -> Nugget:
    answers = draw(st.lists(st.builds(NuggetAnswer, text=filled, docids=docids), max_size=2))
    own = draw(docids)
    inside = (docid for answer in answers for docid in answer.docids)
    return Nugget(
        nugget_id=draw(filled),
        topic_id=draw(st.sampled_from(["1", "2"])),
        text=draw(filled),
        importance=draw(importances),
        sub_narrative=draw(st.one_of(st.none(), texts)),
        docids=tuple(dict.fromkeys((*own, *inside))),
        source=draw(st.one_of(st.just(""), texts)),
        answers=tuple(answers),
        aggregator=draw(st.sampled_from(["AND", "OR", None])),
        group=draw(st.one_of(st.none(), filled)),
    )


labels = st.sampled_from([*SUPPORTS, None])
assigned = st.builds(
    AssignedAnswer,
    run_id=filled,
    topic_id=filled,
    nuggets=unique_by(
        "nugget_id",
        st.builds(
            NuggetLabel,
            nugget_id=filled,
            text=filled,
            importance=importances,
            label=labels,
            sub_narrative=st.one_of(st.none(), texts),
        ),
    ).map(tuple),
    query=texts,
    answer_text=texts,
    response_length=st.one_of(st.none(), st.integers(0, 999)),
)


@st.composite
def citation_labels(draw: st.DrawFn) -> CitationLabel:
    status = draw(st.sampled_from(["ok", "failed", "unjudged", "invalid"]))
    docid = None if status == "invalid" else draw(filled)
    label = draw(st.sampled_from(SUPPORTS)) if status == "ok" else None
    return CitationLabel(mention=draw(texts), docid=docid, status=status, label=label)


supported = st.builds(
    SupportedAnswer,
    run_id=filled,
    topic_id=filled,
    sentences=st.lists(
        st.builds(
            SupportedSentence,
            text=texts,
            citations=st.lists(citation_labels(), max_size=3).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
)


@quick
@given(written=unique_by("topic_id", topics()))
def test_topics(tmp_path: Path, written: list[Topic]) -> None:
    write_topics(tmp_path / "a", written)
    assert read_topics(tmp_path / "a") == written


@quick
@given(written=unique_by("topic_id", topics()))
def test_topics_in_columns_are_read_back_or_refused(tmp_path: Path, written: list[Topic]) -> None:
    bare = [Topic(topic_id=topic.topic_id, narrative=topic.narrative) for topic in written]
    try:
        write_topics_tsv(tmp_path / "a", bare)
    except InputError:
        return
    assert read_topics(tmp_path / "a") == bare


@pytest.mark.parametrize("write", [write_nuggets, write_nugget_banks])
@quick
@given(written=unique_by("nugget_id", nuggets()))
def test_nuggets(tmp_path: Path, write: Callable[..., None], written: list[Nugget]) -> None:
    grouped = sorted(written, key=lambda nugget: nugget.topic_id)
    if write is write_nugget_banks:  # its questions stand before its claims
        grouped.sort(key=lambda nugget: (nugget.topic_id, not nugget.answers))
    write(tmp_path / "a", grouped, {})
    assert read_nuggets(tmp_path / "a") == grouped


@quick
@given(written=st.lists(assigned, max_size=3, unique_by=lambda a: (a.run_id, a.topic_id)))
def test_assignments(tmp_path: Path, written: list[AssignedAnswer]) -> None:
    write_assignments(tmp_path / "a", written)
    assert read_assignments(tmp_path / "a") == written


@quick
@given(written=st.lists(supported, max_size=3, unique_by=lambda a: (a.run_id, a.topic_id)))
def test_support(tmp_path: Path, written: list[SupportedAnswer]) -> None:
    write_support(tmp_path / "a", written)
    assert read_support(tmp_path / "a") == written
