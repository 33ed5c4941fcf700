"""What each task gives to its templates, what these must use of it, and how replies are read."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from judge.loading import Inputs
from judge.tasks import Task
from judge.tasks.assign import Assign
from judge.tasks.create import Create
from judge.tasks.importance import Importance
from judge.tasks.locate import Locate
from judge.tasks.mapping import Mapping
from judge.tasks.relevance import Relevance
from judge.tasks.support import SupportTask
from judge.templates import Output, Template
from judge.types import Document

_WINDOW = 10


@dataclass(frozen=True)
class Kind:
    """A task, as its templates see it.

    Attributes:
        task: its name, as in the head of a template.
        needs: variables without which a prompt cannot ask what the task is about.
        shown: those of `needs` that hold a text in every prompt.
        may: variables that it gives besides.
        outputs: the forms of replies that it reads.
        chosen: whether commands take its template by name (--prompt); else it has a fixed one.
        inputs: what it is made of, in words.
        make: makes the task.
    """

    task: str
    needs: tuple[str, ...]
    shown: tuple[str, ...]
    may: tuple[str, ...]
    outputs: tuple[Output, ...]
    chosen: bool
    inputs: str
    make: Callable[[Template, Inputs], Task]


def _relevance(template: Template, inputs: Inputs) -> Task:
    return Relevance(template, inputs.topics, inputs.pairs, inputs.corpora.get)


def _support(template: Template, inputs: Inputs) -> Task:
    return SupportTask(template, inputs.topics, inputs.answers, inputs.corpora.cited, "all")


def _assign(template: Template, inputs: Inputs) -> Task:
    return Assign(template, inputs.topics, inputs.answers, inputs.nuggets)


def _locate(template: Template, inputs: Inputs) -> Task:
    pairs = [(pair.topic_id, pair.docid) for pair in inputs.pairs]
    asked = {pair: inputs.nuggets.get(pair[0], ()) for pair in pairs}
    return Locate(template, inputs.topics, asked, inputs.corpora.get)


def _create(template: Template, inputs: Inputs) -> Task:
    """The first window, of the documents as the pairs list them."""
    documents: dict[str, list[Document]] = {}
    for pair in inputs.pairs:
        document = inputs.corpora.get(pair.docid)
        if document is not None:
            documents.setdefault(pair.topic_id, []).append(document)
    windows = {topic_id: list(islice(found, _WINDOW)) for topic_id, found in documents.items()}
    return Create(template, inputs.topics, 0, windows, {})


def _importance(template: Template, inputs: Inputs) -> Task:
    return Importance(template, inputs.topics, inputs.nuggets)


def _mapping(template: Template, inputs: Inputs) -> Task:
    return Mapping(template, inputs.topics, inputs.nuggets)


_DOCUMENTS = "--corpus, and --answers or --qrels to say which of its documents"
KINDS: dict[str, Kind] = {
    kind.task: kind
    for kind in (
        Kind(
            "relevance",
            needs=("topic", "document"),
            shown=("topic", "document"),
            may=(),
            outputs=("score-line", "sub-narratives"),
            chosen=True,
            inputs=_DOCUMENTS,
            make=_relevance,
        ),
        Kind(
            "support",
            needs=("sentences", "index", "document"),
            shown=("sentences", "document"),
            may=("topic", "question"),
            outputs=("label-line", "yes-no"),
            chosen=True,
            inputs="--answers that cite something, and --corpus",
            make=_support,
        ),
        Kind(
            "assign",
            needs=("sentences", "nuggets"),
            shown=("sentences", "nuggets"),
            may=("topic",),
            outputs=("labels",),
            chosen=False,
            inputs="--answers and --nuggets",
            make=_assign,
        ),
        Kind(
            "locate",
            needs=("document", "nuggets"),
            shown=("document", "nuggets"),
            may=("topic",),
            outputs=("labels",),
            chosen=False,
            inputs=f"--nuggets; {_DOCUMENTS}",
            make=_locate,
        ),
        Kind(
            "create",
            needs=("topic", "documents", "nuggets"),
            shown=("topic", "documents"),
            may=("most",),
            outputs=("nugget-list",),
            chosen=False,
            inputs=_DOCUMENTS,
            make=_create,
        ),
        Kind(
            "importance",
            needs=("topic", "nuggets"),
            shown=("topic", "nuggets"),
            may=(),
            outputs=("labels",),
            chosen=False,
            inputs="--nuggets",
            make=_importance,
        ),
        Kind(
            "mapping",
            needs=("topic", "nuggets"),
            shown=("topic", "nuggets"),
            may=(),
            outputs=("labels",),
            chosen=False,
            inputs="--nuggets, and topics with sub-narratives",
            make=_mapping,
        ),
    )
}
"""The kinds by the name of the task."""
