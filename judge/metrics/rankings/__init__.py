"""Measures of rankings as objects with canonical names, and the scores they give to runs.

A measure is one class in `diversity` or `relevance`, named in that module's `MEASURES`.
"""

from judge.metrics.rankings import diversity, relevance
from judge.metrics.rankings.base import Grades, Held, RankingMeasure
from judge.metrics.rankings.scoring import Gold, score_runs

__all__ = ["MEASURES", "Gold", "Grades", "Held", "RankingMeasure", "score_runs"]

MEASURES = (*diversity.MEASURES, *relevance.MEASURES)
