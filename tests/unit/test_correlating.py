"""Two leaderboards brought together: runs, topics, means, and what does not enter."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge.correlating import Dot, Study, study
from judge.errors import InputError, UsageError
from judge.report.correlations import correlation_remarks, correlation_tables
from judge.report.scatter import write_scatter
from tests.unit.test_leaderboard import shown

RUNS = ["a", "b", "c", "d"]
Given = dict[str, dict[str, float | None]]  # run_id -> topic_id -> value


def write(path: Path, **measures: Given) -> Path:
    """A leaderboard of these measures."""
    rows = [
        {"run_id": run, "topic_id": topic, "measure": measure, "value": value}
        for measure, runs in measures.items()
        for run, topics in runs.items()
        for topic, value in topics.items()
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def means(*values: float | None, runs: list[str] = RUNS) -> Given:
    return {run: {"all": value} for run, value in zip(runs, values, strict=True)}


def topics(*columns: list[float], runs: list[str] = RUNS) -> Given:
    """Topics t0, t1, ...: a column of values each, one a run."""
    return {
        run: {f"t{t}": column[i] for t, column in enumerate(columns)} for i, run in enumerate(runs)
    }


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    left = write(
        tmp_path / "retrieval.json",
        ndcg=topics([0.125, 0.25, 0.375, 0.5], [0.25, 0.125, 0.375, 0.25]),
        rr=topics([1.0, 1.0, 1.0, 1.0], [0.5, 1.0, 0.5, 1.0]),
    )
    right = write(tmp_path / "rag.json", recall=topics([0.0, 0.5, 0.5, 1.0], [0.5, 0.0, 1.0, 0.5]))
    return left, right


# --- by system -----------------------------------------------------------------------------------


def test_every_pair_of_measures_over_the_means_of_systems(files: tuple[Path, Path]) -> None:
    found = study(*files)
    pairs = [(c.retrieval, c.rag, c.over, c.topic_id, c.n) for c in found.report.correlations]
    assert pairs == [("ndcg", "recall", "systems", None, 4), ("rr", "recall", "systems", None, 4)]
    assert found.points["ndcg", "recall"] == [
        Dot("a", "all", 0.1875, 0.25),
        Dot("b", "all", 0.1875, 0.25),
        Dot("c", "all", 0.375, 0.75),
        Dot("d", "all", 0.375, 0.75),
    ]
    assert found.report.correlations[0].pearson.value == pytest.approx(1.0)
    assert found.report.runs == tuple(RUNS)
    assert found.report.notes == ()


def test_a_mean_that_is_given_stands_over_the_topics(tmp_path: Path) -> None:
    given = topics([0.1, 0.2, 0.3, 0.4])
    for run, value in zip(RUNS, (0.9, 0.8, 0.7, 0.6), strict=True):
        given[run]["all"] = value
    left = write(tmp_path / "l.json", m=given)
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.5))
    found = study(left, right)
    assert [dot.x for dot in found.points["m", "n"]] == [0.9, 0.8, 0.7, 0.6]


def test_a_run_without_the_mean_that_others_have_is_left_out(tmp_path: Path) -> None:
    """Its topics' mean would be over others than theirs."""
    given = means(0.9, 0.8, 0.7, None)
    given["d"] = {"all": None, "t0": 0.5}
    left = write(tmp_path / "l.json", m=given)
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.5))
    found = study(left, right)
    assert [dot.run_id for dot in found.points["m", "n"]] == ["a", "b", "c"]
    assert (found.report.n_withheld_retrieval, found.report.n_withheld_rag) == (1, 0)


def test_what_was_withheld_is_left_out_and_counted(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=means(0.1, 0.2, 0.3, 0.4))
    right = write(tmp_path / "r.json", n=means(0.1, None, 0.3, 0.2), o=means(0.1, 0.2, 0.3, None))
    found = study(left, right).report
    assert [c.n for c in found.correlations] == [3, 3]
    assert (found.n_withheld_retrieval, found.n_withheld_rag) == (0, 2)
    named = study(left, right, measures=["m", "n"]).report
    assert named.n_withheld_rag == 1


def test_constant_input_has_a_reason_and_no_value(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=means(0.5, 0.5, 0.5, 0.5))
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.4))
    (found,) = study(left, right).report.correlations
    assert (found.pearson.value, found.pearson.reason) == (None, "all retrieval values are equal")


def test_means_over_different_topics_are_told(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=topics(*[[0.1, 0.2, 0.3, 0.4]] * 3))
    right = write(tmp_path / "r.json", n=topics(*[[0.1, 0.2, 0.3, 0.4]] * 2))
    found = study(left, right).report
    told = "3 topics (retrieval) and 2 (RAG), 2 of them common"
    assert found.notes == (f"the means are over {told}",)
    assert study(left, right, by="topic").report.notes == (f"the files have {told}",)


# --- by topic ------------------------------------------------------------------------------------


def test_by_topic_there_are_all_points_the_mean_and_each_topic(files: tuple[Path, Path]) -> None:
    found = study(*files, by="topic", measures=["ndcg", "recall"])
    rows = [(c.over, c.topic_id, c.n) for c in found.report.correlations]
    assert rows == [
        ("pooled", None, 8),
        ("topics", None, 2),
        ("topic", "t0", 4),
        ("topic", "t1", 4),
    ]
    pooled, mean, first, second = (c.pearson.value or 0.0 for c in found.report.correlations)
    assert pooled == pytest.approx((5 / 6) ** 0.5)
    assert mean == pytest.approx((first + second) / 2)
    assert len(found.points["ndcg", "recall"]) == 8


def test_the_mean_is_no_topic(tmp_path: Path) -> None:
    given = topics([0.1, 0.2, 0.3, 0.4])
    for run in RUNS:
        given[run]["all"] = 0.5
    left, right = write(tmp_path / "l.json", m=given), write(tmp_path / "r.json", n=given)
    found = study(left, right, by="topic")
    assert {dot.topic_id for dot in found.points["m", "n"]} == {"t0"}
    assert {dot.topic_id for dot in study(left, right).points["m", "n"]} == {"all"}


def test_by_topic_without_topics_says_what_to_do(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=topics([0.1, 0.2, 0.3, 0.4]))
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.4))
    with pytest.raises(UsageError, match="no topic in common; write both with --per-topic"):
        study(left, right, by="topic")


# --- runs ----------------------------------------------------------------------------------------


def test_runs_without_a_match_are_told(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=means(0.1, 0.2, 0.3, 0.4, runs=["a", "b", "c", "x"]))
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.4, runs=["y", "b", "c", "a"]))
    found = study(left, right).report
    assert found.runs == ("b", "c", "a")
    assert (found.unmatched_retrieval, found.unmatched_rag) == (("x",), ("y",))
    assert found.correlations[0].n == 3


def test_a_map_names_the_retrieval_run_of_a_rag_run(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=means(0.1, 0.2, 0.3, 0.4, runs=["bm25", "lsr", "c", "z"]))
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.4, runs=["g1", "g2", "g3", "c"]))
    mapping = tmp_path / "map.tsv"
    mapping.write_text("g1\tbm25\ng2 \t lsr\ng3\tlsr\nother\tz\n", encoding="utf-8")
    found = study(left, right, mapping=mapping)
    assert [(dot.run_id, dot.x) for dot in found.points["m", "n"]] == [
        ("g1", 0.1),
        ("g2", 0.2),
        ("g3", 0.2),
        ("c", 0.3),
    ]
    assert (found.report.unmatched_retrieval, found.report.unmatched_rag) == (("z",), ())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("g1 bm25\n", ":1: wrong line; expected RAG run<TAB>retrieval run"),
        ("g1\tbm25\tmore\n", ":1: wrong line"),
        ("g1\t\n", ":1: wrong line"),
        ("g1\tbm25\ng1\tlsr\n", ":2: the RAG run 'g1' stands twice"),
    ],
)
def test_a_map_that_cannot_be_read(files: tuple[Path, Path], text: str, told: str) -> None:
    mapping = files[0].with_name("map.tsv")
    mapping.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        study(*files, mapping=mapping)
    assert told in str(refused.value)


def test_no_common_run_is_refused_with_both_sides(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=means(0.1, 0.2, runs=["a", "b"]))
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, runs=["c", "d"]))
    with pytest.raises(UsageError, match=r"has a, b; .* has c, d; .* with --map"):
        study(left, right)


# --- measures and files --------------------------------------------------------------------------


def test_measures_are_chosen_on_either_side(files: tuple[Path, Path]) -> None:
    found = study(*files, measures=["rr", "recall"])
    assert list(found.points) == [("rr", "recall")]


def test_an_unknown_measure_is_told_with_those_there_are(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError) as refused:
        study(*files, measures=["ndgc", "recall"])
    assert "neither file has the measure 'ndgc' (did you mean ndcg?)" in str(refused.value)
    assert "retrieval: ndcg, rr; RAG: recall" in str(refused.value)


@pytest.mark.parametrize(("name", "side"), [("ndcg", "RAG"), ("recall", "retrieval")])
def test_a_side_without_a_measure_is_told(files: tuple[Path, Path], name: str, side: str) -> None:
    with pytest.raises(UsageError, match=f"no value of a {side} measure is left"):
        study(*files, measures=[name])


def test_a_run_directory_stands_for_its_scores(files: tuple[Path, Path], tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    files[1].rename(run / "scores.jsonl")
    assert study(files[0], run).report.runs == tuple(RUNS)


def test_a_file_without_scores_is_refused(files: tuple[Path, Path]) -> None:
    files[1].write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match=r"rag\.json: holds no scores"):
        study(*files)


# --- shown ---------------------------------------------------------------------------------------


def told(found: Study) -> list[str]:
    return correlation_remarks(found.report)


def test_the_table_has_pearson_first_with_its_interval_below(files: tuple[Path, Path]) -> None:
    lines = shown(correlation_tables(study(*files).report))
    assert lines[0] == ["ndcg with"]
    assert lines[1] == ["n", "Pearson", "Spearman", "Kendall"]
    assert lines[2] == ["recall", "4", "+1.000", "+1.000", "+1.000"]
    assert not any("interval" in word for line in lines for word in line)
    wide = shown(correlation_tables(study(*files, by="topic", measures=["ndcg", "recall"]).report))
    assert wide[0] == ["ndcg with recall"]
    caption = " ".join(word for line in wide[-2:] for word in line)
    told_ = "below each its 95% bootstrap interval over systems (a topic) or topics (mean, pooled)"
    assert caption == told_
    assert [line[:2] for line in wide if line[0].startswith(("all", "mean", "t"))] == [
        ["all points pooled", "8"],
        ["mean over topics", "2"],
        ["t0", "4"],
        ["t1", "4"],
    ]
    assert ["+0.95 to +1.00", "+0.95 to +1.00", "+0.91 to +1.00"] in wide


def test_remarks_name_what_did_not_enter(tmp_path: Path) -> None:
    left = write(tmp_path / "l.json", m=means(0.1, 0.2, 0.3, 0.4, runs=["a", "b", "c", "x"]))
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, None, 0.4, runs=["y", "b", "c", "a"]))
    assert told(study(left, right)) == [
        "retrieval runs without a match: 1 (x)",
        "RAG runs without a match: 1 (y)",
        "RAG scores without a value, left out: 1",
        "2 points, and a correlation takes 3: m with n",
    ]


def test_one_reason_for_many_rows_is_one_line(tmp_path: Path) -> None:
    flat = {f"m{i}": means(0.5, 0.5, 0.5, 0.5) for i in range(4)}
    left = write(tmp_path / "l.json", **flat)
    right = write(tmp_path / "r.json", n=means(0.1, 0.2, 0.3, 0.4))
    assert told(study(left, right)) == ["all retrieval values are equal: 4 of 4 rows"]
    few = told(study(left, right, measures=["m0", "m1", "m2", "n"]))
    assert few == ["all retrieval values are equal: m0 with n; m1 with n; m2 with n"]


# --- the plot ------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_the_same_study_gives_the_same_plot(
    files: tuple[Path, Path], tmp_path: Path, suffix: str
) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for path in paths:
        write_scatter(path, study(*files))
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert len(first) > 1000


def svg(files: tuple[Path, Path], **choices: Any) -> str:
    """The plot, its texts as texts."""
    import matplotlib as mpl

    path = files[0].with_name("plot.svg")
    with mpl.rc_context({"svg.fonttype": "none"}):
        write_scatter(path, study(*files, **choices))
    return path.read_text(encoding="utf-8")


def test_axes_and_points_are_named_and_r_and_n_are_told(files: tuple[Path, Path]) -> None:
    text = svg(files, measures=["ndcg", "recall"])
    for word in ("ndcg", "recall", "r = 1.000", "n = 4 systems", ">a<", ">b<", ">c<", ">d<"):
        assert word in text
    text = svg(files, by="topic")
    assert text.count("points (systems on topics)") == 2
    assert ">d, t1<" in text


def test_a_constant_is_plotted_with_the_reason(files: tuple[Path, Path]) -> None:
    write(files[0], ndcg=means(0.5, 0.5, 0.5, 0.5))
    assert "r undefined: all retrieval values are equal, n = 4" in svg(files)


def test_a_dollar_sign_is_no_mathematics(files: tuple[Path, Path]) -> None:
    write(files[0], **{"$m$ok$": means(0.1, 0.2, 0.3, 0.4)})
    assert "$m$ok$" in svg(files)


def test_many_points_have_no_names(tmp_path: Path) -> None:
    runs = [f"run{i}" for i in range(41)]
    given = means(*(i / 64 for i in range(41)), runs=runs)
    files = write(tmp_path / "l.json", m=given), write(tmp_path / "r.json", n=given)
    assert "run7" not in svg(files)


def test_plots_that_cannot_be_written(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png, \.svg, \.pdf"):
        write_scatter(tmp_path / "plot.jpg", study(*files))
    with pytest.raises(UsageError, match="cannot be written: No such file"):
        write_scatter(tmp_path / "none" / "plot.png", study(*files))
    many = {f"m{i}": means(0.1, 0.2, 0.3, 0.4) for i in range(13)}
    write(files[0], **many)
    with pytest.raises(UsageError, match="13 pairs of measures, and a plot takes 12"):
        write_scatter(tmp_path / "plot.png", study(*files))
