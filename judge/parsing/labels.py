"""Labels of closed sets, as values of their own and as the line `Label: X` of a reply."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from judge.errors import ReadError, shorten
from judge.parsing.folding import folded_lines, nfkc
from judge.parsing.markers import complaint, deciding, markers
from judge.parsing.refusals import without_refusal
from judge.parsing.thinking import after_thinking
from judge.types import Support

SUPPORT_LABELS: Mapping[str, Support] = MappingProxyType(
    {
        # the level alone: our own word, and the first word of the track's
        "full": "full",
        "partial": "partial",
        "none": "none",
        # the three levels as TREC RAG's support task words them
        "full support": "full",
        "partial support": "partial",
        "no support": "none",
        # the words of nugget assignment files: support, partial_support (above), not_support
        "support": "full",
        "not support": "none",
        # the participles of the three levels, which judges use for a sentence "by" a document
        "fully supported": "full",
        "partially supported": "partial",
        "not supported": "none",
    }
)
"""Every wording of the three support levels that counts, in the folded form of `label`."""

YES_NO = ("no", "yes")
"""What a yes-or-no question may be answered, the lower first."""

_JOINTS = re.compile(r"[ \t_\-\u2010]+")
_QUOTES = "\"'`“”‘’«»"
_FINAL = ".!,;:"
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\"'”’]{0,3} ")
_SENTENCE_START = re.compile(r"[.!?][*_\"'”’]{0,3} [*_]{0,3}\Z")
_OPENING = re.compile(
    r"(?:\A|(?<=[.!?] ))[*_\"'“]{0,3}(yes|no)[*_\"'”]{0,3}[,.;:!—–]", re.IGNORECASE
)
_NO_SYNONYMS: Mapping[str, str] = MappingProxyType({})


class LabelLine(NamedTuple):
    """The label a reply ends with; `conflicting` if another line of it states another label."""

    label: str
    conflicting: bool


def label(
    value: object, allowed: Collection[str], synonyms: Mapping[str, str] = _NO_SYNONYMS
) -> str:
    """Read a label that must be exactly one of a closed set.

    Case, spaces, hyphens, underscores, surrounding quotes, one final punctuation mark and
    compatibility characters are folded; then the value must equal an allowed label or a synonym.

    Args:
        value: the label as the reply holds it (a JSON value of another type than text fails).
        allowed: the labels that count.
        synonyms: further wordings, each with the allowed label it stands for.

    Returns:
        The label as it is spelled in `allowed`.

    Raises:
        ReadError: the value is none of them.
    """
    found = _lookup(value, allowed, synonyms) if isinstance(value, str) else None
    if found is None:
        raise ReadError(f"the label must be one of {_choices(allowed)}; it is {shorten(value)}")
    return found


def label_line(
    text: str,
    allowed: Collection[str],
    synonyms: Mapping[str, str] = _NO_SYNONYMS,
    *,
    field: str = "label",
) -> LabelLine:
    """Read a plain-text reply that is one label, or that ends with a line `Label: X`.

    A reply of a single line that is just a label counts. Otherwise the last line that starts with
    the field decides, with the tolerances of `final_score` before the value; the value is the rest
    of the line up to the end of its first sentence ("Label: No Support. A date is missing." says
    "No Support"), and must be a label by the rules of `label`. If no line starts with the field,
    a single one that starts the last sentence of the reply counts too; any other field inside a
    line is prose ("I would not give it the label: full").

    Raises:
        ReadError: a refusal, or neither holds.
    """
    lines = folded_lines(without_refusal(after_thinking(text)))
    if len(lines) == 1 and (found := _lookup(lines[0].strip("*"), allowed, synonyms)):
        return LabelLine(found, conflicting=False)
    fields = [marker for marker in markers(lines, field) if _starts_sentence(marker)]
    wanted = f"the last line must be '{field.capitalize()}: X' with X one of {_choices(allowed)}"
    decides = deciding(fields, lines)
    if decides is None or (decides["lead"] is None and not _is_last_sentence(decides)):
        raise ReadError(f"{wanted}; no line starts with '{field.capitalize()}:'")
    stated = [_label_of(marker, allowed, synonyms) for marker in fields]
    found = stated[fields.index(decides)]
    if found is None:
        raise ReadError(f"{wanted}; {complaint(decides)}")
    return LabelLine(found, conflicting=bool({*stated} - {found, None}))


def yes_no(text: str) -> LabelLine:
    """Read a reply to a question that is to be answered yes or no.

    A line `Answer: X` counts as in `label_line`; so does a reply that opens with one of the words
    and a punctuation mark ("No, a date is missing."). It conflicts where another sentence opens
    with the other word.

    Raises:
        ReadError: a refusal, or neither holds.
    """
    with suppress(ReadError):
        return label_line(text, YES_NO, field="answer")
    said = " ".join(folded_lines(without_refusal(after_thinking(text))))
    opening = _OPENING.match(said)
    if opening is None:
        raise ReadError("the reply must be yes or no, and nothing else")
    words = {match[1].casefold() for match in _OPENING.finditer(said)}
    return LabelLine(opening[1].casefold(), conflicting=len(words) > 1)


def _starts_sentence(marker: re.Match[str]) -> bool:
    """Whether a field stands at the start of its line or right after the end of a sentence."""
    if marker["lead"] is not None:
        return True
    start = marker.start()
    return _SENTENCE_START.search(marker.string, max(0, start - 8), start) is not None


def _is_last_sentence(marker: re.Match[str]) -> bool:
    return _SENTENCE_END.search(marker.string, marker.end()) is None


def _label_of(
    marker: re.Match[str], allowed: Collection[str], synonyms: Mapping[str, str]
) -> str | None:
    """The label that the sentence after a field is."""
    if not marker["separator"]:
        return None
    end = _SENTENCE_END.search(marker.string, marker.end())
    value = marker.string[marker.end() : None if end is None else end.start()]
    return _lookup(value.strip().strip("*"), allowed, synonyms)


def _choices(allowed: Collection[str]) -> str:
    return ", ".join(sorted(allowed))


def _lookup(value: str, allowed: Collection[str], synonyms: Mapping[str, str]) -> str | None:
    folded = _plain(value)
    exact = {_plain(name): name for name in allowed}
    if folded in exact:
        return exact[folded]
    meant = {_plain(wording): name for wording, name in synonyms.items()}.get(folded)
    return meant if meant in allowed else None


@lru_cache(maxsize=1024)  # the same few labels and wordings are looked up for every reply
def _plain(value: str) -> str:
    text = "".join(map(nfkc, value)).strip(_QUOTES + " \t\r\n")
    if text[-1:] and text[-1] in _FINAL:
        text = text[:-1].rstrip(_QUOTES + " ")
    return _JOINTS.sub(" ", text).strip().casefold()
