"""A made-up run that has something of everything a report shows, hostile text in every field."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.cited import GroundedAnswer, GroundedNugget
from judge.dossier import Sources, open_dossier
from judge.formats.assignments import write_assignments
from judge.formats.grounded import write_grounded
from judge.formats.nuggets import write_nuggets
from judge.formats.support import write_support
from judge.formats.topics import write_topics
from judge.judgments import to_line
from judge.manifest import Manifest, Stage
from judge.report.html import Written, write_report
from judge.runs import (
    ASSIGNMENTS,
    COVERAGE,
    JUDGMENTS,
    LEDGER,
    MANIFEST,
    NUGGETS,
    SUPPORT,
    TOPICS,
)
from judge.shown import Shown
from judge.types import (
    Answer,
    AssignedAnswer,
    Citation,
    CitationLabel,
    Document,
    Judgment,
    Nugget,
    NuggetLabel,
    Sentence,
    SubNarrative,
    SupportedAnswer,
    SupportedSentence,
    Topic,
    Unit,
)
from judge_cache import open_store

EVIL = (
    "</script><script>window.planted = 1</script><img src=x onerror='window.planted = 2'>"
    '"><svg onload=window.planted=3> {{7*7}} ${window.planted=4} javascript:planted=5 \u2028'
)
"""Text that runs where it is taken for markup or script."""

TOPICS_IDS = ("t 1/ä?#%|&", "<b>t2</b>")
RUNS = ("alpha/1 #?", "be|ta <i>", "gamma")
DOCIDS = ("doc#1|%2F", "<img src=x onerror=window.planted=6>")
LABELS = {RUNS[0]: "full", RUNS[1]: "partial", RUNS[2]: "none"}
KEY = "ab" * 32
FAILED = Unit(task="assign", topic_id=TOPICS_IDS[1], run_id=RUNS[1], nugget_id="n2")


@dataclass(frozen=True)
class Folder:
    """Where everything of the run lies."""

    path: Path

    @property
    def run(self) -> Path:
        return self.path / "a run"

    @property
    def cache(self) -> Path:
        return self.path / "cache"

    @property
    def sources(self) -> Sources:
        """The run with everything beside it."""
        return Sources(
            cache=self.cache,
            retrieval=self.path / "retrieval.jsonl",
            agreements=[self.path / "agreement.json"],
            disagreements=[self.path / "disagreements.jsonl"],
            rules={"allow_incomplete": True},
        )

    def report(self, **choices: Any) -> Written:
        """Write the report."""
        with open_dossier(self.run, self.sources, print) as dossier:
            return write_report(dossier, self.path / "report.html", **choices)


def hostile(path: Path) -> Folder:
    """Write the run into a folder."""
    folder = Folder(path)
    folder.run.mkdir(parents=True)
    _inputs(folder.run)
    _labels(folder.run)
    _judgments(folder.run)
    _manifest(folder.run)
    _beside(folder)
    with open_store(folder.cache) as store:
        messages: list[dict[str, Any]] = [{"role": "system", "content": f"sys {EVIL}"}]
        messages += [{"role": "user", "content": [{"type": "text", "text": f"ask {EVIL}\nb"}]}]
        entry = {"request": {"messages": messages}, "reply": {"text": f"replied {EVIL}"}}
        store.put(KEY, entry, tag="openai judge x")
    return folder


def topics() -> list[Topic]:
    parts = (
        SubNarrative(sub_id="1", text=f"part one {EVIL}", importance="vital"),
        SubNarrative(sub_id="2", text="part two"),
    )
    return [
        Topic(
            topic_id=topic_id,
            title=f"title {EVIL}",
            narrative=f"narrative {EVIL}",
            background=f"background {EVIL}",
            sub_narratives=parts,
        )
        for topic_id in TOPICS_IDS
    ]


def nuggets(topic: Topic) -> list[Nugget]:
    groups = (topic.sub_narratives[0].text, f"New: {EVIL}", None)
    return [
        Nugget(
            nugget_id=f"n{i}",
            topic_id=topic.topic_id,
            text=f"nugget {i} {EVIL}",
            importance="okay" if i == 3 else "vital",
            sub_narrative=group,
            docids=DOCIDS[:1],
        )
        for i, group in enumerate(groups, start=1)
    ]


def _inputs(run: Path) -> None:
    write_topics(run / TOPICS, topics())
    listed = [nugget for topic in topics() for nugget in nuggets(topic)]
    write_nuggets(run / NUGGETS, listed, {})
    shown = Shown(run)
    for number, docid in enumerate(DOCIDS):
        text = f"passage {number} {EVIL}\nits second line"
        shown.document(
            Document(
                docid=docid, text=text, title=f"passage title {EVIL}", url="javascript:alert(1)"
            )
        )
    shown.answers(
        Answer(
            run_id=run_id,
            topic_id=topic_id,
            sentences=(
                Sentence(text=f"first {EVIL}", citations=(Citation(mention="0", docid=DOCIDS[0]),)),
            ),
        )
        for topic_id in TOPICS_IDS
        for run_id in RUNS
    )
    shown.close()


def _label_of(unit: Unit) -> str | None:
    if unit == FAILED:
        return None
    return LABELS[unit.run_id or RUNS[0]]


def _labels(run: Path) -> None:
    assigned, grounded, supported = [], [], []
    for topic in topics():
        for run_id in RUNS:
            names = {"run_id": run_id, "topic_id": topic.topic_id}
            labels = []
            for nugget in nuggets(topic):
                unit = Unit("assign", topic.topic_id, run_id, nugget.nugget_id)
                kept = nugget.model_dump(
                    include={"nugget_id", "text", "importance", "sub_narrative"}
                )
                labels.append(NuggetLabel.model_validate({**kept, "label": _label_of(unit)}))
            text = f"first {EVIL}"
            assigned.append(AssignedAnswer(nuggets=tuple(labels), answer_text=text, **names))
            found = [
                GroundedNugget(
                    **label.model_dump(),
                    sentences=(0,) if label.label in ("full", "partial") else (),
                    grounded=False,
                    reason="cited document does not hold it",
                )
                for label in labels
            ]
            grounded.append(GroundedAnswer(nuggets=tuple(found), **names))
            supported.append(SupportedAnswer(sentences=_sentences(run_id), **names))
    write_assignments(run / ASSIGNMENTS, assigned)
    write_grounded(run / COVERAGE, grounded)
    write_support(run / SUPPORT, supported)


def _sentences(run_id: str) -> tuple[SupportedSentence, ...]:
    first: dict[str, Any] = {"mention": "0", "docid": DOCIDS[0], "label": LABELS[run_id]}
    citations = (
        CitationLabel(status="ok", **first),
        CitationLabel(mention="1", docid=DOCIDS[1], status="unjudged"),
        CitationLabel(mention=f"9 {EVIL}", docid=None, status="invalid"),
    )
    return (
        SupportedSentence(text=f"first {EVIL}", citations=citations),
        SupportedSentence(text=f"second {EVIL}"),
    )


def _judgments(run: Path) -> None:
    made = {"model": f"model {EVIL}", "template": f"template {EVIL}", "template_sha256": "f" * 64}
    units = [
        *(Unit(task="assign", topic_id=t, run_id=r, nugget_id=f"n{i}") for t in TOPICS_IDS
          for r in RUNS for i in (1, 2, 3)),
        *(Unit(task="support", topic_id=t, run_id=r, sentence=0, docid=DOCIDS[0])
          for t in TOPICS_IDS for r in RUNS),
        *(Unit(task="locate", topic_id=t, nugget_id="n1", docid=DOCIDS[0]) for t in TOPICS_IDS),
        *(Unit(task="importance", topic_id=t, nugget_id="n1") for t in TOPICS_IDS),
        *(Unit(task="weigh", topic_id=t, run_id=RUNS[0], sentence=0) for t in TOPICS_IDS),
        *(Unit(task="create", topic_id=t, window=f"0-{EVIL}") for t in TOPICS_IDS),
    ]  # fmt: skip
    lines = [to_line(_judged(unit, made)) for unit in units]
    for topic_id in TOPICS_IDS:
        for grade, docid in enumerate(DOCIDS, start=2):
            unit = Unit(task="relevance", topic_id=topic_id, docid=docid)
            detail = {"parts": {"1": "detailed", "2": "absent"}, "related": True, "extra": EVIL}
            data: dict[str, Any] = {**made, "label": grade, "status": "ok", "key": KEY}
            data |= {"reason": f"reason {EVIL}", "detail": {**detail, "samples": [grade, 1, grade]}}
            data |= {"probabilities": {"2": 0.7, EVIL: 0.3}}
            data |= {"flags": (f"injection_suspected:{EVIL}",)}
            lines.append(to_line(Judgment(*unit.parts, **data)))
    (run / JUDGMENTS).write_bytes(b"".join(lines))
    attempt = {"key": "k", "failure": "parse", "message": f"message {EVIL}", "raw": f"raw {EVIL}"}
    failure = {"unit_ids": [FAILED.unit_id], **attempt}
    (run / "failures.jsonl").write_text(json.dumps(failure) + "\n", encoding="utf-8")
    entry = {"task": "assign", "units": 3, "cached": False, "cost": 0.25, "prompt_tokens": 900}
    ledger = [entry, {**entry, "cost": None, "failure": "parse"}, {**entry, "cached": True}]
    text = "".join(json.dumps(line) + "\n" for line in ledger)
    (run / LEDGER).write_text(text, encoding="utf-8")


def _judged(unit: Unit, made: dict[str, Any]) -> Judgment:
    data: dict[str, Any] = {**made, "reason": f"reason {EVIL}"}
    label = "vital" if unit.task == "importance" else _label_of(unit)
    if label is None:
        return Judgment(*unit.parts, **data, label=None, status="failed", failure="parse")
    detail = {"sentences": [0]} if unit.task == "assign" and label != "none" else {}
    return Judgment(*unit.parts, **data, label=label, status="ok", key=KEY, detail=detail)


def _manifest(run: Path) -> None:
    stage = Stage(template=f"template {EVIL}", template_sha256="f" * 64, choices={"x": EVIL})
    manifest = Manifest(
        tool_version="0",
        git_revision=None,
        packages={},
        created="2026-01-02T03:04:05+00:00",
        model=f"model {EVIL}",
        base_url=None,
        parameters={"temperature": 0.0},
        stages={"assign": stage, "support": stage},
        commands=(f"rag-judge {EVIL}",),
    )
    (run / MANIFEST).write_text(manifest.model_dump_json(), encoding="utf-8")


def _beside(folder: Folder) -> None:
    scores = [
        {"run_id": run_id, "topic_id": "all", "measure": "nDCG@20", "value": value}
        for run_id, value in zip(RUNS, (0.9, 0.4, 0.2), strict=True)
    ]
    text = "".join(json.dumps(score) + "\n" for score in scores)
    (folder.path / "retrieval.jsonl").write_text(text, encoding="utf-8")
    statistics = dict.fromkeys(("exact", "kappa", "kappa_linear", "mae", "bias"), 0.5)
    ranking = {"human": dict.fromkeys(RUNS, 0.5), "judge": {RUNS[0]: 0.2, RUNS[1]: 0.9}}
    over_all = {"n": 3, "kendall": -0.333, "tau_ap": 0.0, "spearman": 0.1, "rmse": 0.2}
    agreement = {
        "n": 12,
        "labels": ["none", "full", "<img src=x onerror=window.planted=7>"],
        "confusion": [[4, 2, 0], [1, 5, 0], [0, 0, 0]],
        "kind": "assign",
        "human": f"people {EVIL}",
        "judge": f"judge {EVIL}",
        "intervals": {"exact": [0.2, 0.8]},
        "topics": {TOPICS_IDS[0]: {"n": 6, **statistics}},
        "systems": {RUNS[0]: {"n": 6, **statistics}},
        "rankings": [{"measure": "m", "n_topics": 2, "over_all": over_all, **ranking}],
        "warnings": [f"warning {EVIL}"],
        "lexical": {"judge_kappa": 0.2, "overlap_kappa": 0.4, "finding": "not above"},
        **statistics,
    }
    (folder.path / "agreement.json").write_text(json.dumps(agreement), encoding="utf-8")
    unit = Unit(task="assign", topic_id=TOPICS_IDS[0], run_id=RUNS[0], nugget_id="n1")
    row = {"unit_id": unit.unit_id, "topic_id": unit.topic_id, "run_id": unit.run_id}
    rows = [
        {**row, "human": "none", "judge": "full", "claim": f"claim {EVIL}", "reason": EVIL},
        {**row, "unit_id": FAILED.unit_id, "run_id": RUNS[1], "human": "full", "judge": "none"},
    ]
    sheet = "".join(json.dumps(line) + "\n" for line in rows)
    (folder.path / "disagreements.jsonl").write_text(sheet, encoding="utf-8")
