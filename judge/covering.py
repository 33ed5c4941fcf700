"""Coverage from what a run has judged already: no model is asked.

It takes the assign labels of the run with the sentences that carry each nugget, what these cite,
and its locate labels or the nuggets' own gold lists of documents.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from judge.cited import GroundedAnswer
from judge.citing import CitedDocuments
from judge.corpora import Corpora, InlineCorpus, find_sources, open_corpora
from judge.editing import read_any
from judge.errors import InputError
from judge.formats.answers import read_all_answers
from judge.formats.grounded import write_grounded
from judge.formats.nugget_fields import grouped
from judge.formats.paths import expand
from judge.formats.topics import read_topics
from judge.grounds import Grounding
from judge.judgments import read_judgments
from judge.runs import COVERAGE, JUDGMENTS, TOPICS
from judge.shown import DOCUMENTS, ShownDocuments, shown_answers
from judge.tasks.assign import Assign
from judge.tasks.locate import Locate
from judge.types import Answer, Judgment

_TASKS = (Assign.name, Locate.name)


def cover(
    run: Path,
    *,
    answers: Sequence[str] = (),
    nuggets: str | Path | None = None,
    corpus: Sequence[str] = (),
    gold: bool = False,
) -> list[GroundedAnswer]:
    """Ground the nuggets that answers hold; writes coverage.jsonl in the run directory.

    Args:
        run: a run directory with assign labels.
        answers: the answers; those that the run keeps if none are given.
        nuggets: the nuggets file; that of the run if none is given.
        corpus: files of documents; only to tell apart documents that answers carry themselves.
        gold: use the nuggets' own lists of documents, where they have them.

    Raises:
        InputError: a file cannot be read, or the run has no assign labels or no answers.
        UsageError: the file cannot be written.
    """
    judgments = _judgments(run)
    if not any(judgment.task == Assign.name for judgment in judgments.values()):
        raise InputError("the run has no nugget labels; run `nuggets assign` on it", path=run)
    topics = {topic.topic_id for topic in read_topics(run / TOPICS)}
    given = read_all_answers(expand(answers)) if answers else shown_answers(run)
    judged = [answer for answer in given if answer.topic_id in topics]
    if not judged:
        raise InputError("there are no answers: name them with --answers", path=run)
    key = grouped(read_any(run if nuggets is None else nuggets))
    with _corpora(run, corpus, judged) as corpora:
        grounding = Grounding(judgments, CitedDocuments(corpora, judged), gold=gold)
        grounded = list(grounding.answers(judged, key))
    write_grounded(run / COVERAGE, grounded)
    return grounded


def summary(answers: Iterable[GroundedAnswer]) -> dict[str, dict[str, Any]]:
    """Count, for each run, nuggets, those held and grounded, and the reasons why others are not."""
    runs: dict[str, dict[str, Any]] = {}
    for answer in answers:
        row = runs.setdefault(
            answer.run_id,
            {"answers": 0, "nuggets": 0, "held": 0, "grounded": 0, "reasons": Counter()},
        )
        held = [nugget for nugget in answer.nuggets if nugget.label in ("full", "partial")]
        row["answers"] += 1
        row["nuggets"] += len(answer.nuggets)
        row["held"] += len(held)
        row["grounded"] += sum(nugget.grounded is True for nugget in held)
        row["reasons"].update(nugget.reason for nugget in held if nugget.reason is not None)
    return {run_id: {**row, "reasons": dict(row["reasons"])} for run_id, row in runs.items()}


def _judgments(run: Path) -> Mapping[str, Judgment]:
    """The last judgment of each unit of assign and locate."""
    return {judgment.unit_id: judgment for judgment in read_judgments(run / JUDGMENTS, _TASKS)}


def _corpora(run: Path, corpus: Sequence[str], answers: Sequence[Answer]) -> Corpora:
    if corpus:
        return open_corpora(find_sources(corpus), answers)
    kept = [ShownDocuments(run)] if (run / DOCUMENTS).is_file() else []
    return Corpora(kept, InlineCorpus(answers))
