"""Text that enters a prompt: made unable to pass for the prompt, and looked at for attempts to.

Documents and answers are data, yet a judge model reads them in one stream with its instructions.
`neutralise` changes what could end our delimiters, forge a reply in our forms, or be a control
token of a chat template; `suspicions` names what was found, for people to look at. Neither ever
changes a label.

    readings    a text as a tokenizer, a renderer or an eye may see it
    forms       patterns that are tried only where they can match
    active      what is active in a prompt, and how it is made inert
    wording     English that addresses the judge
    languages   the same in other languages

Both functions take time linear in the length of the text.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from judge.injection.active import DELIMITERS, FAMILIES, can_be_active, inert
from judge.injection.forms import Form
from judge.injection.languages import ELSEWHERE, LATIN
from judge.injection.readings import Reading, readings
from judge.injection.wording import FRAME, INSTRUCTION

__all__ = ["DELIMITERS", "neutralise", "suspicions"]

_UNCODED = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_CHANGED = bytes(code for code in range(32) if code not in b"\t\n")
"""The ASCII that `_encodable` does not leave as it is."""
_HIDDEN = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007e])[\U000e0020-\U000e007e]")
"""A Unicode tag, an invisible copy of an ASCII character, that is not part of a flag emoji."""

_PHRASES = (*INSTRUCTION, *LATIN)
_NEEDED = frozenset[str]().union(*(need for phrase in _PHRASES for need in phrase.needs))
_BY_STEM = [phrase for phrase in _PHRASES if not phrase.needs]
_BY_WORD = {
    word: [phrase for phrase in _PHRASES if phrase.needs and word in phrase.needs[0]]
    for word in _NEEDED
}

_SHORT = 2048
"""Characters up to which a neutralised text is remembered."""


def neutralise(text: str) -> str:
    """Return `text` with everything that is active in a prompt made plainly inert.

    `<` and `>` become `‹` and `›` in our delimiters, thinking tags and chat-template tokens;
    `[INST]` becomes `[ INST ]`, `##final score` `# #final score`, and `label: full` `label∶ full`,
    as in JSON that has the form of a reply. An HTML entity that stands for such a character gets
    a space after its `&`. Lone surrogates become U+FFFD, line ends become newlines, and other C0
    controls but the tab are dropped. Everything else stays as it is: HTML, comparisons, headings,
    invisible characters. Idempotent.
    """
    return _neutralise_known(text) if len(text) <= _SHORT else _neutralise(text)


def _neutralise(text: str) -> str:
    text = _encodable(text)
    if text.isascii() and not can_be_active(text):
        return text
    edits = {place: change for reading in readings(text) for place, change in inert(reading, text)}
    if not edits:
        return text
    return "".join(edits.get(place, char) for place, char in enumerate(text))


_neutralise_known = lru_cache(maxsize=1024)(_neutralise)
"""For texts that come again and again, as those of a topic do in each of its prompts."""


def suspicions(text: str) -> tuple[str, ...]:
    """Return the names of what `text`, as it came in, holds that a judge might act on, sorted.

    "delimiter": one of our tags; "output_marker": the form of a verdict of ours; "chat_token": a
    chat-template token or thinking tag; "hidden_text": letters that no reader sees, written in
    Unicode tags; "instruction": wording that addresses the judge. The last is a small set of
    phrasings in some languages: a flag for people, neither complete nor proof of intent.
    """
    clean = _encodable(text)
    read, found = list(readings(clean)), set[str]()
    if not clean.isascii() or can_be_active(clean):
        found = {name for name, forms in FAMILIES.items() if _holds_one(read, forms)}
    if not text.isascii() and _HIDDEN.search(text):
        found.add("hidden_text")
    if _addresses_the_judge(read):
        found.add("instruction")
    return tuple(sorted(found))


def _encodable(text: str) -> str:
    if text.isascii() and len(text.encode().translate(None, _CHANGED)) == len(text):
        return text
    text = _UNCODED.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text)


def _holds_one(read: list[Reading], forms: Iterable[Form]) -> bool:
    for reading in read:
        for form in forms:
            if form.found(reading):
                return True
    return False


def _addresses_the_judge(read: list[Reading]) -> bool:
    if _holds_one(read, (FRAME,)):
        return True
    for reading in read[1:] or read:
        if _said_to_the_judge(reading):
            return True
    shown = read[0].text if len(read) == 1 else read[1].text
    return not shown.isascii() and ELSEWHERE.search(" ".join(shown.lower().split())) is not None


def _said_to_the_judge(reading: Reading) -> bool:
    known = _NEEDED.intersection(reading.words())
    for phrase in _BY_STEM:
        if phrase.found(reading, known):
            return True
    return any(phrase.found(reading, known) for word in known for phrase in _BY_WORD[word])
