"""Support measures on answers small enough to count by hand.

A citation is one letter: F(ull), P(artial), N(one), x failed, ? never asked about, ! points at
no document. A sentence is a word of them, "-" one without citations.
"""

import pytest

from judge.errors import InputError
from judge.metrics import Outcome, parse_measure
from judge.types import CitationLabel, Support, SupportedAnswer, SupportedSentence

LABELS: dict[str, Support] = {"F": "full", "P": "partial", "N": "none"}


def citation(letter: str) -> CitationLabel:
    if letter == "!":
        return CitationLabel(mention="99", docid=None, status="invalid")
    if letter == "x":
        return CitationLabel(mention="d", docid="d", status="failed")
    if letter == "?":
        return CitationLabel(mention="d", docid="d", status="unjudged")
    return CitationLabel(mention="d", docid="d", status="ok", label=LABELS[letter])


def outcome(name: str, sentences: str) -> Outcome:
    made = tuple(
        SupportedSentence(text="A sentence.", citations=tuple(map(citation, word.strip("-"))))
        for word in sentences.split()
    )
    return parse_measure(name).evaluate(SupportedAnswer(run_id="r", topic_id="t", sentences=made))


@pytest.mark.parametrize(
    ("name", "sentences", "expected"),
    [
        # what leaves a denominator, what stays in at 0
        ("support_precision", "F -", (1.0, 1.0, 1.0, 1, 0)),
        ("support_recall", "F -", (0.5, 0.5, 0.5, 1, 0)),
        ("support_recall", "F ?", (1.0, 1.0, 1.0, 1, 0)),
        ("support_recall", "F ?N", (1.0, 1.0, 1.0, 1, 0)),
        ("support_recall", "F -  ?", (0.5, 0.5, 0.5, 1, 0)),
        ("support_recall(citations=all)", "F ?N", (0.5, 0.5, 0.5, 2, 0)),
        ("support_recall(citations=all)", "F ?? -", (0.5, 0.5, 0.5, 1, 0)),
        ("support_precision(citations=all)", "F ??", (1.0, 1.0, 1.0, 1, 0)),
        # further citations do not count for citations=first
        ("support_precision", "FN NF", (0.5, 0.5, 0.5, 2, 0)),
        ("support_precision", "Fx", (1.0, 1.0, 1.0, 1, 0)),
        ("support_precision(citations=all)", "FN FFNN P", (0.5, 0.5, 0.5, 7, 0)),
        # a mention of no document
        ("support_precision", "F !F", (1.0, 1.0, 1.0, 1, 0)),
        ("support_recall", "F !F", (0.5, 0.5, 0.5, 1, 0)),
        ("support_recall", "F F!", (1.0, 1.0, 1.0, 2, 0)),
        ("support_recall(citations=all)", "F !F !", (2 / 3, 2 / 3, 2 / 3, 2, 0)),
        ("support_precision(citations=all)", "F !N !", (0.5, 0.5, 0.5, 2, 0)),
        ("support_recall(citations=all)", "F !?", (1.0, 1.0, 1.0, 1, 0)),
        # failures: left out of the value, in the denominators of the bounds
        ("support_precision", "F x", (1.0, 0.5, 1.0, 1, 1)),
        ("support_precision", "N x", (0.0, 0.0, 0.5, 1, 1)),
        ("support_recall", "F x - -", (1 / 3, 0.25, 0.5, 1, 1)),
        ("support_recall", "x -", (0.0, 0.0, 0.5, 0, 1)),
        ("support_precision", "x -", (None, 0.0, 1.0, 0, 1)),
        ("support_precision", "x ?", (None, 0.0, 1.0, 0, 1)),
        ("support_precision(citations=all)", "Px", (0.5, 0.25, 0.75, 1, 1)),
        ("support_precision(citations=all)", "Fxx N", (0.5, 1 / 6, 0.5, 2, 2)),
        ("support_recall(citations=all)", "Nx x -", (0.0, 0.0, 0.5, 1, 2)),
        ("support_recall(citations=all)", "x?! F", (1.0, 0.5, 1.0, 1, 1)),
        # partial support
        ("support_recall(hard=true)", "P F", (0.5, 0.5, 0.5, 2, 0)),
        ("support_recall(citations=all,hard=true)", "PF", (0.5, 0.5, 0.5, 2, 0)),
    ],
)
def test_counted_by_hand(
    name: str, sentences: str, expected: tuple[float | None, float, float, int, int]
) -> None:
    assert outcome(name, sentences)[:5] == pytest.approx(expected, abs=1e-12)
    assert outcome(name, sentences).reason is None


NAMES = ["support_precision", "support_recall"]
PARAMS = ["", "(citations=all)", "(hard=true)", "(citations=all,hard=true)"]


@pytest.mark.parametrize("name", [name + params for name in NAMES for params in PARAMS])
def test_an_answer_without_sentences_counts_zero(name: str) -> None:
    assert outcome(name, "") == Outcome(0.0, 0.0, 0.0, reason="no sentences")


@pytest.mark.parametrize("sentences", ["-", "- - -", "! -", "?", "? - !"])
@pytest.mark.parametrize("params", PARAMS)
def test_precision_without_a_judged_citation_is_undefined(params: str, sentences: str) -> None:
    got = outcome(f"support_precision{params}", sentences)
    assert got == Outcome(None, None, None, reason="no judged citation")
    assert got.undefined


@pytest.mark.parametrize("params", PARAMS)
def test_recall_without_citations_is_zero(params: str) -> None:
    assert outcome(f"support_recall{params}", "- ! -") == Outcome(0.0, 0.0, 0.0)


@pytest.mark.parametrize("params", PARAMS)
def test_recall_is_undefined_where_nothing_was_asked_about(params: str) -> None:
    assert outcome(f"support_recall{params}", "? ??").reason == "no judged citation"


def test_a_judged_citation_without_a_label_is_refused() -> None:
    broken = CitationLabel(mention="7", docid="d", status="ok")
    sentence = SupportedSentence(text="A sentence.", citations=(broken,))
    answer = SupportedAnswer(run_id="r", topic_id="t", sentences=(sentence,))
    with pytest.raises(InputError, match="citation '7' has status ok and no label"):
        parse_measure("support_recall").evaluate(answer)
