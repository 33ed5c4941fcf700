"""Qrels of two forms, told apart by what is asked and what is in them; runs as rankings."""

from pathlib import Path

import pytest

from judge.errors import InputError
from judge.formats.lines import OnError
from judge.formats.qrels import Judged, read_qrels
from judge.formats.runs import read_rankings, read_run
from judge.formats.subtopics import (
    each_subtopic_qrel,
    read_subtopic_qrels,
    write_subtopic_qrels,
)
from judge.types import SubtopicQrel


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.txt"


def judged(file: Path, *rows: str) -> Judged:
    file.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return Judged(file)


ORDINARY = ["t 0 a 1", "t 0 b 2"]
MIXED_ZERO = ["t 0 a 1", "t Q0 b 2", "t q0 c 0"]
SIX = ["t 0 a 1 0.5 r", "t 3 b 2 0.5 r"]
ONES = ["t 1 a 1", "t 1 b 2"]
ITERATIONS = ["t 1 a 1", "t 0 b 2", "t Q0 c 0"]
ZERO_AND_ONE = ["t 0 a 1", "t 1 a 1", "t 1 b 0"]
SUBTOPICS = ["t 1 a 1", "t 2 a 1", "t 2 b 0"]
NAMED = ["t n1 a 1", "t n2 b 1"]
ONE_NAME = ["t 300-1 a 1", "t 300-1 b 1"]
UNTOLD = "it cannot be told whether the second column holds subtopics"
NONE = "they have no subtopics, which a measure needs"


@pytest.mark.parametrize(
    ("rows", "asked_for_grades", "asked_for_subtopics"),
    [
        (ORDINARY, "ordinary", NONE),
        (MIXED_ZERO, "ordinary", NONE),
        (SIX, "ordinary", NONE),
        (ONES, "ordinary", UNTOLD),
        (ITERATIONS, "ordinary", UNTOLD),
        (ZERO_AND_ONE, UNTOLD, UNTOLD),
        (SUBTOPICS, "subtopics", "subtopics"),
        (NAMED, UNTOLD, "subtopics"),
        (ONE_NAME, UNTOLD, "subtopics"),
        ([], "ordinary", "ordinary"),
    ],
)
def test_the_form(
    file: Path, rows: list[str], asked_for_grades: str, asked_for_subtopics: str
) -> None:
    qrels = judged(file, *rows)
    for subtopics, expected in ((False, asked_for_grades), (True, asked_for_subtopics)):
        if expected in ("ordinary", "subtopics"):
            assert qrels.form(subtopics=subtopics) == expected
        else:
            with pytest.raises(InputError) as caught:
                qrels.form(subtopics=subtopics)
            assert str(caught.value).startswith(f"{file}: {expected}; expected ")
            assert "--subtopics" in str(caught.value)
            assert "--no-subtopics" in str(caught.value)


def test_what_stands_in_the_second_column_is_shown(file: Path) -> None:
    with pytest.raises(InputError, match=r"found 'n1, n2'$"):
        judged(file, *NAMED).form(subtopics=False)
    rows = [f"t n{i} d{i} 1" for i in range(9)]
    with pytest.raises(InputError, match=r"found 'n0, n1, n2, \.\.\.'$"):
        judged(file, *rows).form(subtopics=False)


def test_subtopics_are_numbered_as_they_first_stand_in_the_file(file: Path) -> None:
    rows = ["t x a 0", "u y b 2", "t z a 1", "t y a 1", "t x c 1", "u x b -1", "u w b 1"]
    assert judged(file, *rows).held() == {"t": {"a": (1, 2), "c": (0,)}, "u": {"b": (1, 3)}}


def test_grades_take_no_notice_of_the_second_column(file: Path) -> None:
    qrels = judged(file, "u 0 b 2", "t 1 a 1", "t 7 c -1", "u 3 a 0")
    assert qrels.grades() == {"u": {"b": 2, "a": 0}, "t": {"a": 1, "c": -1}}


@pytest.mark.parametrize("second", ["1 s a 2", "1 x a 2"])
def test_a_repeated_row_is_left_out_and_told(
    file: Path, second: str, caplog: pytest.LogCaptureFixture
) -> None:
    qrels = judged(file, "1 s a 2", second, "1 s b 1")
    assert qrels.grades() == {"1": {"a": 2, "b": 1}}
    assert [r.getMessage() for r in caplog.records] == [f"{file}: ignored 1 repeated lines"]


def test_a_repeated_subtopic_is_left_out_and_told(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert judged(file, "1 s a 2", "1 s a 2", "1 x a 1").held() == {"1": {"a": (0, 1)}}
    assert [r.getMessage() for r in caplog.records] == [f"{file}: ignored 1 repeated lines"]


def test_a_row_that_stands_again_with_another_grade_is_an_error(file: Path) -> None:
    with pytest.raises(InputError) as caught:
        judged(file, "1 s a 2", "", "1 x a 1", "1 s a 1")
    assert (caught.value.line, caught.value.field, caught.value.found) == (4, "grade", "1")
    assert caught.value.expected == f"2, as at {file}:1; keep one of them"


def test_two_grades_of_a_pair_are_an_error_for_grades_alone(file: Path) -> None:
    qrels = judged(file, "1 s a 2", "1 x a 1")
    assert qrels.held() == {"1": {"a": (0, 1)}}
    with pytest.raises(InputError, match=r":2: field 'grade': .*expected 2, as at .*:1; keep one"):
        qrels.grades()


def test_qrels_come_in_the_order_of_the_file(file: Path) -> None:
    file.write_text("u 0 b 2\nt 0 a 1\nu 0 a 0\n")
    assert [row[:2] for row in read_qrels(file)] == [("u", "b"), ("t", "a"), ("u", "a")]


# --- diversity qrels, row by row -----------------------------------------------------------------


def test_diversity_qrels_round_trip(file: Path) -> None:
    rows = [
        SubtopicQrel("007", "1", "msmarco_v2.1_doc_29_677149#3_1637632", 1),
        SubtopicQrel("007", "nugget/2", "d", -1),
        SubtopicQrel("1", "1", "\u00e9", 0),
    ]
    write_subtopic_qrels(file, rows)
    assert file.read_text(encoding="utf-8").startswith("007 1 msmarco_v2.1_doc_29_677149#3_1637632")
    assert read_subtopic_qrels(file) == rows
    assert Judged(file).form(subtopics=True) == "subtopics"


def test_an_id_with_blanks_is_not_written(file: Path) -> None:
    with pytest.raises(InputError, match="an id without blanks"):
        write_subtopic_qrels(file, [SubtopicQrel("1", "a nugget", "d", 1)])
    assert not file.exists()


def test_each_wrong_row_is_told_and_the_others_are_read(file: Path) -> None:
    file.write_text("1 s a 1\n1 s b x\n1 s a 0\n1 s a 1\n1 s c\n1 t a 0\n")
    errors: list[InputError] = []
    on_error: OnError = errors.append
    found = [(place.line, row.subtopic) for place, row in each_subtopic_qrel(file, on_error)]
    assert found == [(1, "s"), (4, "s"), (6, "t")]
    assert [(error.line, error.field) for error in errors] == [
        (2, "grade"),
        (3, "grade"),
        (5, None),
    ]
    assert errors[1].expected == f"1, as at {file}:1; keep one of them"
    with pytest.raises(InputError, match=":2: field 'grade'"):
        read_subtopic_qrels(file)


# --- runs ----------------------------------------------------------------------------------------


def test_rankings_go_by_score_then_docid(file: Path) -> None:
    file.write_text("2 Q0 z 1 -5 r\n1 Q0 b 1 1 r\n1 Q0 a 9 1.5 r\n1 Q0 c 2 1 r\n2 Q0 y 2 7 r\n")
    run = read_rankings(file)
    assert run.run_id == "r"
    assert run.topics == {"2": ["y", "z"], "1": ["a", "c", "b"]}


def test_scores_are_compared_in_single_precision_as_in_trec_eval(file: Path) -> None:
    file.write_text("1 Q0 a 1 1.0000000001 r\n1 Q0 b 2 1.0 r\n1 Q0 c 3 1e300 r\n1 Q0 d 4 1e99 r\n")
    assert read_rankings(file).topics == {"1": ["d", "c", "b", "a"]}


def test_by_rank_keeps_the_rank(file: Path) -> None:
    file.write_text("1 Q0 a 10 1 r\n1 Q0 b 9 2 r\n1 Q0 c -1 3 r\n1 Q0 d +2 9 r\n2 Q0 a 9 1 r\n")
    assert read_rankings(file, by_rank=True).topics == {"1": ["c", "d", "b", "a"], "2": ["a"]}


def test_by_rank_no_rank_stands_twice(file: Path) -> None:
    file.write_text("1 Q0 a 1 3 r\n2 Q0 a 1 3 r\n1 Q0 b 01 2 r\n")
    assert read_rankings(file).topics["1"] == ["a", "b"]
    with pytest.raises(
        InputError, match=r":3: field 'rank': .*'1', 1\) stands twice, first at .*1"
    ):
        read_rankings(file, by_rank=True)


def test_dedup_keeps_the_first_row_of_a_document(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file.write_text("1 Q0 a 1 1 r\n1 Q0 b 2 2 r\n1 Q0 a 3 9 r\n2 Q0 a 1 3 r\n1 Q0 a 4 9 r\n")
    for read in (read_run, read_rankings):
        with pytest.raises(InputError, match=r":3: field 'docid': .* first at .*:1; remove one"):
            read(file)
    assert read_rankings(file, dedup=True).topics == {"1": ["b", "a"], "2": ["a"]}
    assert [r.getMessage() for r in caplog.records] == [f"{file}: left out 2 repeated documents"]
    assert read_rankings(file, dedup=True, by_rank=True).topics["1"] == ["a", "b"]


def test_dedup_of_nothing_says_nothing(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text("1 Q0 a 1 1 r\n")
    assert read_rankings(file, dedup=True).topics == {"1": ["a"]}
    assert not caplog.records


def test_an_empty_run_is_an_error(file: Path) -> None:
    file.write_text("\n")
    with pytest.raises(InputError, match="the run is empty; expected rows of topic Q0 docid rank"):
        read_rankings(file)
    assert read_run(file) == []


def test_a_second_tag_is_an_error_in_later_blocks_too(file: Path) -> None:
    rows = [f"1 Q0 d{i} {i} {-i} r" for i in range(9000)]
    rows[8000] = rows[8000] + "2"
    file.write_text("\n".join(rows))
    with pytest.raises(InputError, match=r":8001: field 'tag': .*the run 'r': one file holds one"):
        read_rankings(file)


def test_a_topic_may_come_in_several_stretches(file: Path) -> None:
    file.write_text("1 Q0 a 1 1 r\n2 Q0 b 1 1 r\n1 Q0 c 2 2 r\n2 Q0 d 2 0 r\n")
    assert read_rankings(file).topics == {"1": ["c", "a"], "2": ["b", "d"]}
    assert [(row.topic_id, row.docid) for row in read_run(file)] == [
        ("1", "a"),
        ("2", "b"),
        ("1", "c"),
        ("2", "d"),
    ]
