"""A track at its full size: 22 topics, 1255 nuggets, four systems, through a scripted server.

The server answers by rules that the test knows too, so that every label is foretold.
"""

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from judge.formats.grounded import read_grounded
from judge.formats.nuggets import read_nuggets
from judge.formats.subtopics import read_subtopic_qrels
from judge.injection import neutralise
from judge.metrics import parse_measures
from judge.types import Nugget
from tests.faults.commands import Desk, Done, desk
from tests.faults.server import ScriptedServer, prompt_of

DATA = Path(__file__).parents[3] / "shared" / "data" / "rag25"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not there")

SYSTEMS = ("ash", "elm", "fir", "oak")
SENTENCES, DOCUMENTS = 5, 3

_NUGGET = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
_SYSTEM = re.compile(r"System (\w+) says")
_DOCUMENT = re.compile(r"Document (\S+) tells")


def chance(*what: object) -> int:
    """A number from 0 to 9 that hangs on nothing but `what`."""
    return zlib.crc32("|".join(map(str, what)).encode()) % 10


def shown(nugget: Nugget) -> str:
    return neutralise(" ".join(nugget.text.split()))


def held(system: str, text: str) -> tuple[str, int]:
    """What a system says of a nugget, and in which sentence (from 1)."""
    number = chance(system, text)
    label = "full" if number < 4 else "partial" if number < 6 else "none"
    return label, 1 + chance("sentence", system, text) % SENTENCES


def holds(docid: str, text: str) -> str:
    return "full" if chance(docid, text) < 5 else "none"


def cited(sentence: int) -> int:
    """The place of the document that a sentence (from 1) cites."""
    return sentence % DOCUMENTS


def script(request: dict[str, Any], hit: int) -> str:
    del hit
    text = prompt_of(request)
    system, document = _SYSTEM.search(text), _DOCUMENT.search(text)
    if "response_format" not in request:
        return "label: full" if system else "##final score: 2"
    names = request["response_format"]["json_schema"]["schema"]["required"]
    texts = _NUGGET.findall(text.partition("<nuggets>")[2].partition("</nuggets>")[0])
    if document is not None:
        labels: list[Any] = [holds(document[1], nugget) for nugget in texts]
    else:
        found = [held(system[1] if system else "", nugget) for nugget in texts]
        labels = [
            {"label": label, "sentences": [] if label == "none" else [place]}
            for label, place in found
        ]
    return json.dumps(dict(zip(names, labels, strict=True)))


class Full(NamedTuple):
    """The run, how it ended, and what was asked."""

    run: Path
    done: Done
    planned: dict[str, int]
    hits: int


def rows(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def docids(topic_id: str) -> list[str]:
    return [f"d{topic_id}-{place}" for place in range(DOCUMENTS)]


def world(home: Path, topic_ids: list[str]) -> Path:
    """Write answers, a corpus, and the configuration of an assessment of everything."""
    corpus = [
        {"docid": docid, "text": f"Document {docid} tells of it. " + "It is long. " * 40}
        for topic_id in topic_ids
        for docid in docids(topic_id)
    ]
    rows(home / "corpus.jsonl", corpus)
    for system in SYSTEMS:
        said = [
            {"text": f"System {system} says {place}.", "citations": [cited(place)]}
            for place in range(1, SENTENCES + 1)
        ]
        answers = [
            {
                "metadata": {"team_id": "t", "run_id": system, "narrative_id": topic_id},
                "references": docids(topic_id),
                "answer": said,
            }
            for topic_id in topic_ids
        ]
        rows(home / f"answers.{system}.jsonl", answers)
    config = {
        "topics": json.dumps(str(DATA / "narratives.json")),
        "topic_ids": json.dumps(topic_ids),
        "answers": '["answers.*.jsonl"]',
        "corpus": '["corpus.jsonl"]',
        "nuggets.file": json.dumps(str(DATA / "nuggets.jsonl")),
        "locate.documents": '"cited"',
        "judge.concurrency": "8",
    }
    path = home / "full.toml"
    path.write_text("".join(f"{name} = {value}\n" for name, value in config.items()))
    return path


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Full]:
    home = tmp_path_factory.mktemp("full")
    topic_ids = list(dict.fromkeys(n.topic_id for n in read_nuggets(DATA / "nuggets.jsonl")))
    config = world(home, topic_ids)
    with ScriptedServer(script) as server:
        at: Desk = desk(home, server)
        planned = at.run("plan", "assess", config, *at.model, "--json")
        assert server.hits == 0
        done = at.run("assess", config, *at.model, "--out", "run", "--json")
        calls = {row["task"]: row["calls_to_pay"] for row in planned.json["tasks"]}
        yield Full(home / "run", done, calls, server.hits)


def key() -> list[Nugget]:
    return read_nuggets(DATA / "nuggets.jsonl")


def test_every_unit_is_judged_and_the_plan_was_right(full: Full) -> None:
    assert full.done.code == 0, full.done.err
    tasks = full.done.json["tasks"]
    assert {name: tally["units"] for name, tally in tasks.items()} == {
        "relevance": 22 * DOCUMENTS,
        "assign": 1255 * len(SYSTEMS),
        "locate": 1255 * DOCUMENTS,
        "support": 22 * len(SYSTEMS) * SENTENCES,
    }
    assert all(tally["failed"] == {} for tally in tasks.values())
    assert full.planned["all"] == full.hits
    assert full.planned == {
        **{name: tally["calls"] for name, tally in tasks.items()},
        "all": full.hits,
    }


def test_the_scores_are_those_of_the_labels(full: Full) -> None:
    found = {
        (row["run_id"], row["topic_id"]): row["value"]
        for row in full.done.json["scores"]
        if row["measure"] == "strict_vital_recall"
    }
    for system in SYSTEMS:
        topics: dict[str, list[bool]] = {}
        for nugget in key():
            if nugget.importance == "vital":
                full_there = held(system, shown(nugget))[0] == "full"
                topics.setdefault(nugget.topic_id, []).append(full_there)
        foretold = {topic_id: fmean(labels) for topic_id, labels in topics.items()}
        assert {t: found[system, t] for t in foretold} == pytest.approx(foretold)
        assert found[system, "all"] == pytest.approx(fmean(foretold.values()))


def test_documents_hold_what_they_were_said_to_hold(full: Full) -> None:
    texts = {(nugget.topic_id, nugget.nugget_id): shown(nugget) for nugget in key()}
    judged = read_subtopic_qrels(full.run / "subtopics.qrels")
    assert len(judged) == 1255 * DOCUMENTS
    for row in judged:
        label = holds(row.docid, texts[row.topic_id, row.subtopic])
        assert row.grade == (label == "full")


def test_coverage_is_what_is_held_and_cited(full: Full) -> None:
    answers = read_grounded(full.run / "coverage.jsonl")
    (measure,) = parse_measures("nugget_coverage")
    scored = {
        (row["run_id"], row["topic_id"]): row["value"]
        for row in full.done.json["scores"]
        if row["measure"] == "nugget_coverage"
    }
    assert len(answers) == 22 * len(SYSTEMS)
    nuggets = key()
    for answer in answers:
        listed = [nugget for nugget in nuggets if nugget.topic_id == answer.topic_id]
        expected = []
        for nugget in listed:
            label, place = held(answer.run_id, shown(nugget))
            document = docids(answer.topic_id)[cited(place)]
            expected.append(label == "full" and holds(document, shown(nugget)) == "full")
        assert measure.evaluate(answer).value == pytest.approx(fmean(expected))
        assert scored[answer.run_id, answer.topic_id] == pytest.approx(fmean(expected))


def test_taking_it_up_again_asks_nothing(full: Full) -> None:
    before = (full.run / "judgments.jsonl").read_bytes()
    with ScriptedServer(script) as server:
        at = desk(full.run.parent, server)
        model = ("--model", "openai/judge", "--base-url", _address(full.run))
        done = at.run("assess", "full.toml", *model, "--out", "run", "--only", "locate")
        assert done.code == 0, done.err
        assert server.hits == 0
    assert (full.run / "judgments.jsonl").read_bytes() == before


def _address(run: Path) -> str:
    return str(json.loads((run / "manifest.json").read_text(encoding="utf-8"))["base_url"])
