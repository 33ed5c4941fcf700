"""Measures of rankings against the tools they are equal to, on random qrels and runs.

Runs have ties, documents that nobody judged and topics that are missing; qrels have topics
without a positive judgment, and negative grades.
"""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyndeval
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from judge import retrieving
from judge.formats.qrels import write_qrels
from judge.formats.runs import ranking, read_rankings
from judge.formats.subtopics import write_subtopic_qrels
from judge.metrics.names import all_ranking_measures, parse_ranking_measure
from judge.metrics.rankings.diversity import AlphaNDCG
from judge.types import Qrel, Ranked, SubtopicQrel

TOPICS = ["1", "2", "10"]
DOCIDS = [f"d{i}" for i in range(12)] + ["D#1_2", "\u00e9", "e\u0301"]
CUTOFFS = [1, 5, 20]
ALPHAS = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]

slow = settings(max_examples=150, deadline=None)
docids = st.sampled_from(DOCIDS)
topics = st.sampled_from(TOPICS)
close = 1.0 + 1e-9  # the same as 1.0 in single precision
scores = st.one_of(st.sampled_from([2.0, 1.0, close, 0.0, -1.5]), st.floats(-100, 100, width=32))
runs = st.dictionaries(st.tuples(topics, docids), scores, min_size=1)
grades = st.dictionaries(st.tuples(topics, docids), st.integers(-1, 4), min_size=1)
subtopic_rows = st.dictionaries(
    st.tuples(topics, st.sampled_from(["s3", "s1", "s10", "s2", "s7"]), docids),
    st.integers(-1, 2),
    min_size=1,
    max_size=60,
)


def ranked(run: dict[tuple[str, str], float]) -> list[Ranked]:
    return [Ranked(t, d, i, s, "r") for i, ((t, d), s) in enumerate(run.items(), start=1)]


def write_run(path: Path, rows: list[Ranked]) -> Path:
    lines = (f"{r.topic_id} Q0 {r.docid} {r.rank} {r.score!r} {r.run_id}\n" for r in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def values(
    qrels: Path, run: list[Ranked], measures: list[str], **choices: Any
) -> dict[tuple[str, str], float | None]:
    """Return (topic_id, measure) -> our value, through the files."""
    path = write_run(qrels.with_name("run.txt"), run)
    scored = retrieving.evaluate(qrels, [path], measures=" ".join(measures), **choices)
    return {(score.topic_id, score.measure): score.value for score in scored}


@given(subtopic_rows, runs, st.sampled_from(ALPHAS))
@slow
def test_diversity_is_that_of_ndeval(
    judged: dict[tuple[str, str, str], int], run: dict[tuple[str, str], float], alpha: float
) -> None:
    rows = [SubtopicQrel(*key, grade) for key, grade in judged.items()]
    official = {row.topic_id for row in rows}
    if not official & {topic_id for topic_id, _ in run}:
        return
    ours = {f"alpha_nDCG(alpha={alpha})@{k}": f"alpha-nDCG@{k}" for k in CUTOFFS}
    ours |= {f"StRecall@{k}": f"strec@{k}" for k in CUTOFFS}
    with TemporaryDirectory() as folder:
        qrels = Path(folder, "qrels.txt")
        write_subtopic_qrels(qrels, rows)
        got = values(qrels, ranked(run), list(ours), subtopics=True)
    # ndeval would break ties by docid ascending: it is handed scores without ties
    ordered = [
        (topic_id, docid, float(-rank))
        for topic_id, listed in ranking(ranked(run)).items()
        for rank, docid in enumerate(listed)
    ]
    theirs = pyndeval.ndeval([tuple(row) for row in rows], ordered, ours.values(), alpha=alpha)
    positive = {row.topic_id for row in rows if row.grade > 0}
    for name, official_name in ours.items():
        measure = str(parse_ranking_measure(name))
        for topic_id in official:
            expected = theirs.get(topic_id, {}).get(official_name, 0.0)
            if topic_id in positive:
                assert got[topic_id, measure] == pytest.approx(expected, abs=1e-9)
            else:
                assert got[topic_id, measure] is None
                assert expected == 0.0


@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_ideal_is_that_of_ndeval_however_many_gains_are_equal(alpha: float) -> None:
    """Many documents, few subtopics: which of equal documents comes first decides what follows."""
    chance = random.Random(f"{alpha}")
    rows = [
        SubtopicQrel(str(topic), str(subtopic), f"d{number:02}", 1)
        for topic in range(150)
        for number in range(chance.choice([6, 30]))
        for subtopic in range(chance.choice([4, 9]))
        if chance.random() < 0.4
    ]
    topics = list(dict.fromkeys(row.topic_id for row in rows))
    run = [(topic_id, "d03", 1.0) for topic_id in topics]
    theirs = pyndeval.ndeval([tuple(row) for row in rows], run, ["alpha-nDCG@20"], alpha=alpha)
    numbers = {name: n for n, name in enumerate(dict.fromkeys(row.subtopic for row in rows))}
    for topic_id in topics:
        judged: dict[str, list[int]] = {}
        for row in rows:
            if row.topic_id == topic_id:
                judged.setdefault(row.docid, []).append(numbers[row.subtopic])
        scorer = AlphaNDCG(20, alpha).scorer({docid: sorted(has) for docid, has in judged.items()})
        assert scorer is not None
        assert scorer(["d03"]) == pytest.approx(theirs[topic_id]["alpha-nDCG@20"], abs=1e-9)


TREC = {
    "nDCG": "ndcg",
    "nDCG@1": "ndcg_cut_1",
    "nDCG@5": "ndcg_cut_5",
    "RR": "recip_rank",
    "AP": "map",
    "AP@5": "map_cut_5",
    "R@5": "recall_5",
    "R@1000": "recall_1000",
    "P@5": "P_5",
    "P@20": "P_20",
    "P": "set_P",
    "R": "set_recall",
}


def is_graded(name: str) -> bool:
    return name.startswith("nDCG")


@given(grades, runs, st.integers(1, 4))
@slow
def test_relevance_is_that_of_trec_eval(
    judged: dict[tuple[str, str], int], run: dict[tuple[str, str], float], rel: int
) -> None:
    rows = [Qrel(*pair, grade) for pair, grade in judged.items()]
    by_topic: dict[str, dict[str, int]] = {}
    for row in rows:  # negative grades make pytrec_eval read beyond its arrays, and hang
        by_topic.setdefault(row.topic_id, {})[row.docid] = max(row.grade, 0)
    scored: dict[str, dict[str, float]] = {}
    for (topic_id, docid), score in run.items():
        scored.setdefault(topic_id, {})[docid] = score
    if not by_topic.keys() & scored.keys():
        return
    names = {n: n if is_graded(n) else n.replace("@", f"(rel={rel})@") for n in TREC}
    names |= {n: f"{n}(rel={rel})" for n in ("RR", "AP", "P", "R")}
    with TemporaryDirectory() as folder:
        qrels = Path(folder, "qrels.txt")
        write_qrels(qrels, rows)
        got = values(qrels, ranked(run), list(names.values()), empty_as_zero=True)
    evaluator = pytrec_eval.RelevanceEvaluator(by_topic, set(TREC.values()), relevance_level=rel)
    theirs = evaluator.evaluate(scored)
    for name, official_name in TREC.items():
        measure = str(parse_ranking_measure(names[name]))
        each = [theirs.get(topic_id, {}).get(official_name, 0.0) for topic_id in by_topic]
        for topic_id, expected in zip(by_topic, each, strict=True):
            assert got[topic_id, measure] == pytest.approx(expected, abs=1e-9)
        assert got["all", measure] == pytest.approx(sum(each) / len(each), abs=1e-9)


@given(runs)
@slow
def test_runs_rank_as_trec_eval_ranks_them(run: dict[tuple[str, str], float]) -> None:
    """Whichever document alone is relevant, its reciprocal rank tells where it stands."""
    with TemporaryDirectory() as folder:
        path = write_run(Path(folder, "run.txt"), ranked(run))
        ours = read_rankings(path).topics
    assert ours == ranking(ranked(run))
    for topic_id, listed in ours.items():
        scored = {d: s for (t, d), s in run.items() if t == topic_id}
        for rank, docid in enumerate(listed, start=1):
            evaluator = pytrec_eval.RelevanceEvaluator({"t": {docid: 1}}, {"recip_rank"})
            found = evaluator.evaluate({"t": scored})["t"]["recip_rank"]
            assert found == pytest.approx(1 / rank)


held = st.dictionaries(docids, st.sets(st.integers(0, 6)).map(sorted).map(tuple), min_size=1)
rankings = st.lists(docids, unique=True, min_size=1)
everything = [
    parse_ranking_measure(name)
    for plain in all_ranking_measures()
    for name in (str(plain), f"{plain.name}@1", f"{plain.name}@3", f"{plain.name}@50")
]


@given(held, rankings, st.sampled_from(everything))
@slow
def test_every_value_is_in_the_range_of_its_measure(
    judged: dict[str, tuple[int, ...]], listed: list[str], measure: Any
) -> None:
    counts = {docid: len(has) for docid, has in judged.items()}
    scorer = measure.scorer(judged if measure.kind == "subtopics" else counts)
    if scorer is None:
        assert not any(judged.values())
        return
    low, high = measure.range
    assert low <= scorer(listed)
    assert high is None or scorer(listed) <= high + 1e-12


@given(held, rankings, st.sampled_from(everything))
@slow
def test_what_stands_below_the_cutoff_plays_no_part(
    judged: dict[str, tuple[int, ...]], listed: list[str], measure: Any
) -> None:
    counts = {docid: len(has) for docid, has in judged.items()}
    scorer = measure.scorer(judged if measure.kind == "subtopics" else counts)
    if scorer is not None and measure.cutoff is not None:
        above = listed[: measure.cutoff]
        below = [docid for docid in DOCIDS if docid not in above]
        padded = [*above, *["x"] * (measure.cutoff - len(above))]
        if measure.name != "judged":
            assert scorer(above) == scorer(padded) == scorer([*padded, *below])


@given(held)
@slow
def test_the_greedy_ranking_itself_scores_1(judged: dict[str, tuple[int, ...]]) -> None:
    greedy, seen = [], dict.fromkeys(range(7), 1.0)
    left = sorted(judged, reverse=True)
    while left:
        best = max(left, key=lambda docid: sum(seen[s] for s in judged[docid]))
        greedy.append(best)
        left.remove(best)
        for subtopic in judged[best]:
            seen[subtopic] *= 0.5
    for name in ("alpha_nDCG", "alpha_nDCG@1", "alpha_nDCG@2", "alpha_nDCG@30"):
        scorer = parse_ranking_measure(name).scorer(judged)
        assert scorer is None or scorer(greedy) == pytest.approx(1.0, abs=1e-12)
