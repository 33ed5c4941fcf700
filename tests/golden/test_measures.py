"""Published values of the nugget and support measures, reproduced."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from judge.formats.assignments import read_assignments
from judge.metrics import parse_measure, score
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    Importance,
    NuggetLabel,
    Score,
    SubNarrative,
    Support,
    SupportedAnswer,
    SupportedSentence,
    Topic,
)

DATA = Path(__file__).parents[2].parent / "shared" / "data"
ASSIGNMENTS = DATA / "rag24" / "nugget_assignment.nist-sample.jsonl"
SCORES = DATA / "rag24" / "nugget_scores.nist-sample.jsonl"
NUGGETS = DATA / "rag25" / "nuggets.jsonl"
NARRATIVES = DATA / "rag25" / "narratives.json"
OFFICIAL = {
    "strict_vital_recall": "strict_vital_score",
    "strict_all_recall": "strict_all_score",
    "vital_recall": "vital_score",
    "all_recall": "all_score",
}
LABELS: dict[str, Support] = {
    "support": "full",
    "partial_support": "partial",
    "not_support": "none",
}


def load(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        pytest.skip(f"the shared data is not here: {path.name}")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def parsed_by_hand() -> list[AssignedAnswer]:
    return [
        AssignedAnswer(
            run_id=line["run_id"],
            topic_id=line["qid"],
            nuggets=tuple(
                NuggetLabel(
                    nugget_id=str(i),
                    text=nugget["text"],
                    importance=nugget["importance"],
                    label=LABELS[nugget["assignment"]],
                )
                for i, nugget in enumerate(line["nuggets"])
            ),
        )
        for line in load(ASSIGNMENTS)
    ]


def values(rows: list[Score]) -> dict[tuple[str, str, str], float | None]:
    return {(row.run_id, row.topic_id, row.measure): row.value for row in rows}


@pytest.mark.parametrize("how", ["by hand", "by the reader"])
def test_real_nist_assignments_give_the_scores_nist_published(how: str) -> None:
    published = load(SCORES)
    answers = parsed_by_hand() if how == "by hand" else read_assignments(ASSIGNMENTS)
    ours = values(score([parse_measure(name) for name in OFFICIAL], assigned=answers))
    assert len(published) == 4
    for line in published:
        for name, theirs in OFFICIAL.items():
            key = (line["run_id"], line["qid"], name)
            assert ours[key] == pytest.approx(line[theirs], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("strict_vital_recall", 0.5),
        ("strict_all_recall", 1 / 3),
        ("vital_recall", 0.75),
        ("all_recall", 0.5),
        ("weighted_recall", 0.6),
        ("info_recall", 1 / 3),
        ("info_recall(credit=partial)", 0.5),
        ("info_recall(credit=weighted)", 0.4),
        ("info_recall(importance=vital)", 0.5),
    ],
)
def test_vital_full_vital_partial_okay_none(name: str, expected: float) -> None:
    labels: list[tuple[Importance, Support]] = [
        ("vital", "full"),
        ("vital", "partial"),
        ("okay", "none"),
    ]
    nuggets = tuple(
        NuggetLabel(nugget_id=str(i), text=f"nugget {i}", importance=importance, label=label)
        for i, (importance, label) in enumerate(labels)
    )
    answer = AssignedAnswer(run_id="r", topic_id="t", nuggets=nuggets)
    assert parse_measure(name).evaluate(answer).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("support_precision", 0.5),
        ("support_precision(hard=true)", 1 / 3),
        ("support_recall", 0.375),
        ("support_recall(hard=true)", 0.25),
        ("support_precision(citations=all)", 2 / 3),
        ("support_recall(citations=all)", 0.5),
    ],
)
def test_support_of_five_sentences(name: str, expected: float) -> None:
    codes: dict[int, Support | None] = {2: "full", 1: "partial", 0: "none", -1: None}
    sentences = tuple(
        SupportedSentence(
            text="A sentence.",
            citations=tuple(
                CitationLabel(
                    mention=f"d{i}",
                    docid=f"d{i}",
                    status="unjudged" if code == -1 else "ok",
                    label=codes[code],
                )
                for i, code in enumerate(support)
            ),
        )
        for support in ([2], [1], [0, 2], [-1], [])
    )
    answer = SupportedAnswer(run_id="r", topic_id="t", sentences=sentences)
    assert parse_measure(name).evaluate(answer).value == pytest.approx(expected, abs=1e-9)


def _counts() -> dict[str, dict[str, int]]:
    """Count the real sub-narratives by string comparison, apart from the package."""

    def plain(text: str) -> str:
        text = text.replace("\uff0c", ", ").replace("\u2019", "'")
        return " ".join(text.strip().strip('"').casefold().split())

    official = {n["id"]: n["sub_narratives"] for n in json.loads(NARRATIVES.read_text("utf-8"))}
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for line in load(NUGGETS):
        named = {
            plain(nugget["mapped_sub_narrative"])
            for nugget in line["nuggets"]
            if nugget["importance"] == "vital"
        }
        texts = {plain(sub["text"]) for sub in official[line["qid"]]}
        new = {name for name in named if name.startswith("new:")}
        hit = len(texts & named)
        counts[line["qid"]] = {"official": len(texts), "hit": hit, "new": len(new)}
    return counts


def test_a_perfect_answer_on_the_real_sub_narratives() -> None:
    lines = load(NUGGETS)
    topics = {
        line["id"]: Topic(
            topic_id=line["id"],
            narrative=line["narrative"],
            sub_narratives=tuple(
                SubNarrative(sub_id=str(i), text=sub["text"])
                for i, sub in enumerate(line["sub_narratives"], start=1)
            ),
        )
        for line in json.loads(NARRATIVES.read_text("utf-8"))
    }
    answers = [
        AssignedAnswer(
            run_id="perfect",
            topic_id=line["qid"],
            nuggets=tuple(
                NuggetLabel(
                    nugget_id=str(i),
                    text=nugget["text"],
                    importance=nugget["importance"],
                    label="full",
                    sub_narrative=nugget["mapped_sub_narrative"],
                )
                for i, nugget in enumerate(line["nuggets"])
            ),
        )
        for line in lines
    ]
    names = ["", "(denominator=official,new=false)", "(denominator=official)"]
    measures = [parse_measure(f"sub_narrative_coverage{name}") for name in names]
    ours = values(score(measures, assigned=answers, topic_records=topics))
    counts = _counts()
    assert len(counts) == 22
    for topic_id, n in counts.items():
        mapped, official, with_new = (ours["perfect", topic_id, str(m)] for m in measures)
        assert mapped == 1.0
        assert official == pytest.approx(n["hit"] / n["official"], abs=1e-9)
        both = (n["hit"] + n["new"]) / (n["official"] + n["new"])
        assert with_new == pytest.approx(both, abs=1e-9)
