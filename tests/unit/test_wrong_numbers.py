"""Numbers that would be wrong without a word: each is right, refused, or told."""

import json
import logging
from pathlib import Path

import pytest

from judge.agreeing.agree import Outputs, agree
from judge.agreeing.calibrating import calibrated, read_calibration
from judge.errors import InputError, UsageError
from judge.formats.qrels import read_qrels
from judge.metrics import parse_measures
from judge.scoring import compute, read_labels


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def qrels(path: Path, grades: dict[int, list[int]]) -> str:
    """Grades of documents by topic."""
    rows = [f"{t} 0 d{n} {g}" for t, listed in grades.items() for n, g in enumerate(listed)]
    return write(path, *rows)


def test_units_on_which_annotators_are_divided_count_with_their_mean(tmp_path: Path) -> None:
    """Ten topics of four documents; people are divided on one, and on the mean alike."""
    one = qrels(tmp_path / "one", {t: [1, 0, 0, 1] for t in range(10)})
    other = qrels(tmp_path / "other", {t: [0, 1, 0, 1] for t in range(10)})
    judge = qrels(tmp_path / "judge", {t: [1, 1, 0, 1] for t in range(10)})
    found = agree([one, other], [judge])
    (estimate,) = [e for e in found.estimates if e.run_id == "all"]
    by_people, corrected = estimate.estimates.human, estimate.estimates.ppi_tuned
    assert by_people is not None
    assert by_people.value == pytest.approx(0.5)
    assert corrected is None or corrected.value == pytest.approx(0.5)
    assert estimate.estimates.n_rest == 0
    assert not any("labelled by the judge alone" in told for told in found.warnings)


@pytest.mark.parametrize("start", [0, 1])
def test_a_run_is_not_taken_for_qrels(tmp_path: Path, start: int) -> None:
    rows = [f"{t} Q0 d{n} {n + start} {9 - n}.5 run" for t in (1, 2) for n in range(5)]
    with pytest.raises(InputError, match="this is a retrieval run"):
        read_qrels(write(tmp_path / "run.txt", *rows))


def test_qrels_with_confidence_and_run_stay_qrels(tmp_path: Path) -> None:
    rows = [f"1 0 d{n} {grade} 0.9 run" for n, grade in enumerate([0, 1, 2, 2, 3])]
    assert len(read_qrels(write(tmp_path / "qrels.txt", *rows))) == 5


def assignment(run: str, **labels: str) -> str:
    nuggets = []
    for text, word in labels.items():
        importance, label = word.split()
        nuggets.append({"text": text, "importance": importance, "assignment": label})
    return json.dumps({"qid": "1", "run_id": run, "nuggets": nuggets})


def test_an_answer_that_lacks_nuggets_is_not_scored_on_fewer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(
        tmp_path / "a.jsonl",
        assignment("A", one="vital support", two="vital not_support"),
        assignment("B", one="vital support"),
    )
    with caplog.at_level(logging.WARNING):
        labels = read_labels(assignments=[path])
    assert "run B, topic 1: labelled for 1 of 2 nuggets" in caplog.text
    scores = compute(labels, parse_measures("strict_vital_recall"))
    means = {score.run_id: score for score in scores if score.topic_id == "all"}
    assert means["A"].value == 0.5
    assert (means["B"].value, means["B"].low, means["B"].high) == (None, 0.5, 1.0)


def test_an_importance_that_differs_between_answers_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(
        tmp_path / "a.jsonl",
        assignment("A", one="vital support"),
        assignment("B", one="okay support"),
    )
    with caplog.at_level(logging.WARNING):
        read_labels(assignments=[path])
    assert "the importance of 'one' is not the same for all answers" in caplog.text


def test_a_calibration_of_labels_that_are_not_there_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", assignment("A", one="vital support"))
    human = write(
        tmp_path / "h.txt",
        *(f'{{"topic_id": "{t}", "run_id": "A", "sentences": [{sentence("2")}]}}' for t in (1, 2)),
    )
    judge = write(
        tmp_path / "j.txt",
        *(f'{{"topic_id": "{t}", "run_id": "A", "sentences": [{sentence("1")}]}}' for t in (1, 2)),
    )
    learned = tmp_path / "learned.json"
    agree([human], [judge], outputs=Outputs(calibrate=str(learned)))
    with pytest.raises(UsageError, match="support labels, and there are none to score"):
        calibrated(read_labels(assignments=[path]), read_calibration(learned))


def sentence(support: str) -> str:
    label = f'{{"citationID": 0, "reference": "d", "support": "{support}"}}'
    return f'{{"sentenceID": 0, "text": "x", "citations": [{label}]}}'
