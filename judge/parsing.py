"""Reading a judge model's reply by closed rules: a reply says one thing plainly, or it fails.

Every reader takes the content of a reply (never its reasoning field), cuts thinking blocks off
with `after_thinking`, and either returns what the reply says or raises `ReadError`, whose message
is meant to be shown to the judge model in a repair turn. Nothing is guessed: a tolerance that is
not described here is a failure. All readers take time linear in the length of the reply.
"""

import json
import math
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from judge.errors import ReadError, shorten
from judge.types import Support

SCORE_MARKER = "##final score"
THINKING_TAGS = ("think", "thinking", "thought", "reasoning")
MAX_DEPTH = 64
"""The deepest nesting of a JSON reply; no reply form of ours goes deeper than 4."""

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


class TruncatedReply(ReadError):  # noqa: N818  (an outcome of a reply, named as `types` names it)
    """A reply that stops before it is complete; a larger token limit may help."""


class TruncatedThinking(TruncatedReply):
    """A reply that stops inside a thinking block, before any answer."""


class ScoreLine(NamedTuple):
    """The score a reply ends with; `conflicting` if another marker in it states another number."""

    score: int
    conflicting: bool


# --- thinking blocks ---------------------------------------------------------------------------

_THINKING = re.compile(rf"<\s*+(/?)\s*+(?:{'|'.join(THINKING_TAGS)})\s*+>", re.IGNORECASE)


def after_thinking(text: str) -> str:
    """Return what a reply says after its thinking blocks.

    A reply without thinking tags (`THINKING_TAGS`, any case), or one that is a JSON object as it
    stands, is returned unchanged. Otherwise the answer is what follows the last closing tag,
    without surrounding white space; the opening tag may be missing, as some servers drop it.

    Raises:
        TruncatedThinking: a tag is opened and never closed.
    """
    tags = list(_THINKING.finditer(text))
    if not tags or _is_object(text):
        return text
    closing = [tag.end() for tag in tags if tag[1]]
    answer = text[closing[-1] :].strip() if closing else text
    if not tags[-1][1] and not _is_object(answer):
        raise TruncatedThinking(
            "the reply ends inside a thinking block; think less, close it, and then answer"
        )
    return answer


def _is_object(text: str) -> bool:
    text = text.strip()
    if not text.startswith("{"):
        return False
    try:
        return _closing(text, 0) == len(text) and bool(_load(text))
    except ReadError:
        return False


# --- marker lines ------------------------------------------------------------------------------

_POWER = re.compile(r"(?<=\d)[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]")
_BOLD = "[*_]{0,3}"
_VALUE = re.compile(rf"(0|[1-9][0-9]{{0,8}})(?:\.0)?(?: ?/ ?([1-9][0-9]{{0,8}}))?{_BOLD}\.?{_BOLD}")
_NUMBER = re.compile(r"-?[0-9]{1,99}(?:\.[0-9]{1,99})?(?![0-9])")
_SENTENCE_END = re.compile(r"(?<=[.!?])[*_\"'”’]{0,3} ")


def nfkc(char: str) -> str:
    """Return one character in compatibility form (full-width digits become ASCII digits).

    Normalising character by character is enough for matching, and linear: on a whole text,
    `unicodedata.normalize` takes quadratic time over a long run of combining marks.
    """
    return char if char.isascii() else unicodedata.normalize("NFKC", char)


def _fold(text: str) -> str:
    """Fold compatibility characters and runs of white space; `2³` is not a number, so not 23."""
    if not text.isascii():
        text = "".join(map(nfkc, _POWER.sub("^", text)))
    return " ".join(text.split())


@lru_cache(maxsize=32)
def _pattern(marker: str) -> re.Pattern[str]:
    """Match a marker in a folded line: `lead` where it starts the line, `separator` after it."""
    words = _fold(marker).lstrip("#")
    hashes = "#" * (len(_fold(marker)) - len(words))
    return re.compile(
        rf"(?P<lead>^(?:[-*+•] )?{_BOLD})?"
        rf"(?<![#a-z0-9]){hashes}{' ?' if hashes else ''}{re.escape(words.lstrip())}(?![a-z0-9])"
        rf"(?P<separator>{_BOLD} ?(?::|- )(?:{_BOLD} )?{_BOLD})?",
        re.IGNORECASE | re.ASCII,
    )


def _markers(lines: Sequence[str], marker: str) -> list[re.Match[str]]:
    return [match for line in lines for match in _pattern(marker).finditer(line)]


def _stated(marker: re.Match[str]) -> str:
    return marker.string[marker.end() :].strip()


def _lines(text: str) -> list[str]:
    """Return the folded lines that are not blank."""
    return [line for line in map(_fold, text.splitlines()) if line]


# --- scores ------------------------------------------------------------------------------------


def final_score(text: str, *, low: int = 0, high: int = 4, marker: str = SCORE_MARKER) -> ScoreLine:
    """Read the score of a reply that must end with a line `##final score: X`.

    The last line that starts with the marker decides; if no line does, a single marker whose
    value ends the whole reply counts too. Before the marker a bullet (`-`, `*`, `+`, `•`) and bold
    or italics are tolerated; case, spaces and compatibility characters (NFKC) are folded. After it
    stands `:` or `- `, then the value: a whole number, also as `3.0`, `3.`, `**3**`, or `3/4`
    where 4 is the top of the scale. Any other value on the deciding line is a failure.

    Args:
        text: the content of the reply.
        low: the lowest score of the scale, at least 0.
        high: the highest score of the scale.
        marker: the words before the value.

    Raises:
        ReadError: no marker decides, or what it says is not one score of the scale.
    """
    lines = _lines(after_thinking(text))
    found = _markers(lines, marker)
    wanted = f"the last line must be '{marker}: X' with X {_scale(low, high)}"
    deciding = _deciding(found, lines)
    if deciding is None:
        raise ReadError(f"{wanted}; no line starts with '{marker}'")
    score = _score(deciding, low, high)
    if score is None:
        raise ReadError(f"{wanted}; it says {shorten(_stated(deciding))}")
    return ScoreLine(score, any(_states_other(other, score) for other in found))


def _scale(low: int, high: int) -> str:
    if high - low > 10:
        return f"a whole number from {low} to {high}"
    return "one of " + ", ".join(map(str, range(low, high + 1)))


def _deciding(found: Sequence[re.Match[str]], lines: Sequence[str]) -> re.Match[str] | None:
    leading = [marker for marker in found if marker["lead"] is not None]
    if leading:
        return leading[-1]
    return found[0] if len(found) == 1 and found[0].string == lines[-1] else None


def _score(marker: re.Match[str], low: int, high: int) -> int | None:
    value = _VALUE.fullmatch(marker.string, marker.end()) if marker["separator"] else None
    if value is None or (value[2] is not None and int(value[2]) != high):
        return None
    return int(value[1]) if low <= int(value[1]) <= high else None


def _states_other(marker: re.Match[str], score: int) -> bool:
    number = _NUMBER.match(marker.string, marker.end()) if marker["separator"] else None
    return number is not None and float(number[0]) != score


# --- labels ------------------------------------------------------------------------------------

_JOINTS = re.compile(r"[ \t_\-\u2010]+")
_QUOTES = "\"'`“”‘’«»"
_FINAL = ".!,;:"
_NO_SYNONYMS: Mapping[str, str] = MappingProxyType({})


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
) -> str:
    """Read a plain-text reply that is one label, or that ends with a line `Label: X`.

    A reply of a single line that is just a label counts. Otherwise the last line that starts with
    the field decides, with the tolerances of `final_score` before the value; the value is the rest
    of the line up to the end of its first sentence ("Label: No Support. A date is missing." says
    "No Support"), and must be a label by the rules of `label`. A field inside a line never counts.

    Raises:
        ReadError: neither holds.
    """
    lines = _lines(after_thinking(text))
    if len(lines) == 1 and (found := _lookup(lines[0].strip("*"), allowed, synonyms)):
        return found
    wanted = f"the last line must be '{field.capitalize()}: X' with X one of {_choices(allowed)}"
    leading = [marker for marker in _markers(lines, field) if marker["lead"] is not None]
    if not leading:
        raise ReadError(f"{wanted}; no line starts with '{field.capitalize()}:'")
    stated = _SENTENCE_END.split(_stated(leading[-1]), maxsplit=1)[0].strip("*")
    found = _lookup(stated, allowed, synonyms) if leading[-1]["separator"] else None
    if found is None:
        raise ReadError(f"{wanted}; it says {shorten(_stated(leading[-1]))}")
    return found


def _choices(allowed: Collection[str]) -> str:
    return ", ".join(sorted(allowed))


def _lookup(value: str, allowed: Collection[str], synonyms: Mapping[str, str]) -> str | None:
    folded = _plain(value)
    exact = {_plain(name): name for name in allowed}
    if folded in exact:
        return exact[folded]
    meant = {_plain(wording): name for wording, name in synonyms.items()}.get(folded)
    return meant if meant in allowed else None


def _plain(value: str) -> str:
    text = "".join(map(nfkc, value)).strip(_QUOTES + " \t\r\n")
    if text[-1:] and text[-1] in _FINAL:
        text = text[:-1].rstrip(_QUOTES + " ")
    return _JOINTS.sub(" ", text).strip().casefold()


# --- JSON --------------------------------------------------------------------------------------

_OPENING = re.compile(r"(\[\s*+)?[{}]")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]|\b(?:True|False|None)\b', re.DOTALL)
_PYTHON = {"True": "true", "False": "false", "None": "null"}
_WRAPPERS = ("labels", "nuggets")


def json_object(text: str) -> dict[str, Any]:
    """Read the one JSON object of a reply, wherever in it the object stands.

    A markdown fence and sentences around the object are tolerated, and so are Python's True,
    False and None as values; the same object twice is one. A brace outside of it is a failure.

    Raises:
        TruncatedReply: the reply ends before the object's last brace.
        ReadError: no object, two different ones, a list of objects, a key twice in one object,
            NaN, an infinity, a lone surrogate, more than `MAX_DEPTH` levels, or text that is
            not JSON.
    """
    objects = [_load(span) for span in _spans(after_thinking(text))]
    if not objects:
        raise ReadError("the reply must hold one JSON object; it holds none")
    if any(canonical != objects[0][1] for _, canonical in objects):
        raise ReadError(f"the reply must hold one JSON object; it holds {len(objects)} that differ")
    return objects[0][0]


def batch(text: str, ids: Sequence[str]) -> dict[str, Any]:
    """Read a JSON object with exactly one value for each id that was asked, in the order asked.

    The object may be the map itself or hold the map under the single key "labels" or "nuggets".

    Raises:
        ReadError: as `json_object`, and for an id that is missing, unknown, or there twice.
        ValueError: `ids` holds an id twice.
    """
    if len(set(ids)) != len(ids):
        raise ValueError("an id is asked twice")
    found = json_object(text)
    key = next(iter(found), None)
    if len(found) == 1 and key in _WRAPPERS and key not in ids and isinstance(found[key], dict):
        found = found[key]
    wrong = (
        ("missing", [i for i in ids if i not in found]),
        ("unknown", sorted(found.keys() - set(ids))),
    )
    if any(names for _, names in wrong):
        said = "; ".join(f"{what}: {shorten(', '.join(names))}" for what, names in wrong if names)
        raise ReadError(f"the object must have exactly the {len(ids)} ids asked as keys; {said}")
    return {i: found[i] for i in ids}


def _spans(text: str) -> Iterator[str]:
    """Yield each stretch of `text` from a brace outside of any other to the brace closing it."""
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        if opening[1]:
            raise ReadError("the reply must hold one JSON object; it holds a list of objects")
        if opening[0] == "}":
            raise ReadError("the reply must hold one JSON object; a '}' in it closes nothing")
        at = _closing(text, opening.start())
        yield text[opening.start() : at]


def _closing(text: str, start: int) -> int:
    """Return the place after the bracket that closes the one at `start`."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            raise ReadError(f"the JSON object is nested more than {MAX_DEPTH} levels deep")
        if depth == 0:
            return token.end()
    raise TruncatedReply("the reply ends before the JSON object does: its last brace is missing")


def _load(span: str) -> tuple[dict[str, Any], str]:
    """Parse a span of balanced brackets; return the object and a canonical form to compare."""
    plain = _TOKEN.sub(lambda token: _PYTHON.get(token[0], token[0]), span)
    try:
        value = json.loads(
            plain, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite
        )
        canonical = json.dumps(value, sort_keys=True, ensure_ascii=False)
        canonical.encode()  # refuses a lone surrogate, which no file of ours could hold
    except ValueError as error:
        raise ReadError(f"the JSON object cannot be read: {error}") from error
    return cast("dict[str, Any]", value), canonical


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ReadError(f"the JSON object has {shorten(key)} twice")
        found[key] = value
    return found


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ReadError(f"the JSON object has {shorten(number)}, which is not a finite number")
    return value
