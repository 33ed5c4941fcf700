"""Published agreement of people and judges, and of annotators, reproduced from the real files."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from judge.agreeing.agree import agree
from judge.cli import app

DATA = Path(__file__).parents[2].parent / "shared" / "data"
NIST, UMBRELA = DATA / "rag25" / "qrels.nist.txt", DATA / "rag25" / "qrels.umbrela2.txt"
ANNOTATORS = DATA / "wikivideo" / "human.qwen_72b_rag.annotator_1.json"

EXACTLY = {
    "exact": 0.441170750680669,
    "kappa": 0.23331645350374042,
    "kappa_linear": 0.37287679737703183,
    "kappa_quadratic": 0.49181060711995106,
    "alpha_ordinal": 0.4925550722956812,
}
BINARY = {">=1": 0.3672392269167304, ">=2": 0.4310420902542955, ">=3": 0.3095013721754516}
CONFUSION = [
    [1690, 1074, 681, 150, 24],
    [348, 446, 566, 113, 26],
    [405, 735, 1971, 547, 102],
    [80, 136, 554, 411, 137],
    [1, 8, 18, 42, 19],
]


def needs(*paths: Path) -> None:
    for path in paths:
        if not path.exists():
            pytest.skip(f"the shared data is not here: {path.name}")


@pytest.fixture
def nist_against_umbrela() -> dict[str, Any]:
    needs(NIST, UMBRELA)
    words = ["agree", "--human", str(NIST), "--judge", str(UMBRELA), "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_nist_against_umbrela(nist_against_umbrela: dict[str, Any]) -> None:
    found = nist_against_umbrela
    assert (found["n"], found["unmatched"], found["labels"]) == (10284, 0, [0, 1, 2, 3, 4])
    assert found["confusion"] == CONFUSION
    for name, value in EXACTLY.items():
        assert found[name] == pytest.approx(value, abs=1e-9), name
        low, high = found["intervals"][name]
        assert low < value < high
    for cut, value in BINARY.items():
        assert found["binary"][cut]["kappa"] == pytest.approx(value, abs=1e-9), cut
    assert sum(topic["n"] for topic in found["topics"].values()) == 10284
    assert len(found["topics"]) == 22


def test_annotators_of_wikivideo_among_themselves() -> None:
    needs(ANNOTATORS)
    found = agree([str(DATA / "wikivideo" / "human.*.json")])
    assert found.matching is None
    assert found.reliability.raters == ("annotator_1", "annotator_2", "annotator_3")
    assert found.reliability.n == 316 + 389
    assert [(p.first, p.second, p.summary.n) for p in found.pairs] == [
        ("annotator_1", "annotator_2", 705),
        ("annotator_1", "annotator_3", 701),
        ("annotator_2", "annotator_3", 701),
    ]
    assert found.summary.labels == ("none", "full")
    assert found.summary.n == 705 + 701 + 701


def test_one_annotator_against_another_by_system() -> None:
    needs(ANNOTATORS)
    files = [str(DATA / "wikivideo" / f"human.*.annotator_{n}.json") for n in (1, 3)]
    found = agree(files[:1], files[1:])
    assert {run: group.n for run, group in found.by_run.items()} == {
        "qwen_72b_cag": 316,
        "qwen_72b_rag": 385,
    }
    assert found.matching is not None
    assert found.matching.n_failed == 4
