"""`--samples` and `--logprobs` through the command line and over HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import Desk, Serve, desk, judgments, key_of_body, known, labels
from tests.faults.server import Response, chat, error, prompt_of


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(known))


class Wavering:
    """Says full, none and full again of each prompt."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    def __call__(self, request: dict[str, Any], hit: int) -> str:
        del hit
        prompt = prompt_of(request)
        self.asked[prompt] = self.asked.get(prompt, 0) + 1
        return "label: none" if self.asked[prompt] == 2 else "label: full"


def test_each_sample_is_a_call_with_a_key_of_its_own_and_the_label_of_most_counts(
    at: Desk,
) -> None:
    at.server.script = Wavering()
    done = at.support("--out", "run", "--samples", 3, "--temperature", 1)
    assert done.code == 0
    assert at.server.hits == 15
    assert set(labels(at.home / "run").values()) == {"full"}
    details = [line["detail"]["samples"] for line in judgments(at.home / "run")]
    assert details == [["full", "none", "full"]] * 5
    assert "samples: 5 of 15 pairs have the same label (33%)" in done.err
    lines = (at.home / "run" / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.loads(line)["key"] for line in lines}) == 15
    rows = (at.home / "run" / "uncertainty.tsv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 6
    assert all(row.endswith("\t0.3333") for row in rows[1:])


def test_the_first_sample_is_the_call_without_samples(at: Desk) -> None:
    assert at.support("--out", "one").code == 0
    assert at.server.hits == 5
    assert at.support("--out", "three", "--samples", 3).code == 0
    assert at.server.hits == 15
    again = at.support("--out", "more", "--samples", 3)
    assert (again.code, at.server.hits) == (0, 15)


def test_a_plan_counts_samples(at: Desk) -> None:
    words = ("plan", "support", *at.support_words(), *at.model, "--samples", 3, "--json")
    assert at.run(*words).json["tasks"][0]["calls_to_pay"] == 15


def test_a_run_is_not_continued_with_another_number_of_samples(at: Desk) -> None:
    assert at.support("--out", "run", "--samples", 3).code == 0
    done = at.support("--out", "run")
    assert done.code == 2
    assert "was made from something else" in done.err


def likely(request: dict[str, Any], hit: int) -> dict[str, Any]:
    """What is known, in three tokens of which the last begins the label."""
    text = str(known(request, hit))
    body = chat(text)
    if request.get("logprobs"):
        label = text.removeprefix("label: ")
        top = [{"token": label, "logprob": -0.105360516}, {"token": "part", "logprob": -2.302585}]
        head, last = {"token": "label:", "logprob": 0.0}, {"token": label, "logprob": -0.105360516}
        items = [head, {"token": " ", "logprob": 0.0}, {**last, "top_logprobs": top}]
        body["choices"][0]["logprobs"] = {"content": items}
    return body


def test_probabilities_are_kept_and_enter_no_label(at: Desk) -> None:
    at.server.script = likely
    done = at.support("--out", "run", "--logprobs")
    assert done.code == 0
    assert at.server.requests[0]["top_logprobs"] == 20
    found = list(judgments(at.home / "run"))
    assert {line["label"] for line in found} == {"none"}
    for line in found:
        assert line["probabilities"] == pytest.approx(
            {"none": 0.9, "partial": 0.1, "full": 0.0}, abs=1e-6
        )
    hits = at.server.hits
    assert at.support("--out", "again", "--logprobs").code == 0
    assert at.server.hits == hits
    same = [line["probabilities"] for line in judgments(at.home / "again")]
    assert same == [line["probabilities"] for line in found]
    assert {line["key"] for line in found} == {
        key_of_body(at.server, request) for request in at.server.requests
    }


def test_without_the_flag_nothing_is_asked_for(at: Desk) -> None:
    at.server.script = likely
    assert at.support("--out", "run").code == 0
    assert "logprobs" not in at.server.requests[0]
    assert not (at.home / "run" / "uncertainty.tsv").exists()


@pytest.mark.parametrize("most", [5, 0])
def test_a_server_that_gives_fewer_alternatives_is_asked_for_fewer(at: Desk, most: int) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any] | Response:
        if request.get("top_logprobs", 0) > most:
            return error(400, f"top_logprobs must be at most {most}", code="invalid_value")
        return likely(request, hit)

    at.server.script = script
    done = at.support("--out", "run", "--logprobs", "--concurrency", 1)
    assert done.code == 0
    assert at.server.hits == 5 + (1 if most else 2)
    told = "for 5 alternatives a token" if most else "without log-probabilities"
    assert told in done.err
    assert all(bool(line.get("probabilities")) == bool(most) for line in judgments(at.home / "run"))
