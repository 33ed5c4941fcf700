"""The sample collection agrees with itself: nothing missing, nothing twice, every rule kept."""

import json
from collections import Counter
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

from judge.errors import UsageError
from judge.sample import sample_path

SYSTEMS = ("alder", "birch", "cedar")
TOPICS = ("s1", "s2", "s3")
FILES = (
    "README.md",
    "narratives.json",
    "corpus.jsonl",
    "qrels.reference.txt",
    *(f"run.{system}.txt" for system in SYSTEMS),
    *(f"answers.{system}.jsonl" for system in SYSTEMS),
    "nuggets.jsonl",
    "assignments.reference.jsonl",
    "support.reference.jsonl",
)
LABEL_VALUE = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
Json = dict[str, Any]


def text(name: str) -> str:
    return sample_path(name).read_text(encoding="utf-8")


def jsonl(name: str) -> list[Json]:
    return [json.loads(line) for line in text(name).split("\n") if line]


def columns(name: str) -> list[list[str]]:
    return [line.split() for line in text(name).splitlines()]


def words(value: str) -> int:
    return len(value.split())


def topics() -> dict[str, Json]:
    rows = json.loads(text("narratives.json"))
    assert len(rows) == len({row["id"] for row in rows})
    return {row["id"]: row for row in rows}


def passages() -> dict[str, Json]:
    return {row["docid"]: row for row in jsonl("corpus.jsonl")}


def grades() -> dict[str, int]:
    return {docid: int(grade) for _, _, docid, grade in columns("qrels.reference.txt")}


def nuggets() -> dict[str, list[Json]]:
    return {row["qid"]: row["nuggets"] for row in jsonl("nuggets.jsonl")}


def answers() -> dict[tuple[str, str], Json]:
    rows = [row for system in SYSTEMS for row in jsonl(f"answers.{system}.jsonl")]
    keys = [(row["metadata"]["run_id"], row["metadata"]["narrative_id"]) for row in rows]
    return dict(zip(keys, rows, strict=True))


def by_answer(name: str, topic_field: str) -> dict[tuple[str, str], Json]:
    rows = jsonl(name)
    table = {(row["run_id"], row[topic_field]): row for row in rows}
    assert len(rows) == len(table)
    return table


def every_answer() -> set[tuple[str, str]]:
    return {(system, topic) for system in SYSTEMS for topic in TOPICS}


# --- packaging ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_reachable_as_a_package_resource(name: str) -> None:
    resource = resources.files("judge.sample").joinpath(name)
    assert resource.is_file()
    assert resource.read_bytes() == sample_path(name).read_bytes()


def test_folder_holds_no_other_data() -> None:
    found = {item.name for item in resources.files("judge.sample").iterdir()}
    assert found - {"__init__.py", "__pycache__", "replies.jsonl.zst"} == set(FILES)


def test_unknown_file_is_an_error_that_names_it() -> None:
    with pytest.raises(UsageError, match=r"no file 'corpus\.json'"):
        sample_path("corpus.json")


# --- topics and passages -----------------------------------------------------------------------


def test_topics_have_four_to_eight_sub_narratives() -> None:
    table = topics()
    assert tuple(table) == TOPICS
    for topic in table.values():
        subs = topic["sub_narratives"]
        assert 4 <= len(subs) <= 8
        assert len({sub["text"] for sub in subs}) == len(subs)
        assert {sub["importance"] for sub in subs} == {"vital", "okay"}


def test_passages_are_unique_and_short() -> None:
    rows = jsonl("corpus.jsonl")
    for field in ("docid", "title", "url", "text"):
        assert len({row[field] for row in rows}) == len(rows)
    for row in rows:
        low, high = (45, 65) if row["docid"].startswith("s1-") else (50, 90)
        assert low <= words(row["text"]) <= high, row["docid"]
        assert row["url"].startswith("https://example.org/")


@pytest.mark.parametrize("topic", TOPICS)
def test_pool_is_every_passage_of_the_topic_with_every_grade(topic: str) -> None:
    rows = [row for row in columns("qrels.reference.txt") if row[0] == topic]
    pool = [docid for _, _, docid, _ in rows]
    assert 12 <= len(pool) <= 20
    assert sorted(pool) == sorted(docid for docid in passages() if docid.startswith(f"{topic}-"))
    assert {grade for _, _, _, grade in rows} == {"0", "1", "2", "3", "4"}
    assert {iteration for _, iteration, _, _ in rows} == {"0"}


def readme_grounds() -> dict[str, tuple[list[str], str, int]]:
    rows = [line.strip("| ").split(" | ") for line in text("README.md").splitlines()]
    table = [row for row in rows if len(row) == 4 and row[0] in passages()]
    return {docid: (parts.split(", "), extra, int(grade)) for docid, parts, extra, grade in table}


def ruled_grade(parts: list[str], extra: str) -> int:
    if parts in (["none"], ["unrelated"]):
        base = 1 if parts == ["none"] else 0
    else:
        base = {1: 2, 2: 3, 3: 3}.get(len(parts), 4)
    return max(0, base - {"none": 0, "some": 1, "lot": 2}[extra])


def test_grades_follow_from_the_parts_that_the_readme_lists() -> None:
    grounds, table = readme_grounds(), topics()
    assert {docid: row[2] for docid, row in grounds.items()} == grades()
    for docid, (parts, extra, grade) in grounds.items():
        count = len(table[docid[:2]]["sub_narratives"])
        named = [part for part in parts if part not in ("none", "unrelated")]
        assert set(named) <= {str(place) for place in range(1, count + 1)}
        assert len(set(parts)) == len(parts)
        assert ruled_grade(parts, extra) == grade, docid


@pytest.mark.parametrize("topic", TOPICS)
def test_irrelevant_extra_lowers_two_grades_or_more(topic: str) -> None:
    extras = [row[1] for docid, row in readme_grounds().items() if docid.startswith(topic)]
    assert extras.count("some") >= 1
    assert extras.count("lot") >= 1


def test_one_passage_instructs_the_judge_and_is_not_relevant() -> None:
    marked = [docid for docid, row in passages().items() if "##final score" in row["text"]]
    assert marked == ["s1-d09"]
    assert grades()["s1-d09"] == 0


def test_one_passage_carries_every_kind_of_awkward_character() -> None:
    value = passages()["s2-d11"]["text"]
    assert all(part in value for part in ('"', "{", "}", "{{ total }}", "${", "'", "₂", "ï"))


# --- runs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("topic", TOPICS)
def test_runs_are_sorted_and_hold_passages_of_the_topic(system: str, topic: str) -> None:
    rows = [row for row in columns(f"run.{system}.txt") if row[0] == topic]
    docids, scores = [row[2] for row in rows], [float(row[4]) for row in rows]
    assert 8 <= len(rows) <= 12
    assert len(set(docids)) == len(docids)
    assert all(docid in passages() and docid.startswith(f"{topic}-") for docid in docids)
    assert [int(row[3]) for row in rows] == list(range(1, len(rows) + 1))
    assert all(left > right for left, right in pairwise(scores))
    assert {(row[1], row[5]) for row in rows} == {("Q0", system)}


def test_runs_hold_no_other_topic() -> None:
    assert {row[0] for system in SYSTEMS for row in columns(f"run.{system}.txt")} == set(TOPICS)


# --- answers -----------------------------------------------------------------------------------


def test_every_system_answers_every_topic_once() -> None:
    rows = [row for system in SYSTEMS for row in jsonl(f"answers.{system}.jsonl")]
    assert len(rows) == len(answers())
    assert set(answers()) == every_answer()
    for (_, topic), row in answers().items():
        assert row["metadata"]["narrative"] == topics()[topic]["narrative"]
        assert row["metadata"]["type"] == "automatic"


def test_references_exist_and_were_retrieved() -> None:
    for (system, topic), row in answers().items():
        retrieved = {cells[2] for cells in columns(f"run.{system}.txt") if cells[0] == topic}
        assert len(set(row["references"])) == len(row["references"])
        assert set(row["references"]) <= retrieved & set(passages())


def test_sentences_are_short_and_as_many_as_the_system_writes() -> None:
    for (system, topic), row in answers().items():
        low, high = {"alder": (4, 6), "birch": (4, 5), "cedar": (2, 3)}[system]
        assert low <= len(row["answer"]) <= high, (system, topic)
        for sentence in row["answer"]:
            assert 10 <= words(sentence["text"]) <= 22, sentence["text"]
            assert len(set(sentence["citations"])) == len(sentence["citations"])


def test_exactly_one_citation_is_out_of_range() -> None:
    outside = [
        (*key, place, index)
        for key, row in answers().items()
        for place, sentence in enumerate(row["answer"])
        for index in sentence["citations"]
        if not 0 <= index < len(row["references"])
    ]
    assert outside == [("birch", "s1", 4, 4)]


def test_only_cedar_leaves_sentences_uncited() -> None:
    uncited = Counter(
        key
        for key, row in answers().items()
        for sentence in row["answer"]
        if not sentence["citations"]
    )
    assert uncited == {("cedar", topic): 1 for topic in TOPICS}


# --- nuggets and their labels ------------------------------------------------------------------


def test_nuggets_are_short_unique_and_mapped() -> None:
    table, groups = topics(), set()
    assert tuple(nuggets()) == TOPICS
    for topic, rows in nuggets().items():
        official = {f'"{sub["text"]}"' for sub in table[topic]["sub_narratives"]}
        mapped = {row["mapped_sub_narrative"] for row in rows}
        groups |= mapped - official
        assert official <= mapped
        assert 9 <= len({row["text"] for row in rows}) == len(rows) <= 12
        assert all(1 <= words(row["text"]) <= 12 for row in rows)
        assert {row["importance"] for row in rows} == {"vital", "okay"}
        assert {row["source"] for row in rows} == {"sample"}
    assert groups
    assert all(group.startswith("New: ") for group in groups)


def test_every_answer_has_one_label_for_each_nugget() -> None:
    table = by_answer("assignments.reference.jsonl", "qid")
    assert set(table) == every_answer()
    for (_, topic), row in table.items():
        asked = [(nugget["text"], nugget["importance"]) for nugget in nuggets()[topic]]
        assert [(label["text"], label["importance"]) for label in row["nuggets"]] == asked
        assert {label["assignment"] for label in row["nuggets"]} <= set(LABEL_VALUE)


def test_assignments_carry_the_answer_they_label() -> None:
    for key, row in by_answer("assignments.reference.jsonl", "qid").items():
        sentences = answers()[key]["answer"]
        assert row["answer_text"] == " ".join(sentence["text"] for sentence in sentences)
        assert row["response_length"] == words(row["answer_text"])
        assert row["query"] == topics()[key[1]]["narrative"]


def recall(topic: str, system: str) -> float:
    rows = by_answer("assignments.reference.jsonl", "qid")[system, topic]["nuggets"]
    return sum(LABEL_VALUE[row["assignment"]] for row in rows) / len(rows)


@pytest.mark.parametrize("topic", TOPICS)
def test_systems_are_far_apart_in_nugget_recall(topic: str) -> None:
    alder, birch, cedar = (recall(topic, system) for system in SYSTEMS)
    assert alder > birch + 0.3
    assert birch > cedar + 0.15


# --- support labels ----------------------------------------------------------------------------


def resolved(index: int, references: list[str]) -> str | None:
    return references[index] if 0 <= index < len(references) else None


def test_every_citation_has_one_support_entry() -> None:
    table = by_answer("support.reference.jsonl", "topic_id")
    assert set(table) == every_answer()
    for key, row in table.items():
        answer = answers()[key]
        assert [entry["sentenceID"] for entry in row["sentences"]] == [
            *range(len(answer["answer"]))
        ]
        for entry, sentence in zip(row["sentences"], answer["answer"], strict=True):
            assert entry["text"] == sentence["text"]
            found = [(cited["citationID"], cited["reference"]) for cited in entry["citations"]]
            cited = [resolved(index, answer["references"]) for index in sentence["citations"]]
            assert found == list(enumerate(cited))


def support_entries(system: str) -> list[Json]:
    table = by_answer("support.reference.jsonl", "topic_id")
    rows = [row for (run_id, _), row in table.items() if run_id == system]
    return [cited for row in rows for entry in row["sentences"] for cited in entry["citations"]]


def test_valid_citations_have_a_label_and_the_invalid_one_has_none() -> None:
    entries = [entry for system in SYSTEMS for entry in support_entries(system)]
    valid = [entry for entry in entries if entry["reference"] is not None]
    assert {entry["support"] for entry in valid} == {"0", "1", "2"}
    assert [entry for entry in entries if entry["reference"] is None] == [
        {"citationID": 0, "reference": None, "support": None, "mention": "4"}
    ]


def test_alder_is_supported_and_birch_is_not() -> None:
    alder, birch = (
        [entry["support"] for entry in support_entries(system) if entry["support"] is not None]
        for system in ("alder", "birch")
    )
    assert alder.count("2") / len(alder) > 0.8
    assert "0" not in alder
    assert "2" not in birch


# --- the README --------------------------------------------------------------------------------


def test_readme_states_the_counts() -> None:
    sentences = [sentence for row in answers().values() for sentence in row["answer"]]
    counts = {
        "sub-narratives": sum(len(topic["sub_narratives"]) for topic in topics().values()),
        "passages, all graded": len(passages()),
        "nuggets": sum(map(len, nuggets().values())),
        "answers": len(answers()),
        "sentences": len(sentences),
        "citations": sum(len(sentence["citations"]) for sentence in sentences),
        **{f"of grade {grade}": count for grade, count in Counter(grades().values()).items()},
    }
    rows = [line.strip("| ").split(" | ") for line in text("README.md").splitlines()]
    stated = {row[0]: int(row[4]) for row in rows if len(row) == 5 and row[0] in counts}
    assert stated == counts
