"""A run and what belongs to it, opened to be reported: an overview, and topic after topic."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge import scoring
from judge.agreeing.rows import read_judgments
from judge.corpora import open_corpora
from judge.dossier.evidence import Documents, Lookup, Recall, recall_from
from judge.dossier.health import Attempts, read_attempts
from judge.dossier.overview import differences, overview, templates
from judge.dossier.relations import read_agreement, read_disagreements, retrieval
from judge.dossier.topic import TopicLabels, answers_by_topic, by_topic, topic_data
from judge.errors import UsageError
from judge.formats.nuggets import read_nuggets
from judge.formats.scores import read_scores
from judge.formats.topics import read_topics
from judge.manifest import Manifest
from judge.metrics import Measure, parse_measure, parse_measures
from judge.reporting import Notice
from judge.runs import JUDGMENTS, NUGGETS, SCORES, TOPICS, read_manifest
from judge.settings import default_cache
from judge.shown import ShownDocuments, shown_answers
from judge.types import Judgment, Nugget, Score, Topic
from judge_cache import Store, StoreError, open_store

AGREEMENT, FAILURES = "agreement.json", "failures.jsonl"


@dataclass(frozen=True)
class Sources:
    """What a report can use beside the run directory; each may be missing.

    Attributes:
        corpus: documents, see `judge.corpora.find_sources`.
        cache: folder of the reply store; by default the user's own, where there is one.
        prompts: folder of the templates that the run was made with.
        retrieval: scores of retrieval runs.
        agreements: what `agree --json` printed; by default agreement.json of the run.
        disagreements: sheets that `agree --disagreements` wrote.
        measures: names of measures; by default those of scores.jsonl, or the usual ones.
        rules: max_failed, allow_incomplete and empty_as_zero, as for `judge.scoring.compute`.
    """

    corpus: Sequence[str | Path] = ()
    cache: Path | None = None
    prompts: Path | None = None
    retrieval: Path | None = None
    agreements: Sequence[Path] = ()
    disagreements: Sequence[Path] = ()
    measures: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dossier:
    """Everything a report shows.

    Attributes:
        overview: see `judge.dossier.overview`.
        scores: the same scores as records.
        topic_ids: the topics, in the order of the overview.
    """

    overview: Mapping[str, Any]
    scores: Sequence[Score]
    _labels: Sequence[TopicLabels]
    _recall: Recall
    _documents: Documents
    _attempts: Attempts

    def topics(self) -> Iterator[dict[str, Any]]:
        """Yield each topic as `judge.dossier.topic` describes it, in the overview's order."""
        for labels in self._labels:
            yield topic_data(labels, self._recall, self._documents, self._attempts)


@contextmanager
def open_dossier(path: Path, sources: Sources, notice: Notice) -> Iterator[Dossier]:
    """Open the run in folder `path`; what of it is in use by a judging command is read as it is.

    Scores are computed anew from the labels, so that they are those of what is shown.

    Raises:
        UsageError: there is no run, or no store where one was named.
        InputError: a file cannot be read.
    """
    if not path.is_dir():
        raise UsageError(f"there is no run directory {path}")
    run = _Run(path)
    with ExitStack() as stack:
        store = _open_store(sources.cache, notice, stack)
        documents = _open_documents(path, sources.corpus, stack)
        scored = run.scored(sources)
        yield Dossier(
            overview=_overview(run, scored, sources, has_store=store is not None),
            scores=scored.scores,
            _labels=run.topics,
            _recall=recall_from(store),
            _documents=documents,
            _attempts=run.attempts,
        )


@dataclass(frozen=True)
class _Scored:
    """Scores, and what they rest on."""

    labels: scoring.Labels | None = None
    measures: Sequence[Measure[Any]] = ()
    scores: Sequence[Score] = ()


class _Run:
    """The files of a run directory, read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest: Manifest | None = read_manifest(path)
        judged = read_judgments(path / JUDGMENTS) if (path / JUDGMENTS).is_file() else {}
        self.attempts: Attempts = read_attempts(path / FAILURES)
        labelled = any((path / name).is_file() for name in scoring.LABELS)
        if not judged and not labelled:
            raise UsageError(f"{path} holds no judgments and no labels yet: judge something first")
        self.labels = scoring.read_labels(path) if labelled else scoring.Labels()
        self.topics = self._sorted(by_topic(judged.values()))

    def scored(self, sources: Sources) -> _Scored:
        """Score the labels."""
        if not any(self._has(name) for name in scoring.LABELS):
            return _Scored()
        measures = self._measures(sources.measures)
        scores = scoring.compute(self.labels, measures, **sources.rules)
        return _Scored(self.labels, measures, scores)

    def _measures(self, names: str | None) -> list[Measure[Any]]:
        """Those named, else those that the run was scored by, else the usual ones."""
        if names:
            return list(parse_measures(names))
        kept = read_scores(self.path / SCORES) if self._has(SCORES) else []
        known = [parse_measure(name) for name in dict.fromkeys(score.measure for score in kept)]
        held = {
            "nuggets": self.labels.assigned,
            "coverage": self.labels.grounded,
            "support": self.labels.supported,
            "citations": self.labels.weighed,
        }
        possible = [measure for measure in known if held[measure.kind]]
        return possible or scoring.usual_measures(self.labels)

    def _sorted(self, judged: dict[str, list[Judgment]]) -> list[TopicLabels]:
        """The labels by topic: those of the topics file in its order, then any others."""
        path = self.path / TOPICS
        topics = {t.topic_id: t for t in (read_topics(path) if path.is_file() else ())}
        nuggets: dict[str, list[Nugget]] = {}
        for nugget in read_nuggets(self.path / NUGGETS) if self._has(NUGGETS) else ():
            nuggets.setdefault(nugget.topic_id, []).append(nugget)
        assigned = answers_by_topic(self.labels.assigned)
        grounded = answers_by_topic(self.labels.grounded)
        supported = answers_by_topic(self.labels.supported)
        ids = dict.fromkeys([*topics, *judged, *assigned, *grounded, *supported])
        return [
            TopicLabels(
                topic=topics.get(topic_id) or Topic(topic_id=topic_id, narrative=""),
                nuggets=nuggets.get(topic_id, ()),
                assigned=assigned.get(topic_id, {}),
                grounded=grounded.get(topic_id, {}),
                supported=supported.get(topic_id, {}),
                judgments=judged.get(topic_id, ()),
            )
            for topic_id in ids
        ]

    def _has(self, name: str) -> bool:
        return (self.path / name).is_file()


def _overview(run: _Run, scored: _Scored, sources: Sources, *, has_store: bool) -> dict[str, Any]:
    data = overview(run.path, run.manifest, run.topics, scored.scores, run.attempts)
    own = run.path / AGREEMENT
    agreements = sources.agreements or ([own] if own.is_file() else [])
    beside = sources.retrieval
    return {
        **data,
        "templates": templates(run.manifest, sources.prompts),
        "significance": differences(
            scored.labels, scored.measures, data["runs"], dict(sources.rules)
        ),
        "retrieval": None if beside is None else retrieval(beside, scored.scores),
        "agreements": [read_agreement(file) for file in agreements],
        "disagreements": [
            row for file in sources.disagreements for row in read_disagreements(file)
        ],
        "has_store": has_store,
    }


def _open_documents(run: Path, corpus: Sequence[str | Path], stack: ExitStack) -> Documents:
    """What the run kept of its inputs, and the corpora named."""
    kept = ShownDocuments(run)
    stack.callback(kept.close)
    lookups: list[Lookup] = [kept.get]
    if corpus:
        lookups.append(stack.enter_context(open_corpora(list(corpus))).get)
    return Documents(lookups, shown_answers(run))


def _open_store(path: Path | None, notice: Notice, stack: ExitStack) -> Store | None:
    """The store named, or the user's own where there is one."""
    try:
        return stack.enter_context(
            open_store(path or default_cache(), on_notice=notice, existing=True)
        )
    except StoreError as error:
        if path is not None:
            raise UsageError(f"{error} (--cache names another folder)") from error
        return None
