"""What a rendered prompt must hold, and where the texts that are judged must stand in it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from judge.injection import DELIMITERS
from judge.parsing import SCORE_MARKER, SUPPORT_LABELS
from judge.prompting.trials import ACTIVE, ASKED, MARKS, sentence_mark
from judge.templates import Head
from judge.types import SUPPORTS, Call, Prompt

_TAG = re.compile(rf"<(/?)({'|'.join(sorted(DELIMITERS))})>")
_WHAT = dict(zip(MARKS, ("a document", "a title", "a sentence", "a nugget"), strict=True))
_SHOWN = {
    "document": MARKS[:1],
    "documents": MARKS[:1],
    "nuggets": MARKS[3:],
    "topic": ASKED,
}
"""Texts one of which stands in a prompt on made-up inputs that shows a variable."""
_PRINTED = {
    "document": "document.text",
    "documents": "document.text",
    "sentences": "sentence.text",
    "nuggets": "nugget.text",
    "topic": "topic.narrative",
}
_MARK = re.compile("|".join(MARKS))


class Fault(NamedTuple):
    """Something wrong with a prompt, in words, and what was expected."""

    message: str
    expected: str


def text_of(prompt: Prompt) -> str:
    """The messages of a prompt as one text."""
    return "\n\n".join(message.content for message in prompt.messages)


def unshown(names: Iterable[str], call: Call) -> Iterator[Fault]:
    """Yield each of these variables whose text is in none of the prompts of a call."""
    text = "\n".join(text_of(one.prompt) for one in all_of(call))
    shown = {**_SHOWN, "sentences": (sentence_mark(call.units[0].sentence),)}
    for name in names:
        if not any(mark in text for mark in shown[name]):
            expected = f"its text printed, as {{{{ {_PRINTED[name]} }}}}"
            yield Fault(f"the prompt does not show {name!r}, which it is about", expected)


def let_through(plain: Prompt, attacked: Prompt) -> Iterator[Fault]:
    """Yield what stands more often in a prompt on hostile texts than in the same on plain ones."""
    before, after = text_of(plain).lower(), text_of(attacked).lower()
    for fragment in ACTIVE:
        if after.count(fragment.lower()) > before.count(fragment.lower()):
            expected = "texts printed as they are, without a filter around them"
            yield Fault(f"lets {fragment!r} of a judged text through as it is", expected)


def outside(prompt: Prompt) -> Iterator[Fault]:
    """Yield judged texts that stand outside of all delimiters, each kind once."""
    found: dict[str, None] = {}
    for message in prompt.messages:
        spans = list(_spans(message.content))
        for mark in _MARK.finditer(message.content):
            if not any(start <= mark.start() < end for start, end in spans):
                found[mark[0]] = None
    for mark_word in found:
        yield Fault(
            f"{_WHAT[mark_word]} stands outside of the delimiters, where it passes for the prompt",
            "it inside of <passage>...</passage>, <answer>, <sentence> or <nuggets>",
        )


def last_word(prompt: Prompt) -> Iterator[Fault]:
    """Yield a fault if a prompt ends with what is judged, which then has the last word."""
    last = prompt.messages[-1].content
    ends = [match.end() for match in _TAG.finditer(last) if match[1]]
    if ends and not last[max(ends) :].strip():
        expected = "the instructions that matter beneath what is judged"
        yield Fault("the prompt ends with what is judged", expected)


def all_of(call: Call) -> tuple[Call, ...]:
    """The calls that are sent: a call itself, or its parts."""
    return (call,) if call.parts is None else call.parts.calls


def alike(call: Call) -> Iterator[Fault]:
    """Yield a fault if several calls that belong together ask the same."""
    prompts = [one.prompt.messages for one in all_of(call)]
    if len(set(prompts)) < len(prompts):
        expected = "a question that follows `question`, and a document that may be absent"
        yield Fault("the same is asked several times", expected)


def unasked(head: Head, call: Call) -> Iterator[Fault]:
    """Yield what the task's reader looks for in a reply and the prompt does not name."""
    text = text_of(call.prompt)
    if head.output == "score-line":
        yield from _score_line(text, head.highest)
    elif head.output == "label-line":
        yield from _label_line(text)
    elif head.output == "yes-no":
        yield from _yes_no(text)
    elif call.reply_schema is not None:
        names = dict.fromkeys(_names(call.reply_schema))
        if unsaid := [name for name, is_key in names if not _named(name, text, is_key=is_key)]:
            yield Fault(f"the prompt does not name {_list(unsaid)}", "the form of the JSON reply")
        if "json" not in text.lower():
            yield Fault("the prompt does not ask for JSON", "a reply in JSON and nothing else")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where something stands inside of a pair of delimiters."""
    opened: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened.append((tag[2], tag.end()))
        elif opened and opened[-1][0] == tag[2]:
            yield opened.pop()[1], tag.start()


def _score_line(text: str, highest: int) -> Iterator[Fault]:
    if SCORE_MARKER not in text.lower():
        yield Fault(
            f"the prompt does not name {SCORE_MARKER!r}", f"a last line '{SCORE_MARKER}: X'"
        )
    grades = [str(grade) for grade in (0, highest) if not _said(str(grade), text)]
    if grades:
        expected = f"the scale from 0 to {highest}, as `highest` of the head says"
        yield Fault(f"the prompt does not name the grade {_list(grades)}", expected)


def _label_line(text: str) -> Iterator[Fault]:
    if not re.search(r"\blabel\s*:", text, re.IGNORECASE):
        expected = "a last line 'label: X' to be asked for"
        yield Fault("the prompt does not name 'label:'", expected)
    for level in SUPPORTS:
        wordings = [wording for wording, meant in SUPPORT_LABELS.items() if meant == level]
        if not any(_said(wording, text) for wording in wordings):
            yield Fault(f"the prompt does not name a label for {level}", " or ".join(wordings))


def _yes_no(text: str) -> Iterator[Fault]:
    unsaid = [word for word in ("yes", "no") if not _said(word, text)]
    if unsaid:
        yield Fault(f"the prompt does not name {_list(unsaid)}", "to answer yes or no")


def _names(schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the words that a JSON schema asks for, and whether each is the key of a field."""
    for name, inner in schema.get("properties", {}).items():
        yield name, True
        yield from _names(inner)
    yield from ((value, False) for value in schema.get("enum", ()) if isinstance(value, str))
    if "items" in schema:
        yield from _names(schema["items"])


def _named(name: str, text: str, *, is_key: bool) -> bool:
    """Whether a prompt names a word; the key of a field in quotes, but for ids that are numbers."""
    if is_key and not name.isdecimal():
        return re.search(rf"[\"'`“]{re.escape(name)}[\"'`”]", text) is not None
    return _said(name, text)


def _said(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None


def _list(names: list[str]) -> str:
    return ", ".join(map(repr, names))
