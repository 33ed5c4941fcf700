"""Names of measures of rankings: canonical, with parameters and cutoffs, and what is no name."""

import math
from typing import Any

import pytest

from judge.errors import UsageError
from judge.metrics import parse_measure
from judge.metrics.measure import NumberParam, did_you_mean, spell
from judge.metrics.names import (
    all_ranking_measures,
    parse_ranking_measure,
    parse_ranking_measures,
)
from judge.metrics.rankings.diversity import AlphaNDCG, AlphaNDCGRecipe, StRecall
from judge.metrics.rankings.relevance import AP, NDCG, RR, Judged, P, R


@pytest.mark.parametrize(
    ("text", "canonical", "measure"),
    [
        ("alpha_nDCG@20", "alpha_nDCG@20", AlphaNDCG(20)),
        ("alpha_nDCG(alpha=0.5)@20", "alpha_nDCG@20", AlphaNDCG(20, 0.5)),
        ("alpha_nDCG(alpha=.30)@5", "alpha_nDCG(alpha=0.3)@5", AlphaNDCG(5, 0.3)),
        ("alpha_nDCG( alpha = 1.0 )", "alpha_nDCG(alpha=1)", AlphaNDCG(None, 1)),
        ("alpha_nDCG(alpha=0)@1000", "alpha_nDCG(alpha=0)@1000", AlphaNDCG(1000, 0)),
        ("alpha_nDCG(alpha=1e-3)@020", "alpha_nDCG(alpha=0.001)@20", AlphaNDCG(20, 0.001)),
        ("alpha_nDCG_recipe@10", "alpha_nDCG_recipe@10", AlphaNDCGRecipe(10)),
        ("StRecall", "StRecall", StRecall()),
        ("nDCG(gain=exp)@20", "nDCG(gain=exp)@20", NDCG(20, "exp")),
        ("nDCG(gain=linear)", "nDCG", NDCG()),
        ("AP(rel=2)", "AP(rel=2)", AP(rel=2)),
        ("RR@10", "RR@10", RR(10)),
        ("R(rel=1)@1000", "R@1000", R(1000)),
        ("P()@5", "P@5", P(5)),
        (" judged@20 ", "judged@20", Judged(20)),
    ],
)
def test_a_name_has_one_canonical_form(text: str, canonical: str, measure: Any) -> None:
    assert parse_ranking_measure(text) == measure
    assert str(measure) == canonical
    assert parse_ranking_measure(canonical) == measure


def test_a_list_keeps_the_order_and_each_measure_once() -> None:
    found = parse_ranking_measures(" alpha_nDCG(alpha=0.5)@20, StRecall@20 nDCG@20 alpha_nDCG@20\n")
    assert found == [AlphaNDCG(20), StRecall(20), NDCG(20)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ndcg@20", "there is no measure 'ndcg' (did you mean nDCG?)"),
        ("alpha-nDCG@20", "did you mean alpha_nDCG?"),
        ("zzz", "measures: alpha_nDCG, StRecall, alpha_nDCG_recipe, nDCG, RR, AP, R, P, judged"),
        ("strict_vital_recall", "no measure 'strict_vital_recall' of rankings: it is one of answe"),
        ("nDCG@0", "the cutoff of nDCG is at least 1, not 0"),
        ("nDCG@-1", "'nDCG@-1' is not a measure"),
        ("nDCG@", "'nDCG@' is not a measure"),
        ("nDCG@2.5", "'nDCG@2.5' is not a measure"),
        ("nDCG@20(gain=exp)", "is not a measure"),
        ("nDCG@1234567890", "is not a measure"),
        ("nDCG@\u0662", "is not a measure"),
        ("alpha_nDCG_recipe", "alpha_nDCG_recipe needs a cutoff: write alpha_nDCG_recipe@20"),
        ("alpha_nDCG(alpha=1.01)", "alpha is a number in alpha=0..1, not '1.01'"),
        ("alpha_nDCG(alpha=-0)", "alpha is a number in alpha=0..1, not '-0'"),
        ("alpha_nDCG(alpha=nan)", "not 'nan'"),
        ("alpha_nDCG(alpha=)", "not ''"),
        ("alpha_nDCG(alpha=1=0)", "alpha is a number in alpha=0..1, not '1=0'"),
        ("alpha_nDCG(alpha=0_1)", "not '0_1'"),
        ("alpha_nDCG(beta=0.5)", "has no parameter 'beta'; it takes alpha=0..1"),
        ("AP(rel=0)", "parameter rel is a whole number in rel=1.., not '0'"),
        ("AP(rel=1.5)", "rel is a whole number in rel=1.., not '1.5'"),
        ("nDCG(gain=log)", "gain is one of linear, exp, binary, not 'log'"),
        ("nDCG(cutoff=20)", "nDCG has no parameter 'cutoff'; it takes gain=linear|exp|binary"),
    ],
)
def test_what_cannot_be_read_is_said_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_ranking_measure(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDCG@20", "there is no measure 'nDCG' of answers: it is one of rankings"),
        ("vital_recall@5", "there is no measure 'vital_recall@5': vital_recall takes no cutoff"),
    ],
)
def test_measures_of_answers_know_those_of_rankings(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_measure(text)


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        (AlphaNDCG, {"alpha": 2.0}, "alpha_nDCG takes alpha=0..1, not 2.0"),
        (AlphaNDCG, {"alpha": math.nan}, "not nan"),
        (AlphaNDCG, {"alpha": True}, "not True"),
        (AlphaNDCG, {"alpha": "0.5"}, "not '0.5'"),
        (AlphaNDCG, {"cutoff": 0}, "at least 1, not 0"),
        (AlphaNDCG, {"cutoff": True}, "at least 1, not True"),
        (AlphaNDCG, {"cutoff": 20.0}, "at least 1, not 20.0"),
        (AP, {"rel": 1.0}, "AP takes rel=1.., not 1.0"),
        (AP, {"rel": 0}, "AP takes rel=1.., not 0"),
        (AlphaNDCGRecipe, {}, "needs a cutoff"),
    ],
)
def test_a_wrong_value_in_python_is_refused_too(
    kind: Any, values: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        kind(**values)
    assert said in str(caught.value)


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.25])
def test_both_ends_of_a_range_belong_to_it(value: float) -> None:
    assert AlphaNDCG(alpha=value).alpha == value


def test_every_measure_tells_what_it_is() -> None:
    measures = all_ranking_measures()
    assert [str(measure) for measure in measures] == [
        "alpha_nDCG",
        "StRecall",
        "alpha_nDCG_recipe@20",
        "nDCG",
        "RR",
        "AP",
        "R",
        "P",
        "judged",
    ]
    for measure in measures:
        assert measure.range[0] == 0.0
        assert measure.higher_is_better
        assert "/" in measure.doc
        for parameter in measure.params:
            assert parameter.takes(parameter.default)
            assert parameter.doc
    unbounded = [measure.name for measure in measures if measure.range[1] is None]
    assert unbounded == ["alpha_nDCG_recipe"]
    assert "Warning: this is not alpha-nDCG" in measures[2].doc


def test_a_number_has_no_choices_but_a_range() -> None:
    (alpha,) = AlphaNDCG().params
    (rel,) = AP().params
    assert isinstance(alpha, NumberParam)
    assert (alpha.low, alpha.high, alpha.choices, alpha.default) == (0.0, 1.0, (), 0.5)
    assert (str(alpha), str(rel)) == ("alpha=0..1", "rel=1..")
    assert rel.takes(10**9)


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (1, "1"), (1.0, "1"), (0.1 + 0.2, "0.30000000000000004"), ("all", "all")],
)
def test_values_are_spelled_so_that_they_can_be_read_back(value: Any, text: str) -> None:
    assert spell(value) == text


def test_a_near_miss_may_differ_in_letter_case_alone() -> None:
    assert did_you_mean("STRECALL", ["nDCG", "StRecall"]) == " (did you mean StRecall?)"
    assert did_you_mean("zzz", ["nDCG", "StRecall"]) == ""
