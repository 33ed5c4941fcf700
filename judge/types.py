"""The types that carry the flow: what is read in, what is judged, and what is concluded.

All of them are frozen. A `Record` refuses unknown fields and wrong types: readers of files may be
lenient, these are not. What is no `Record` only passes from one part of the program to the next;
`judge.judgments` reads judgments from files as strictly as a `Record` is read. None of them holds
an open file, a client or a lock, so that units and calls can cross processes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from pydantic import Field

from judge.inputs import Aggregator as Aggregator
from judge.inputs import Answer as Answer
from judge.inputs import Citation as Citation
from judge.inputs import Document as Document
from judge.inputs import Importance as Importance
from judge.inputs import Nugget as Nugget
from judge.inputs import NuggetAnswer as NuggetAnswer
from judge.inputs import Qrel as Qrel
from judge.inputs import Ranked as Ranked
from judge.inputs import Rating as Rating
from judge.inputs import Sentence as Sentence
from judge.inputs import SubNarrative as SubNarrative
from judge.inputs import SubtopicQrel as SubtopicQrel
from judge.inputs import Topic as Topic
from judge.messages import Image as Image
from judge.messages import Message as Message
from judge.messages import Prompt as Prompt
from judge.messages import Record as Record

Support = Literal["full", "partial", "none"]
SUPPORTS: tuple[Support, ...] = ("full", "partial", "none")
Label = int | str
Source = Literal["judge", "human"]
FailureKind = Literal[
    "parse",  # a reply without a readable answer
    "empty",  # no content at all
    "refused",  # the judge declined
    "truncated",  # cut off by the token limit
    "blocked",  # the provider's content filter
    "auth",  # the key is refused
    "quota",  # the account has no credit left
    "budget",  # the user's own limit; like the two above it stops the run
    "context",  # the prompt is longer than the model takes
    "parameter",  # the provider refuses a parameter
    "transport",  # network, timeout, rate limit or server error, after the retries
    "stopped",  # the run was stopped while the call was to be asked again; never of a judgment
    "offline",  # not in the store, and nothing else was allowed
    "no_document",  # the text to judge is in none of the corpora
]


# --- labels as the field's files hold them -----------------------------------------------------


class NuggetLabel(Record):
    """A nugget and whether one answer holds it; label None: none was had, if `asked` for at all."""

    nugget_id: str
    text: str
    importance: Importance | None
    label: Support | None
    sub_narrative: str | None = None
    asked: bool = True


class AssignedAnswer(Record):
    """All nuggets of a topic, labelled for one answer; `annotator` where a file names one."""

    run_id: str
    topic_id: str
    nuggets: tuple[NuggetLabel, ...]
    query: str = ""
    answer_text: str = ""
    response_length: int | None = None
    annotator: str = ""


class CitationLabel(Record):
    """A citation and whether the cited document supports the sentence.

    status "ok" has a label; "failed" was asked and gave none; "unjudged" was never asked
    (further citations than --citations); "invalid" points at no document. `asked` is False for a
    failed one that a run which was cut short did not come to.
    """

    mention: str
    docid: str | None
    status: Literal["ok", "failed", "unjudged", "invalid"]
    label: Support | None = None
    asked: bool = True


class SupportedSentence(Record):
    """A sentence with one label for each of its citations, in the order they were cited."""

    text: str
    citations: tuple[CitationLabel, ...] = ()


class SupportedAnswer(Record):
    """An answer whose citations are labelled; `annotator` where a file names one."""

    run_id: str
    topic_id: str
    sentences: tuple[SupportedSentence, ...]
    annotator: str = ""


# --- what is judged ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Unit:
    """The smallest thing that gets one label, named by its parts.

    `sentence` is the 0-based place in the answer; `window` is a window of documents, as its
    0-based number and a digest of what stands in it; of a citation it is "without" where all that
    a sentence cites but `docid` is judged.
    """

    task: str
    topic_id: str
    run_id: str | None = None
    nugget_id: str | None = None
    sentence: int | None = None
    window: str | None = None
    docid: str | None = None

    @property
    def parts(self) -> tuple[str, str, str | None, str | None, int | None, str | None, str | None]:
        """What it is named by, in the order of the fields."""
        return (
            self.task,
            self.topic_id,
            self.run_id,
            self.nugget_id,
            self.sentence,
            self.window,
            self.docid,
        )

    @cached_property
    def unit_id(self) -> str:
        """A stable id of the parts: `task|topic|...`, with "|" and "%" inside a part escaped."""
        parts = [str(part) for part in self.parts if part is not None]
        if _ESCAPED.search("".join(parts)):
            parts = [quote(part, _PLAIN, errors="surrogatepass") for part in parts]
        return "|".join(parts)


_PLAIN = "".join(chr(code) for code in range(33, 127) if chr(code) not in "|%")
_ESCAPED = re.compile(r"[^!-~]|[|%]")


class Call(NamedTuple):
    """One request to a model; its reply labels every one of `units`.

    `reply_schema` is a JSON schema of the reply, or None for plain text. `flags` are what was
    noticed in the input and go into each judgment (such as "injection_suspected"). `labels` is
    the closed set that the units' labels are of, the lowest first; empty where there is none.
    `weighed` asks for the probabilities of labels, whatever the settings. A call with `parts` is
    asked in these, the first of which has its prompt: there one answer alone makes no label.
    """

    units: tuple[Unit, ...]
    prompt: Prompt
    max_tokens: int
    reply_schema: dict[str, Any] | None = None
    flags: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    weighed: bool = False
    parts: "Parts | None" = None

    @property
    def is_batch(self) -> bool:
        """Whether the reply labels each of several units for itself.

        A reply without a schema is one label, for all units alike: in halves the same is asked.
        """
        return len(self.units) > 1 and self.reply_schema is not None


class Parts(NamedTuple):
    """The calls that one call is asked in, and what makes one verdict of their answers.

    `compose` takes the verdicts on a unit, in the order of `calls`.
    """

    calls: tuple[Call, ...]
    compose: "Callable[[Sequence[Verdict]], Verdict]"


class Usage(Record):
    """Tokens of one request; `cached_tokens` are prompt tokens the provider did not evaluate."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class Token(Record):
    """A token of a reply: its natural log-probability, and those of the likeliest in its place."""

    text: str
    logprob: float
    top: dict[str, float] = Field(default_factory=dict)


class Verdict(NamedTuple):
    """What a reply says of one unit. `detail` is the task's own (sentence numbers, parts).

    `marks` are what stands before the label in the reply, each after the one before it; None
    where the label is not stated as such. `probabilities` are of the labels it could have been.
    """

    label: Label
    reason: str | None = None
    flags: tuple[str, ...] = ()
    detail: Mapping[str, Any] = MappingProxyType({})
    marks: tuple[str, ...] | None = None
    probabilities: dict[str, float] | None = None


class Attempt(NamedTuple):
    """One request that was sent, or one reply taken from the store: a line of the ledger.

    `cost` is in US dollars: 0.0 for the store and for the embedded model, None where unknown.
    `at_most` is what a request of unknown cost can have cost, where its price is known.
    `failure` is None for a usable reply; then `message` and `raw` are None too.
    """

    key: str
    cached: bool
    usage: Usage = Usage()
    cost: float | None = None
    at_most: float | None = None
    seconds: float = 0.0
    failure: FailureKind | None = None
    message: str | None = None
    raw: str | None = None


class Reply(NamedTuple):
    """A usable reply: one verdict for each unit of the call, by unit_id."""

    key: str
    model: str
    text: str
    verdicts: dict[str, Verdict]
    attempts: tuple[Attempt, ...]


class Failure(NamedTuple):
    """A call that gave no label: what went wrong, in words, and every attempt made."""

    key: str
    kind: FailureKind
    message: str
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Judgment(Unit):
    """A unit with its label, or with the failure that left it without one.

    One is made of each unit that is judged: no `Record`, which takes several times as long.

    Raises:
        ValueError: it has both a label and a failure, or neither, or a status that says otherwise.
    """

    label: Label | None
    status: Literal["ok", "failed"]
    failure: FailureKind | None = None
    reason: str | None = None
    probabilities: dict[str, float] | None = None
    source: Source = "judge"
    model: str | None = None
    template: str | None = None
    template_sha256: str | None = None
    key: str | None = None
    flags: tuple[str, ...] = ()
    detail: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status == "ok":
            if self.label is None or self.failure is not None:
                raise ValueError("a judgment with status ok has a label and no failure")
        elif self.status != "failed" or self.label is not None or self.failure is None:
            raise ValueError("a failed judgment has a failure kind and no label")


# --- what is concluded -------------------------------------------------------------------------


class Score(Record):
    """A measure's value for a run on a topic, or its mean (`topic_id` "all").

    `value` is None where it is undefined or where too many units failed; `reason` says which.
    `low` and `high` bound it over every outcome of the failed units. `n_judged` and `n_failed`
    count the units it rests on. For the mean: `n_topics` official topics, `n_missing` of them
    without an answer (counted 0), `n_undefined` left out, `se` its standard error, and
    `ci_low` to `ci_high` its bootstrap interval over topics at 95%.
    """

    run_id: str
    topic_id: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n_judged: int
    n_failed: int
    reason: str | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    n_topics: int | None = None
    n_missing: int | None = None
    n_undefined: int | None = None
