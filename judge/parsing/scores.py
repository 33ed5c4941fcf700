"""Replies that end with a score: `##final score: X`."""

import re
from typing import NamedTuple

from judge.errors import ReadError
from judge.parsing.folding import folded_lines
from judge.parsing.markers import BOLD, complaint, deciding, markers
from judge.parsing.refusals import without_refusal
from judge.parsing.thinking import after_thinking

SCORE_MARKER = "##final score"

_VALUE = re.compile(rf"(0|[1-9][0-9]{{0,8}})(?:\.0)?(?: ?/ ?([1-9][0-9]{{0,8}}))?{BOLD}\.?{BOLD}")
_NUMBER = re.compile(r"-?[0-9]{1,99}(?:\.[0-9]{1,99})?(?![0-9])")


class ScoreLine(NamedTuple):
    """The score a reply ends with; `conflicting` if another marker in it states another number."""

    score: int
    conflicting: bool


def final_score(text: str, *, low: int = 0, high: int = 4, marker: str = SCORE_MARKER) -> ScoreLine:
    """Read the score of a reply that must end with a line `##final score: X`.

    The last line that starts with the marker decides; if no line does, a single marker whose
    value ends the whole reply counts too. Before the marker a bullet (`-`, `*`, `+`, `•`) and bold
    or italics are tolerated; case, spaces and compatibility characters (`folding`) are folded.
    After it stands `:` or `- `, then the value: a whole number, also as `3.0`, `3.`, `**3**`, or
    `3/4` where 4 is the top of the scale. Any other value on the deciding line is a failure.

    Args:
        text: the content of the reply.
        low: the lowest score of the scale, at least 0.
        high: the highest score of the scale.
        marker: the words before the value.

    Raises:
        ReadError: a refusal, no marker decides, or what it says is not one score of the scale.
    """
    lines = folded_lines(without_refusal(after_thinking(text)))
    found = markers(lines, marker)
    decides = deciding(found, lines)
    if decides is None:
        raise ReadError(f"{_wanted(marker, low, high)}; no line starts with '{marker}'")
    score = _score(decides, low, high)
    if score is None:
        raise ReadError(f"{_wanted(marker, low, high)}; {complaint(decides)}")
    return ScoreLine(score, len(found) > 1 and any(_states_other(m, score) for m in found))


def _wanted(marker: str, low: int, high: int) -> str:
    return f"the last line must be '{marker}: X' with X {_scale(low, high)}"


def _scale(low: int, high: int) -> str:
    if high - low > 10:
        return f"a whole number from {low} to {high}"
    return "one of " + ", ".join(map(str, range(low, high + 1)))


def _score(marker: re.Match[str], low: int, high: int) -> int | None:
    value = _VALUE.fullmatch(marker.string, marker.end()) if marker["separator"] else None
    if value is None or (value[2] is not None and int(value[2]) != high):
        return None
    return int(value[1]) if low <= int(value[1]) <= high else None


def _states_other(marker: re.Match[str], score: int) -> bool:
    number = _NUMBER.match(marker.string, marker.end()) if marker["separator"] else None
    return number is not None and float(number[0]) != score
