"""`--prompt support/contrast` through the command line and over HTTP: four answers, one label."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import Desk, Serve, desk, judgments, known, labels
from tests.faults.server import Response, Script, chat, error, prompt_of
from tests.unit.test_report_html import embedded

CONTRAST = ("--prompt", "support/contrast")
QUESTIONS = 4


def asks_for_all(prompt: str) -> bool:
    return "every part of the answer" in prompt


def has_passage(prompt: str) -> bool:
    return "(none is given)" not in prompt


def believing(full: float, some: float, beforehand: float) -> Script:
    """A model that says yes as likely as that: to all, to any, and without a passage."""

    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        del hit
        prompt = prompt_of(request)
        given = full if asks_for_all(prompt) else some
        return answer(request, given if has_passage(prompt) else beforehand)

    return script


def answer(request: dict[str, Any], yes: float) -> dict[str, Any]:
    word = "Yes" if yes >= 0.5 else "No"
    body = chat(word)
    if request.get("logprobs"):
        shares = {"Yes": yes, "No": 1 - yes}
        top = [{"token": token, "logprob": math.log(p)} for token, p in shares.items()]
        one = {"token": word, "logprob": math.log(shares[word]), "top_logprobs": top}
        body["choices"][0]["logprobs"] = {"content": [one]}
    return body


@pytest.fixture
def at(tmp_path: Path, serve: Serve) -> Desk:
    return desk(tmp_path, serve(believing(0.9, 0.95, 0.3)))


def test_four_answers_make_one_label_with_its_probabilities(at: Desk) -> None:
    done = at.support("--out", "run", *CONTRAST)
    assert done.code == 0
    assert set(labels(at.home / "run").values()) == {"full"}
    for line in judgments(at.home / "run"):
        assert line["detail"]["yes"]["all"] == pytest.approx([0.9, 0.3])
        assert line["detail"]["yes"]["any"] == pytest.approx([0.95, 0.3])
        assert len({line["key"], *line["detail"]["others"]}) == QUESTIONS
        assert sum(line["probabilities"].values()) == pytest.approx(1)
    rows = (at.home / "run" / "uncertainty.tsv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(labels(at.home / "run"))


def test_each_question_is_asked_once_with_probabilities_and_never_paid_again(at: Desk) -> None:
    assert at.support("--out", "run", *CONTRAST).code == 0
    units = len(labels(at.home / "run"))
    assert at.server.hits == QUESTIONS * units
    assert all(request["top_logprobs"] == 20 for request in at.server.requests)
    again = at.support("--out", "again", *CONTRAST)
    assert (again.code, at.server.hits) == (0, QUESTIONS * units)
    assert labels(at.home / "again") == labels(at.home / "run")


def test_the_passage_stands_before_everything_that_differs(at: Desk) -> None:
    assert at.support("--out", "run", *CONTRAST, "--concurrency", 1).code == 0
    first, second, third, fourth = map(prompt_of, at.server.requests[:QUESTIONS])
    assert [asks_for_all(p) for p in (first, second, third, fourth)] == [True, False] * 2
    assert [has_passage(p) for p in (first, second, third, fourth)] == [True, True, False, False]
    head = next(n for n, pair in enumerate(zip(first, second, strict=False)) if len(set(pair)) > 1)
    assert "</answer>" in first[:head]


@pytest.mark.parametrize(
    ("full", "some", "label"), [(0.4, 0.9, "partial"), (0.3, 0.3, "none"), (0.9, 0.9, "full")]
)
def test_labels_follow_what_the_passage_adds(
    at: Desk, full: float, some: float, label: str
) -> None:
    at.server.script = believing(full, some, 0.3)
    assert at.support("--out", "run", *CONTRAST).code == 0
    assert set(labels(at.home / "run").values()) == {label}


def test_a_yes_to_everything_supports_nothing(at: Desk) -> None:
    at.server.script = believing(0.97, 0.97, 0.97)
    assert at.support("--out", "run", *CONTRAST).code == 0
    assert set(labels(at.home / "run").values()) == {"none"}


def test_without_probabilities_there_is_no_label_and_the_first_question_alone_is_paid(
    at: Desk,
) -> None:
    plain = believing(0.2, 0.9, 0.6)

    def script(request: dict[str, Any], hit: int) -> Any:
        if request.get("logprobs"):
            return error(400, "logprobs are not supported", code="unsupported_parameter")
        return plain(request, hit)

    at.server.script = script
    done = at.support("--out", "run", *CONTRAST, "--concurrency", 1)
    assert done.code == 3
    assert "another --prompt" in done.told
    found = list(judgments(at.home / "run"))
    assert {(line["label"], line["failure"]) for line in found} == {(None, "parameter")}
    answered = [request for request in at.server.requests if not request.get("logprobs")]
    assert len(answered) == len(found)


def test_an_answer_whose_other_words_are_not_told_is_none(at: Desk) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        del request, hit
        body = chat("Yes")
        one = {"token": "Yes", "logprob": math.log(0.52), "top_logprobs": []}
        body["choices"][0]["logprobs"] = {"content": [one]}
        return body

    at.server.script = script
    assert at.support("--out", "run", *CONTRAST).code == 3
    assert {line["label"] for line in judgments(at.home / "run")} == {None}


def test_a_model_that_thinks_first_is_weighed_at_its_answer(at: Desk) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        del hit
        prompt = prompt_of(request)
        yes = 0.9 if has_passage(prompt) else 0.3
        body = answer(request, yes)
        body["choices"][0]["message"]["content"] = (
            f"<think>no...</think>{'Yes' if yes > 0.5 else 'No'}"
        )
        thought: list[dict[str, Any]]
        said = body["choices"][0]["logprobs"]["content"]
        thought = [
            {"token": t, "logprob": 0.0, "top_logprobs": []} for t in ("<think>no...", "</think>")
        ]
        body["choices"][0]["logprobs"]["content"] = [*thought, *said]
        return body

    at.server.script = script
    assert at.support("--out", "run", *CONTRAST).code == 0
    for line in judgments(at.home / "run"):
        assert line["detail"]["yes"]["all"] == pytest.approx([0.9, 0.3])


def test_samples_are_of_the_label_and_not_of_the_first_question(at: Desk) -> None:
    asked: Counter[str] = Counter()

    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        del hit
        prompt = prompt_of(request)
        asked[prompt] += 1
        any_with = has_passage(prompt) and not asks_for_all(prompt)
        return answer(request, (0.1 if asked[prompt] == 2 else 0.9) if any_with else 0.3)

    at.server.script = script
    assert at.support("--out", "run", *CONTRAST, "--samples", 3, "--temperature", 1).code == 0
    for line in judgments(at.home / "run"):
        assert line["detail"]["samples"] == ["partial", "none", "partial"]
        assert line["label"] == "partial"
        assert sum(line["probabilities"].values()) == pytest.approx(1)


def test_an_answer_that_goes_on_after_a_comma_counts(at: Desk) -> None:
    def script(request: dict[str, Any], hit: int) -> dict[str, Any]:
        del hit
        body = answer(request, 0.9 if has_passage(prompt_of(request)) else 0.3)
        body["choices"][0]["message"]["content"] += ", because it says so."
        rest = {"token": ", because it says so.", "logprob": 0.0, "top_logprobs": []}
        body["choices"][0]["logprobs"]["content"].append(rest)
        return body

    at.server.script = script
    assert at.support("--out", "run", *CONTRAST).code == 0
    assert set(labels(at.home / "run").values()) == {"full"}


def test_one_answer_that_cannot_be_read_leaves_the_unit_without_a_label(at: Desk) -> None:
    sure = believing(0.9, 0.9, 0.3)

    def script(request: dict[str, Any], hit: int) -> dict[str, Any] | Response:
        prompt = prompt_of(request)
        if has_passage(prompt) and not asks_for_all(prompt):
            return chat("That depends on what is meant.")
        body = sure(request, hit)
        assert isinstance(body, dict)
        return body

    at.server.script = script
    done = at.support("--out", "run", *CONTRAST)
    assert done.code == 3
    units = len(list(judgments(at.home / "run")))
    assert at.server.hits == units * (1 + 3)  # nothing is asked after the question that failed
    found = list(judgments(at.home / "run"))
    assert {(line["status"], line["label"], line["failure"]) for line in found} == {
        ("failed", None, "parse")
    }
    at.server.script = sure
    assert at.support("--out", "run", *CONTRAST).code == 0
    assert set(labels(at.home / "run").values()) == {"full"}


def test_a_plan_counts_all_questions(at: Desk) -> None:
    words = ("plan", "support", *at.support_words(), *at.model, *CONTRAST, "--json")
    planned = at.run(*words).json["tasks"][0]["calls_to_pay"]
    assert at.support("--out", "run", *CONTRAST).code == 0
    assert at.server.hits == planned


def test_a_run_is_judged_again_by_contrast_and_offline(at: Desk) -> None:
    at.server.script = known
    assert at.support("--out", "plain").code == 0
    at.server.script = believing(0.9, 0.95, 0.3)
    again = at.run("rejudge", "plain", "--out", "other", *CONTRAST, *at.model)
    assert again.code == 0
    hits = at.server.hits
    offline = at.run("rejudge", "other", "--out", "third", "--offline", *at.model)
    assert (offline.code, at.server.hits) == (0, hits)
    assert labels(at.home / "third") == labels(at.home / "other")
    assert at.run("diff", "plain", "other").code == 0


def test_the_report_shows_every_prompt(at: Desk) -> None:
    assert at.support("--out", "run", *CONTRAST).code == 0
    assert at.run("report", "run").code == 0
    parts = dict(embedded((at.home / "run" / "report.html").read_text(encoding="utf-8")))
    topics = [json.loads(part) for name, part in parts.items() if name.startswith("topic-")]
    for topic in topics:
        for judgment in topic["judgments"]:
            calls = [judgment["call"], *judgment["others"]]
            assert len({json.dumps(topic["calls"][n]["messages"]) for n in calls}) == QUESTIONS
    assert sum(len(topic["judgments"]) for topic in topics) == len(labels(at.home / "run"))


def test_prompts_show_prints_all_questions(at: Desk) -> None:
    shown = at.run("prompts", "show", "support/contrast")
    assert shown.code == 0
    assert shown.out.count("Answer yes or no") == QUESTIONS
    data = at.run("prompts", "show", "support/contrast", "--json").json
    assert len(data["also"]) == QUESTIONS - 1
    assert len({json.dumps(messages) for messages in (data["messages"], *data["also"])}) == 4
