"""How likely each label was, told from the tokens of a reply."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from judge.parsing.likelihood import in_batch, likelihood
from judge.types import Judgment, Label, Token
from judge.uncertainty import FILE, entropy, expected, write_uncertainty

GRADES: tuple[Label, ...] = (0, 1, 2, 3, 4)
LABELS: tuple[Label, ...] = ("none", "partial", "full")
SCORE = ("##final score",)


def tokens(*pieces: str, at: int, **top: float) -> list[Token]:
    """Tokens of which the one at place `at` has the probabilities `top` of its alternatives."""
    made = [Token(text=piece, logprob=0.0) for piece in pieces]
    likely = {text: math.log(p) for text, p in top.items()}
    here = likely.get(pieces[at].strip(), 0.0)
    made[at] = Token(text=pieces[at], logprob=here, top=likely)
    return made


def test_grades_are_read_at_the_last_marker() -> None:
    pieces = ("3 parts.\n", "##", "final", " score", ":", " ", "2")
    top = {"2": 0.6, "3": 0.3, "\n": 0.1}
    found = likelihood(tokens(*pieces, at=6, **top), SCORE, GRADES)
    assert found is not None
    assert found.mass == pytest.approx(0.9)
    assert found.probabilities == pytest.approx({"0": 0, "1": 0, "2": 2 / 3, "3": 1 / 3, "4": 0})


def test_an_earlier_marker_does_not_count() -> None:
    pieces = ("##final score: ", "4", " they say.\n", "##final score: **", "1", "**")
    assert likelihood(tokens(*pieces, at=4, **{"1": 1.0}), SCORE, GRADES) is not None
    found = likelihood(tokens(*pieces, at=1, **{"4": 1.0}), SCORE, GRADES)
    assert found is not None
    assert found.probabilities["1"] == 1.0


@pytest.mark.parametrize("piece", ["full", " full", " Full", "**full", '"full'])
def test_a_label_is_known_by_its_beginning(piece: str) -> None:
    given = [Token(text="Label:", logprob=0.0)]
    top = {piece: math.log(0.7), " part": math.log(0.2), " No": math.log(0.1)}
    given += [Token(text=piece, logprob=math.log(0.7), top=top), Token(text=".", logprob=0.0)]
    found = likelihood(given, ("label",), LABELS)
    assert found is not None
    assert found.probabilities == pytest.approx({"none": 0.1, "partial": 0.2, "full": 0.7})


def test_a_reply_that_is_a_label_needs_no_mark() -> None:
    found = likelihood(tokens("partial", at=0, partial=0.5, full=0.5), (), LABELS)
    assert found is not None
    assert found.probabilities == pytest.approx({"none": 0.0, "partial": 0.5, "full": 0.5})


@pytest.mark.parametrize("nested", [False, True])
def test_each_item_of_a_batch_has_its_own(nested: bool) -> None:
    head, tail = ('{"label": "', '", "sentences": [1]}') if nested else ('"', '"')
    pieces = ('{"1": ' + head, "full", tail + ', "2": ' + head, "none", tail + "}")
    assert json.loads("".join(pieces))
    given = tokens(*pieces, at=3, none=0.8, full=0.2)
    second = likelihood(given, in_batch("2"), LABELS)
    assert second is not None
    assert second.probabilities == pytest.approx({"none": 0.8, "partial": 0.0, "full": 0.2})
    first = likelihood(given, in_batch("1"), LABELS)
    assert first is not None
    assert first.probabilities["full"] == 1.0


@pytest.mark.parametrize(
    ("pieces", "marks"),
    [
        (("no marker", " 3"), SCORE),
        (("##final score:", " "), SCORE),
        (("##final score:", " high"), SCORE),
        (('{"2": "full"}',), in_batch("3")),
        (("",), ()),
    ],
)
def test_where_the_label_is_not_found_nothing_is_said(
    pieces: tuple[str, ...], marks: tuple[str, ...]
) -> None:
    labels = GRADES if marks == SCORE else LABELS
    assert likelihood([Token(text=p, logprob=0.0) for p in pieces], marks, labels) is None


def test_what_begins_several_labels_counts_for_none() -> None:
    found = likelihood(tokens("1", at=0, **{"1": 0.5, "2": 0.25}), (), (1, 10, 2))
    assert found is not None
    assert found.probabilities == {"1": 0.0, "10": 0.0, "2": 1.0}
    assert found.mass == pytest.approx(0.25)


def test_expected_label_and_entropy() -> None:
    assert expected({"0": 0.5, "4": 0.5}) == 2.0
    assert expected({"none": 0.5, "partial": 0.25, "full": 0.25}) == pytest.approx(0.375)
    assert expected({"okay": 0.25, "vital": 0.75}) == 0.75
    assert entropy({"a": 0.5, "b": 0.5}) == 1.0
    assert entropy({"a": 1.0, "b": 0.0}) == 0.0


def test_the_file_holds_what_is_known(tmp_path: Path) -> None:
    def judged(docid: str, **more: object) -> Judgment:
        data: dict[str, Any] = {"label": 2, "status": "ok", **more}
        return Judgment(task="relevance", topic_id="t", docid=docid, **data)

    failed = {"label": None, "status": "failed", "failure": "parse", "detail": {"samples": [1, 2]}}
    rows = [
        judged("a", probabilities={"2": 0.5, "4": 0.5}, detail={"label_mass": 0.75}),
        judged("b", detail={"samples": [2, 2, 1]}),
        judged("c"),
        judged("d", **failed),
    ]
    write_uncertainty(tmp_path, rows)
    lines = (tmp_path / FILE).read_text(encoding="utf-8").split("\n")
    assert lines[1:] == [
        "relevance|t|a\t2\t3.0000\t1.0000\t0.7500\t",
        "relevance|t|b\t2\t\t\t\t0.3333",
        "",
    ]
