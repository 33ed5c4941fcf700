"""A batch that could only be answered in halves is not paid for whole again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import judge
from judge.sample import sample_path
from tests.faults.obliging import oblige
from tests.faults.server import Script, ScriptedServer

Serve = Callable[[Script], ScriptedServer]


def no_more_than(most: int) -> Script:
    """A judge that gets lost in batches of more than `most` nuggets."""

    def script(request: dict[str, Any], hit: int) -> str:
        reply = oblige(request, hit)
        return "I lost count." if len(json.loads(reply)) > most else reply

    return script


def assign(server: ScriptedServer, out: Path, **choices: Any) -> Any:
    folder = sample_path("narratives.json").parent
    return judge.assign_nuggets(
        str(folder / "narratives.json"),
        nuggets=str(folder / "nuggets.jsonl"),
        answers=[str(folder / "answers.alder.jsonl")],
        out=out,
        model="openai/judge",
        base_url=server.url,
        cache=out.parent / "cache",
        **choices,
    )


def test_a_halved_batch_costs_three_asks_a_unit_and_nothing_again(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve(no_more_than(6))
    first = assign(server, tmp_path / "first").tallies["assign"]
    # batches of 9, 10 + 2 and 10 + 1: three of them twice whole and once in each half
    assert server.hits == 3 * (2 + 2) + 2
    assert first.n_failed == 0
    again = assign(server, tmp_path / "again").tallies["assign"]
    assert (server.hits, again.calls, again.cached) == (3 * (2 + 2) + 2, 0, 3 * 2 + 2)
    assign(server, tmp_path / "fresh", fresh=True)
    assert server.hits == 2 * (3 * (2 + 2) + 2)


def test_a_batch_whose_half_failed_is_asked_again_whole(serve: Serve, tmp_path: Path) -> None:
    server = serve(no_more_than(4))
    first = assign(server, tmp_path / "first").tallies["assign"]
    assert first.n_failed == 5 + 10 + 10
    hits = server.hits
    server.script = no_more_than(10)
    again = assign(server, tmp_path / "first").tallies["assign"]
    assert (again.n_failed, again.before) == (0, first.units - first.n_failed)
    assert server.hits > hits


def test_units_with_one_prompt_are_not_asked_in_halves(serve: Serve, tmp_path: Path) -> None:
    """Two systems with the same sentence and citation: in halves it would be the same call."""

    def script(request: dict[str, Any], hit: int) -> str:
        return oblige(request, hit) if hit > 2 else "I cannot say."

    server = serve(script)
    sentence = {"text": "Heat pumps take heat from the air.", "citations": ["d1"]}
    answers = []
    for run_id in ("one", "two"):
        report = {
            "metadata": {"team_id": "t", "run_id": run_id, "topic_id": "1"},
            "responses": [sentence],
            "documents": {"d1": {"id": "d1", "text": "A heat pump takes heat from the air."}},
        }
        answers.append(tmp_path / f"{run_id}.jsonl")
        answers[-1].write_text(json.dumps(report))
    (tmp_path / "topics.jsonl").write_text(json.dumps({"id": "1", "title": "How do they work?"}))

    def support(out: str) -> Any:
        return judge.support(
            str(tmp_path / "topics.jsonl"),
            answers=[str(path) for path in answers],
            out=tmp_path / out,
            model="openai/judge",
            base_url=server.url,
            cache=tmp_path / "cache",
        ).tallies["support"]

    first = support("first")
    assert (first.units, first.n_failed, server.hits) == (2, 0, 3)
    again = support("again")
    assert (again.n_failed, again.calls, server.hits) == (0, 0, 3)
