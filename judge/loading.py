"""Reading the inputs of a judging command, and checking that they belong together."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from judge.corpora import Corpora, open_corpora
from judge.errors import InputError
from judge.formats.answers import read_all_answers
from judge.formats.nuggets import read_nuggets
from judge.formats.paths import expand
from judge.formats.qrels import read_qrels
from judge.formats.runs import pool, read_run
from judge.formats.topics import read_topics
from judge.manifest import fingerprint
from judge.reporting import Notice
from judge.types import Answer, Nugget, Topic


class HasTopic(Protocol):
    """Anything that belongs to a topic."""

    @property
    def topic_id(self) -> str:
        """The topic's id."""


Row = TypeVar("Row", bound=HasTopic)
Pair = tuple[str, str]


@dataclass(frozen=True)
class Inputs:
    """What is judged. `files` holds fingerprints, by the name of the input ("topics", ...)."""

    topics: Mapping[str, Topic]
    corpora: Corpora
    answers: Sequence[Answer] = ()
    nuggets: Mapping[str, Sequence[Nugget]] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def fingerprints(self, *names: str) -> dict[str, str]:
        """The fingerprints of the files of these inputs, as {"topics/narratives.json": ...}."""
        return {
            f"{name}/{file}": content
            for name in names
            for file, content in self.files.get(name, {}).items()
        }


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
        corpus: files, folders or globs of documents; those that answers carry join them.
        topic_ids: the topics to judge; all of the file if none are named.
        notice: told of answers to topics that are not judged.

    Raises:
        InputError: a file cannot be read, or topics and answers have no topic in common.
    """
    paths = {"topics": expand([topics]), "answers": expand(answers), "corpus": expand(corpus)}
    chosen = _choose(read_topics(paths["topics"][0]), topic_ids, paths["topics"][0])
    read = read_all_answers(paths["answers"])
    kept = restrict(read, chosen, "answers", notice if not topic_ids else _silent)
    return Inputs(
        topics=chosen,
        corpora=open_corpora(paths["corpus"], kept),
        answers=kept,
        files={name: fingerprint(files) for name, files in paths.items()},
    )


def load_nuggets(path: str, topics: Mapping[str, Topic], notice: Notice) -> dict[str, list[Nugget]]:
    """Read the nuggets of the topics that are judged."""
    found: dict[str, list[Nugget]] = {}
    for nugget in restrict(read_nuggets(expand([path])[0]), topics, "nuggets", notice):
        found.setdefault(nugget.topic_id, []).append(nugget)
    return found


def pooled(specs: Sequence[str], depth: int, topics: Mapping[str, Topic]) -> list[Pair]:
    """The documents that any of the retrieval runs ranks down to `depth`, topic by topic."""
    pairs = pool([read_run(path) for path in expand(specs)], depth)
    return _known(pairs, topics, "runs")


def listed(path: str, topics: Mapping[str, Topic]) -> list[Pair]:
    """The pairs of a qrels file, whatever their grades."""
    rows = read_qrels(expand([path])[0])
    return _known([(row.topic_id, row.docid) for row in rows], topics, "qrels")


def cited(inputs: Inputs) -> list[Pair]:
    """Every document that an answer carries or cites, topic by topic."""
    pairs: dict[Pair, None] = {}
    for topic_id in inputs.topics:
        for document in inputs.corpora.documents_of(topic_id):
            pairs[topic_id, document.docid] = None
        for answer in (a for a in inputs.answers if a.topic_id == topic_id and not a.documents):
            for sentence in answer.sentences:
                for citation in sentence.citations:
                    if citation.docid is not None:
                        pairs[topic_id, citation.docid] = None
    return list(pairs)


def restrict(
    rows: Iterable[Row], topics: Mapping[str, Topic], what: str, notice: Notice
) -> list[Row]:
    """The rows whose topic is judged; the others are told.

    Raises:
        InputError: there are rows, but none of a topic that is judged.
    """
    given = list(rows)
    kept = [row for row in given if row.topic_id in topics]
    others = sorted({row.topic_id for row in given} - set(topics))
    if given and not kept:
        raise _no_overlap(what, others, topics)
    if others:
        notice(f"{what}: {len(others)} topics are not in the topics file: {_three(others)}")
    return kept


def _known(pairs: Sequence[Pair], topics: Mapping[str, Topic], what: str) -> list[Pair]:
    kept = [pair for pair in pairs if pair[0] in topics]
    if pairs and not kept:
        raise _no_overlap(what, sorted({topic_id for topic_id, _ in pairs}), topics)
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


def _silent(text: str) -> None:
    del text
