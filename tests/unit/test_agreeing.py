"""Agreement from files: which units meet, how systems are ranked, and what is told."""

import json
from pathlib import Path

import pytest

from judge.agreeing.agree import Inputs, agree
from judge.errors import InputError, JudgeError, UsageError
from judge.formats.nuggets import write_nuggets
from judge.types import Judgment, Nugget, Support
from tests.agreeing import (
    FACTS,
    HUMAN,
    assigned,
    assignments,
    command,
    graded,
    human_file,
    qrels,
    run_of,
    support,
    told,
)

# --- relevance -----------------------------------------------------------------------------------


def test_the_json_has_the_names_of_the_contract(tmp_path: Path) -> None:
    human = qrels(tmp_path / "human", "1 0 a 0", "1 0 b 1", "2 0 c 2", "2 0 d#1 3")
    judged = qrels(tmp_path / "judge", "1 0 a 0", "1 0 b 2", "2 0 c 2", "2 0 e 3")
    found = json.loads(command("--human", human, "--judge", judged, "--json").stdout)
    assert (found["n"], found["unmatched"]) == (3, 2)
    assert found["unmatched_examples"] == {
        "human": ["relevance|2|d#1"],
        "judge": ["relevance|2|e"],
    }
    assert found["exact"] == pytest.approx(2 / 3)
    assert found["labels"] == [0, 1, 2, 3]
    assert found["confusion"] == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert set(found["binary"]) == {">=1", ">=2", ">=3"}
    assert set(found["binary"][">=1"]) == {"kappa", "precision", "recall"}
    for name in ("kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "mae"):
        assert isinstance(found[name], float)
    assert found["bias"] == pytest.approx(1 / 3)
    assert found["topics"]["1"]["n"] == 2
    assert (found["systems"], found["rankings"], found["lexical"]) == ({}, [], None)


def test_both_giving_0_everywhere_is_null_with_the_reason(tmp_path: Path) -> None:
    same = qrels(tmp_path / "q", "1 0 a 0", "2 0 b 0")
    found = json.loads(command("--human", same, "--judge", same, "--json").stdout)
    assert (found["exact"], found["kappa"], found["alpha_ordinal"]) == (1.0, None, None)
    assert found["reason"] == "kappa and alpha are undefined: both sides give 0 everywhere"


def test_a_run_directory_gives_its_labels_and_counts_what_failed(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 0", "1 0 b 1", "2 0 c 2")
    run = run_of(
        tmp_path / "run",
        [
            graded("1", "a", None),
            graded("1", "b", 1),
            graded("2", "c", 0, reason="off topic"),
            graded("1", "a", 0),
            graded("1", "b", None),
            Judgment(task="create", topic_id="1", window="0-x", label="x", status="ok"),
        ],
    )
    found = agree([human], [run])
    assert (found.kind, found.summary.n, found.summary.exact) == ("relevance", 2, 0.5)
    assert found.matching is not None
    assert (found.matching.n_failed, found.matching.n_unmatched) == (1, 0)
    assert "1 of 3 units that people labelled have no label of the judge: it failed" in told(found)


def test_a_half_written_last_line_is_left_out_and_a_damaged_one_refused(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 0", "1 0 b 1")
    run = Path(run_of(tmp_path / "run", [graded("1", "a", 0)])) / "judgments.jsonl"
    whole = run.read_bytes()
    run.write_bytes(whole + b'{"unit_id": "relev')
    assert agree([human], [str(run.parent)]).summary.n == 1
    run.write_bytes(whole + b'{"unit_id": "relev\n' + whole)
    with pytest.raises(InputError, match=r"judgments.jsonl:2: .*not a judgment"):
        agree([human], [str(run.parent)])


def test_sides_without_a_common_topic_show_three_ids_of_each(tmp_path: Path) -> None:
    human = qrels(tmp_path / "human", *(f"2024-{i} 0 a 1" for i in range(4)))
    judged = qrels(tmp_path / "judge", *(f"2024-{i}.0 0 a 1" for i in range(4)))
    expected = (
        r"no topic in common: human has '2024-0', '2024-1', '2024-2', \.\.\.; "
        r"judge has '2024-0\.0', '2024-1\.0', '2024-2\.0', \.\.\."
    )
    with pytest.raises(InputError, match=expected):
        agree([human], [judged])


def test_sides_with_topics_but_no_unit_in_common_show_units(tmp_path: Path) -> None:
    human, judged = qrels(tmp_path / "h", "1 0 a 1"), qrels(tmp_path / "j", "1 0 b 1")
    with pytest.raises(InputError, match=r"no unit in common: h has 'relevance\|1\|a'; j has"):
        agree([human], [judged])


def test_scales_that_differ_are_told(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 0", "1 0 b 3")
    judged = qrels(tmp_path / "j", "1 0 a 0", "1 0 b 4")
    assert "from 0 to 3, those of the judge from 0 to 4" in told(agree([human], [judged]))
    assert "from 0 to 3, those" not in told(agree([human], [human]))


def test_warnings_of_what_is_rare_alone_or_not_labelled(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 0", "1 0 b 0")
    judged = qrels(tmp_path / "j", "1 0 a 0", "1 0 b 1", "2 0 a 1", "3 0 a 0")
    lines = told(agree([human], [judged]))
    assert "people gave the label '0' alone" in lines
    assert "fewer than 20 human labels of a kind: 0 2, 1 0" in lines
    assert "2 of the judge's topics have no human label: '2', '3'" in lines


def test_a_qrels_file_that_says_two_things_of_a_unit_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    qrels(folder / "one", "1 0 a 1")
    qrels(folder / "two", "1 0 a 2")
    with pytest.raises(InputError, match=r"two: two labels of relevance\|1\|a; expected one label"):
        agree([str(folder)], [qrels(tmp_path / "j", "1 0 a 1")])


def test_retrieval_runs_are_ranked_by_the_grades_of_both_sides(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", *(f"{t} 0 d{i} {3 - i}" for t in "12" for i in range(4)))
    judged = qrels(tmp_path / "j", *(f"{t} 0 d{i} {i}" for t in "12" for i in range(4)))
    orders = {"best": "0123", "mixed": "1032", "worst": "3210"}
    for name, order in orders.items():
        rows = (f"{t} Q0 d{i} {r} {-r} {name}" for t in "12" for r, i in enumerate(order, start=1))
        qrels(tmp_path / f"run.{name}", *rows)
    words = ["--human", human, "--judge", judged, "--run", str(tmp_path / "run.*")]
    (found,) = json.loads(command(*words, "--measures", "nDCG@4", "--json").stdout)["rankings"]
    assert (found["measure"], found["n_topics"], found["over_all"]["kendall"]) == (
        "nDCG@4",
        2,
        -1.0,
    )
    assert found["human"]["best"] == found["judge"]["worst"] == pytest.approx(1.0)
    assert "nDCG@20" in command(*words).stdout
    with pytest.raises(UsageError, match="scored by grades, and these are assign labels"):
        agree(
            [human_file(tmp_path / "a")], [human_file(tmp_path / "b")], inputs=Inputs(runs=("x",))
        )
    qrels(tmp_path / "run.again", "1 Q0 d0 1 1 best")
    with pytest.raises(InputError, match="another file holds a run 'best' too"):
        agree([human], [judged], inputs=Inputs(runs=(str(tmp_path / "run.*"),)))


# --- kinds ---------------------------------------------------------------------------------------


def test_a_run_of_several_kinds_is_asked_about_unless_the_other_side_decides(
    tmp_path: Path,
) -> None:
    both = [
        graded("1", "a", 1),
        Judgment(
            task="assign", topic_id="1", run_id="r", nugget_id="n0", label="full", status="ok"
        ),
    ]
    runs = [run_of(tmp_path / name, both) for name in ("one", "two")]
    with pytest.raises(UsageError, match="one has labels of relevance, assign: choose one with"):
        agree(runs[:1], runs[1:])
    assert agree(runs[:1], runs[1:], kind="assign").summary.labels == ("full",)
    assert agree([qrels(tmp_path / "h", "1 0 a 2")], runs[:1]).kind == "relevance"
    with pytest.raises(
        UsageError, match="--kind is one of relevance, assign, support, not 'nuggets'"
    ):
        agree(runs[:1], runs[1:], kind="nuggets")
    with pytest.raises(InputError, match="no label to compare; expected labels of support"):
        agree(runs[:1], runs[1:], kind="support")
    with pytest.raises(InputError, match="holds relevance labels; expected assign labels"):
        agree([qrels(tmp_path / "h", "1 0 a 2")], runs[:1], kind="assign")


@pytest.mark.parametrize("words", [[], ["--human", "q"], ["--judge", "q"]])
def test_nothing_to_compare_is_said(tmp_path: Path, words: list[str]) -> None:
    given = [qrels(tmp_path / "q", "1 0 a 1") if word == "q" else word for word in words]
    result = command(*given, code=1)
    assert isinstance(result.exception, JudgeError)
    assert "nothing to compare" in str(result.exception)


# --- assign --------------------------------------------------------------------------------------


def test_nuggets_with_other_ids_are_matched_by_their_text(tmp_path: Path) -> None:
    human = human_file(tmp_path / "h", ids=False)
    found = agree([human], [human_file(tmp_path / "j")])
    assert (found.summary.n, found.summary.exact) == (18, 1.0)
    assert found.matching is not None
    assert found.matching.n_unmatched == 0


def test_systems_are_ranked_by_both_sides(tmp_path: Path) -> None:
    human = human_file(tmp_path / "h")
    labels: dict[tuple[str, str], list[Support]]
    labels = {**HUMAN, ("c", "t1"): ["full", "full", "full"], ("c", "t2"): ["full", "full", "full"]}
    judged = assignments(tmp_path / "j", *(assigned(*key, x) for key, x in labels.items()))
    found = agree([human], [judged], measures="strict_vital_recall vital_recall")
    strict, _ = found.systems
    assert (strict.measure, strict.n_topics) == ("strict_vital_recall", 2)
    assert strict.human == pytest.approx({"a": 5 / 6, "b": 1 / 3, "c": 0.0})
    assert strict.judge == pytest.approx({"a": 5 / 6, "b": 1 / 3, "c": 1.0})
    assert strict.over_all.kendall == pytest.approx(-1 / 3)
    assert strict.over_all.largest_swap is not None
    assert strict.over_all.largest_swap.run_id == "c"
    assert list(found.by_run) == ["a", "b", "c"]
    assert found.by_run["c"].exact == 0.0


def test_two_systems_are_not_ranked_and_it_is_said(tmp_path: Path) -> None:
    rows = [assigned(*key, labels) for key, labels in HUMAN.items() if key[0] != "c"]
    file = assignments(tmp_path / "h", *rows)
    found = agree([file], [file])
    assert found.systems[0].over_all.kendall is None
    assert found.systems[0].over_all.reason == "2 systems, and a ranking takes at least 3"


def test_an_answer_that_people_labelled_in_part_is_left_out_of_rankings(tmp_path: Path) -> None:
    some: dict[tuple[str, str], list[Support | None]] = {k: [*x] for k, x in HUMAN.items()}
    some["c", "t2"][2] = None
    human = assignments(tmp_path / "h", *(assigned(*key, x) for key, x in some.items()))
    found = agree([human], [human_file(tmp_path / "j")], measures="strict_vital_recall")
    assert found.systems[0].n_topics == 1
    labelled = {e.run_id: e.estimates for e in found.estimates if e.unit == "topic"}
    assert (labelled["a"].n_human, labelled["c"].n_human, labelled["c"].n_rest) == (2, 1, 1)


def test_a_topic_that_a_system_did_not_answer_counts_0_on_both_sides(tmp_path: Path) -> None:
    rows = [assigned(*key, labels) for key, labels in HUMAN.items() if key != ("a", "t2")]
    file = assignments(tmp_path / "h", *rows)
    found = agree([file], [file], measures="strict_vital_recall")
    assert found.systems[0].human["a"] == pytest.approx(1 / 3)


def test_importance_comes_from_the_nuggets_file(tmp_path: Path) -> None:
    file = human_file(tmp_path / "h")
    nuggets = [
        Nugget(
            nugget_id=f"n{i}", topic_id=topic, text=text, importance="vital" if i == 0 else "okay"
        )
        for topic in ("t1", "t2")
        for i, text in enumerate(FACTS)
    ]
    write_nuggets(tmp_path / "nuggets.jsonl", nuggets, {})
    inputs = Inputs(nuggets=str(tmp_path / "nuggets.jsonl"))
    found = agree([file], [file], measures="strict_vital_recall", inputs=inputs)
    assert found.systems[0].human == {"a": 1.0, "b": 1.0, "c": 0.0}


def test_annotators_named_in_a_file_are_raters_of_their_own(tmp_path: Path) -> None:
    rows = [assigned(*key, labels, who="ann") for key, labels in HUMAN.items()]
    rows += [assigned(*key, ["full", "none", "none"], who="bob") for key in HUMAN]
    human = assignments(tmp_path / "h", *rows)
    found = agree([human])
    assert [(p.first, p.second, p.summary.n) for p in found.pairs] == [("ann", "bob", 18)]
    assert (found.human, found.judge, found.summary.n) == ("ann", "bob", 18)
    with_judge = agree([human], [human_file(tmp_path / "j")])
    assert with_judge.human == "2 annotators"
    assert with_judge.n_tied > 0
    assert with_judge.summary.exact == 1.0
    assert "annotators are divided are left out of agreement, which flatters the judge" in told(
        with_judge
    )
    assert len(with_judge.pairs) == 3


def test_files_of_the_same_name_are_raters_of_their_own(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    files = [human_file(tmp_path / name / "labels.jsonl") for name in "ab"]
    assert [p.second for p in agree(files).pairs] == ["labels.jsonl (2)"]
    assert agree(files[:1], files[1:]).judge == "labels.jsonl (2)"


def test_a_rater_of_the_same_name_on_the_other_side_is_another(tmp_path: Path) -> None:
    rows = [assigned(*key, labels, who="ann") for key, labels in HUMAN.items()]
    human = assignments(tmp_path / "h", *rows)
    rows = [assigned(*key, ["none"] * 3, who="ann") for key in HUMAN]
    found = agree([human], [assignments(tmp_path / "j", *rows)])
    assert (found.human, found.judge) == ("ann", "ann (2)")
    assert found.pairs[0].summary.exact == found.summary.exact == pytest.approx(10 / 18)


def test_the_judge_is_set_against_word_overlap(tmp_path: Path) -> None:
    """People follow the words; the judge says full of everything."""
    by_words: list[Support] = ["full", "full", "none"]
    human = [assigned(run, f"t{i}", by_words) for i in range(6) for run in "ab"]
    yes: list[Support] = ["full", "full", "full"]
    judged = [assigned(run, f"t{i}", yes) for i in range(6) for run in "ab"]
    files = ["--human", assignments(tmp_path / "h", *human)]
    files += ["--judge", assignments(tmp_path / "j", *judged)]
    first, *_ = command(*files).stdout.splitlines()
    assert first.startswith("THE JUDGE IS NOT ABOVE WORD OVERLAP: kappa 0.000 against 1.000")
    found = json.loads(command(*files, "--json").stdout)["lexical"]
    assert (found["finding"], found["n"], found["overlap_kappa"]) == ("not above", 36, 1.0)


def test_a_judge_of_the_family_of_a_generator_is_warned_of(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 1")
    run = run_of(tmp_path / "run", [graded("1", "a", 1, model="openai/gpt-4.1-mini")])
    (tmp_path / "g").write_text("r1\tGPT-4o\nr2\tmeta-llama/Llama-3-70B\nr3\tmine\n")
    found = agree([human], [run], inputs=Inputs(generators=str(tmp_path / "g")))
    assert "the generator of 'r1' are of one family, GPT" in told(found)
    unknown = agree([human], [human], inputs=Inputs(generators=str(tmp_path / "g")))
    assert "which model judged is not known" in told(unknown)


# --- support -------------------------------------------------------------------------------------


def test_support_labels_are_matched_by_sentence_and_document(tmp_path: Path) -> None:
    human = support(tmp_path / "h", {("r", "t1"): ["full", "none"], ("r", "t2"): ["partial"]})
    judged = support(tmp_path / "j", {("r", "t1"): ["full", None], ("r", "t2"): ["none"]})
    found = agree([human], [judged])
    assert (found.kind, found.summary.n, found.summary.exact) == ("support", 2, 0.5)
    assert found.matching is not None
    assert found.matching.n_failed == 1
    assert found.lexical is not None
    assert found.lexical.reason == "no unit has texts to compare words of"
    first, *_ = command("--human", human, "--judge", judged).stdout.splitlines()
    assert "could not be computed: no unit has texts" in first
    assert "--corpus" in first


def test_documents_of_a_corpus_are_the_references(tmp_path: Path) -> None:
    labels: dict[tuple[str, str], list[Support]] = {
        ("r", f"t{i}"): ["full", "none"] for i in range(4)
    }
    file = support(tmp_path / "h", labels)
    rows = [{"docid": "d0", "text": "A fact, 0."}, {"docid": "d1", "text": "Nothing of it."}]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = agree([file], [file], inputs=Inputs(corpus=(str(tmp_path / "corpus.jsonl"),)))
    assert found.lexical is not None
    assert (found.lexical.n, found.lexical.overlap_kappa) == (8, 1.0)


def test_annotators_of_different_topics_meet_the_judge_and_not_each_other(tmp_path: Path) -> None:
    one, two = qrels(tmp_path / "one", "1 0 a 1"), qrels(tmp_path / "two", "2 0 b 2")
    judged = qrels(tmp_path / "j", "1 0 a 1", "2 0 b 1")
    found = agree([one, two], [judged])
    assert (found.summary.n, found.n_tied, found.summary.exact) == (2, 0, 0.5)
    with pytest.raises(InputError, match="no topic in common: one has '1'; two has '2'"):
        agree([one, two])
    three = qrels(tmp_path / "three", "2 0 b 2")
    assert agree([one, two, three]).summary.n == 1


# --- for people ----------------------------------------------------------------------------------


def test_the_tables_show_what_the_json_holds(tmp_path: Path) -> None:
    human, judged = human_file(tmp_path / "h"), human_file(tmp_path / "[b]j")
    out = command("--human", human, "--judge", judged, "--per-topic").stdout
    for words in ("exact agreement", "human \\ judge", ">=full", "topic", "tau_AP", "[b]j (judge)"):
        assert words in out
    assert "nan" not in out.casefold().split()


def test_the_warnings_close_the_output(tmp_path: Path) -> None:
    file = qrels(tmp_path / "q", "1 0 a 0", "2 0 b 1")
    *_, last = command("--human", file, "--judge", file).stdout.splitlines()
    assert last == "warning: fewer than 20 human labels of a kind: 0 1, 1 1"


def test_a_judge_that_failed_everywhere_agrees_with_nobody(tmp_path: Path) -> None:
    human = qrels(tmp_path / "h", "1 0 a 0", "2 0 b 1")
    runs = [
        run_of(tmp_path / name, [graded("1", "a", None), graded("2", "b", None)])
        for name in ("one", "two")
    ]
    for words in (["--human", human, "--judge", runs[0]], ["--judge", runs[0], "--judge", runs[1]]):
        found = json.loads(command(*words, "--json").stdout)
        assert (found["n"], found["exact"], found["kappa"], found["mae"]) == (0, None, None, None)
        assert found["reason"] == "no unit has a label of both sides"
        assert "no unit has a label of both sides" in command(*words).stdout


def test_an_answer_file_that_failed_everywhere_scores_nothing(tmp_path: Path) -> None:
    failed = assignments(tmp_path / "j", *(assigned(*key, [None] * 3) for key in HUMAN))
    found = json.loads(
        command("--human", human_file(tmp_path / "h"), "--judge", failed, "--json").stdout
    )
    assert (found["n"], found["n_failed"], found["rankings"][0]["n_topics"]) == (0, 18, 0)
    assert all(e["estimates"]["judge"] is None for e in found["estimates"])
