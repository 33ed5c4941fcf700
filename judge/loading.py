"""Reading the inputs of a judging command, and checking that they belong together."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from judge.corpora import Corpora, find_sources, open_corpora
from judge.errors import InputError, UsageError
from judge.formats.answers import read_all_answers
from judge.formats.nuggets import read_nuggets
from judge.formats.paths import expand, expand_one
from judge.formats.qrels import read_qrels
from judge.formats.query_ids import QueryIds, read_query_ids
from judge.formats.runs import pool as pooled
from judge.formats.runs import read_run
from judge.formats.topics import read_topics
from judge.images import check_together, look_at
from judge.manifest import fingerprint
from judge.reporting import Notice
from judge.sub_narratives import doubts
from judge.types import Answer, Nugget, Qrel, Topic


class HasTopic(Protocol):
    """Anything that belongs to a topic."""

    @property
    def topic_id(self) -> str:
        """The topic's id."""


Row = TypeVar("Row", bound=HasTopic)


class Pair(NamedTuple):
    """A document to grade for a topic."""

    topic_id: str
    docid: str


@dataclass(frozen=True)
class Inputs:
    """What is judged.

    `topics` are those that are judged, `known` the ids of all in the topics file; `files` holds
    fingerprints, by the name of the input ("topics", ...). `query_ids` are other ids of topics, by
    which runs and qrels may name them.
    """

    topics: Mapping[str, Topic]
    known: frozenset[str]
    corpora: Corpora
    answers: Sequence[Answer] = ()
    pairs: Sequence[Pair] = ()
    nuggets: Mapping[str, Sequence[Nugget]] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    query_ids: QueryIds = field(default_factory=QueryIds)

    def fingerprints(self, *names: str) -> dict[str, str]:
        """The fingerprints of the files of these inputs, as {"topics/narratives.json": ...}."""
        return {
            f"{name}/{file}": content
            for name in names
            for file, content in self.files.get(name, {}).items()
        }

    def restrict(self, rows: Iterable[Row], what: str, notice: Notice) -> list[Row]:
        """The rows whose topic is judged; topics that the topics file lacks are told.

        Raises:
            InputError: there are rows, but none of a topic that is judged.
        """
        return _restrict(rows, self.topics, self.known, what, notice)

    def graded(self, path: Path, notice: Notice) -> list[Qrel]:
        """The rows of a qrels file whose topic is judged.

        Raises:
            InputError: the file cannot be read, or has no topic that is judged.
        """
        rows = self.query_ids.rows(read_qrels(path), path)
        return self.restrict(rows, "qrels", notice)

    def with_files(self, name: str, paths: Sequence[Path]) -> "Inputs":
        """The same inputs, with the fingerprints of the files of one more of them."""
        return replace(self, files={**self.files, name: fingerprint(paths)})


def load_inputs(
    topics: str,
    *,
    answers: Sequence[str] = (),
    corpus: Sequence[str] = (),
    topic_ids: Collection[str] = (),
    notice: Notice,
) -> Inputs:
    """Read topics and answers, and open the corpora.

    Args:
        topics: a topics file.
        answers: files, folders or globs of answers.
        corpus: see `judge.corpora.find_sources`; the documents that answers carry join them.
        topic_ids: the topics to judge; all of the file if none are named.
        notice: told of answers to topics that are not judged.

    Raises:
        InputError: a file cannot be read, or topics and answers have no topic in common.
    """
    sources = find_sources(corpus)
    paths = {"topics": [expand_one(topics)], "answers": expand(answers), "corpus": sources.paths}
    topic_list = read_topics(paths["topics"][0])
    known = frozenset(topic.topic_id for topic in topic_list)
    chosen = _choose(topic_list, topic_ids, paths["topics"][0])
    kept = _restrict(read_all_answers(paths["answers"]), chosen, known, "answers", notice)
    corpora = open_corpora(sources, kept)
    files = {name: fingerprint(found) for name, found in paths.items()}
    files["corpus"] |= dict.fromkeys(sources.datasets, "dataset")
    return Inputs(
        topics=chosen,
        known=known,
        corpora=corpora,
        answers=kept,
        files=files,
        query_ids=read_query_ids(paths["topics"][0]),
    )


def add_nuggets(inputs: Inputs, name: str | Path, notice: Notice) -> Inputs:
    """The inputs with the nuggets of a file; sub-narratives that are not official are told."""
    path = expand_one(name)
    nuggets: dict[str, list[Nugget]] = {}
    kept = inputs.restrict(read_nuggets(path), "nuggets", notice)
    for nugget in kept:
        nuggets.setdefault(nugget.topic_id, []).append(nugget)
    if line := doubts(kept, inputs.topics):
        notice(line)
    return replace(inputs.with_files("nuggets", [path]), nuggets=nuggets)


def add_pairs(
    inputs: Inputs,
    *,
    pool: Sequence[str] = (),
    depth: int,
    pairs: str | None = None,
    notice: Notice,
) -> Inputs:
    """The inputs with the pairs to grade: from retrieval runs, or listed in a qrels file.

    Raises:
        UsageError: both are given.
    """
    if pool and pairs:
        raise UsageError("give retrieval runs (pool) or a list of pairs, not both")
    files = [expand_one(pairs)] if pairs else expand(pool)
    if pairs:
        qrels = inputs.query_ids.rows(read_qrels(files[0]), files[0])
        rows = [Pair(row.topic_id, row.docid) for row in qrels]
    else:
        runs = [inputs.query_ids.rows(read_run(path), path) for path in files]
        rows = [Pair(*pair) for pair in pooled(runs, depth)]
    kept = inputs.restrict(rows, "pairs", notice)
    return replace(inputs.with_files("pairs", files), pairs=kept)


def add_cited(inputs: Inputs) -> Inputs:
    """The inputs with every document that an answer carries or cites as the pairs to grade."""
    pairs: dict[Pair, None] = {}
    for topic_id in inputs.topics:
        for document in inputs.corpora.documents_of(topic_id):
            pairs[Pair(topic_id, document.docid)] = None
    for answer in inputs.answers:
        if not answer.documents:
            pairs |= dict.fromkeys(Pair(answer.topic_id, docid) for docid in _docids(answer))
    order = {topic_id: place for place, topic_id in enumerate(inputs.topics)}
    return replace(inputs, pairs=sorted(pairs, key=lambda pair: order[pair.topic_id]))


def look_at_images(inputs: Inputs) -> None:
    """Look at the images of all documents that are paired with topics or cited, in any stage.

    Raises:
        InputError: one is missing, or cannot be shown.
    """
    paired = (inputs.corpora.get(pair.docid) for pair in inputs.pairs)
    cited = (inputs.corpora.cited(a, docid) for a in inputs.answers for docid in _docids(a))
    for document in filter(None, chain(paired, cited)):
        images = [look_at(path, document.docid) for path in document.images]
        check_together(images, f"document {document.docid!r}")


def _docids(answer: Answer) -> Iterator[str]:
    for sentence in answer.sentences:
        for citation in sentence.citations:
            if citation.docid is not None:
                yield citation.docid


def _restrict(
    rows: Iterable[Row],
    topics: Mapping[str, Topic],
    known: Collection[str],
    what: str,
    notice: Notice,
) -> list[Row]:
    given = list(rows)
    kept = [row for row in given if row.topic_id in topics]
    ids = {row.topic_id for row in given}
    if given and not kept:
        raise _no_overlap(what, sorted(ids), topics)
    if unknown := sorted(ids.difference(known)):
        notice(f"{what}: {len(unknown)} topics are not in the topics file: {_three(unknown)}")
    return kept


def _choose(topics: Sequence[Topic], ids: Collection[str], path: Path) -> dict[str, Topic]:
    known = {topic.topic_id: topic for topic in topics}
    if unknown := [topic_id for topic_id in ids if topic_id not in known]:
        raise InputError(f"no topic {unknown[0]!r}; it has {_three(list(known))}", path=path)
    return {topic_id: topic for topic_id, topic in known.items() if not ids or topic_id in ids}


def _no_overlap(what: str, ids: Sequence[str], topics: Mapping[str, Topic]) -> InputError:
    return InputError(
        f"no topic of the {what} is judged: the {what} have {_three(ids)}; "
        f"the topics are {_three(list(topics))}"
    )


def _three(ids: Sequence[str]) -> str:
    return ", ".join(map(repr, ids[:3])) + (", ..." if len(ids) > 3 else "")
