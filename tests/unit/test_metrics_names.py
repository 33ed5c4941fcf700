"""Names of measures: parsed and printed the same way, and errors that say what there is."""

import pytest

from judge.errors import UsageError
from judge.metrics import all_measures, parse_measure, parse_measures
from judge.metrics.nuggets import SubNarrativeCoverage
from judge.metrics.support import SupportRecall


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("strict_vital_recall", "strict_vital_recall"),
        (" vital_recall ", "vital_recall"),
        ("vital_recall()", "vital_recall"),
        ("support_recall(hard=true,citations=all)", "support_recall(citations=all,hard=true)"),
        ("support_recall(citations=first,hard=false)", "support_recall"),
        ("support_recall( hard = true )", "support_recall(hard=true)"),
        (
            "sub_narrative_coverage(new=false, denominator=official, credit=full)",
            "sub_narrative_coverage(denominator=official,new=false)",
        ),
    ],
)
def test_a_name_has_one_canonical_form(text: str, canonical: str) -> None:
    measure = parse_measure(text)
    assert str(measure) == canonical
    assert parse_measure(canonical) == measure


def test_parameters_are_typed() -> None:
    assert parse_measure("support_recall(citations=all,hard=true)") == SupportRecall("all", True)
    measure = parse_measure("sub_narrative_coverage(denominator=official,new=false)")
    assert measure == SubNarrativeCoverage(denominator="official", new=False)


@pytest.mark.parametrize(
    "text",
    [
        "strict_vital_recall support_recall(citations=all,hard=true) all_recall",
        "strict_vital_recall, support_recall(citations=all, hard=true), all_recall",
        "\n strict_vital_recall\tsupport_recall(hard=true ,citations=all),all_recall,\n",
        "strict_vital_recall support_recall(hard=true,citations=all) all_recall all_recall()",
    ],
)
def test_a_list_is_separated_by_spaces_or_commas_outside_parentheses(text: str) -> None:
    names = [str(measure) for measure in parse_measures(text)]
    assert names == ["strict_vital_recall", "support_recall(citations=all,hard=true)", "all_recall"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("strict_vital_recal", "did you mean strict_vital_recall?"),
        ("Strict-Vital-Recall", "did you mean strict_vital_recall?"),
        ("strict_vital_score", "did you mean strict_vital_recall?"),
        ("zzz", "measures: strict_vital_recall, strict_all_recall"),
        ("support_recall(citatons=all)", "did you mean citations?"),
        ("support_recall(depth=3)", "it takes citations=first|all, hard=true|false"),
        ("vital_recall(hard=true)", "it takes none"),
        ("support_recall(citations=al)", "one of first, all, not 'al' (did you mean all?)"),
        ("support_recall(hard=yes)", "hard is one of true, false, not 'yes'"),
        ("support_recall(hard=)", "not ''"),
        ("support_recall(hard)", "'hard' is not parameter=value"),
        ("support_recall(hard=true,)", "'' is not parameter=value"),
        ("support_recall(hard=true,hard=false)", "hard is given twice"),
        ("support_recall(hard=true", "is not a measure"),
        ("support_recall hard=true)", "is not a measure"),
        ("support_recall((hard=true))", "is not a measure"),
        ("all_recall@20", "there is no measure 'all_recall@20'"),
        ("", "is not a measure"),
    ],
)
def test_what_cannot_be_read_is_said_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_measure(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_suggestion_for_what_is_not_near() -> None:
    with pytest.raises(UsageError) as caught:
        parse_measure("zzz")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("text", ["", " ,\n"])
def test_an_empty_list_of_measures_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="no measure is named"):
        parse_measures(text)


@pytest.mark.parametrize(
    "values", [{"citations": "frist"}, {"hard": "true"}, {"hard": 1}, {"citations": True}]
)
def test_a_wrong_parameter_in_python_is_refused_too(values: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="support_recall takes"):
        SupportRecall(**values)  # type: ignore[arg-type]


def test_every_measure_tells_what_it_is() -> None:
    measures = all_measures()
    assert [str(measure) for measure in measures] == [
        "strict_vital_recall",
        "strict_all_recall",
        "vital_recall",
        "all_recall",
        "weighted_recall",
        "sub_narrative_coverage",
        "info_recall",
        "nugget_coverage",
        "support_precision",
        "support_recall",
        "citation_recall",
        "citation_precision",
        "citation_f1",
    ]
    for measure in measures:
        assert measure.range == (0.0, 1.0)
        assert measure.higher_is_better
        assert "/" in measure.doc or "Share" in measure.doc
        for parameter in measure.params:
            assert parameter.default == getattr(measure, parameter.name)
            assert parameter.default in parameter.choices
            assert parameter.doc
    kinds = {measure.kind for measure in measures}
    assert kinds == {"nuggets", "coverage", "support", "citations"}
