"""ALCE's citation measures against an oracle that follows its paper, and by hand.

A sentence is written as what all it cites says together, a colon, and a word a citation: what it
says alone and what the others say without it. F(ull), P(artial), N(one), x no label, "!" points at
no document.
"""

from itertools import product
from typing import cast

import pytest

from judge.cited import WeighedAnswer, WeighedCitation, WeighedSentence
from judge.metrics import Outcome, parse_measure, score
from judge.types import Support

LABELS: dict[str, Support | None] = {"F": "full", "P": "partial", "N": "none", "x": None}


def citation(word: str) -> WeighedCitation:
    if word == "!":
        return WeighedCitation(mention="99", docid=None)
    alone, without = (LABELS[letter] for letter in word)
    return WeighedCitation(mention="d", docid="d", alone=alone, without=without)


def sentence(text: str) -> WeighedSentence:
    together, _, cited = text.partition(":")
    citations = tuple(map(citation, cited.split(",") if cited else ()))
    return WeighedSentence(text="A sentence.", citations=citations, together=LABELS[together])


def outcome(name: str, sentences: str) -> Outcome:
    made = tuple(map(sentence, sentences.split()))
    return parse_measure(name).evaluate(WeighedAnswer(run_id="r", topic_id="t", sentences=made))


@pytest.mark.parametrize(
    ("name", "sentences", "expected"),
    [
        # recall: all that is cited together
        ("citation_recall", "F:FN N:NN", (0.5, 0.5, 0.5, 2, 0)),
        ("citation_recall", "F:NN,NN N:FN,NN", (0.5, 0.5, 0.5, 2, 0)),
        ("citation_recall", "F:FN x: x:!", (1 / 3, 1 / 3, 1 / 3, 1, 0)),
        ("citation_recall", "F:!,FN", (1.0, 1.0, 1.0, 1, 0)),
        ("citation_recall", "P:PN F:FN", (0.5, 0.5, 0.5, 2, 0)),
        ("citation_recall(partial=true)", "P:PN N:NN", (0.5, 0.5, 0.5, 2, 0)),
        ("citation_recall", "F:FN x:FN", (1.0, 0.5, 1.0, 1, 1)),
        ("citation_recall", "N:FN x:FN x:", (0.0, 0.0, 1 / 3, 1, 1)),
        ("citation_recall", "x:xx", (None, 0.0, 1.0, 0, 1)),
        # precision: the only citation
        ("citation_precision", "F:NF N:FF", (0.5, 0.5, 0.5, 2, 0)),
        ("citation_precision", "F:xx", (1.0, 1.0, 1.0, 1, 0)),
        ("citation_precision", "F:!,NF", (1.0, 1.0, 1.0, 1, 0)),
        # one helps, the other is irrelevant
        ("citation_precision", "F:FN,NF", (0.5, 0.5, 0.5, 2, 0)),
        # both say the same; only together do they support
        ("citation_precision", "F:FF,FF", (1.0, 1.0, 1.0, 2, 0)),
        ("citation_precision", "F:NN,NN", (1.0, 1.0, 1.0, 2, 0)),
        # of a sentence that is not recalled no citation is precise
        ("citation_precision", "N:FF,FN", (0.0, 0.0, 0.0, 2, 0)),
        # citations are counted over the answer, not by sentence
        ("citation_precision", "F:FN N:NN,NN,NN x:", (0.25, 0.25, 0.25, 4, 0)),
        ("citation_precision", "F:FN,PF", (0.5, 0.5, 0.5, 2, 0)),
        ("citation_precision", "F:FN,NP", (1.0, 1.0, 1.0, 2, 0)),
        ("citation_precision(partial=true)", "F:FN,PF", (1.0, 1.0, 1.0, 2, 0)),
        ("citation_precision(partial=true)", "P:FN,NP", (0.5, 0.5, 0.5, 2, 0)),
        # failures count where they decide
        ("citation_precision", "x:FN N:NN", (0.0, 0.0, 0.5, 1, 1)),
        ("citation_precision", "x:FF,NF", (0.0, 0.0, 0.5, 1, 1)),
        ("citation_precision", "F:xF,FN", (1.0, 0.5, 1.0, 1, 1)),
        ("citation_precision", "F:xN,Fx", (1.0, 1.0, 1.0, 2, 0)),
        ("citation_precision", "F:Nx,FN", (1.0, 0.5, 1.0, 1, 1)),
        ("citation_precision", "N:xx,xx", (0.0, 0.0, 0.0, 2, 0)),
        ("citation_precision", "x:xx,xx", (None, 0.0, 1.0, 0, 2)),
        # F1
        ("citation_f1", "F:FN,NF x:", (0.5, 0.5, 0.5, 3, 0)),
        ("citation_f1", "F:FN,NF", (2 / 3, 2 / 3, 2 / 3, 3, 0)),
        ("citation_f1", "N:NN", (0.0, 0.0, 0.0, 2, 0)),
        ("citation_f1", "F:FN N:NN N:NN,NN", (2 * 0.25 / 3 / (0.25 + 1 / 3), *[2 / 7] * 2, 7, 0)),
        ("citation_f1", "F:FN x:FN", (1.0, 0.5, 1.0, 2, 2)),
        ("citation_f1", "F:xF,xF", (None, 0.0, 1.0, 1, 2)),
        ("citation_f1", "F:xF,xF x:", (None, 0.0, 1.0, 1, 2)),
    ],
)
def test_by_hand(
    name: str, sentences: str, expected: tuple[float | None, float, float, int, int]
) -> None:
    got = outcome(name, sentences)
    assert got[:5] == pytest.approx(expected, abs=1e-12)
    assert got.reason is None


@pytest.mark.parametrize("name", ["citation_recall", "citation_precision", "citation_f1"])
def test_what_cites_nothing_counts_0_as_in_alce(name: str) -> None:
    empty = outcome(name, "")
    assert empty[:5] == (0.0, 0.0, 0.0, 0, 0)
    assert empty.reason == ("no citations" if name == "citation_precision" else "no sentences")
    silent = outcome(name, "x: x:!")
    assert silent[:5] == (0.0, 0.0, 0.0, 0, 0)
    assert silent.reason == (None if name == "citation_recall" else "no citations")


def alce(sentences: list[tuple[bool, list[tuple[bool, bool]]]]) -> tuple[float, float]:
    """Recall and precision, step by step: (together, [(alone, without)]) a sentence."""
    supported = useful = cited = 0
    for together, each in sentences:
        cited += len(each)
        if not each or not together:
            continue
        supported += 1
        for alone, without in each:
            irrelevant = len(each) > 1 and not alone and without
            useful += not irrelevant
    return supported / len(sentences), useful / cited if cited else 0.0


SIDES: list[tuple[bool, bool]] = [(a, b) for a in (True, False) for b in (True, False)]
SENTENCES: list[tuple[bool, list[tuple[bool, bool]]]] = [
    (together, list(each))
    for together in (True, False)
    for n in range(3)
    for each in cast("list[tuple[tuple[bool, bool], ...]]", list(product(SIDES, repeat=n)))
]


@pytest.mark.parametrize("second", SENTENCES, ids=str)
def test_every_pair_of_sentences_is_counted_as_alce_counts_it(
    second: tuple[bool, list[tuple[bool, bool]]],
) -> None:
    for first in SENTENCES:
        words = []
        for together, each in (first, second):
            cited = ",".join("".join("F" if x else "N" for x in pair) for pair in each)
            words.append(f"{'F' if together else 'N'}:{cited}")
        recall, precision = alce([first, second])
        f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0.0
        got = [
            outcome(f"citation_{name}", " ".join(words)) for name in ("recall", "precision", "f1")
        ]
        assert [o.value for o in got] == pytest.approx([recall, precision, f1], abs=1e-12)
        assert all(o.low == o.value == o.high and o.n_failed == 0 for o in got)


def test_a_row_without_value_says_how_many_judgments_failed() -> None:
    answer = WeighedAnswer(run_id="r", topic_id="t", sentences=(sentence("F:xF,xF"),))
    (row, _) = score([parse_measure("citation_f1")], weighed=[answer], allow_incomplete=True)
    assert (row.value, row.reason) == (None, "2 of 3 judgments failed")


def test_they_are_scored_over_topics() -> None:
    answer = WeighedAnswer(run_id="r", topic_id="t", sentences=(sentence("F:FN"),))
    rows = score([parse_measure("citation_f1")], weighed=[answer], topics=["t", "u"])
    assert [(row.topic_id, row.value, row.reason) for row in rows] == [
        ("t", 1.0, None),
        ("u", 0.0, "no answer"),
        ("all", 0.5, None),
    ]
