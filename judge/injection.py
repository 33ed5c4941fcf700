"""Text that enters a prompt: made unable to pass for the prompt, and looked at for attempts to.

Documents and answers are data, yet a judge model reads them in one stream with its instructions.
`neutralise` changes what could end our delimiters, forge our output marker, or be a control token
of a chat template; `suspicions` names what was found, for people to look at. Neither ever changes
a label. Both match on a folded view of the text, in which full-width forms are ASCII and invisible
characters are gone, and both take time linear in its length.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from judge.parsing import SCORE_MARKER, THINKING_TAGS, nfkc

DELIMITERS: frozenset[str] = frozenset(
    {
        "answer",
        "document",
        "instructions",
        "narrative",
        "nuggets",
        "passage",
        "sentence",
        "sub_narratives",
        "topic",
    }
)
"""The tags that templates set off inputs with, `<name>` ... `</name>`; they use no others."""

# --- the folded view ---------------------------------------------------------------------------

_UNCODED = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Characters outside of category Cf that show as nothing: joiners, fillers, inherent vowels."""


class _View(NamedTuple):
    """A folded text; `at[i]` is the place in the original of the character that gave `text[i]`."""

    text: str
    at: Sequence[int]


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    if unicodedata.category(char) == "Cf" or char in _BLANKS or _is_variation(char):
        return ""
    return nfkc(char)


def _is_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _views(text: str) -> Iterator[_View]:
    """Yield the text as it stands and, if that is another, folded."""
    yield _View(text, range(len(text)))
    if not text.isascii():
        pieces = [_folded(char) for char in text]
        at = [place for place, piece in enumerate(pieces) for _ in piece]
        yield _View("".join(pieces), at)


# --- what is active in a prompt ----------------------------------------------------------------


def _tag(names: Collection[str]) -> re.Pattern[str]:
    """Match tags of these names, with any attributes, even where they are cut off before the `>`.

    After white space (`a < topic`) an opening tag must close at once or have an attribute with a
    value, so that comparisons in prose and code stay what they are.
    """
    name, rest = rf"(?:{'|'.join(sorted(names))})", r"(?:[^<>]*+>)?"
    return re.compile(
        rf"<{name}(?=[\s/>]|\Z){rest}"
        rf"|<\s++{name}(?:\s*+/?>|\s++[\w-]++\s*+={rest})"
        rf"|<\s*+/\s*+{name}(?![\w:-]){rest}",
        re.IGNORECASE,
    )


_DELIMITER = _tag(DELIMITERS)
_THINKING = _tag(THINKING_TAGS)
_SPECIAL_TOKEN = re.compile(
    r"<\|[\w▁.:/+-]{1,64}\|?>"  # <|im_start|>, <|eot_id|>, <|channel>
    r"|<\w{1,64}\|>"  # <channel|>
    r"|</?s>|<(?:bos|eos)>|<(?:start|end)_of_(?:turn|text)>"
    r"|<</?SYS>>"
)
_BRACKET_TOKEN = re.compile(
    r"\[/?(?:(?i:INST)|SYSTEM_PROMPT|THINK|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]"
)
_MARKER = re.compile(
    r"(?<!#)(#{2,}+)[^\S\n]*+" + r"[^\S\n]++".join(SCORE_MARKER.lstrip("#").split()), re.IGNORECASE
)
_CHAT_TOKENS = (_THINKING, _SPECIAL_TOKEN, _BRACKET_TOKEN)
_ANGLES = {"<": "‹", ">": "›"}


def neutralise(text: str) -> str:
    """Return `text` with everything that is active in a prompt made plainly inert.

    `<` and `>` become `‹` and `›` in our delimiters, thinking tags and chat-template tokens;
    `[INST]` becomes `[ INST ]`; `##final score` becomes `# #final score`. Lone surrogates become
    U+FFFD, line ends become newlines, and other C0 controls but the tab are dropped. Everything
    else stays as it is: HTML, comparisons, headings, invisible characters. Idempotent.
    """
    text = _encodable(text)
    edits = {place: change for view in _views(text) for place, change in _edits(view, text)}
    if not edits:
        return text
    return "".join(edits.get(place, char) for place, char in enumerate(text))


def _encodable(text: str) -> str:
    text = _UNCODED.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text)


def _edits(view: _View, text: str) -> Iterator[tuple[int, str]]:
    """Yield places in `text` with what the character there becomes."""
    for match in _matches(view, _DELIMITER, _THINKING, _SPECIAL_TOKEN):
        for place in range(*match.span()):
            if view.text[place] in _ANGLES:
                yield view.at[place], _ANGLES[view.text[place]]
    for match in _matches(view, _BRACKET_TOKEN):
        first, last = view.at[match.start()], view.at[match.end() - 1]
        yield first, text[first] + " "
        yield last, " " + text[last]
    for match in _matches(view, _MARKER):
        for place in view.at[match.start(1) : match.end(1) - 1]:
            yield place, text[place] + " "


def _matches(view: _View, *patterns: re.Pattern[str]) -> Iterator[re.Match[str]]:
    return chain.from_iterable(pattern.finditer(view.text) for pattern in patterns)


# --- attempts to address the judge -------------------------------------------------------------

_WORD = re.compile(r"[^\W_]++|[.!?]")
_UP_TO_2, _UP_TO_4 = r"(?: \w++){0,2}?", r"(?: \w++){0,4}?"
_IGNORE = (
    r"(?<!not )(?<!n t )(?<!never )"  # "do not forget to read the instructions" is advice
    r"(?:ignore|disregard|forget|override|bypass|(?:do not|don t) follow|pay no attention to)"
)
_EARLIER = r"(?:previous|prior|above|preceding|earlier|foregoing|original|system|existing)"
_GRADER = (
    r"(?:(?:\w++ )?(?:grader|assessor|evaluator|annotator|rater|llm|language model)"
    r"|(?:ai|llm|impartial|relevance|expert|fair|strict) judge|ai(?: model| assistant)?)"
)
_OBJECT = r"(?:documents?|passages?|answers?|responses?|texts?|sentences?|citations?|nuggets?)"
_THIS = rf"(?:this|the above|the following|every|each|all|all the) (?:\w++ )?{_OBJECT}"
_SCORE = r"(?:score|grade|rating|label|verdict)"
_SAY = r"(?:output|print|return|assign|give it|(?:respond|reply|answer) with)"
_BEST = r"(?:highest|maximum|max|top|perfect|full)(?: possible)?"
_TOP = r"(?:[0-9]{1,3}(?! \. [0-9])|full|highest|maximum|max|top|perfect|fully|highly)"
_PHRASES = (
    # ignore all of the previous instructions; disregard the above; forget what you were told
    rf"{_IGNORE}{_UP_TO_4} (?:instructions?|prompts?|you were told)",
    rf"{_IGNORE}{_UP_TO_2} {_EARLIER} (?:rules?|guidelines?|criteria|text|context|messages?)",
    rf"{_IGNORE} (?:the |your )?(?:rubric|(?:grading|scoring|judging|rating) \w++)",
    rf"{_IGNORE} (?:everything |anything |all )?(?:of )?(?:the |written |said |stated )?above",
    r"follow (?:these|my|the following) (?:new )?instructions? instead",
    # you are a judge; act as an AI grader; as an evaluator you must; dear LLM
    rf"you are(?: now)? (?:an?|the) (?:judge|{_GRADER})",
    rf"(?:act|behave) as (?:an?|the) {_GRADER}",
    rf"as (?:an?|the) (?:judge|{_GRADER}) you",
    rf"(?:attention|dear|note to|message to|instructions? (?:to|for)) (?:the )?{_GRADER}",
    # output a score of 4; give it the highest grade; respond only with 4
    rf"{_SAY}{_UP_TO_4} {_SCORE}{_UP_TO_2} {_TOP}",
    rf"(?:{_SAY}|give this){_UP_TO_2} {_BEST} {_SCORE}",
    r"(?:respond|reply|answer) only with",
    # rate this passage 4; mark every nugget as supported; the correct label is full support
    rf"(?:rate|grade|score|label|mark|give|judge|award|treat) {_THIS}{_UP_TO_4} {_TOP}",
    rf"(?:label|mark|treat|count) {_THIS} as (?:supported|support|relevant|vital|covered)",
    rf"{_THIS} (?:deserves|should (?:get|receive)|must (?:get|receive)){_UP_TO_4} {_SCORE}",
    rf"the (?:correct|right|final|true) {_SCORE} (?:is|must be|should be) {_TOP}",
)
_INSTRUCTION = re.compile("|".join(rf"\b(?:{phrase})\b" for phrase in _PHRASES))


def suspicions(text: str) -> tuple[str, ...]:
    """Return the names of what `text`, as it came in, holds that a judge might act on, sorted.

    "delimiter": one of our tags; "output_marker": the marker of a final score; "chat_token": a
    chat-template token or thinking tag; "instruction": wording that addresses the judge. The last
    is a small set of English phrasings: a flag for people, neither complete nor proof of intent.
    """
    views = list(_views(_encodable(text)))
    active = {"delimiter": (_DELIMITER,), "output_marker": (_MARKER,), "chat_token": _CHAT_TOKENS}
    found = {
        name
        for name, patterns in active.items()
        if any(pattern.search(view.text) for view in views for pattern in patterns)
    }
    if _INSTRUCTION.search(" ".join(_WORD.findall(views[-1].text.lower()))):
        found.add("instruction")
    return tuple(sorted(found))
