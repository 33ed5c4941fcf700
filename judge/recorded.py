"""A run as it lies on disk: what it was made from, which units it judged, and by what.

It is only read, and not locked: another process may go on with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.corpora import Corpora, InlineCorpus, find_sources, open_corpora
from judge.errors import InputError, RunError
from judge.formats.answers import read_all_answers
from judge.formats.nuggets import read_nuggets
from judge.formats.paths import expand
from judge.formats.topics import read_topics
from judge.judgments import scan
from judge.loading import Inputs, Pair
from judge.manifest import Manifest, fingerprint
from judge.runs import JUDGMENTS, MANIFEST, NUGGETS, TOPICS, read_manifest
from judge.shown import ANSWERS, DOCUMENTS, ShownDocuments, shown_answers
from judge.types import Answer, Nugget


def manifest_of(run: Path) -> Manifest:
    """The manifest of a run.

    Raises:
        InputError: it is damaged, or of a later version.
        RunError: there is none.
    """
    manifest = read_manifest(run)
    if manifest is None:
        raise RunError(f"{run} is no run directory: it has no {MANIFEST}")
    return manifest


@dataclass(frozen=True)
class Units:
    """The units that a run has judgments of, failed ones too.

    Attributes:
        ids: their ids, by task.
        pairs: the topics and documents of those of a task, where they have both, each once.
    """

    ids: Mapping[str, Sequence[str]]
    pairs: Mapping[str, Sequence[Pair]]


def units_of(run: Path) -> Units:
    """The units of a run.

    Raises:
        InputError: a line is no judgment.
    """
    ids: dict[str, dict[str, None]] = {}
    pairs: dict[str, dict[Pair, None]] = {}
    for _, data in scan(run / JUDGMENTS):
        task, docid = data["task"], data.get("docid")
        ids.setdefault(task, {})[data["unit_id"]] = None
        if docid is not None:
            pairs.setdefault(task, {})[Pair(data["topic_id"], docid)] = None
    return Units(
        {task: list(found) for task, found in ids.items()},
        {task: sorted(found) for task, found in pairs.items()},
    )


@dataclass(frozen=True)
class Given:
    """Files in place of those that a run keeps; they must be the ones that it was made from."""

    answers: Sequence[str] = ()
    corpus: Sequence[str] = ()


class Recorded:
    """The inputs of a run, from what it keeps and from what is given instead.

    Raises:
        InputError: the run lacks something, or what is given is not what it was made from.
    """

    def __init__(self, run: Path, manifest: Manifest, given: Given) -> None:
        self._run, self._manifest, self._given = run, manifest, given
        self.topics = {topic.topic_id: topic for topic in read_topics(run / TOPICS)}
        self.answers = self._answers()

    def inputs(self) -> Inputs:
        """All of them, but for pairs."""
        return Inputs(
            topics=self.topics,
            known=frozenset(self.topics),
            corpora=self._corpora(),
            answers=self.answers,
            nuggets=self._nuggets(),
        )

    def _answers(self) -> list[Answer]:
        if not self._given.answers:
            return _distinct(shown_answers(self._run), self._run)
        paths = expand(self._given.answers)
        self._refuse_others("answers", fingerprint(paths))
        return [answer for answer in read_all_answers(paths) if answer.topic_id in self.topics]

    def _corpora(self) -> Corpora:
        if not self._given.corpus:
            kept = self._run / DOCUMENTS
            documents = [ShownDocuments(self._run)] if kept.is_file() else []
            return Corpora(documents, InlineCorpus(self.answers))
        sources = find_sources(self._given.corpus)
        datasets = dict.fromkeys(sources.datasets, "dataset")
        self._refuse_others("corpus", fingerprint(sources.paths) | datasets)
        return open_corpora(sources, self.answers)

    def _nuggets(self) -> dict[str, list[Nugget]]:
        path = self._run / NUGGETS
        nuggets: dict[str, list[Nugget]] = {}
        for nugget in read_nuggets(path) if path.is_file() else []:
            if nugget.topic_id in self.topics:
                nuggets.setdefault(nugget.topic_id, []).append(nugget)
        return nuggets

    def _refuse_others(self, kind: str, given: Mapping[str, str]) -> None:
        """Refuse files whose content is not that of the run's own, whatever they are called."""
        recorded = files_of(self._manifest, kind)
        for name, content in given.items():
            if content not in recorded.values():
                names = ", ".join(recorded) or f"a run without {kind}"
                raise InputError(
                    f"not what {self._run} was made from: it has changed, or is another file",
                    path=name,
                    expected=names,
                    found=content,
                )
        if lacking := [name for name, content in recorded.items() if content not in given.values()]:
            raise InputError(
                f"{self._run} was made from {kind} that are not given; add --{kind}",
                expected=recorded[lacking[0]],
                path=lacking[0],
            )


def files_of(manifest: Manifest, kind: str) -> dict[str, str]:
    """The fingerprints of one kind of input ("answers", ...) over all tasks, by file."""
    return {
        name.removeprefix(f"{kind}/"): content
        for stage in manifest.stages.values()
        for name, content in stage.inputs.items()
        if name.startswith(f"{kind}/")
    }


def _distinct(answers: Iterable[Answer], run: Path) -> list[Answer]:
    """The answers, each the only one of its system and topic."""
    found: dict[tuple[str, str], Answer] = {}
    for answer in answers:
        first = found.setdefault((answer.run_id, answer.topic_id), answer)
        if first != answer:
            raise InputError(
                f"the run has judged two texts as the answer of {answer.run_id} to topic "
                f"{answer.topic_id}; name the one that is meant with --answers",
                path=run / ANSWERS,
            )
    return list(found.values())
