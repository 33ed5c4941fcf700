"""Measures as objects with canonical names, and the scores they give: pure functions of labels.

A measure of answers is one class in `nuggets`, `coverage`, `support` or `citations`, named in that
module's `MEASURES`.
"""

from judge.metrics.measure import Measure, Param
from judge.metrics.names import all_measures, parse_measure, parse_measures
from judge.metrics.outcome import Outcome
from judge.metrics.scoring import score

__all__ = [
    "Measure",
    "Outcome",
    "Param",
    "all_measures",
    "parse_measure",
    "parse_measures",
    "score",
]
