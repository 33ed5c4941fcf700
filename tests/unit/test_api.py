"""The verbs as functions: plain, in a running event loop, twice in one process, as async twins."""

import asyncio
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

import judge
from judge import api
from judge.config import AssessConfig, RelevanceConfig
from judge.errors import IncompleteError, InputError, ModelError, StoppedError, UsageError
from judge.formats.qrels import read_qrels
from judge.formats.scores import read_scores, write_scores
from judge.formats.support import read_support
from judge.verbs import Result
from tests.faults.commands import CALLS, SAMPLE, UNITS, Desk, Serve, desk, known, labels
from tests.faults.obliging import oblige
from tests.faults.server import error

TOPICS, CORPUS = str(SAMPLE / "narratives.json"), [str(SAMPLE / "corpus.jsonl")]
CEDAR = [str(SAMPLE / "answers.cedar.jsonl")]


def choices(at: Desk, out: str = "run", **more: Any) -> dict[str, Any]:
    """What every judging verb takes here."""
    return {
        "out": at.home / out,
        "model": "openai/judge",
        "base_url": at.server.url,
        "cache": at.home / "cache",
        **more,
    }


def test_the_package_offers_the_verbs_and_nothing_else() -> None:
    assert sorted(judge.__all__) == sorted(
        name
        for name, value in vars(api).items()
        if inspect.isfunction(value)
        and value.__module__ == "judge.api"
        and not name.startswith("_")
    )
    for name in judge.__all__:
        assert getattr(judge, name) is getattr(api, name)
        assert inspect.iscoroutinefunction(getattr(judge, name)) == name.endswith("_async")
    with pytest.raises(AttributeError, match="module 'judge' has no attribute 'grade'"):
        judge.grade  # noqa: B018


def test_assess_and_score_twice_in_one_process(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    config = at.config()
    first = judge.assess(config, **choices(at))
    second = judge.assess(str(config), **choices(at, out="again"))
    assert at.server.hits == sum(CALLS.values())
    assert {name: tally.units for name, tally in first.tallies.items()} == UNITS
    assert [tally.cached for tally in second.tallies.values()] == list(CALLS.values())
    assert second.scores == first.scores == read_scores(first.run / "scores.jsonl")
    assert first.run == tmp_path / "run"
    assert (first.complaint, first.skipped) == (
        None,
        {"nuggets": f"given in {SAMPLE / 'nuggets.jsonl'}"},
    )
    assert labels(first.run) == labels(second.run)
    scores = judge.score(first.run)
    assert scores == first.scores
    (mean,) = [
        s
        for s in judge.score(str(first.run), measures="strict_vital_recall")
        if (s.run_id, s.topic_id) == ("birch", "all")
    ]
    assert (mean.value, mean.n_judged, mean.n_failed) == (0.0, 22, 0)


def test_plain_verbs_in_a_running_event_loop(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))

    async def notebook() -> None:
        for out in ("first", "second"):
            result = judge.support(TOPICS, answers=CEDAR, corpus=CORPUS, **choices(at, out))
            assert result.tallies["support"].n_failed == 0
        with pytest.raises(InputError, match="no such file or folder"):
            judge.support("none.json", answers=CEDAR, **choices(at))

    asyncio.run(notebook())
    assert at.server.hits == 5
    assert read_support(tmp_path / "first" / "support.jsonl")
    assert labels(tmp_path / "first") == labels(tmp_path / "second")


@pytest.mark.skipif(sys.platform == "win32", reason="uvloop does not run there")
def test_another_event_loop_twice_in_one_process(tmp_path: Path, serve: Serve) -> None:
    import uvloop

    at = desk(tmp_path, serve(known))
    for out in ("first", "second"):
        work = judge.support_async(TOPICS, answers=CEDAR, corpus=CORPUS, **choices(at, out))
        assert uvloop.run(work).tallies["support"].n_failed == 0
    assert at.server.hits == 5
    assert labels(tmp_path / "first") == labels(tmp_path / "second")


def test_async_twins_side_by_side_in_one_loop(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(oblige))
    runs = str(SAMPLE / "run.cedar.txt")
    qrels = str(SAMPLE / "qrels.reference.txt")
    nuggets = str(SAMPLE / "nuggets.jsonl")

    async def all_of_them() -> tuple[Result, Result, Result, Result, Result]:
        return await asyncio.gather(
            judge.relevance_async(TOPICS, corpus=CORPUS, pool=[runs], depth=2, **choices(at, "a")),
            judge.create_nuggets_async(TOPICS, corpus=CORPUS, qrels=qrels, **choices(at, "b")),
            judge.assign_nuggets_async(TOPICS, answers=CEDAR, nuggets=nuggets, **choices(at, "c")),
            judge.support_async(TOPICS, answers=CEDAR, corpus=CORPUS, **choices(at, "d")),
            judge.assess_async(
                AssessConfig(
                    topics=TOPICS,
                    corpus=(CORPUS[0],),
                    answers=(CEDAR[0],),
                    relevance=RelevanceConfig(pool=(runs,), depth=1),
                ),
                **choices(at, "e", only=["relevance"]),
            ),
        )

    graded, created, assigned, supported, assessed = asyncio.run(all_of_them())
    assert graded.tallies["relevance"].units == 6
    assert list(created.tallies) == ["create", "importance", "mapping"]
    assert assigned.tallies["assign"].units == 32
    assert supported.tallies["support"].units == 5
    assert len(read_qrels(assessed.run / "qrels.txt")) == 3
    assert assessed.skipped["assign"] == "not asked for (--only)"


def test_runs_are_compared_and_measures_correlated(tmp_path: Path) -> None:
    labels = [str(SAMPLE / "assignments.reference.jsonl")]
    measures = "strict_vital_recall"
    (found,) = judge.compare(assignments=labels, measures=measures, pair=("alder", "cedar"))
    assert (found.difference, found.p, found.n_topics) == (1.0, 0.25, 3)
    assert len(judge.compare(assignments=labels, baseline="alder", max_failed=0.5)) == 2 * 5
    write_scores(tmp_path / "scores.jsonl", judge.score(assignments=labels, measures=measures))
    report = judge.correlate(tmp_path, tmp_path / "scores.jsonl", by="topic")
    assert {c.over for c in report.correlations} == {"pooled", "topics", "topic"}
    assert report.correlations[0].pearson.value == pytest.approx(1.0)


def test_failures_are_told_by_the_result_and_raised_by_its_check(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(lambda request, hit: "Hm."))
    words: dict[str, Any] = {"answers": CEDAR, "corpus": CORPUS}
    result = judge.support(TOPICS, **words, **choices(at))
    assert at.server.hits == 3 * 5
    assert result.tallies["support"].failed == {"parse": 5}
    with pytest.raises(IncompleteError, match="5 of 5 support judgments failed") as refused:
        result.check()
    assert refused.value.exit_code == 3
    allowed = judge.support(TOPICS, **words, **choices(at, max_failed=1.0, offline=True))
    with pytest.raises(IncompleteError, match="5 units have no stored reply"):
        allowed.check()
    at.server.script = lambda request, hit: error(403, "not yours")
    with pytest.raises(StoppedError, match="not yours") as stopped:
        judge.support(TOPICS, **words, **choices(at))
    assert stopped.value.exit_code == 4


def test_choices_that_cannot_work(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    words: dict[str, Any] = {"answers": CEDAR, "corpus": CORPUS}
    with pytest.raises(InputError, match="'temperature'"):
        judge.support(TOPICS, **words, **choices(at, temperature=3))
    with pytest.raises(ModelError, match="names no provider"):
        judge.support(TOPICS, **words, **choices(at, model="judge"))
    with pytest.raises(UsageError, match="nothing to score"):
        judge.score()
    with pytest.raises(UsageError, match="there is no run directory"):
        judge.score(tmp_path / "none")
    with pytest.raises(TypeError, match="temprature"):
        judge.support(TOPICS, **words, **choices(at, temprature=1))
    assert at.server.hits == 0
    assert not (tmp_path / "run").exists()


def test_an_unknown_setting_in_a_configuration_is_an_input_error(
    tmp_path: Path, serve: Serve
) -> None:
    at = desk(tmp_path, serve(known))
    config = at.config("[judge]\ntemprature = 1\n")
    with pytest.raises(InputError, match="temprature"):
        judge.assess(config, **choices(at))


def test_settings_given_stand_over_those_of_the_configuration(tmp_path: Path, serve: Serve) -> None:
    at = desk(tmp_path, serve(known))
    config = at.config("[judge]\nmodel = 'openai/other'\nlimit = 1\nconcurrency = 1\n")
    judge.assess(config, **choices(at))
    assert {body["model"] for body in at.server.requests} == {"judge"}
    assert at.server.hits == 3
    assert at.server.busiest == 1


def test_files_and_prompts_are_looked_at(tmp_path: Path) -> None:
    (report,) = judge.validate(CEDAR, topics=TOPICS, corpus=CORPUS)
    assert (report.kind, report.number("error")) == ("answers", 0)
    listed = {prompt.name: prompt.origin for prompt in judge.list_prompts()}
    assert listed["support/trec2025"] == "built in"
    unit = next(iter(judge.show_prompt("support/trec2025").call.units))
    given: dict[str, Any] = {"topics": TOPICS, "answers": CEDAR, "corpus": CORPUS}
    shown = judge.show_prompt("support/trec2025", **given)
    assert shown.call.units[0].run_id == "cedar" != unit.run_id
    (tmp_path / "support").mkdir()
    (tmp_path / "support" / "mine.j2").write_text("no head", encoding="utf-8")
    (checked,) = judge.check_prompts(tmp_path)
    assert checked.number("error")
    with pytest.raises(UsageError, match="there is no folder"):
        judge.list_prompts(tmp_path / "none")
