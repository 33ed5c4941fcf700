"""What holds of every measure, whatever the labels."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import isfinite
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.cited import (
    GroundedAnswer,
    GroundedNugget,
    WeighedAnswer,
    WeighedCitation,
    WeighedSentence,
)
from judge.metrics import Measure, Outcome, all_measures, parse_measure, score
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    NuggetLabel,
    SubNarrative,
    Support,
    SupportedAnswer,
    SupportedSentence,
    Topic,
)

Answer = AssignedAnswer | GroundedAnswer | SupportedAnswer | WeighedAnswer
GRADES: tuple[Support, ...] = ("none", "partial", "full")
EXTREMES: tuple[Support, Support] = ("none", "full")
TOPIC = Topic(
    topic_id="t",
    narrative="All of it.",
    sub_narratives=tuple(SubNarrative(sub_id=str(i), text=t) for i, t in enumerate("abc", 1)),
)


def variants(measure: Measure[Any]) -> Iterator[Measure[Any]]:
    """Return the measure with every combination of its parameters."""
    for values in product(*(parameter.choices for parameter in measure.params)):
        names = (parameter.name for parameter in measure.params)
        yield replace(measure, **dict(zip(names, values, strict=True)))


unhurried = settings(deadline=None)  # a busy machine is no fault of the code
KINDS = ("nuggets", "coverage", "support", "citations")
EVERY = [v for measure in all_measures() if measure.kind in KINDS for v in variants(measure)]
NUGGETS, COVERAGE, SUPPORT, CITATIONS = (
    [measure for measure in EVERY if measure.kind == kind] for kind in KINDS
)

labels = st.sampled_from([*GRADES, None])
nugget_labels = st.builds(
    NuggetLabel,
    nugget_id=st.just("n"),
    text=st.just("A nugget."),
    importance=st.sampled_from(["vital", "vital", "okay", None]),
    label=labels,
    sub_narrative=st.sampled_from(["a", "b", "elsewhere", "New: a", "New: d", None]),
)
citation_labels = st.one_of(
    st.sampled_from(GRADES).map(
        lambda label: CitationLabel(mention="d", docid="d", status="ok", label=label)
    ),
    st.sampled_from(["failed", "unjudged"]).map(
        lambda status: CitationLabel(mention="d", docid="d", status=status)
    ),
    st.just(CitationLabel(mention="9", docid=None, status="invalid")),
)
sentences = st.builds(
    SupportedSentence,
    text=st.just("A sentence."),
    citations=st.lists(citation_labels, max_size=4).map(tuple),
)


known = st.sampled_from([True, False, None])
grounded_nuggets = st.builds(
    lambda label, grounded: GroundedNugget(**label.model_dump(), grounded=grounded),
    nugget_labels,
    known,
)
weighed_citations = st.builds(
    WeighedCitation,
    mention=st.just("d"),
    docid=st.sampled_from(["d", "d", "d", None]),
    alone=labels,
    without=labels,
)
weighed_sentences = st.builds(
    WeighedSentence,
    text=st.just("A sentence."),
    citations=st.lists(weighed_citations, max_size=3).map(tuple),
    together=labels,
)


def assigned(nuggets: list[NuggetLabel], run: str = "r", topic: str = "t") -> AssignedAnswer:
    return AssignedAnswer(run_id=run, topic_id=topic, nuggets=tuple(nuggets))


def supported(of: list[SupportedSentence], run: str = "r", topic: str = "t") -> SupportedAnswer:
    return SupportedAnswer(run_id=run, topic_id=topic, sentences=tuple(of))


def grounded(of: list[GroundedNugget], run: str = "r", topic: str = "t") -> GroundedAnswer:
    return GroundedAnswer(run_id=run, topic_id=topic, nuggets=tuple(of))


def weighed(of: list[WeighedSentence], run: str = "r", topic: str = "t") -> WeighedAnswer:
    return WeighedAnswer(run_id=run, topic_id=topic, sentences=tuple(of))


assigned_answers = st.lists(nugget_labels, max_size=9).map(assigned)
supported_answers = st.lists(sentences, max_size=7).map(supported)
cases = st.one_of(
    st.tuples(st.sampled_from(NUGGETS), assigned_answers),
    st.tuples(st.sampled_from(COVERAGE), st.lists(grounded_nuggets, max_size=9).map(grounded)),
    st.tuples(st.sampled_from(SUPPORT), supported_answers),
    st.tuples(st.sampled_from(CITATIONS), st.lists(weighed_sentences, max_size=5).map(weighed)),
)


def evaluate(measure: Measure[Any], answer: Answer) -> Outcome:
    return measure.evaluate(answer, TOPIC)


def relabelled(answer: Answer, grade: Support) -> Answer:
    """Return the answer with every failed unit given a label, or as good as one."""
    if isinstance(answer, GroundedAnswer):
        return grounded([_grounded_as(nugget, grade) for nugget in answer.nuggets])
    if isinstance(answer, WeighedAnswer):
        return weighed([_weighed_as(sentence, grade) for sentence in answer.sentences])
    if isinstance(answer, AssignedAnswer):
        return assigned(
            [n if n.label else n.model_copy(update={"label": grade}) for n in answer.nuggets]
        )
    mended = {"status": "ok", "label": grade}
    return supported(
        [
            s.model_copy(
                update={
                    "citations": tuple(
                        c.model_copy(update=mended) if c.status == "failed" else c
                        for c in s.citations
                    )
                }
            )
            for s in answer.sentences
        ]
    )


def _grounded_as(nugget: GroundedNugget, grade: Support) -> GroundedNugget:
    known = grade != "none" if nugget.grounded is None or not nugget.label else nugget.grounded
    known = known and nugget.grounded is not False
    return nugget.model_copy(update={"label": nugget.label or grade, "grounded": known})


def _weighed_as(sentence: WeighedSentence, grade: Support) -> WeighedSentence:
    against: Support = "none" if grade == "full" else "full"
    citations = [
        c.model_copy(update={"alone": c.alone or grade, "without": c.without or against})
        for c in sentence.citations
    ]
    together = sentence.together or grade
    return sentence.model_copy(update={"citations": tuple(citations), "together": together})


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_every_name_is_read_as_what_it_was_printed_from(measure: Measure[Any]) -> None:
    assert parse_measure(str(measure)) == measure


def test_every_combination_has_a_name_of_its_own() -> None:
    assert len({str(measure) for measure in EVERY}) == len(EVERY) == 5 + 8 + 6 + 6 + 4 + 4 + 6


@given(cases)
@unhurried
def test_bounds_hold_the_value_within_the_range(case: tuple[Measure[Any], Answer]) -> None:
    got = evaluate(*case)
    if got.undefined:
        assert (got.value, got.high) == (None, None)
        assert got.reason
        return
    assert got.low is not None
    assert got.high is not None
    assert 0.0 <= got.low <= got.high <= 1.0
    if got.value is None:
        assert got.low < got.high
        assert got.n_failed > 0
    else:
        assert got.low <= got.value <= got.high


@given(cases)
@unhurried
def test_bounds_are_the_values_with_failures_as_none_and_as_full(
    case: tuple[Measure[Any], Answer],
) -> None:
    measure, answer = case
    got = evaluate(measure, answer)
    worst, best = (evaluate(measure, relabelled(answer, grade)).value for grade in EXTREMES)
    if measure.kind in ("nuggets", "support"):
        assert (worst, best) == (got.low, got.high)
    elif not got.undefined:  # a unit of several labels may fail in part: the bounds are wider
        assert worst is not None
        assert best is not None
        assert (got.low or 0.0) <= worst <= best <= (got.high or 0.0)


@given(cases)
@unhurried
def test_without_failures_the_bounds_meet(case: tuple[Measure[Any], Answer]) -> None:
    measure, answer = case
    got = evaluate(measure, relabelled(answer, "partial"))
    assert got.n_failed == 0
    assert got.low == got.value == got.high
    assert got.n_judged == evaluate(measure, answer).n_judged + evaluate(measure, answer).n_failed


@given(st.sampled_from(NUGGETS), assigned_answers, st.data())
@unhurried
def test_a_better_nugget_label_never_lowers_a_score(
    measure: Measure[Any], answer: AssignedAnswer, data: st.DataObject
) -> None:
    better = [
        n.model_copy(update={"label": data.draw(st.sampled_from(GRADES[GRADES.index(n.label) :]))})
        if n.label
        else n
        for n in answer.nuggets
    ]
    assert_not_lower(evaluate(measure, answer), evaluate(measure, assigned(better)))


@given(st.sampled_from(SUPPORT), supported_answers, st.data())
@unhurried
def test_a_better_citation_label_never_lowers_a_score(
    measure: Measure[Any], answer: SupportedAnswer, data: st.DataObject
) -> None:
    def better(label: CitationLabel) -> CitationLabel:
        if label.label is None:
            return label
        grade = data.draw(st.sampled_from(GRADES[GRADES.index(label.label) :]))
        return label.model_copy(update={"label": grade})

    upgraded = [
        s.model_copy(update={"citations": tuple(map(better, s.citations))})
        for s in answer.sentences
    ]
    assert_not_lower(evaluate(measure, answer), evaluate(measure, supported(upgraded)))


def assert_not_lower(before: Outcome, after: Outcome) -> None:
    for old, new in zip(before[:3], after[:3], strict=True):
        assert (old is None) == (new is None)
        assert old is None or new is None or new >= old


@given(cases, st.randoms(use_true_random=False))
@unhurried
def test_the_order_of_nuggets_and_sentences_does_not_matter(
    case: tuple[Measure[Any], Answer], random: Any
) -> None:
    measure, answer = case
    name = "nuggets" if hasattr(answer, "nuggets") else "sentences"
    parts = list(getattr(answer, name))
    random.shuffle(parts)
    made = answer.model_copy(update={name: tuple(parts)})
    assert evaluate(measure, made) == evaluate(measure, answer)


# --- an oracle for support -----------------------------------------------------------------------


def oracle(
    answer: SupportedAnswer, measure: Any, failed_as: Literal["left out", "none", "full"]
) -> float | None:
    """Compute a support measure from fates: what becomes of each sentence, case by case."""
    if not answer.sentences:
        return 0.0
    depth = 1 if measure.citations == "first" else 99
    points = {"full": 1.0, "partial": 0.0 if measure.hard else 0.5, "none": 0.0}
    fates: list[float] = []
    for sentence in answer.sentences:
        real = [c for c in sentence.citations[:depth] if c.docid is not None]
        seen = [points[c.label] for c in real if c.label is not None]
        if failed_as != "left out":
            seen += [points[failed_as] for c in real if c.status == "failed"]
        if not real and measure.name == "support_recall":
            fates.append(0.0)
        if seen:
            fates.append(sum(seen) / len(seen))
    return sum(fates) / len(fates) if fates else None


@given(st.sampled_from(SUPPORT), supported_answers)
@settings(max_examples=300, deadline=None)
def test_support_agrees_with_the_oracle(measure: Measure[Any], answer: SupportedAnswer) -> None:
    got = evaluate(measure, answer)
    assert got.value == pytest.approx(oracle(answer, measure, "left out"), abs=1e-12)
    assert got.low == pytest.approx(oracle(answer, measure, "none"), abs=1e-12)
    assert got.high == pytest.approx(oracle(answer, measure, "full"), abs=1e-12)


# --- scores --------------------------------------------------------------------------------------

places = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("uvw")), min_size=1, unique=True)


@st.composite
def collections(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "assigned": [
            assigned(draw(st.lists(nugget_labels, max_size=4)), *place) for place in draw(places)
        ],
        "supported": [
            supported(draw(st.lists(sentences, max_size=3)), *place) for place in draw(places)
        ],
        "grounded": [
            grounded(draw(st.lists(grounded_nuggets, max_size=4)), *place) for place in draw(places)
        ],
        "weighed": [
            weighed(draw(st.lists(weighed_sentences, max_size=3)), *place) for place in draw(places)
        ],
        "topic_records": {t: TOPIC.model_copy(update={"topic_id": t}) for t in "uvwz"},
        "max_failed": draw(st.sampled_from([0.0, 0.05, 0.5, 1.0])),
        "allow_incomplete": draw(st.booleans()),
        "empty_as_zero": draw(st.booleans()),
    }


@given(collections(), st.sampled_from([None, list("uvwz")]))
@unhurried
def test_rows_are_finite_ordered_and_add_up(
    collection: dict[str, Any], topics: list[str] | None
) -> None:
    rows = score(EVERY, topics=topics, **collection)
    for row in rows:
        numbers = [row.value, row.low, row.high, row.se, row.ci_low, row.ci_high]
        assert all(number is None or isfinite(number) for number in numbers)
        assert row.value is not None or row.reason
        assert (row.low is None) == (row.high is None)
        if row.value is not None:
            assert row.low is not None
            assert row.high is not None
            assert row.low - 1e-12 <= row.value <= row.high + 1e-12
    for mean in (row for row in rows if row.topic_id == "all"):
        mine = (mean.run_id, mean.measure)
        each = [r for r in rows if (r.run_id, r.measure) == mine and r is not mean]
        assert mean.n_topics == len(each)
        assert (mean.se is None) == (mean.ci_low is None) == (mean.ci_high is None)
        if mean.ci_low is not None and mean.ci_high is not None:
            assert 0.0 <= mean.ci_low <= mean.ci_high <= 1.0
        assert mean.n_undefined == sum(row.low is None for row in each)
        assert mean.n_missing == sum(row.reason == "no answer" for row in each) + sum(
            str(row.reason).startswith("no answer;") and row.low is not None for row in each
        )
        assert mean.n_judged == sum(row.n_judged for row in each)
        assert mean.n_failed == sum(row.n_failed for row in each)


@given(collections(), st.randoms(use_true_random=False))
@unhurried
def test_the_order_of_answers_does_not_matter(collection: dict[str, Any], random: Any) -> None:
    shuffled = dict(collection)
    for kind in ("assigned", "grounded", "supported", "weighed"):
        shuffled[kind] = random.sample(collection[kind], len(collection[kind]))
    before, after = (score(EVERY, **given) for given in (collection, shuffled))
    assert sorted(map(repr, before)) == sorted(map(repr, after))
