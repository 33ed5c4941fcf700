"""What systems score by human labels and by the judge's, on the answers that both labelled.

The judge's files say what the units of an answer are; people's labels are put in their place. So
human labels may come in any form, a sheet too, and both sides are scored on the same units.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.agreeing.calibrating import calibrated
from judge.agreeing.ratings import Reading, answer_files
from judge.agreeing.rows import assign_unit, support_unit
from judge.agreement.calibration import Calibration
from judge.agreement.ratings import Rater
from judge.metrics import Measure
from judge.scoring import Labels, read_labels, usual_measures, values
from judge.types import (
    SUPPORTS,
    AssignedAnswer,
    CitationLabel,
    Label,
    Support,
    SupportedAnswer,
    SupportedSentence,
)

Key = tuple[str, str]
"""A system and a topic: (run_id, topic_id)."""
Values = Mapping[str, Mapping[str, Mapping[str, float]]]
"""measure -> run_id -> topic_id -> value."""

_NO_ANSWERS = "these labels score no answers; grades rank retrieval runs with --run"

_Answer = AssignedAnswer | SupportedAnswer
_SUPPORTS: Mapping[Label, Support] = {label: label for label in SUPPORTS}


@dataclass(frozen=True)
class SystemScores:
    """Scores of both sides.

    Attributes:
        human: values of the answers all of whose units people labelled.
        judge: values of all answers that the judge labelled.
        topics: topics whose answers all have human values.
        n_partial: answers that have some human labels, and not all.
        reason: why there are no human values, or None.
    """

    human: Values
    judge: Values
    topics: tuple[str, ...] = ()
    n_partial: int = 0
    reason: str | None = None

    def by_topic(self, side: Values, measure: str) -> dict[str, dict[str, float]]:
        """Return topic_id -> run_id -> value, over `topics`."""
        table: dict[str, dict[str, float]] = {topic: {} for topic in self.topics}
        for run_id, by_topic in side.get(measure, {}).items():
            for topic_id, value in by_topic.items():
                if topic_id in table:
                    table[topic_id][run_id] = value
        return table


def system_scores(
    judge: Reading,
    human: Rater,
    *,
    nuggets: str | None = None,
    topics: str | None = None,
    measures: Sequence[Measure[Any]] = (),
    calibration: Calibration | None = None,
) -> SystemScores:
    """Score the systems by the labels of both sides.

    Args:
        judge: what the judge labelled.
        human: what people did.
        nuggets: a file of nuggets, for importance and sub-narratives.
        topics: the topics file.
        measures: what to compute; without, the usual measures of these labels.
        calibration: maps the judge's labels, if given.

    Raises:
        InputError: a file cannot be read.
    """
    if len(judge.raters) > 1:
        return SystemScores({}, {}, reason="the judge's file has several annotators")
    labels = _labels(judge, nuggets, topics)
    if labels is None:
        return SystemScores({}, {}, reason=_NO_ANSWERS)
    if calibration is not None:
        labels = calibrated(labels, calibration, judge.probabilities)
    people = {key: _SUPPORTS[x] for key, x in human.labels.items() if x in _SUPPORTS}
    answers = {(a.run_id, a.topic_id): a for a in _answers(labels)}
    asked = {key: _unit_ids(answer) for key, answer in answers.items()}
    known = {key: sum(unit in people for unit in units) for key, units in asked.items()}
    complete = [key for key, units in asked.items() if known[key] == len(units)]
    n_partial = sum(0 < known[key] < len(units) for key, units in asked.items())
    if not complete or not any(known.values()):
        return SystemScores({}, {}, (), n_partial, _none_complete(n_partial))
    lacking = {topic for _, topic in answers.keys() - set(complete)}
    used = dict.fromkeys(topic for _, topic in complete if topic not in lacking)
    chosen, scored = measures or usual_measures(labels), {*complete}
    relabelled = _with(labels, [_relabelled(answers[key], people) for key in complete])
    return SystemScores(
        human=_values(relabelled, chosen, lambda key: key in scored or key[1] in used),
        judge=_values(labels, chosen),
        topics=tuple(used),
        n_partial=n_partial,
    )


def _labels(judge: Reading, nuggets: str | None, topics: str | None) -> Labels | None:
    """The labels as `score` reads them; None where the files hold no whole answers."""
    files = answer_files(judge)
    if not files:
        return None
    given: dict[str, Any] = {} if judge.run else {str(f): paths for f, paths in files.items()}
    labels = read_labels(judge.run, nuggets=nuggets, topics=topics, **given)
    return _with(labels, labels.assigned if "assignments" in files else labels.supported)


def _answers(labels: Labels) -> list[_Answer]:
    return [*labels.assigned, *labels.supported]


def _with(labels: Labels, answers: Iterable[_Answer]) -> Labels:
    listed = list(answers)
    return Labels(
        assigned=[answer for answer in listed if isinstance(answer, AssignedAnswer)],
        supported=[answer for answer in listed if isinstance(answer, SupportedAnswer)],
        topics=labels.topics,
        with_nuggets=labels.with_nuggets,
    )


def _none_complete(n_partial: int) -> str:
    some = f"; {n_partial} have some of them" if n_partial else ""
    return f"no answer has human labels of all its units{some}"


def _unit_ids(answer: _Answer) -> list[str]:
    """The units of an answer that the judge was to label."""
    if isinstance(answer, AssignedAnswer):
        return [assign_unit(answer, nugget.nugget_id).unit_id for nugget in answer.nuggets]
    return [
        support_unit(answer, place, citation.docid).unit_id
        for place, sentence in enumerate(answer.sentences)
        for citation in sentence.citations
        if citation.docid is not None and _is_asked(citation)
    ]


def _relabelled(answer: _Answer, people: Mapping[str, Support]) -> _Answer:
    """The answer with people's labels, of whom all its units have one."""
    if isinstance(answer, AssignedAnswer):
        nuggets = [
            n.model_copy(update={"label": people[assign_unit(answer, n.nugget_id).unit_id]})
            for n in answer.nuggets
        ]
        return answer.model_copy(update={"nuggets": tuple(nuggets)})
    sentences = []
    for place, sentence in enumerate(answer.sentences):
        citations = [_citation(answer, place, c, people) for c in sentence.citations]
        sentences.append(SupportedSentence(text=sentence.text, citations=tuple(citations)))
    return answer.model_copy(update={"sentences": tuple(sentences)})


def _citation(
    answer: SupportedAnswer, place: int, citation: CitationLabel, people: Mapping[str, Support]
) -> CitationLabel:
    if citation.docid is None or not _is_asked(citation):
        return citation
    label = people[support_unit(answer, place, citation.docid).unit_id]
    return citation.model_copy(update={"label": label, "status": "ok"})


def _is_asked(citation: CitationLabel) -> bool:
    return citation.status in ("ok", "failed")


def _values(
    labels: Labels,
    measures: Sequence[Measure[Any]],
    wanted: Callable[[Key], bool] | None = None,
) -> dict[str, dict[str, dict[str, float]]]:
    """The values of each answer that are defined; those of `wanted` keys alone, if it is given."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for measure, run_id, by_topic in values(labels, measures):
        kept = by_topic
        if wanted is not None:
            kept = {topic: value for topic, value in by_topic.items() if wanted((run_id, topic))}
        if kept:
            table.setdefault(measure, {})[run_id] = kept
    return table
