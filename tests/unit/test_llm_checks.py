"""Which completions may be read at all, and which part of them."""

import pytest

from judge.errors import ReadError
from judge.llm import CallError, Completion
from judge.llm.checks import answer_of, unreadable
from judge.llm.providers.wire import completion_of


def completion(text: str, **fields: str) -> Completion:
    return Completion(text=text, model="m", **fields)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (" 3 \n", "3"),
        ("<think>1</think> 3", "3"),
        ("1 </think> 2 </thinking> 3", "3"),
        ('{"why": "it says </think>"}', '{"why": "it says </think>"}'),
    ],
)
def test_the_answer_is_what_stands_after_thinking(text: str, answer: str) -> None:
    assert answer_of(completion(text, finish_reason="stop"), 5) == answer


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (completion("", finish_reason="length", refusal="no"), "truncated"),
        (completion("3", finish_reason="MAX_TOKENS"), "truncated"),
        (completion("", finish_reason="content_filter"), "blocked"),
        (completion("", refusal="no"), "refused"),
        (completion(""), "empty"),
        (completion("<think>3</think>"), "empty"),
        (completion("<think>3"), "truncated"),
        (completion("<think>1</think>\n<think>3"), "truncated"),
    ],
    ids=str,
)
def test_the_order_of_the_checks(said: Completion, kind: str) -> None:
    with pytest.raises(CallError) as caught:
        answer_of(said, 5)
    assert caught.value.kind == kind


def test_an_answer_eaten_by_thinking_says_so() -> None:
    with pytest.raises(CallError, match="nothing after it"):
        answer_of(completion("<think>3</think>", reasoning="x"), 5)
    with pytest.raises(CallError, match="reasoning parser"):
        answer_of(completion("", reasoning="3"), 5)


@pytest.mark.parametrize(
    ("text", "refuses"),
    [
        ("I cannot help with that.", True),
        ("I'm sorry, but no.", True),
        ("I can’t provide a grade", True),
        ("As an AI model, I have no view", True),
        ("I cannot find it in the passage. Grade: 0", False),
        ("The author says: I cannot help", False),
        ("##final score: 0", False),
    ],
)
def test_refusals_in_words(text: str, refuses: bool) -> None:
    error = unreadable(text, ReadError("no grade"))
    assert error.kind == ("refused" if refuses else "parse")
    assert str(error) == "no grade"


def test_a_body_is_read_leniently() -> None:
    parts = [{"type": "text", "text": "grade "}, {"type": "text", "text": "3"}, "odd"]
    body = {
        "choices": [{"message": {"content": parts, "reasoning": "so"}, "finish_reason": 7}],
        "usage": {"prompt_tokens": "many", "completion_tokens": True, "cost": 0.25},
        "error": {"message": "", "code": None},
    }
    said = completion_of(body, model="asked")
    assert (said.text, said.reasoning, said.model, said.cost) == ("grade 3", "so", "asked", 0.25)
    assert said.finish_reason is None
    assert said.usage.model_dump() == dict.fromkeys(said.usage.model_dump())


@pytest.mark.parametrize(
    "choice", [{}, {"message": None}, {"message": {"content": "3"}, "error": {"code": 502}}, "3"]
)
def test_a_choice_that_is_none_is_an_error(choice: object) -> None:
    with pytest.raises(CallError):
        completion_of({"choices": [choice]}, model="asked")
