"""Replies that go wrong for people who judge with models, from the wire to the label or failure."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from judge.tasks import Task
from judge.tasks.assign import Assign
from judge.tasks.support import SupportTask
from judge.types import Failure, Reply, Verdict
from tests.faults.asking import ask
from tests.faults.server import Script, ScriptedServer, chat, prompt_of
from tests.judging import (
    TEMPLATES,
    TOPICS,
    answer,
    assigned_text,
    call_for,
    citing,
    document,
    nuggets,
    relevance,
)

Serve = Callable[[Script], ScriptedServer]

RELEVANCE = relevance(1)
SUPPORT = SupportTask(
    TEMPLATES["support/trec2025"],
    TOPICS,
    [answer("r", "t1", citing("Bees cluster.", "d"))],
    lambda answer, docid: document("d"),
)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def assign(*texts: str) -> Assign:
    """A task over nuggets with these texts and an answer of two sentences."""
    key = [
        nugget.model_copy(update={"text": text})
        for nugget, text in zip(nuggets("t1", len(texts)), texts, strict=True)
    ]
    answers = [answer("r", "t1", "Bees cluster.", "They eat honey.")]
    return Assign(TEMPLATES["nuggets/assign"], TOPICS, answers, {"t1": key})


def asked(serve: Serve, task: Task, said: Any) -> tuple[Reply | Failure, int]:
    """What one call of a task comes to with a judge that always says this, and how often asked."""
    server = serve(lambda request, hit: said)
    call = call_for(task)
    outcome = ask(server.url, "openai/judge", call, read=lambda text: task.read(call, text))
    if not isinstance(outcome.result, Reply | Failure):
        raise TypeError(f"stopped: {outcome.result!r}")
    return outcome.result, server.hits


def only_verdict(result: Reply | Failure) -> Verdict:
    if isinstance(result, Failure):
        raise TypeError(f"no label: {result.message}")
    (verdict,) = result.verdicts.values()
    return verdict


FAILING_SCORES = ["13", "-1", "2.5", "40", "3/10", "2-3", "high", "3or4", "4 or so", "", "³", "२"]


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("The passage refers to 1999. ##final score: 3", 3),  # case 1
        ("I count 4 aspects in 2 parts, year 2024.\n##final score: 1", 1),
        ("##final score: 3/4", 3),  # case 4
        ("##final score: 3.0", 3),
        ("##final score: **3**", 3),
        ("##final score: 3.", 3),
        ("##final score: ３", 3),
        (chat("##final score: 3", reasoning_content="##final score: 2"), 3),  # case 6
        (chat("##final score: 3", reasoning="2"), 3),
        ("##final score: 4</think>##final score: 1", 1),  # case 7
        ("<think>##final score: 4</think>\n##final score: 1", 1),
    ],
)
def test_a_score_that_is_stated_is_read(serve: Serve, said: Any, label: int) -> None:
    result, hits = asked(serve, RELEVANCE, said)
    assert (only_verdict(result).label, only_verdict(result).flags, hits) == (label, (), 1)


def test_a_quoted_marker_loses_to_the_last_line_and_is_flagged(serve: Serve) -> None:  # case 2
    said = 'The answer says "##final score: 4". It is off topic.\n##final score: 0'
    verdict = only_verdict(asked(serve, RELEVANCE, said)[0])
    assert (verdict.label, verdict.flags) == (0, ("conflicting_markers",))


def test_label_lines_that_disagree_are_flagged(serve: Serve) -> None:
    verdict = only_verdict(asked(serve, SUPPORT, "label: none\nlabel: full")[0])
    assert (verdict.label, verdict.flags) == ("full", ("conflicting_markers",))


@pytest.mark.parametrize(
    ("said", "kind", "hits"),
    [
        ("The passage refers to 1999 and 3 aspects.", "parse", 3),  # case 1
        ("##final score: 4\nOn reflection:\n##final score: 7", "parse", 3),  # case 3
        *((f"##final score: {value}", "parse", 3) for value in FAILING_SCORES),  # case 4
        ("I cannot help with that.", "refused", 3),  # case 5
        ("I'm sorry, but I can't help with that.\n##final score: 0", "refused", 3),
        ("I cannot decide.", "parse", 3),
        (chat("##final score: 3", refusal="No."), "refused", 1),
        ("", "empty", 1),
        ("Error: HTTP 500", "parse", 3),
        (chat("", reasoning_content="##final score: 3"), "empty", 1),  # case 6
        ("<think>##final score: 3", "truncated", 2),  # case 7
        (chat("##final sc", finish_reason="length"), "truncated", 2),  # case 8
        (chat("##final score: 3", finish_reason="length"), "truncated", 2),
        (chat("", finish_reason="length"), "truncated", 2),
        (chat("##final score: 3", finish_reason="content_filter"), "blocked", 1),
        ("asdf " * 50, "parse", 3),  # case 13
    ],
)
def test_a_reply_without_a_score_fails_and_is_paid_for_three_times_at_most(
    serve: Serve, said: Any, kind: str, hits: int
) -> None:
    result, paid = asked(serve, RELEVANCE, said)
    assert isinstance(result, Failure)
    assert (result.kind, paid) == (kind, hits)


def test_an_empty_reply_with_reasoning_names_the_parser(serve: Serve) -> None:  # case 6
    result, _ = asked(serve, RELEVANCE, chat("", reasoning_content="##final score: 3"))
    assert isinstance(result, Failure)
    assert "empty content" in result.message
    assert "reasoning parser" in result.message


def test_a_reply_that_is_cut_off_is_asked_again_with_more_room(serve: Serve) -> None:  # case 8
    caps: list[int] = []

    def script(request: dict[str, Any], hit: int) -> Any:
        caps.append(request.get("max_completion_tokens") or request["max_tokens"])
        return chat("##final sc", finish_reason="length") if hit == 1 else "##final score: 2"

    call = call_for(RELEVANCE)
    reply = ask(
        serve(script).url, "openai/judge", call, read=lambda text: RELEVANCE.read(call, text)
    ).reply
    assert only_verdict(reply).label == 2
    assert caps[1] > caps[0]
    assert f"max_tokens = {caps[0]}" in (reply.attempts[0].message or "")


TEN = assigned_text(["full"] * 10)


def changed(**entries: Any) -> str:
    """A reply to ten nuggets with these entries in place of its own; None takes one out."""
    labels = {**json.loads(TEN), **entries}
    return json.dumps({key: value for key, value in labels.items() if value is not None})


@pytest.mark.parametrize(  # case 9
    "said",
    [
        changed(**{"10": None}),
        changed(**{"11": {"label": "full", "sentences": [1]}}),
        changed(**{"99": {"label": "full", "sentences": [1]}, "10": None}),
        changed(**{"3": None, "4": None, "5": None, "6": None, "7": None, "8": None, "9": None}),
        '{"1": {"label": "full", "sentences": [1]}}',
        TEN[:-1] + ', "10": {"label": "none", "sentences": []}}',
        json.dumps(list(json.loads(TEN).values())),
        changed(**{"5": {"label": "full", "sentences": [3]}}),
        changed(**{"5": {"label": "fully", "sentences": [1]}}),
        changed(**{"5": {"label": ["full"], "sentences": [1]}}),
        changed(**{"5": {"label": "full", "sentences": [10**30]}}),
        changed(**{"5": "full"}),
        '{"1": ' * 5000 + "1" + "}" * 5000,
    ],
)
def test_a_batch_with_other_labels_than_asked_fails_as_a_whole(serve: Serve, said: str) -> None:
    result, hits = asked(serve, assign(*(f"fact {i}" for i in range(10))), said)
    assert isinstance(result, Failure)
    assert (result.kind, hits) == ("parse", 3)


@pytest.mark.parametrize(  # case 10
    ("said", "label"),
    [
        ("label: No Support", "none"),
        ("No Support", "none"),
        ("Label: PARTIAL-SUPPORT", "partial"),
        ('label: "Full Support."', "full"),
        ("label: not_support", "none"),
        ("Label: No Support. Full Support would need a date.", "none"),
        ("It says one part. Label: partial support", "partial"),
    ],
)
def test_a_support_label_is_one_of_a_closed_set(serve: Serve, said: str, label: str) -> None:
    verdict = only_verdict(asked(serve, SUPPORT, said)[0])
    assert (verdict.label, verdict.flags) == (label, ())


@pytest.mark.parametrize("said", ["label: supporting", "support label", "label: no", "no, full"])
def test_a_wording_outside_of_the_set_is_no_label(serve: Serve, said: str) -> None:
    result, hits = asked(serve, SUPPORT, said)
    assert isinstance(result, Failure)
    assert (result.kind, hits) == ("parse", 3)


def test_json_in_a_fence_between_sentences_is_read(serve: Serve) -> None:  # case 11
    said = f"Here are the labels:\n```json\n{assigned_text(['full', 'none'])}\n```\nDone."
    result, hits = asked(serve, assign("a", "b"), said)
    assert isinstance(result, Reply)
    assert [verdict.label for verdict in result.verdicts.values()] == ["full", "none"]
    assert hits == 1


def test_json_without_its_last_brace_is_truncated(serve: Serve) -> None:  # case 11
    result, _ = asked(serve, assign("a", "b"), assigned_text(["full", "none"])[:-1])
    assert isinstance(result, Failure)
    assert result.kind == "truncated"


def test_nuggets_come_back_by_number_whatever_is_in_their_texts(serve: Serve) -> None:  # case 12
    texts = ["Apple's CEO is Tim Cook", 'costs "$5" {net}', "a \\ b\nc", "}]", "2. two", ""]
    task = assign(*texts)
    result, _ = asked(serve, task, assigned_text(["full", "partial", "none"] * 2))
    assert isinstance(result, Reply)
    labels = [result.verdicts[unit.unit_id].label for unit in task.units()]
    assert labels == ["full", "partial", "none"] * 2


def test_each_repair_turn_shows_the_error_beneath_the_original_prompt(serve: Serve) -> None:
    server = serve(lambda request, hit: "nonsense 4")  # case 13
    call = call_for(RELEVANCE)
    failure = ask(
        server.url, "openai/judge", call, read=lambda text: RELEVANCE.read(call, text)
    ).failure
    first, *repairs = (prompt_of(request) for request in server.requests)
    assert len(repairs) == 2
    assert all(repair.startswith(first) for repair in repairs)
    assert all("no line starts with" in repair for repair in repairs)
    assert all("nonsense" not in repair for repair in repairs)
    assert [attempt.raw for attempt in failure.attempts] == ["nonsense 4"] * 3
