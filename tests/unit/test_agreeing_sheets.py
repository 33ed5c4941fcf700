"""What agreement writes for people and for later: sheets, plans and calibrations."""

import json
from pathlib import Path
from typing import Any

import pytest

import judge
from judge.agreeing.agree import Outputs, agree, plan
from judge.agreeing.calibrating import calibrated
from judge.agreement.calibration import Calibration
from judge.errors import InputError, UsageError
from judge.formats.sheets import read_sheet
from judge.scoring import Labels
from judge.types import CitationLabel, Support, SupportedAnswer, SupportedSentence
from tests.agreeing import (
    ANSWER,
    FACTS,
    HUMAN,
    assigned,
    assignments,
    command,
    graded,
    human_file,
    qrels,
    run_of,
    told,
)

# --- sheets --------------------------------------------------------------------------------------


def fill_in(path: Path, label: str, annotator: str = "") -> str:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [{**row, "label": label, "annotator": annotator} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_disagreements_are_written_and_come_back_as_human_labels(tmp_path: Path) -> None:
    human = human_file(tmp_path / "h")
    labels: dict[tuple[str, str], list[Support]] = {
        **HUMAN,
        ("a", "t1"): ["partial", "none", "none"],
    }
    judged = assignments(tmp_path / "j", *(assigned(*key, x) for key, x in labels.items()))
    sheet = tmp_path / "d.jsonl"
    found = agree([human], [judged], outputs=Outputs(disagreements=str(sheet)))
    assert found.written == (f"{sheet}: 2 units on which raters differ",)
    worst, other = (json.loads(line) for line in sheet.read_text().splitlines())
    assert (worst["unit_id"], worst["human"], worst["judge"]) == ("assign|t1|a|n1", "full", "none")
    assert (other["human"], other["judge"], other["label"]) == ("full", "partial", "")
    assert (worst["claim"], worst["text"]) == (FACTS[1], ANSWER)
    assert worst["link"] == "report.html#assign%7Ct1%7Ca%7Cn1"
    assert worst["labels"] == "h: full; j: none"
    filled = fill_in(sheet, "none", "ann")
    again = agree([filled], [judged])
    assert (again.human, again.summary.n, again.summary.exact) == ("ann (adjudicated)", 2, 0.5)
    assert "2 of 2 human labels settle disagreements" in told(again)
    settled = agree([human, filled], [judged])
    assert (settled.summary.n, settled.n_tied) == (18, 0)
    assert settled.summary.exact == pytest.approx(17 / 18)
    assert settled.by_run["a"].bias == pytest.approx(1 / 6)
    rest = agree([human, filled], [judged], outputs=Outputs(disagreements=str(tmp_path / "r.tsv")))
    assert rest.written == (f"{tmp_path / 'r.tsv'}: 0 units on which raters differ",)
    assert (
        again.systems_reason == "no answer has human labels of all its units; 1 have some of them"
    )


def test_judges_are_compared_among_themselves_and_give_their_reasons(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 1", "1 0 b 1")
    first = run_of(
        tmp_path / "one", [graded("1", "a", 1), graded("1", "b", 1, reason="it answers")]
    )
    second = run_of(tmp_path / "two", [graded("1", "a", 1), graded("1", "b", 4)])
    sheet = tmp_path / "d.tsv"
    found = agree([human], [first, second], outputs=Outputs(disagreements=str(sheet)))
    assert (found.judge, found.summary.exact) == ("one", 1.0)
    assert len(found.pairs) == 3
    head, row = (line.split("\t") for line in sheet.read_text().splitlines())
    cells = dict(zip(head, row, strict=True))
    assert (cells["unit_id"], cells["reason"]) == ("relevance|1|b", "it answers")
    assert cells["labels"] == "h: 1; one: 1; two: 4"
    assert agree([], [first, second]).summary.exact == 0.5


def many(tmp_path: Path) -> str:
    """A judge's run on 40 topics with 10 documents each."""
    rows = [graded(f"t{i % 40}", f"d{i}", i % 3) for i in range(400)]
    return run_of(tmp_path / "many", rows)


def test_a_plan_chooses_units_blind_and_they_come_back(tmp_path: Path) -> None:
    run, sheet = many(tmp_path), tmp_path / "sheet.jsonl"
    found = plan([], [run], labels=60, sheet=str(sheet))
    assert (found.plan, len(found.chosen), found.sheet) == (None, 60, str(sheet))
    rows = [json.loads(line) for line in sheet.read_text().splitlines()]
    assert [row["unit_id"] for row in rows] == list(found.chosen)
    assert not {"judge", "reason"} & set(rows[0])
    assert (read_sheet(sheet).labels, read_sheet(sheet).n_blank) == ([], 60)
    with pytest.raises(InputError, match="found 'none that are filled in'"):
        agree([str(sheet)], [run])
    filled = fill_in(sheet, "1", "ann")
    later = plan([filled], [run], width=0.2)
    assert later.plan is not None
    assert (later.plan.n_now, later.plan.n_units) == (60, 400)
    assert not set(later.chosen) & set(found.chosen)


def test_the_plan_command_says_how_many_labels_it_takes(tmp_path: Path) -> None:
    run = many(tmp_path)
    found = json.loads(command("--judge", run, "--plan", "--width", "0.3", "--json").stdout)
    assert found["plan"]["n_more"] == found["n_chosen"] == len(found["units"])
    assert found["plan"]["width_now"] is None
    out = command("--judge", run, "--plan", "--width", "0.3").stdout
    assert "0 of 400 units have human labels" in out
    assert f"{found['n_chosen']} more labels for a width of 0.3" in out
    out = command("--judge", run, "--plan", "--width", "0.0001").stdout
    assert "out of reach" in out


def test_a_width_out_of_reach_chooses_nothing(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.tsv"
    found = plan([], [many(tmp_path)], width=0.0001, sheet=str(sheet))
    assert found.plan is not None
    assert (found.plan.reachable, found.chosen, found.sheet) == (False, (), None)
    assert not sheet.exists()


@pytest.mark.parametrize(
    "choices", [{}, {"width": 0.1, "labels": 5}, {"width": 0.0}, {"width": -1.0}, {"labels": 0}]
)
def test_a_plan_that_asks_for_nothing_or_for_both_is_refused(
    tmp_path: Path, choices: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="--width"):
        plan([], [many(tmp_path)], **choices)


def test_width_alone_is_a_plan_and_a_plan_writes_nothing_else(tmp_path: Path) -> None:
    run = many(tmp_path)
    assert "more labels" in command("--judge", run, "--width", "0.3").stdout
    result = command("--judge", run, "--labels", "3", "--disagreements", "d.tsv", code=1)
    assert "a plan writes --sheet alone" in str(result.exception)


# --- calibration ---------------------------------------------------------------------------------


def test_a_calibration_is_fitted_saved_and_applied(tmp_path: Path) -> None:
    said = qrels(tmp_path / "h", *(f"t{i % 8} 0 d{i} {i % 3}" for i in range(96)))
    judged = qrels(tmp_path / "j", *(f"t{i % 8} 0 d{i} {i % 3 + 1}" for i in range(96)))
    file = str(tmp_path / "c.json")
    found = json.loads(
        command("--human", said, "--judge", judged, "--calibrate", file, "--json").stdout
    )
    assert (found["exact"], found["bias"]) == (0.0, 1.0)
    assert found["calibration"]["evaluation"]["calibrated"]["exact"] == 1.0
    assert found["calibration"]["files"].keys() == {"h", "j"}
    saved = json.loads(Path(file).read_text())
    assert (saved["format"], saved["kind"], len(saved["units"])) == (1, "relevance", 96)
    again = judge.agree([said], [judged], calibration=file)
    assert again.summary.exact == 1.0
    assert "96 of 96 units with human labels were used to fit the calibration" in told(again)
    with pytest.raises(UsageError, match="not calibrated again"):
        judge.agree([said], [judged], calibration=file, calibrate=file)
    with pytest.raises(UsageError, match="of relevance labels, and these are assign"):
        judge.agree([human_file(tmp_path / "a")], [human_file(tmp_path / "b")], calibration=file)


def test_a_calibration_changes_what_systems_score(tmp_path: Path) -> None:
    human = human_file(tmp_path / "h")
    kinder: dict[tuple[str, str], list[Support]] = {
        key: ["full" if x == "partial" else "partial" if x == "none" else x for x in labels]
        for key, labels in HUMAN.items()
    }
    judged = assignments(tmp_path / "j", *(assigned(*k, x) for k, x in kinder.items()))
    file = str(tmp_path / "c.json")
    before = judge.agree([human], [judged], calibrate=file, measures="vital_recall")
    after = judge.agree([human], [judged], calibration=file, measures="vital_recall")
    assert before.systems[0].judge["b"] > before.systems[0].human["b"]
    assert after.systems[0].judge["b"] == pytest.approx(after.systems[0].human["b"])


def kind_calibration(kind: str, **more: Any) -> Calibration:
    """Maps full to partial, and the rest to none."""
    given: dict[str, Any] = {"uses": "labels", "lowest": "none", "steps": ((1.5, "partial"),)}
    return Calibration(kind=kind, points=((0.0, 0.0), (2.0, 1.0)), **{**given, **more})


def test_what_is_scored_is_calibrated_and_what_failed_stays_failed() -> None:
    answer = assigned("r", "t", ["full", "partial", None])
    citations = [
        CitationLabel(mention="d", docid="d", status="ok", label="full"),
        CitationLabel(mention="e", docid="e", status="failed"),
        CitationLabel(mention="f", docid="f", status="unjudged"),
        CitationLabel(mention="9", docid=None, status="invalid"),
    ]
    sentence = SupportedSentence(text="One.", citations=tuple(citations))
    supported = SupportedAnswer(run_id="r", topic_id="t", sentences=(sentence,))
    labels = Labels(assigned=[answer], supported=[supported])
    by_nugget = calibrated(labels, kind_calibration("assign"))
    assert [n.label for n in by_nugget.assigned[0].nuggets] == ["partial", "none", None]
    assert by_nugget.supported == [supported]
    by_citation = calibrated(labels, kind_calibration("support"))
    ((done,),) = (answer.sentences for answer in by_citation.supported)
    assert [c.label for c in done.citations] == ["partial", None, None, None]
    assert [c.status for c in done.citations] == [c.status for c in citations]
    assert by_citation.assigned == [answer]
    with pytest.raises(UsageError, match="relevance labels says nothing of scores"):
        calibrated(labels, kind_calibration("relevance"))


def test_a_calibration_of_probabilities_finds_them_in_the_judgments() -> None:
    labels = Labels(assigned=[assigned("r", "t", ["full"])])
    by_p = kind_calibration("assign", uses="probabilities")
    with pytest.raises(InputError, match=r"assign\|t\|r\|n0 has no probabilities"):
        calibrated(labels, by_p)
    found = calibrated(labels, by_p, {"assign|t|r|n0": {"full": 0.6, "none": 0.4}})
    assert found.assigned[0].nuggets[0].label == "none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a calibration"),
        ("[]", "not a calibration"),
        ('{"format": 99}', "later version"),
        ('{"format": 1, "kind": "assign"}', "field 'uses'"),
    ],
)
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "c").write_text(text)
    file = qrels(tmp_path / "q", "1 0 a 1")
    with pytest.raises(InputError, match=message):
        judge.agree([file], [file], calibration=str(tmp_path / "c"))
    with pytest.raises(InputError, match="no such file"):
        judge.agree([file], [file], calibration=str(tmp_path / "none"))
