"""English that addresses a judge, as patterns over lower-case words joined by single spaces.

`.`, `!` and `?` stand as words of their own, all other punctuation is gone. The patterns are
written for few false alarms: an order to a reader ("ignore the rules") is not enough, it must be
about instructions, about a judge, or about the grade of the text itself.
"""

import re
from collections.abc import Mapping

from judge.injection.forms import Form, form

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
_NUMBER = r"[0-9]{1,3}(?! [0-9])(?! \. [0-9])"  # no result of a game, no fraction
_TOP = rf"(?:{_NUMBER}|full|highest|maximum|max|top|perfect|fully|highly)"
_RIGHT = ("correct", "right", "final", "true", "proper", "appropriate", "expected")
_REPLYING = ("respond with", "reply with", "answer with")
_SAYING = ("output", "print", "return", "assign", "give it", "give this", *_REPLYING)
_OBJECTS = ("document", "passage", "answer", "response", "text", "sentence", "citation", "nugget")
_GRADERS = ("judge", "grader", "assessor", "evaluator", "annotator", "rater", "llm", "model", "ai")

_IGNORING = (
    *("ignore", "disregard", "forget", "override", "bypass"),
    *("not follow", "don t follow", "pay no attention"),
)

_PHRASES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    # ignore all of the previous instructions; disregard the above; forget what you were told
    _IGNORING: (
        rf"{_IGNORE}{_UP_TO_4} (?:instructions?|prompts?|you were told)",
        rf"{_IGNORE}{_UP_TO_2} {_EARLIER} (?:rules?|guidelines?|criteria|text|context|messages?)",
        rf"{_IGNORE} (?:the |your )?(?:rubric|(?:grading|scoring|judging|rating) \w++)",
        rf"{_IGNORE} (?:everything |anything |all )?(?:of )?(?:the |written |said |stated )?above",
    ),
    ("instruction",): (
        r"follow (?:these|my|the following) (?:new )?instructions? instead",
        rf"(?:new|updated|revised) instructions? (?:for|to) (?:the )?(?:judge|{_GRADER})",
    ),
    ("grading", "scoring", "judging"): (
        (
            r"(?:grading|scoring|judging) (?:task|rubric|scale|rules?) (?:has|have) (?:been )?"
            r"changed"
        ),
    ),
    # you are a judge; act as an AI grader; as an evaluator you must; dear LLM
    ("you are",): (rf"you are(?: now)? (?:an?|the) (?:judge|{_GRADER})",),
    ("act as", "behave as"): (rf"(?:act|behave) as (?:an?|the) {_GRADER}",),
    tuple(f"{who} you" for who in (*_GRADERS, "assistant")): (
        rf"as (?:an?|the) (?:judge|{_GRADER}) you",
    ),
    ("attention", "dear", "note to", "message to", "instruction"): (
        (
            r"(?:attention|dear|note to|message to|instructions? (?:to|for)) (?:the )?"
            rf"{_GRADER}"
        ),
    ),
    # output a score of 4; give it the highest grade; respond only with 4
    _SAYING: (
        rf"{_SAY}{_UP_TO_4} {_SCORE}{_UP_TO_2} {_TOP}",
        rf"(?:{_SAY}|give this){_UP_TO_2} {_BEST} {_SCORE}",
    ),
    ("only with",): (r"(?:respond|reply|answer) only with",),
    ("reply with",): (r"reply with (?:one line|json on one line) and nothing else",),
    # rate this passage 4; mark every nugget as supported; the correct label is full support
    _OBJECTS: (
        rf"(?:rate|grade|score|label|mark|give|judge|award|treat)s? {_THIS}{_UP_TO_4} {_TOP}",
        (
            rf"(?:rated|graded|scored|judged|labell?ed|marked) {_THIS} (?:as |at |with )?(?:an? )?"
            rf"{_TOP}"
        ),
        rf"(?:label|mark|treat|count) {_THIS} as (?:supported|support|relevant|vital|covered)",
        rf"{_THIS} (?:deserves|should (?:get|receive)|must (?:get|receive)){_UP_TO_4} {_SCORE}",
        rf"{_THIS} (?:fully|completely) supports the (?:statement|sentence|claim|citation)",
        rf"{_THIS} is (?:highly|perfectly|fully|completely|extremely|maximally) relevant to",
        (
            rf"{_THIS} (?:fully |completely |directly )?(?:answers|covers|addresses|satisfies) "
            r"(?:all|every|each|four|five)(?: \w++){0,3}? (?:parts?|narratives?|nuggets?|aspects?)"
        ),
        rf"(?:grade|score|rate) this {_OBJECT} from [0-9] to [0-9]",
    ),
    ("nugget",): (r"(?:states|holds|covers|contains) (?:all|every)(?: of)?(?: the)? nuggets?",),
    tuple(f"the {word}" for word in _RIGHT): (
        rf"the (?:{'|'.join(_RIGHT)}) {_SCORE}{_UP_TO_4} (?:is|must be|should be) {_TOP}",
    ),
}
"""What addresses the judge, by words one of which each of these phrases contains."""

INSTRUCTION: tuple[Form, ...] = tuple(
    form(needs, rf"\b(?:{'|'.join(phrases)})\b") for needs, phrases in _PHRASES.items()
)
"""Phrases that address the judge, a form for those with words in common."""

FRAME = form(
    (
        "passage",
        "document",
        "answer",
        "nuggets",
        "narrative",
        "sentence",
        "context",
        "input",
        "prompt",
    ),
    r"(?:(?<![-=#*~<])[-=#*~<]{3,}+|\[)[^\S\n]?+"
    r"(?:END|BEGIN|START)(?:NING)?(?: OF)?(?: THE| NEW| NEXT){0,2}[ _]"
    r"(?:PASSAGE|DOCUMENT|ANSWER|NUGGETS|NARRATIVE|SENTENCE|CONTEXT|USER INPUT|SYSTEM PROMPT)\b",
    re.IGNORECASE,
)
"""A line drawn as if the passage ended here: "[END OF PASSAGE]", "--- begin new document ---"."""
