"""What a report shows, gathered from a run directory."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge.dossier import Sources, open_dossier
from judge.dossier.health import samples_of
from judge.dossier.significance import letters_of
from judge.errors import InputError, UsageError
from judge.judgments import to_line
from judge.runs import ASSIGNMENTS, COVERAGE, JUDGMENTS, NUGGETS, SUPPORT, TOPICS
from judge.types import Unit
from tests.judging import judged
from tests.reports import DOCIDS, EVIL, FAILED, RUNS, TOPICS_IDS, Folder, hostile

Data = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return hostile(tmp_path)


def gathered(folder: Folder, sources: Sources | None = None) -> tuple[Data, list[Data]]:
    with open_dossier(folder.run, sources or folder.sources, print) as dossier:
        return dict(dossier.overview), list(dossier.topics())


def test_all_of_it_is_plain_json(folder: Folder) -> None:
    overview, topics = gathered(folder)
    assert json.loads(json.dumps([overview, topics], allow_nan=False)) == [overview, topics]


def test_systems_stand_best_first_with_their_scores(folder: Folder) -> None:
    overview, _ = gathered(folder)
    assert overview["runs"] == list(RUNS)
    assert overview["measures"][:2] == ["strict_vital_recall", "sub_narrative_coverage"]
    means = overview["means"]["strict_vital_recall"]
    assert [means[run]["value"] for run in RUNS] == [1.0, 0.0, 0.0]
    assert (means[RUNS[1]]["low"], means[RUNS[1]]["high"], means[RUNS[1]]["n_failed"]) == (
        0,
        0.25,
        1,
    )
    assert overview["cells"]["strict_vital_recall"][RUNS[0]][TOPICS_IDS[0]][0] == 1.0
    assert overview["significance"]["n_pairs"] == 3


def test_scores_follow_the_labels_and_not_an_old_file(folder: Folder) -> None:
    old = {"run_id": "gone", "topic_id": "all", "measure": "vital_recall", "value": 0.5}
    old |= dict.fromkeys(("low", "high"), 0.5) | {"n_judged": 1, "n_failed": 0}
    (folder.run / "scores.jsonl").write_text(json.dumps(old) + "\n", encoding="utf-8")
    overview, _ = gathered(folder)
    assert overview["measures"] == ["vital_recall"]
    assert overview["runs"] == list(RUNS)
    (folder.run / ASSIGNMENTS).unlink()
    (folder.run / COVERAGE).unlink()
    without, _ = gathered(folder)
    assert without["measures"] == ["support_precision", "support_recall"]


def test_measures_can_be_named(folder: Folder) -> None:
    named, _ = gathered(folder, Sources(cache=folder.cache, measures="all_recall support_recall"))
    assert named["measures"] == ["all_recall", "support_recall"]


def test_too_many_failures_withhold_a_score_by_the_rules(folder: Folder) -> None:
    overview, _ = gathered(folder, Sources(cache=folder.cache))
    row = overview["means"]["strict_vital_recall"][RUNS[1]]
    assert row["value"] is None
    assert "failed" in row["reason"]
    assert overview["significance"]["reason"] is not None


def test_a_label_leads_to_prompt_reply_and_unusable_attempts(folder: Folder) -> None:
    _, topics = gathered(folder)
    first, second = topics
    held = first["answers"][0]["nuggets"][0]
    judgment = first["judgments"][held["judgments"][0]]
    assert judgment["label"] == "full"
    call = first["calls"][judgment["call"]]
    lines = [[first["lines"][n] for n in text] for _, text in call["messages"]]
    assert lines == [[f"sys {EVIL}"], [f"ask {EVIL}", "b"]]
    assert [first["lines"][n] for n in call["reply"]] == [f"replied {EVIL}"]
    (failed,) = [j for j in second["judgments"] if j["unit_id"] == FAILED.unit_id]
    assert (failed["status"], failed["failure"], failed["call"]) == ("failed", "parse", None)
    attempt = second["attempts"][failed["attempts"][0]]
    assert attempt["message"] == f"message {EVIL}"
    assert [second["lines"][n] for n in attempt["raw"]] == [f"raw {EVIL}"]


def test_texts_stand_once_however_often_they_are_shown(folder: Folder) -> None:
    _, (first, _) = gathered(folder)
    assert len(first["calls"]) == 1
    assert len(set(first["lines"])) == len(first["lines"])


def test_an_answer_has_its_sentences_citations_and_grounds(folder: Folder) -> None:
    _, (first, _) = gathered(folder)
    answer = first["answers"][0]
    citations = answer["sentences"][0]["citations"]
    assert [c["status"] for c in citations] == ["ok", "unjudged", "invalid"]
    assert first["judgments"][citations[0]["judgment"]]["task"] == "support"
    assert citations[1]["judgment"] is citations[2]["docid"] is None
    more = [first["judgments"][n]["task"] for n in answer["sentences"][0]["more"]]
    assert more == ["weigh"]
    held = answer["nuggets"][0]
    assert (held["sentences"], held["grounded"]) == ([0], False)
    assert held["why"] == "cited document does not hold it"


def test_without_support_labels_the_answer_is_shown_as_it_was_judged(folder: Folder) -> None:
    (folder.run / SUPPORT).unlink()
    _, (first, _) = gathered(folder)
    (sentence,) = first["answers"][0]["sentences"]
    assert sentence["text"] == f"first {EVIL}"
    assert sentence["citations"][0]["status"] == "unjudged"


def test_nuggets_know_their_sub_narrative(folder: Folder) -> None:
    _, (first, _) = gathered(folder)
    groups = [nugget["group"] for nugget in first["nuggets"]]
    assert groups[0] == 0
    assert groups[1].startswith("New: ")
    assert groups[2] is None
    assert [first["judgments"][n]["task"] for n in first["nuggets"][0]["judgments"]] == [
        "importance"
    ]


def test_passages_have_the_text_that_the_run_kept_or_a_corpus_has(
    folder: Folder, tmp_path: Path
) -> None:
    _, (first, _) = gathered(folder)
    passage = next(p for p in first["passages"] if p["docid"] == DOCIDS[0])
    text = [first["lines"][n] for n in passage["text"]]
    assert text == [*f"passage 0 {EVIL}".split("\n"), "its second line"]
    tasks = {first["judgments"][n]["task"] for n in passage["judgments"]}
    assert tasks == {"relevance", "locate"}
    for file in folder.run.glob("*documents*"):
        file.unlink()
    _, (first, _) = gathered(folder)
    assert [p["text"] for p in first["passages"]] == [None, None]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({"docid": DOCIDS[1], "text": "elsewhere"}) + "\n")
    sources = Sources(cache=folder.cache, corpus=[corpus])
    _, (first, _) = gathered(folder, sources)
    found = {p["docid"]: p["text"] for p in first["passages"]}
    assert [first["lines"][n] for n in found[DOCIDS[1]]] == ["elsewhere"]


def test_without_a_store_prompts_are_missing_and_that_is_told(
    folder: Folder, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no reply store"):
        gathered(folder, Sources(cache=tmp_path / "nothing"))


def test_the_users_own_store_may_be_missing(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_JUDGE_CACHE", str(tmp_path / "nothing"))
    overview, (first, _) = gathered(folder, Sources())
    assert overview["has_store"] is False
    assert first["calls"] == []
    assert not (tmp_path / "nothing").exists()


def test_health_counts_labels_failures_flags_and_samples(folder: Folder) -> None:
    overview, _ = gathered(folder)
    tasks = {task["task"]: task for task in overview["health"]["tasks"]}
    assign = tasks["assign"]
    assert (assign["ok"], assign["failed"], assign["failures"]) == (17, 1, {"parse": 1})
    assert assign["labels"] == {"full": 6, "partial": 5, "none": 6}
    assert assign["by_run"][RUNS[1]] == {"partial": 5}
    assert assign["attempts"] == {"parse": 1}
    assert tasks["relevance"]["samples"] == {"units": 4, "differing": 4}
    assert list(tasks["relevance"]["flags"].values()) == [4]


def test_samples_are_a_list_or_counts() -> None:
    unit = Unit(task="relevance", topic_id="t", docid="d")
    for detail, expected in (
        ({"samples": [2, 2, 3]}, ["2", "2", "3"]),
        ({"samples": {"full": 2, "none": 1}}, ["full", "full", "none"]),
        ({}, []),
        ({"samples": 3}, []),
    ):
        judgment = replace(judged(unit, 2), detail=detail)
        assert samples_of(judgment) == expected


def test_the_account_sums_what_was_sent_and_what_it_cost(folder: Folder) -> None:
    overview, _ = gathered(folder)
    (row,) = overview["account"]
    assert (row["sent"], row["stored"], row["unusable"], row["unpriced"]) == (2, 1, 1, 1)
    assert (row["cost"], row["prompt_tokens"]) == (0.5, 1800)


def test_retrieval_stands_beside_the_answers(folder: Folder) -> None:
    overview, _ = gathered(folder)
    found = overview["retrieval"]
    points = found["points"]["nDCG@20"]["strict_vital_recall"]
    assert points == [[RUNS[0], 0.9, 1.0], [RUNS[1], 0.4, 0.0], [RUNS[2], 0.2, 0.0]]
    assert found["correlations"]["nDCG@20"]["strict_vital_recall"]["n"] == 3
    assert found["unmatched"] == []


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"run_id": "x", "topic_id": "all", "measure": "m", "value": 1.0}], "no retrieval run"),
        ([{"run_id": RUNS[0], "topic_id": "t", "measure": "m", "value": 1.0}], "holds no mean"),
    ],
)
def test_retrieval_scores_of_other_systems_are_refused(
    folder: Folder, tmp_path: Path, rows: list[Data], told: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match=told):
        gathered(folder, Sources(cache=folder.cache, retrieval=path))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"n": 1}',
        '{"labels": [0, 1], "confusion": [[1, 2]]}',
        '{"labels": [0, 1], "confusion": [[1, 2], [1]]}',
        '{"labels": [0], "confusion": [["x"]]}',
        '{"labels": [0], "confusion": [[1]], "kappa": NaN}',
    ],
)
def test_what_is_no_agreement_is_refused(folder: Folder, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InputError, match="agree --json"):
        gathered(folder, Sources(cache=folder.cache, agreements=[path]))


def test_a_sheet_without_unit_ids_is_refused(folder: Folder, tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    path.write_text('{"human": "full"}\n')
    with pytest.raises(InputError, match="unit_id"):
        gathered(folder, Sources(cache=folder.cache, disagreements=[path]))


def test_the_runs_own_agreement_is_found(folder: Folder) -> None:
    text = (folder.path / "agreement.json").read_text(encoding="utf-8")
    (folder.run / "agreement.json").write_text(text, encoding="utf-8")
    overview, _ = gathered(folder, Sources(cache=folder.cache))
    assert [found["kind"] for found in overview["agreements"]] == ["assign"]


def test_a_run_of_relevance_alone_has_no_scores(folder: Folder) -> None:
    for name in (ASSIGNMENTS, SUPPORT, COVERAGE, NUGGETS):
        (folder.run / name).unlink()
    overview, topics = gathered(folder, Sources(cache=folder.cache))
    assert (overview["measures"], overview["significance"]) == ([], None)
    assert [topic["answers"] for topic in topics] == [[], []]


def test_a_run_whose_last_line_is_half_written_is_shown(folder: Folder) -> None:
    with (folder.run / JUDGMENTS).open("ab") as file:
        file.write(b'{"unit_id": "assi')
    _, topics = gathered(folder)
    before = (folder.run / JUDGMENTS).read_bytes()
    assert len(topics) == 2
    assert (folder.run / JUDGMENTS).read_bytes() == before


def test_judgments_of_a_topic_that_is_nowhere_else_are_shown(folder: Folder) -> None:
    unit = Unit(task="relevance", topic_id="unheard", docid="d")
    with (folder.run / JUDGMENTS).open("ab") as file:
        file.write(to_line(judged(unit, 3)))
    overview, topics = gathered(folder)
    assert overview["topics"][-1]["topic_id"] == topics[-1]["topic"]["topic_id"] == "unheard"


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no run directory"), opened(tmp_path / "none"):
        pass
    (tmp_path / TOPICS).write_text('{"id": "t", "title": "x"}\n')
    with pytest.raises(UsageError, match="no judgments and no labels"), opened(tmp_path):
        pass


def opened(path: Path) -> Any:
    return open_dossier(path, Sources(), print)


def test_the_parts_of_a_question_are_its_judgments(folder: Folder) -> None:
    lines = (folder.run / JUDGMENTS).read_bytes().splitlines(keepends=True)
    first = Unit(task="assign", topic_id=TOPICS_IDS[0], run_id=RUNS[0], nugget_id="n1")
    kept = [line for line in lines if json.loads(line)["unit_id"] != first.unit_id]
    parts = [replace(first, nugget_id=f"n1&{i}") for i in (1, 2)]
    detail = [{"sentences": [1]}, {"sentences": [0, 1]}]
    added = [
        to_line(replace(judged(part, "full"), detail=told))
        for part, told in zip(parts, detail, strict=True)
    ]
    (folder.run / JUDGMENTS).write_bytes(b"".join([*kept, *added]))
    (folder.run / COVERAGE).unlink()
    _, (topic, _) = gathered(folder)
    held = topic["answers"][0]["nuggets"][0]
    assert held["sentences"] == [0, 1]
    found = [topic["judgments"][n]["unit_id"] for n in held["judgments"]]
    assert found == [part.unit_id for part in parts]


# --- letters -----------------------------------------------------------------------------------


def pairs(*named: str) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in named}


@pytest.mark.parametrize(
    ("differing", "letters"),
    [
        (pairs(), {"x": "a", "y": "a", "z": "a"}),
        (pairs("xz"), {"x": "a", "y": "a b", "z": "b"}),
        (pairs("xz", "yz"), {"x": "a", "y": "a", "z": "b"}),
        (pairs("xy", "xz", "yz"), {"x": "a", "y": "b", "z": "c"}),
    ],
)
def test_letters_are_shared_by_those_that_do_not_differ(
    differing: set[frozenset[str]], letters: dict[str, str]
) -> None:
    assert letters_of(["x", "y", "z"], differing) == letters


def every_relation(runs: str) -> Iterator[set[frozenset[str]]]:
    edges = [frozenset((a, b)) for i, a in enumerate(runs) for b in runs[i + 1 :]]
    for mask in range(2 ** len(edges)):
        yield {edge for bit, edge in enumerate(edges) if mask >> bit & 1}


def test_two_share_a_letter_exactly_if_they_do_not_differ() -> None:
    runs = "vwxyz"
    for differing in every_relation(runs):
        letters = {run: set(text.split()) for run, text in letters_of(runs, differing).items()}
        assert all(letters.values())
        for i, a in enumerate(runs):
            for b in runs[i + 1 :]:
                assert bool(letters[a] & letters[b]) == (frozenset((a, b)) not in differing)


def test_no_run_has_no_letter() -> None:
    assert letters_of([], set()) == {}
