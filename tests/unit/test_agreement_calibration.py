"""Calibration: the best rising steps, isotonic means, and an honest evaluation."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from judge.agreement.calibration import Calibration, fit, fit_steps, isotonic
from judge.agreement.ratings import Rater, Rating
from judge.agreement.scale import Scale
from judge.errors import InputError
from judge.types import Label

SCALE = Scale((0, 1, 2))
points = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=12)


def ratings(labels: list[Label | None], **more: Any) -> dict[str, Rating]:
    found = {}
    for i, label in enumerate(labels):
        unit_id = f"relevance|t{i % 8}|d{i}"
        found[unit_id] = Rating(unit_id, f"t{i % 8}", None, label, **more)
    return found


def of(labels: list[Label]) -> dict[str, Label]:
    return dict(zip(ratings(list(labels)), labels, strict=True))


@given(points)
@settings(max_examples=80, deadline=None)
def test_no_rising_map_has_a_smaller_error(given_points: list[tuple[int, int]]) -> None:
    x = np.array([float(a) for a, _ in given_points])
    y = np.array([b for _, b in given_points])
    steps = fit_steps(x, y, SCALE)
    values = sorted(set(x))

    def error(labels: Any) -> int:
        chosen = dict(zip(values, labels, strict=True))
        return sum(abs(chosen[a] - b) for a, b in zip(x, y, strict=True))

    ours = [[label for start, label in steps if start <= value][-1] for value in values]
    assert ours == sorted(ours)
    maps = combinations_with_replacement(range(3), len(values))
    assert error(ours) == min(error(labels) for labels in maps)


@given(points)
@settings(max_examples=40, deadline=None)
def test_means_are_those_of_isotonic_regression(given_points: list[tuple[int, int]]) -> None:
    x, y = (np.array(side, dtype=float) for side in zip(*given_points, strict=True))
    found = isotonic(x, y)
    theirs = IsotonicRegression().fit(x, y).predict([value for value, _ in found])
    assert [mean for _, mean in found] == pytest.approx(theirs.tolist())


def too_kind() -> tuple[dict[str, Label], dict[str, Rating]]:
    """A judge that says one grade more than people, from 1 on."""
    human: list[Label] = [0, 0, 1, 1, 2, 2, 3, 3] * 8
    judge: list[Label | None] = [0, 0, 2, 2, 3, 3, 4, 4] * 8
    return of(human), ratings(judge)


def test_a_judge_that_is_too_kind_is_brought_back() -> None:
    human, judge = too_kind()
    found = fit("relevance", human, judge, models=["m"], files={"f": "sha256:0"})
    assert (found.uses, found.lowest) == ("labels", 0)
    assert found.steps == ((1.0, 1), (2.5, 2), (3.5, 3))
    assert found.points == ((0.0, 0.0), (2.0, 1.0), (3.0, 2.0), (4.0, 3.0))
    assert found.apply(Rater("j", "judge", judge)).labels == human
    assert found.mean_value(Rating("relevance|t|d", "t", None, 2)) == 1.0
    assert (found.models, found.files) == (("m",), {"f": "sha256:0"})


def test_it_is_evaluated_on_topics_left_out() -> None:
    human, judge = too_kind()
    found = fit("relevance", human, judge).evaluation
    assert found is not None
    assert (found.n, found.n_topics, found.folds) == (64, 8, 8)
    assert found.raw.exact == pytest.approx(0.25)
    assert found.raw.bias == pytest.approx(0.75)
    assert found.calibrated.exact == 1.0


def test_what_holds_for_one_topic_alone_is_not_called_learned() -> None:
    units = {
        key: r._replace(topic_id=f"t{i % 2}") for i, (key, r) in enumerate(ratings([1] * 8).items())
    }
    human: dict[str, Label] = {key: 2 * (i % 2) for i, key in enumerate(units)}
    found = fit("relevance", human, units).evaluation
    assert found is not None
    assert found.calibrated.exact == 0.0


def test_one_topic_has_no_evaluation() -> None:
    labels: list[Label | None] = [0, 1, 2]
    units = {k: r._replace(topic_id="t") for k, r in ratings(labels).items()}
    assert fit("relevance", dict.fromkeys(units, 1), units).evaluation is None


def test_noise_is_not_said_to_be_improved() -> None:
    rng = np.random.default_rng(2)
    human = of([int(x) for x in rng.integers(0, 3, 200)])
    judge = ratings([int(x) for x in rng.integers(0, 3, 200)])
    found = fit("relevance", human, judge).evaluation
    assert found is not None
    assert found.calibrated.kappa is not None
    assert found.calibrated.kappa < 0.15


def test_probabilities_are_used_where_every_unit_has_them() -> None:
    human, judge = too_kind()
    with_p = {k: r._replace(probabilities={str(r.label): 0.5, "0": 0.5}) for k, r in judge.items()}
    found = fit("relevance", human, with_p)
    assert found.uses == "probabilities"
    unit = Rating("relevance|t|d", "t", None, 4, probabilities={"4": 0.5, "0": 0.5, "other": 9.0})
    assert found.label(unit) == 3
    with pytest.raises(InputError, match="no probabilities"):
        found.label(unit._replace(probabilities=None))
    partly = {**with_p, **dict(list(judge.items())[:1])}
    assert fit("relevance", human, partly).uses == "labels"


def test_support_labels_are_mapped_to_support_labels() -> None:
    units: list[Label | None] = ["full", "full", "partial", "none"] * 4
    said: list[Label] = ["partial", "partial", "none", "none"] * 4
    found = fit("support", of(said), ratings(units))
    assert (found.lowest, found.steps) == ("none", ((1.5, "partial"),))


def test_a_failed_judgment_stays_without_a_label() -> None:
    human, judge = too_kind()
    found = fit("relevance", human, judge)
    failed = Rating("relevance|t|d", "t", None, None)
    assert found.label(failed) is None
    assert found.mean_value(failed) is None


def test_too_little_to_learn_from_is_refused() -> None:
    with pytest.raises(InputError, match="1 units"):
        fit("relevance", of([1]), ratings([1]))


def test_it_knows_the_units_it_was_fitted_on_and_survives_json() -> None:
    human, judge = too_kind()
    found = fit("relevance", human, judge)
    assert found.overlap([*list(human)[:3], "relevance|t9|new"]) == 3
    assert Calibration.model_validate_json(found.model_dump_json()) == found
