"""Every real file of the field: its kind, what is in it, and that it is written as it stood."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.formats import (
    read_answers,
    read_assignments,
    read_nuggets,
    read_ratings,
    read_run,
    read_support,
    read_topics,
    recognise,
    write_answers,
    write_assignments,
    write_nugget_banks,
    write_nuggets,
    write_support,
    write_topics,
    write_topics_tsv,
)
from judge.formats.kinds import kind_named
from judge.formats.lines import raise_error
from judge.formats.submissions import AnswerForm
from judge.formats.topics import TopicForm
from judge.sub_narratives import link_nuggets
from judge.validation import validate

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not there")

FILES: dict[str, tuple[str, dict[str, int]]] = {
    "attribution/dev240.jsonl": (
        "support",
        {"answers": 240, "runs": 4, "topics": 240, "labels": 240, "full": 120, "none": 120},
    ),
    "kiddie/leaderboard.fake.txt": (
        "leaderboard",
        {"scores": 24, "runs": 4, "topics": 5, "measures": 1},
    ),
    "kiddie/runs/run1.jsonl": ("answers", {"answers": 5, "sentences": 25, "citations": 25}),
    "kiddie/runs/run2.jsonl": ("answers", {"answers": 5, "sentences": 20, "citations": 20}),
    "kiddie/runs/run3.jsonl": ("answers", {"answers": 5, "sentences": 25, "citations": 42}),
    "kiddie/runs/run4.jsonl": ("answers", {"answers": 5, "sentences": 25, "citations": 26}),
    "kiddie/topics.jsonl": ("topics", {"topics": 5}),
    "neuclir24/assessor_bank.jsonl": (
        "nuggets",
        {"nuggets": 37, "topics": 3, "questions with answers": 37, "without an importance": 37},
    ),
    "neuclir24/dev_nuggets.jsonl": (
        "nuggets",
        {"nuggets": 135, "topics": 7, "vital": 99, "okay": 36, "questions with answers": 135},
    ),
    "neuclir24/dev_reports.jsonl": ("answers", {"answers": 7, "sentences": 71, "citations": 67}),
    "neuclir24/nugget_questions.json": ("nuggets", {"nuggets": 267, "topics": 19}),
    "neuclir24/ratings.llm.json": (
        "ratings",
        {"topics": 19, "documents": 1900, "ratings": 26_700, "without a rating": 2},
    ),
    "neuclir24/reports.irlab-fas.jsonl": (
        "answers",
        {"answers": 59, "sentences": 453, "citations": 466},
    ),
    "neuclir24/requests.jsonl": ("topics", {"topics": 19}),
    "neuclir24/run.bm25.txt": ("run", {"rows": 1900, "topics": 19}),
    "neuclir24/run.lsr-milco.txt": ("run", {"rows": 1900, "topics": 19}),
    "neuclir24/run.plaidx.txt": ("run", {"rows": 1900, "topics": 19}),
    "rag24/answers.gpt-4o.jsonl": ("answers", {"answers": 60, "sentences": 826, "citations": 887}),
    "rag24/nugget_assignment.nist-sample.jsonl": (
        "assignments",
        {"answers": 4, "runs": 4, "topics": 1, "labels": 64, "full": 11, "none": 53},
    ),
    "rag24/nugget_scores.nist-sample.jsonl": ("nugget-scores", {"lines": 4, "runs": 4}),
    "rag24/qrels.nist.txt": ("qrels", {"pairs": 20_429, "topics": 89}),
    "rag24/topics.tsv": ("topics", {"topics": 301}),
    "rag25/narratives.json": (
        "topics",
        {"topics": 102, "sub-narratives": 756, "vital": 491, "okay": 265},
    ),
    "rag25/nuggets.jsonl": (
        "nuggets",
        {
            "nuggets": 1255,
            "topics": 22,
            "vital": 925,
            "okay": 330,
            "with a sub-narrative": 1255,
        },
    ),
    "rag25/qrels.climbmix-codex.txt": ("qrels", {"pairs": 26_341, "topics": 22}),
    "rag25/qrels.nist.txt": ("qrels", {"pairs": 10_284, "topics": 22}),
    "rag25/qrels.umbrela2.txt": ("qrels", {"pairs": 10_284, "topics": 22}),
    "rag25/run.climbmix-listwise.txt": ("run", {"rows": 2200, "topics": 22}),
    "rag25/topics.jsonl": ("topics", {"topics": 105}),
    "spotcheck/corpus.jsonl.gz": ("documents", {"documents": 1400}),
    "spotcheck/leaderboard.txt": (
        "leaderboard",
        {"scores": 12, "runs": 3, "topics": 1, "measures": 2},
    ),
    "spotcheck/queries.jsonl": ("topics", {"topics": 1}),
    "spotcheck/runs/my_best_run_01.jsonl": ("answers", {"answers": 1, "citations of nothing": 1}),
    "spotcheck/runs/my_best_run_02.jsonl": ("answers", {"answers": 1, "citations of nothing": 0}),
    "spotcheck/runs/my_best_run_02_with_citations.jsonl": ("answers", {"answers": 1}),
    "wikivideo/answers.qwen3_llm_only.json": (
        "answers",
        {"answers": 10, "sentences": 61, "citations": 61},
    ),
    "wikivideo/answers.qwen_72b_cag.json": (
        "answers",
        {"answers": 10, "sentences": 67, "citations": 67},
    ),
    "wikivideo/answers.qwen_72b_rag.json": (
        "answers",
        {"answers": 10, "sentences": 89, "citations": 89},
    ),
    "wikivideo/human.qwen_72b_cag.annotator_1.json": ("claims", {"claims": 316, "full": 98}),
    "wikivideo/human.qwen_72b_cag.annotator_2.json": ("claims", {"claims": 316, "full": 104}),
    "wikivideo/human.qwen_72b_cag.annotator_3.json": ("claims", {"claims": 316, "full": 113}),
    "wikivideo/human.qwen_72b_rag.annotator_1.json": ("claims", {"claims": 389, "full": 39}),
    "wikivideo/human.qwen_72b_rag.annotator_2.json": ("claims", {"claims": 389, "full": 58}),
    "wikivideo/human.qwen_72b_rag.annotator_3.json": (
        "claims",
        {"claims": 389, "full": 52, "without a label": 4},
    ),
    "wikivideo/qrels.txt": ("qrels", {"pairs": 572, "topics": 52, "grade 2": 5, "grade 3": 567}),
    "wikivideo/reference_claims.json": (
        "nuggets",
        {"nuggets": 612, "topics": 10, "with documents": 316},
    ),
}
NO_DATA = {"wikivideo/LICENSE.mirage"}


def test_the_list_is_whole() -> None:
    names = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()}
    assert names == FILES.keys() | NO_DATA


@pytest.mark.parametrize("name", FILES)
def test_kind_and_counts(name: str) -> None:
    kind, counts = FILES[name]
    file = DATA / name
    assert recognise(file).name == kind
    read = kind_named(kind).count(record for _, record in kind_named(kind).each(file, raise_error))
    assert {key: read.get(key) for key in counts} == counts


def test_no_file_but_one_has_an_error() -> None:
    reports = validate([DATA / name for name in FILES if not name.startswith("spotcheck/corpus")])
    wrong = {Path(report.file).name for report in reports if report.number("error")}
    assert wrong == {"my_best_run_01.jsonl"}  # it cites what its empty list of references lacks


# --- sub-narratives ----------------------------------------------------------------------------


def test_sub_narratives_of_nuggets() -> None:
    topics = {topic.topic_id: topic for topic in read_topics(DATA / "rag25/narratives.json")}
    links = list(link_nuggets(read_nuggets(DATA / "rag25/nuggets.jsonl"), topics))
    counted = Counter(link.how for link in links)
    assert counted == {"same": 1088, "new": 147, "folded": 18, "unknown": 2}
    assert all(link.nearest for link in links if link.how == "unknown")
    folded = {link.nugget.topic_id for link in links if link.how == "folded"}
    assert folded == {"225", "273"}  # full-width commas


# --- what is written is read back, and is what the file says -----------------------------------


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("rag25/topics.jsonl", "titles"),
        ("rag25/narratives.json", "narratives"),
        ("neuclir24/requests.jsonl", "requests"),
        ("kiddie/topics.jsonl", "requests"),
        ("spotcheck/queries.jsonl", "queries"),
        ("wikivideo/reference_claims.json", "narratives"),
        ("attribution/dev240.jsonl", "titles"),
    ],
)
def test_topics(name: str, form: TopicForm, tmp_path: Path) -> None:
    topics = read_topics(DATA / name)
    write_topics(tmp_path / "again", topics, form)
    assert read_topics(tmp_path / "again") == topics


@pytest.mark.parametrize(
    ("name", "form", "dropped"),
    [
        ("rag25/topics.jsonl", "titles", set()),
        ("neuclir24/requests.jsonl", "requests", {"collection_ids", "limit"}),
        ("kiddie/topics.jsonl", "requests", set()),
        ("spotcheck/queries.jsonl", "queries", {"original_query"}),
    ],
)
def test_topics_are_written_as_they_stood(
    name: str, form: TopicForm, dropped: set[str], tmp_path: Path
) -> None:
    write_topics(tmp_path / "again", read_topics(DATA / name), form)
    assert jsonl(tmp_path / "again") == without(jsonl(DATA / name), dropped)


def test_topics_tsv_is_written_byte_by_byte(tmp_path: Path) -> None:
    write_topics_tsv(tmp_path / "again", read_topics(DATA / "rag24/topics.tsv"))
    original = (DATA / "rag24/topics.tsv").read_text().rstrip("\n")
    assert (tmp_path / "again").read_text().rstrip("\n") == original


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("rag24/answers.gpt-4o.jsonl", "rag24"),
        ("rag24/answers.gpt-4o.jsonl", "rag25"),
        ("neuclir24/reports.irlab-fas.jsonl", "neuclir24"),
        ("neuclir24/dev_reports.jsonl", "neuclir24"),
        ("neuclir24/dev_reports.jsonl", "ragtime"),
        *((f"kiddie/runs/run{i}.jsonl", "ragtime") for i in (1, 2, 3, 4)),
        ("spotcheck/runs/my_best_run_01.jsonl", "ragtime"),
        ("spotcheck/runs/my_best_run_02.jsonl", "rag25"),
        ("attribution/dev240.jsonl", "ragtime"),
    ],
)
def test_answers(name: str, form: AnswerForm, tmp_path: Path) -> None:
    answers = read_answers(DATA / name)
    write_answers(tmp_path / "again", answers, form)
    assert read_answers(tmp_path / "again") == answers


@pytest.mark.parametrize(
    ("name", "form", "dropped"),
    [
        ("rag24/answers.gpt-4o.jsonl", "rag24", {"topic", "response_length"}),
        ("neuclir24/reports.irlab-fas.jsonl", "neuclir24", {"collection_ids"}),
        ("neuclir24/dev_reports.jsonl", "neuclir24", {"collection_ids"}),
    ],
)
def test_answers_are_written_as_they_stood(
    name: str, form: AnswerForm, dropped: set[str], tmp_path: Path
) -> None:
    write_answers(tmp_path / "again", read_answers(DATA / name), form)
    assert without(jsonl(tmp_path / "again"), dropped) == without(jsonl(DATA / name), dropped)


@pytest.mark.parametrize("name", [name for name, (kind, _) in FILES.items() if kind == "nuggets"])
@pytest.mark.parametrize("write", [write_nuggets, write_nugget_banks])
def test_nuggets(name: str, write: Callable[..., None], tmp_path: Path) -> None:
    nuggets = read_nuggets(DATA / name)
    write(tmp_path / "again", nuggets, {})
    assert read_nuggets(tmp_path / "again") == nuggets


def test_nuggets_are_written_as_they_stood_but_for_quotes(tmp_path: Path) -> None:
    write_nuggets(tmp_path / "again", read_nuggets(DATA / "rag25/nuggets.jsonl"), {})
    original = jsonl(DATA / "rag25/nuggets.jsonl")
    for line in original:
        for nugget in line["nuggets"]:
            nugget["mapped_sub_narrative"] = unquoted(nugget["mapped_sub_narrative"])
    again = jsonl(tmp_path / "again")
    for line in again:
        line["nuggets"] = without(line["nuggets"], {"id", "docids"})
    assert again == original


def test_assignments_are_written_as_they_stood(tmp_path: Path) -> None:
    file = DATA / "rag24/nugget_assignment.nist-sample.jsonl"
    answers = read_assignments(file)
    write_assignments(tmp_path / "again", answers)
    assert read_assignments(tmp_path / "again") == answers
    for again, original in zip(jsonl(tmp_path / "again"), jsonl(file), strict=True):
        again["nuggets"] = without(again["nuggets"], {"id", "mapped_sub_narrative"})
        assert {key: again[key] for key in original} == original


def test_support(tmp_path: Path) -> None:
    answers = read_support(DATA / "attribution/dev240.jsonl")
    write_support(tmp_path / "again", answers)
    assert read_support(tmp_path / "again") == answers


# --- files that belong together ----------------------------------------------------------------


def test_ratings_are_of_the_questions_and_of_one_run() -> None:
    folder = DATA / "neuclir24"
    nuggets = read_nuggets(folder / "nugget_questions.json")
    ratings = read_ratings(
        folder / "ratings.llm.json", nuggets, read_run(folder / "run.lsr-milco.txt")
    )
    assert len(ratings) == 26_700
    counted = Counter(rating.rating for rating in ratings)
    assert counted == {0: 13_791, 1: 2138, 2: 4804, 3: 719, 4: 3186, 5: 2060, None: 2}
    assert {(r.topic_id, r.nugget_id) for r in ratings} == {
        (nugget.topic_id, nugget.nugget_id) for nugget in nuggets
    }


@pytest.mark.parametrize("run", ["qwen3_llm_only", "qwen_72b_cag", "qwen_72b_rag"])
def test_videos_are_cited_by_the_ids_that_the_claims_have(run: str) -> None:
    answers = read_answers(DATA / f"wikivideo/answers.{run}.json")
    claims = json.loads((DATA / "wikivideo/reference_claims.json").read_text())
    assert {answer.run_id for answer in answers} == {run}
    assert {answer.topic_id for answer in answers} == claims.keys()
    for answer in answers:
        cited = {c.docid for sentence in answer.sentences for c in sentence.citations}
        assert cited <= claims[answer.topic_id]["videos"].keys()


def test_claims_name_the_videos_of_their_topic() -> None:
    claims = json.loads((DATA / "wikivideo/reference_claims.json").read_text())
    for nugget in read_nuggets(DATA / "wikivideo/reference_claims.json"):
        assert set(nugget.docids) <= claims[nugget.topic_id]["videos"].keys()


def unquoted(text: str) -> str:
    return text[1:-1] if text.startswith('"') else text


def jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().split("\n") if line.strip()]


def without(records: list[dict[str, Any]], names: set[str]) -> list[dict[str, Any]]:
    return [{k: v for k, v in record.items() if k not in names} for record in records]
