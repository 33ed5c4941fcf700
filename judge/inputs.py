"""What is read in: topics, documents, nuggets, answers, and rows of qrels and runs.

Everything here is found in `judge.types` as well, which is where others import it from.
"""

from typing import Literal, NamedTuple

from judge.messages import Record

Importance = Literal["vital", "okay"]
Aggregator = Literal["AND", "OR"]


class SubNarrative(Record):
    """One question that a narrative asks; `sub_id` is its 1-based place in the topic."""

    sub_id: str
    text: str
    importance: Importance | None = None


class Topic(Record):
    """An information need. `narrative` is its full wording, `background` who asks it."""

    topic_id: str
    narrative: str
    title: str = ""
    background: str = ""
    sub_narratives: tuple[SubNarrative, ...] = ()


class Document(Record):
    """A passage, a whole document or a video that can be judged and cited.

    `text` of a video is made of its `transcript` and of `ocr`, the text on screen; `images` are
    the paths or addresses of its frames.
    """

    docid: str
    text: str
    title: str = ""
    url: str = ""
    headings: str = ""
    transcript: str = ""
    ocr: str = ""
    images: tuple[str, ...] = ()


class NuggetAnswer(Record):
    """An answer to a nugget that is a question, and the documents that give it."""

    text: str
    docids: tuple[str, ...] = ()


class Nugget(Record):
    """An atomic statement that a good answer holds, or a question that it answers.

    `sub_narrative` is the text of the sub-narrative it belongs to, or "New: ..." for a group of
    its own, or None where it belongs to none. `docids` are the documents it came from.

    `answers` are those of a question: with `aggregator` "OR" any one of them will do, with "AND"
    all are asked for. Nuggets of the same `group` ask the same question, each for another answer.
    """

    nugget_id: str
    topic_id: str
    text: str
    importance: Importance | None = None
    sub_narrative: str | None = None
    docids: tuple[str, ...] = ()
    source: str = ""
    answers: tuple[NuggetAnswer, ...] = ()
    aggregator: Aggregator | None = None
    group: str | None = None


class Citation(Record):
    """One citation as it was `mention`ed; `docid` is None where it points at nothing."""

    mention: str
    docid: str | None


class Sentence(Record):
    """A sentence of an answer with its citations, the strongest first, duplicates removed."""

    text: str
    citations: tuple[Citation, ...] = ()


class Answer(Record):
    """A system's answer to a topic, with the documents it carries inline, if any."""

    run_id: str
    topic_id: str
    sentences: tuple[Sentence, ...]
    references: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()


class Qrel(NamedTuple):
    """One relevance judgment."""

    topic_id: str
    docid: str
    grade: int


class SubtopicQrel(NamedTuple):
    """Whether a document holds a subtopic (nugget) of a topic: it does if the grade is above 0."""

    topic_id: str
    subtopic: str
    docid: str
    grade: int


class Rating(NamedTuple):
    """How well a document holds a nugget; None where no rating was had."""

    topic_id: str
    nugget_id: str
    docid: str
    rating: int | None


class Ranked(NamedTuple):
    """One row of a retrieval run."""

    topic_id: str
    docid: str
    rank: int
    score: float
    run_id: str
