"""What is in a file, in numbers: one function a kind, each from records to named counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from judge.cited import GroundedAnswer, WeighedAnswer
from judge.formats.human import ClaimLabel
from judge.formats.leaderboards import Value
from judge.formats.ratings import Rows
from judge.types import (
    SUPPORTS,
    Answer,
    AssignedAnswer,
    Nugget,
    Qrel,
    Ranked,
    Score,
    SubNarrative,
    SubtopicQrel,
    Support,
    SupportedAnswer,
    Topic,
)

Counts = dict[str, int]


def topics(records: Iterable[Topic]) -> Counts:
    """Topics and sub-narratives."""
    listed = list(records)
    parts = [part for topic in listed for part in topic.sub_narratives]
    more = {"sub-narratives": len(parts), **_importances(parts)} if parts else {}
    return {"topics": len(listed), **more}


def answers(records: Iterable[Answer]) -> Counts:
    """Answers, and the sentences, citations and documents in them."""
    listed = list(records)
    sentences = [sentence for answer in listed for sentence in answer.sentences]
    citations = [citation for sentence in sentences for citation in sentence.citations]
    return {
        "answers": len(listed),
        **_runs_and_topics(listed),
        "sentences": len(sentences),
        "citations": len(citations),
        "citations of nothing": sum(citation.docid is None for citation in citations),
        "documents inside": sum(len(answer.documents) for answer in listed),
    }


def run(records: Iterable[Ranked]) -> Counts:
    """Rows and topics of a retrieval run."""
    listed = list(records)
    return {"rows": len(listed), **_runs_and_topics(listed)}


def qrels(records: Iterable[Qrel]) -> Counts:
    """Pairs, topics, and how often each grade stands; what stands again counts once."""
    listed = list(dict.fromkeys(records))
    grades = Counter(row.grade for row in listed)
    by_grade = {f"grade {grade}": grades[grade] for grade in sorted(grades)}
    return {"pairs": len(listed), "topics": _distinct(listed, "topic_id"), **by_grade}


def subtopics(records: Iterable[SubtopicQrel]) -> Counts:
    """Rows of (topic, subtopic, document), and what they are of."""
    listed = list(records)
    return {
        "rows": len(listed),
        "topics": _distinct(listed, "topic_id"),
        "subtopics": len({(row.topic_id, row.subtopic) for row in listed}),
    }


def nuggets(records: Iterable[Nugget]) -> Counts:
    """Nuggets by importance, and what they came from."""
    listed = list(records)
    answered = [nugget for nugget in listed if nugget.answers]
    return {
        "nuggets": len(listed),
        "topics": _distinct(listed, "topic_id"),
        **_importances(listed),
        "with a sub-narrative": sum(nugget.sub_narrative is not None for nugget in listed),
        "with documents": sum(bool(nugget.docids) for nugget in listed),
        "questions with answers": len(answered),
    }


def assignments(records: Iterable[AssignedAnswer]) -> Counts:
    """Answers and their nugget labels."""
    listed = list(records)
    labels = Counter(label.label for answer in listed for label in answer.nuggets)
    return {"answers": len(listed), **_runs_and_topics(listed), **_labels(labels)}


def support(records: Iterable[SupportedAnswer]) -> Counts:
    """Answers, sentences and the labels of their citations."""
    listed = list(records)
    sentences = [sentence for answer in listed for sentence in answer.sentences]
    citations = [label for sentence in sentences for label in sentence.citations]
    labels = Counter(citation.label for citation in citations)
    return {
        "answers": len(listed),
        **_runs_and_topics(listed),
        "sentences": len(sentences),
        **_labels(labels),
    }


def coverage(records: Iterable[GroundedAnswer]) -> Counts:
    """Answers and nuggets, those that are held in full, and those of them that are grounded."""
    listed = list(records)
    nuggets = [nugget for answer in listed for nugget in answer.nuggets]
    return {
        "answers": len(listed),
        **_runs_and_topics(listed),
        "nuggets": len(nuggets),
        "full": sum(nugget.label == "full" for nugget in nuggets),
        "grounded": sum(nugget.grounded is True for nugget in nuggets),
    }


def citations(records: Iterable[WeighedAnswer]) -> Counts:
    """Answers, sentences, and how far all that a sentence cites supports it."""
    listed = list(records)
    sentences = [sentence for answer in listed for sentence in answer.sentences]
    return {
        "answers": len(listed),
        **_runs_and_topics(listed),
        "sentences": len(sentences),
        **_labels(Counter(sentence.together for sentence in sentences)),
    }


def claims(records: Iterable[ClaimLabel]) -> Counts:
    """Claims of answers by what an annotator said of them."""
    listed = list(records)
    labels = Counter(claim.label for claim in listed)
    return {"claims": len(listed), **_runs_and_topics(listed), **_labels(labels)}


def ratings(records: Iterable[tuple[str, Rows]]) -> Counts:
    """Topics, documents and their ratings."""
    listed = list(records)
    values = [rating for _, rows in listed for row in rows for rating in row]
    return {
        "topics": len(listed),
        "documents": sum(len(rows) for _, rows in listed),
        "ratings": len(values),
        "without a rating": values.count(None),
    }


def scores(records: Iterable[Score | Value]) -> Counts:
    """Scores by run, topic and measure; the mean is no topic."""
    listed = list(records)
    return {
        "scores": len(listed),
        "runs": _distinct(listed, "run_id"),
        "topics": len({score.topic_id for score in listed} - {"all"}),
        "measures": _distinct(listed, "measure"),
        "without a value": sum(score.value is None for score in listed),
    }


def documents(records: Iterable[object]) -> Counts:
    """Documents; nothing is held in memory."""
    return {"documents": sum(1 for _ in records)}


def nugget_scores(records: Iterable[tuple[tuple[str, str], Mapping[str, float | None]]]) -> Counts:
    """Answers that have nuggetizer's scores; the mean is none."""
    keys = [key for key, _ in records]
    return {
        "lines": len(keys),
        "runs": len({run_id for run_id, _ in keys}),
        "topics": len({topic_id for _, topic_id in keys} - {"all"}),
    }


def _distinct(records: Iterable[Any], name: str) -> int:
    return len({getattr(record, name) for record in records})


def _runs_and_topics(records: list[Any]) -> Counts:
    return {"runs": _distinct(records, "run_id"), "topics": _distinct(records, "topic_id")}


def _importances(records: Iterable[Nugget | SubNarrative]) -> Counts:
    counted = Counter(record.importance for record in records)
    named = {"vital": counted["vital"], "okay": counted["okay"]}
    return {**named, "without an importance": counted[None]}


def _labels(counted: Mapping[Support | None, int]) -> Counts:
    named: Counts = {label: counted.get(label, 0) for label in SUPPORTS}
    return {"labels": sum(counted.values()), **named, "without a label": counted.get(None, 0)}


Count = Callable[[Iterable[Any]], Counts]
