"""Files of labels by people and judges, as tests of agreement need them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from judge.agreeing.agree import Agreement
from judge.cli import app
from judge.formats.assignments import write_assignments
from judge.formats.support import write_support
from judge.judgments import to_line
from judge.types import (
    AssignedAnswer,
    CitationLabel,
    Judgment,
    NuggetLabel,
    Support,
    SupportedAnswer,
    SupportedSentence,
)

FACTS = ("pumps move heat", "frost slows pumps", "radiators matter much")
ANSWER = "Our pumps move heat while frost slows them."


def qrels(path: Path, *rows: str) -> str:
    path.write_text("".join(f"{row}\n" for row in rows))
    return str(path)


def assigned(
    run_id: str, topic_id: str, labels: Sequence[Support | None], *, ids: bool = True, who: str = ""
) -> AssignedAnswer:
    nuggets = [
        NuggetLabel(
            nugget_id=f"n{i}" if ids else f"other{i}",
            text=FACTS[i],
            importance="vital",
            label=label,
        )
        for i, label in enumerate(labels)
    ]
    return AssignedAnswer(
        run_id=run_id, topic_id=topic_id, nuggets=tuple(nuggets), answer_text=ANSWER, annotator=who
    )


def assignments(path: Path, *answers: AssignedAnswer) -> str:
    write_assignments(path, answers)
    return str(path)


def support(path: Path, labels: Mapping[tuple[str, str], Sequence[Support | None]]) -> str:
    answers = []
    for (run_id, topic_id), given in labels.items():
        sentences = []
        for i, label in enumerate(given):
            status: Any = "failed" if label is None else "ok"
            citation = CitationLabel(mention=f"d{i}", docid=f"d{i}", status=status, label=label)
            sentences.append(SupportedSentence(text=f"Fact {i}.", citations=(citation,)))
        answers.append(
            SupportedAnswer(run_id=run_id, topic_id=topic_id, sentences=tuple(sentences))
        )
    write_support(path, answers)
    return str(path)


def run_of(path: Path, judgments: Sequence[Judgment]) -> str:
    path.mkdir()
    (path / "judgments.jsonl").write_bytes(b"".join(map(to_line, judgments)))
    return str(path)


def graded(topic_id: str, docid: str, label: int | None, **more: Any) -> Judgment:
    outcome: dict[str, Any] = {"label": label, "status": "ok"}
    if label is None:
        outcome = {"label": None, "status": "failed", "failure": "parse"}
    return Judgment(task="relevance", topic_id=topic_id, docid=docid, **outcome, **more)


def command(*words: str, code: int = 0) -> Any:
    result = CliRunner().invoke(app, ["agree", *words])
    if code == 0 and result.exception:
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def told(found: Agreement) -> str:
    return "\n".join(found.warnings)


HUMAN: dict[tuple[str, str], list[Support]] = {
    ("a", "t1"): ["full", "full", "none"],
    ("b", "t1"): ["full", "none", "none"],
    ("c", "t1"): ["none", "none", "none"],
    ("a", "t2"): ["full", "full", "full"],
    ("b", "t2"): ["full", "none", "none"],
    ("c", "t2"): ["none", "none", "partial"],
}


def human_file(path: Path, **more: Any) -> str:
    return assignments(path, *(assigned(*key, labels, **more) for key, labels in HUMAN.items()))
