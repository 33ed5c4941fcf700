"""Reading JSON replies and batches keyed by id: what counts as one object, and what does not."""

from typing import Any

import pytest

from judge.errors import ReadError
from judge.parsing import MAX_DEPTH, TruncatedReply, batch, json_object


def nested(depth: int) -> str:
    return '{"a": ' * depth + "1" + "}" * depth


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        (' {"a": 1}\n', {"a": 1}),
        ('```json\n{"a": "full"}\n```', {"a": "full"}),
        ('Here you go:\n```\n{"a": [1, {"b": null}]}\n```\nThat is all.', {"a": [1, {"b": None}]}),
        ('See [1]: "it" isn\'t. {"a": 1.5} Done.', {"a": 1.5}),
        ('{"a": True, "b": [False, None]}', {"a": True, "b": [False, None]}),
        ('{"a": "True, None {"}', {"a": "True, None {"}),
        (r'{"a": "\"True\" \\", "b": True}', {"a": '"True" \\', "b": True}),
        (r'{"a": "}\n{ $5 [ \u00e9 \ud83d\ude00"}', {"a": "}\n{ $5 [ é 😀"}),
        ('{"a": 1} and again {"a": 1}', {"a": 1}),
        ('{"a": 1, "b": 2} {"b": 2, "a": 1}', {"a": 1, "b": 2}),
        ('{"a": -' + "9" * 15 + "}", {"a": -(10**15 - 1)}),
        ('maybe {"score":1}</think>{"labels": {"1": "full"}}', {"labels": {"1": "full"}}),
    ],
)
def test_json_object(text: str, expected: dict[str, Any]) -> None:
    assert json_object(text) == expected


def test_the_deepest_nesting_that_counts() -> None:
    assert json_object(nested(MAX_DEPTH))["a"] is not None
    for depth in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(ReadError, match="nested more than 64 levels deep"):
            json_object(nested(depth))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it holds none"),
        ("null", "it holds none"),
        ("[1, 2]", "it holds none"),
        ('"a": 1', "it holds none"),
        ('[{"a": 1}]', "a list of objects"),
        ('[ {"a": 1}, {"b": 1}]', "a list of objects"),
        ('{"a": 1} {"a": 2}', "2 that differ"),
        ('{"a": 1} {"a": true}', "2 that differ"),
        ('{"a": 1} {"a": 1.0}', "2 that differ"),
        ('"a": {"b": 1}}', "closes nothing"),
        ('{"a": 1}}', "closes nothing"),
        ('{"id": 1, "id": 1}', "has 'id' twice"),
        ('{"a": {"\\u0069d": 1, "id": 2}}', "has 'id' twice"),
        ('{"a": NaN}', "'NaN', which is not a finite number"),
        ('{"a": -Infinity}', "'-Infinity', which"),
        ('{"a": 1e999}', "'1e999', which"),
        ('{"a": ' + "9" * 16 + "}", "which is longer than 15 digits"),
        ('{"a": -' + "9" * 5000 + "}", "which is longer than 15 digits"),
        ('{"a": 1' + "0" * 400 + ".0}", "which is not a finite number"),
        ('{"a": "\\ud800"}', "cannot be read: .*surrogates"),
        ('{"a": "\ud800"}', "cannot be read: .*surrogates"),
        ('{"a": "line\nbreak"}', "cannot be read: Invalid control character"),
        ("{'a': 'full'}", "cannot be read: "),
        ('{"a": "full",}', "cannot be read: "),
        ('{"a": true // yes\n}', "cannot be read: "),
        ('{"a": Truely}', "cannot be read: "),
        ('{"a": TRUE}', "cannot be read: "),
        ('{"a": [1}]', "cannot be read: "),
        ('The set {1, 2} gives {"a": 1}', "cannot be read: "),
        ("{{ 7*7 }}", "cannot be read: "),
    ],
)
def test_a_reply_without_one_json_object_fails(text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        json_object(text)
    assert not isinstance(caught.value, TruncatedReply)


WHOLE = '{"labels": {"n1": "full", "n2": "no \\"}\\" [none]"}, "more": [1, {"x": true}]}'


@pytest.mark.parametrize("end", range(1, len(WHOLE)))
def test_an_object_cut_off_anywhere_is_truncated(end: int) -> None:
    for text in (WHOLE[:end], f"Here:\n```json\n{WHOLE[:end]}"):
        with pytest.raises(TruncatedReply, match="last brace is missing"):
            json_object(text)


# --- batches -----------------------------------------------------------------------------------

IDS = ["n1", "n2", "n/3:#|"]
LABELS = '"n/3:#|": "none", "n1": "full", "n2": {"label": "partial"}'
READ = {"n1": "full", "n2": {"label": "partial"}, "n/3:#|": "none"}


@pytest.mark.parametrize(
    "text",
    [
        f"{{{LABELS}}}",
        f'{{"labels": {{{LABELS}}}}}',
        f'```json\n{{"nuggets": {{{LABELS}}}}}\n```',
    ],
)
def test_batch_in_the_order_asked(text: str) -> None:
    assert list(batch(text, IDS).items()) == list(READ.items())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "the 3 ids asked as keys; missing: 'n1, n2, n/3:#|'$"),
        ('{"n1": 1, "n2": 1}', "missing: 'n/3:#|'$"),
        (f'{{{LABELS}, "99": 1}}', "keys; unknown: '99'$"),
        (f'{{{LABELS}, "n1": "full"}}', "has 'n1' twice"),
        ('{"N1": 1, "n2": 1, "n/3:#|": 1}', "missing: 'n1'; unknown: 'N1'$"),
        (f'{{"labels": {{{LABELS}}}, "note": 1}}', "unknown: 'labels, note'"),
        (f'{{"verdicts": {{{LABELS}}}}}', "unknown: 'verdicts'"),
        (f'{{"labels": {{"labels": {{{LABELS}}}}}}}', "unknown: 'labels'"),
        ('{"labels": ["full", "none", "none"]}', "unknown: 'labels'"),
        (f"{{{LABELS}", "last brace"),
    ],
)
def test_a_batch_with_other_ids_than_asked_fails(text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message.replace("|", r"\|")):
        batch(text, IDS)


def test_an_id_may_be_called_labels() -> None:
    assert batch('{"labels": {"a": 1}}', ["labels"]) == {"labels": {"a": 1}}


def test_asking_an_id_twice_is_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="asked twice"):
        batch("{}", ["n1", "n1"])
