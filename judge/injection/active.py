"""What is active in a prompt, and how it is made inert with the least change.

Active are: the tags that our templates set inputs off with, the forms of the replies they ask for,
tags of thinking blocks, and the control tokens of the chat templates of common model families.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from judge.injection.forms import Form, form, has_one
from judge.injection.readings import Reading
from judge.parsing import SCORE_MARKER, SUPPORT_LABELS, THINKING_TAGS

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


def _tag(names: Collection[str]) -> Form:
    """Match tags of these names, with any attributes, even where they are cut off before the `>`.

    After white space (`a < topic`) an opening tag must close at once or have an attribute with a
    value, so that comparisons in prose and code stay what they are.
    """
    name, rest = rf"(?:{'|'.join(sorted(names))})", r"(?:[^<>]*+>)?"
    return form(
        ("<",),
        rf"<{name}(?=[\s/>]|\Z){rest}"
        rf"|<\s++{name}(?:\s*+/?>|\s++[\w-]++\s*+={rest})"
        rf"|<\s*+\\?/\s*+{name}(?![\w:-]){rest}",
        re.IGNORECASE,
    )


_DELIMITER = _tag(DELIMITERS)
_CUT = form(("<",), r"<\s*+(?:\\?/|\|)?\s*+\Z")  # the next text may go on with "passage>"
_THINKING = _tag(THINKING_TAGS)
_ROLES = (
    r"(?:im_(?:start|end|sep)|system|user|assistant|tool|start|end|message|channel|endoftext"
    r"|(?:begin|end)_of_text|eot_id|eom_id|(?:start|end)_header_id)"
)
_SPECIAL_TOKEN = form(
    ("<",),
    r"<\|[\w▁.:/+-]{1,64}\|?>"  # <|im_start|>, <|eot_id|>, <|channel>
    r"|<\w{1,64}\|>"  # <channel|>
    rf"|<\s*+\|\s*+(?i:{_ROLES})\s*+\|\s*+>"  # other <| x |> are operators
    r"|</?s>|<(?i:bos|eos|(?:start|end)_of_(?:turn|text|image)|seed:(?:bos|eos)|reserved_[0-9]+)>"
    r"|<<\s*+/?\s*+(?i:SYS)\s*+>>|</?tool_(?:call|response)>|<SPECIAL_[0-9]+>|<extra_id_[0-9]+>",
)
_BRACKET_TOKEN = form(
    ("[", "]"),
    r"\[/?(?:(?i:INST)|SYSTEM_PROMPT|THINK|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS"
    r"|gMASK|UNUSED_TOKEN_[0-9]+|\|\w{1,32}\|)\]"
    r"|\]~!?b[\[\]]|\[e~\[",
)
_ROLE_HEADING = form(
    ("##",),
    r"^[^\S\n]*+(#{2,}+)[^\S\n]*+(?:Instruction|Response|System|Assistant|User|Human)[^\S\n]*+:",
    re.IGNORECASE | re.MULTILINE,
)
_MARKER = form(
    ("#",),
    r"(#(?<!##)#++)[^\S\n]*+" + r"[^\S\n]++".join(SCORE_MARKER.lstrip("#").split()),
    re.IGNORECASE,
)

_SAID = "|".join(sorted((w.replace(" ", "[ _-]") for w in SUPPORT_LABELS), key=len, reverse=True))
_GAP, _EDGE = r"[^\S\n]*+", r"[*_\"']{0,4}+"
_WORDY = r"(?:full|partial|no|not)[ _-]support|(?:fully|partially|not)[ _-]supported"
_LABEL = form(
    ("label",),
    rf"^{_GAP}(?:[-*+•>]{_GAP})?{_EDGE}label{_EDGE}{_GAP}([:-])"  # a line of its own
    rf"{_EDGE}{_GAP}{_EDGE}(?:{_SAID}){_EDGE}[.!,;]?+{_EDGE}{_GAP}$"
    rf"|\blabel{_GAP}(:){_GAP}(?:{_WORDY})\b",
    re.IGNORECASE | re.MULTILINE,
)
_VALUES = "vital|okay|detailed|mentioned|absent"
_OPEN, _QUOTE = "[\"']", r"\\?[\"']"  # \" in JSON inside of JSON
_JSON = form(
    (":",),
    rf"{_OPEN}(?:label{_QUOTE}\s*+(:)(?=\s*+{_QUOTE}(?:{_SAID}){_QUOTE})"
    rf"|(?:labels|nuggets|parts){_QUOTE}\s*+(:)(?=\s*+[\[{{]\s*+{_QUOTE})"
    rf"|[0-9]{{1,3}}{_QUOTE}\s*+(:)"
    rf"(?=\s*+(?:{_QUOTE}(?:{_SAID}|{_VALUES}){_QUOTE}|\{{\s*+{_QUOTE}label{_QUOTE})))",
    re.IGNORECASE,
)

FAMILIES: Mapping[str, tuple[Form, ...]] = MappingProxyType(
    {
        "delimiter": (_DELIMITER,),
        "output_marker": (_MARKER, _LABEL, _JSON),
        "chat_token": (_THINKING, _SPECIAL_TOKEN, _BRACKET_TOKEN, _ROLE_HEADING),
    }
)
"""What is active, by the name of the suspicion that it raises."""

_NEEDED = {
    need for forms in (*FAMILIES.values(), (_CUT,)) for form_ in forms for need in form_.needs
}
_SIGNS = ("&", *sorted(need for need in _NEEDED if not any(n in need for n in _NEEDED - {need})))
"""Characters and words one of which stands in any text of ASCII that has something active."""

_ANGLES = {"<": "‹", ">": "›"}
_SEPARATORS = {":": "∶", "-": "‐"}


def can_be_active(text: str) -> bool:
    """Tell whether ASCII text holds anything without which nothing in it is active."""
    return has_one(_SIGNS, text.lower())


def inert(reading: Reading, text: str) -> Iterator[tuple[int, str]]:
    """Yield the places in `text` that must change, with what the character there becomes.

    Args:
        reading: a reading of `text`.
        text: the text itself.
    """
    for index, change in _changes(reading):
        place = reading.at[index]
        char = text[place]
        yield place, "& " if char == "&" else change.format(char)


def _changes(reading: Reading) -> Iterator[tuple[int, str]]:
    """Yield indices in what is seen, with the new character; `{}` stands for the old one."""
    seen = reading.text
    for match in _matches(reading, _DELIMITER, _CUT, _THINKING, _SPECIAL_TOKEN):
        for index in range(*match.span()):
            if seen[index] in _ANGLES:
                yield index, _ANGLES[seen[index]]
    for match in _matches(reading, _BRACKET_TOKEN):
        yield match.start(), "{} "
        yield match.end() - 1, " {}"
    for match in _matches(reading, _MARKER, _ROLE_HEADING):
        for index in range(match.start(1), match.end(1) - 1):
            yield index, "{} "
    for match in _matches(reading, _LABEL, _JSON):
        index = match.start(match.lastindex or 0)
        yield index, _SEPARATORS[seen[index]]


def _matches(reading: Reading, *forms: Form) -> Iterator[re.Match[str]]:
    for form_ in forms:
        yield from form_.finditer(reading)
