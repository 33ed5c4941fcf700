"""Runs and qrels: columns, numbers, repeats, ranking and pools."""

from pathlib import Path

import pytest

from judge.errors import InputError, UsageError
from judge.formats import pool, ranking, read_qrels, read_run, write_qrels
from judge.types import Qrel, Ranked

DOCID = "msmarco_v2.1_doc_29_677149#3_1637632"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.txt"


def rows(run_id: str, *cells: tuple[str, str, float]) -> list[Ranked]:
    return [Ranked(t, d, i, s, run_id) for i, (t, d, s) in enumerate(cells, start=1)]


def test_run(file: Path) -> None:
    file.write_bytes(
        b"\xef\xbb\xbf"
        + f"007 Q0 {DOCID} 1 1e-3 tag\r\n007\tQ0\td2 \t 2  -.5\ttag\r\n\r\n".encode()
    )
    assert read_run(file) == [
        Ranked("007", DOCID, 1, 0.001, "tag"),
        Ranked("007", "d2", 2, -0.5, "tag"),
    ]


def test_only_blanks_and_tabs_part_columns(file: Path) -> None:
    file.write_text("1 Q0 a\u00a0b\u2028c 1 2 t\x1fu\n", encoding="utf-8")
    assert read_run(file) == [Ranked("1", "a\u00a0b\u2028c", 1, 2.0, "t\x1fu")]


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-Infinity", "1e999", "1_0", "x", "\u0661"])
def test_scores_must_be_finite(file: Path, score: str) -> None:
    file.write_text(f"1 Q0 a 1 2.0 t\n1 Q0 b 2 {score} t\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_run(file)
    assert (caught.value.line, caught.value.field, caught.value.found) == (2, "score", score)
    assert caught.value.expected == "a finite number"


@pytest.mark.parametrize("rank", ["1.0", "x", "1_0", "9" * 30])
def test_ranks_must_be_whole(file: Path, rank: str) -> None:
    file.write_text(f"1 Q0 a {rank} 2.0 t\n")
    with pytest.raises(InputError, match="field 'rank': wrong value; expected a whole number"):
        read_run(file)


def test_document_twice_names_both_lines(file: Path) -> None:
    file.write_text("1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 a 2 2 t\n")
    with pytest.raises(
        InputError, match=r":3: field 'docid': .*'a'\) stands twice, first at .*:1;"
    ):
        read_run(file)


def test_two_runs_in_one_file(file: Path) -> None:
    file.write_text("1 Q0 a 1 3 t\n2 Q0 a 1 3 u\n")
    with pytest.raises(InputError, match=r":2: field 'tag': .*one file holds one run, found 'u'"):
        read_run(file)


@pytest.mark.parametrize("text", ["1 Q0 a 1 3", "1 Q0 a 1 3 t x", "1"])
def test_number_of_columns(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError, match=r":1: \d columns?; expected 6 columns \(topic Q0 docid"):
        read_run(file)


def test_ranking_is_by_score_then_docid_descending() -> None:
    run = rows(
        "r", ("1", "a", 1.0), ("1", "c", 1.0), ("1", "b", 1.0), ("1", "d", 2.0), ("2", "a", 0)
    )
    assert ranking(run) == {"1": ["d", "c", "b", "a"], "2": ["a"]}


def test_pool_is_ordered_by_topic_best_rank_and_docid() -> None:
    first = rows("r", ("2", "x", 3), ("1", "a", 3), ("1", "b", 2), ("1", "c", 1))
    second = rows("r", ("1", "b", 9), ("1", "d", 8), ("1", "a", 7))
    assert pool([first, second], 2) == [("1", "a"), ("1", "b"), ("1", "d"), ("2", "x")]
    assert pool([first, second], 1) == [("1", "a"), ("1", "b"), ("2", "x")]
    assert pool([], 5) == []


def test_pool_goes_by_rank_even_where_the_topic_ids_sort_otherwise() -> None:
    assert pool([rows("r", ("10", "b", 1), ("9", "z", 2), ("9", "a", 1))], 5) == [
        ("10", "b"),
        ("9", "z"),
        ("9", "a"),
    ]


def test_pool_of_no_depth() -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        pool([], 0)


def test_qrels(file: Path) -> None:
    file.write_text(
        f"\ufeff007 0 {DOCID} 3\r\n007 Q0 b -1\r\n007\t1\tc\t0\r\n8 Q0 b 2 0.75 run\r\n \r\n",
        encoding="utf-8",
        newline="",
    )
    assert read_qrels(file) == [
        Qrel("007", DOCID, 3),
        Qrel("007", "b", -1),
        Qrel("007", "c", 0),
        Qrel("8", "b", 2),
    ]


def test_same_line_twice_is_told_once(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    file.write_text("1 0 a 2\n1 0 a 2\n1 Q0 a 2\n1 0 b 2\n")
    assert read_qrels(file) == [Qrel("1", "a", 2), Qrel("1", "b", 2)]
    assert [r.getMessage() for r in caplog.records] == [f"{file}: ignored 2 repeated lines"]


def test_two_grades_for_one_pair(file: Path) -> None:
    file.write_text("1 0 a 2\n1 0 b 2\n\n1 0 a 1\n")
    with pytest.raises(InputError, match=r":4: field 'grade': .*expected 2, as at .*:1.*found '1'"):
        read_qrels(file)


@pytest.mark.parametrize("grade", ["1.0", "x", "1_0", "\u0663", "--1"])
def test_grades_must_be_whole(file: Path, grade: str) -> None:
    file.write_text(f"1 0 a {grade}\n", encoding="utf-8")
    with pytest.raises(InputError, match=":1: field 'grade': wrong value; expected a whole number"):
        read_qrels(file)


@pytest.mark.parametrize("text", ["1 0 a", "1 0 a 1 0.5", "1 0 a 1 0.5 r x"])
def test_qrels_columns(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(InputError, match="expected 4 or 6 columns"):
        read_qrels(file)


def test_qrels_round_trip(file: Path) -> None:
    qrels = [Qrel("007", DOCID, 3), Qrel("2", "a/b:c#d", -2), Qrel("007", "\u00e9", 0)]
    write_qrels(file, qrels)
    assert read_qrels(file) == qrels
    assert file.read_text(encoding="utf-8").startswith(f"007 0 {DOCID} 3\n")


@pytest.mark.parametrize("docid", ["a b", "", " a", "a\n", "a\u2028b"])
def test_ids_with_blanks_are_not_written(file: Path, docid: str) -> None:
    with pytest.raises(InputError, match="an id without blanks"):
        write_qrels(file, [Qrel("1", "fine", 1), Qrel("1", docid, 1)])
    assert list(file.parent.iterdir()) == []
