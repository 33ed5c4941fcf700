"""Several raters of the same units: every pair of them, and Krippendorff's alpha of all."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from judge.agreement.labels import (
    Summary,
    alpha,
    confusion,
    group_codes,
    number,
    summary,
)
from judge.agreement.ratings import Table
from judge.agreement.scale import UNRATED, Floats, Ints


@dataclass(frozen=True)
class Pair:
    """Two raters, `first` in the rows."""

    first: str
    second: str
    summary: Summary


@dataclass(frozen=True)
class Reliability:
    """Krippendorff's alpha over any number of raters with gaps; None where undefined.

    `n` counts the units that at least two raters labelled.
    """

    raters: tuple[str, ...]
    n: int
    alpha_nominal: float | None
    alpha_ordinal: float | None


def pairs(table: Table) -> list[Pair]:
    """Return the agreement of every two raters of a table, in the order of its columns."""
    size = len(table.scale)
    return [
        Pair(a, b, summary(confusion(table.column(a), table.column(b), size), table.scale))
        for a, b in combinations(table.raters, 2)
    ]


def pooled(table: Table) -> Floats:
    """Return the counts of all pairs of raters together, shape (topics, k, k)."""
    topics, groups = group_codes(table.topics)
    size = len(table.scale)
    by_topic = np.zeros((len(topics), size, size))
    for a, b in combinations(table.raters, 2):
        counts = confusion(table.column(a), table.column(b), size, groups)
        by_topic[: len(counts)] += counts
    return by_topic


def reliability(table: Table) -> Reliability:
    """Return Krippendorff's alpha of all raters of a table."""
    rated = np.sum(table.codes != UNRATED, axis=1)
    matrix = coincidences(table.codes, len(table.scale))
    return Reliability(
        raters=table.raters,
        n=int(np.sum(rated >= 2)),
        alpha_nominal=number(alpha(matrix, "nominal")),
        alpha_ordinal=number(alpha(matrix, "ordinal")),
    )


def coincidences(codes: Ints, k: int) -> Floats:
    """Return the coincidence matrix of Krippendorff (2004, 11.3).

    A unit with m >= 2 labels adds each ordered pair of them, weighted 1 / (m - 1).

    Args:
        codes: shape (units, raters), UNRATED where there is no label.
        k: how many labels there are.
    """
    given = (codes[:, :, None] == np.arange(k)).sum(axis=1)
    given = given[given.sum(axis=1) >= 2].astype(np.float64)
    weights = 1.0 / (given.sum(axis=1) - 1.0)
    crossed = np.einsum("uc,ud,u->cd", given, given, weights)
    return np.asarray(crossed - np.diag((given * weights[:, None]).sum(axis=0)))
