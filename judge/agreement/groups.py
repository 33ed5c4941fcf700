"""Agreement within groups of units: the topics, or the systems that were judged."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judge.agreement.labels import confusion, group_codes, numbers, statistics
from judge.agreement.scale import Floats, Ints, Scale


@dataclass(frozen=True)
class GroupAgreement:
    """Agreement on one group's units; kappas are None where both sides give one label alone."""

    n: int
    exact: float | None
    kappa: float | None
    kappa_quadratic: float | None
    mae: float | None
    bias: float | None


def counts_by(names: Sequence[str], human: Ints, judge: Ints, scale: Scale) -> Floats:
    """Return counts of shape (groups, k, k), the groups in the order of their first units."""
    groups, codes = group_codes(names)
    counts = np.zeros((len(groups), len(scale), len(scale)))
    found = confusion(human, judge, len(scale), codes)
    counts[: len(found)] = found
    return counts


def by_group(
    names: Sequence[str], human: Ints, judge: Ints, scale: Scale
) -> dict[str, GroupAgreement]:
    """Return the agreement in each group that has a unit with labels of both sides.

    Args:
        names: the group of each unit.
        human: codes of the human labels.
        judge: codes of the judge's.
        scale: the labels.
    """
    counts = counts_by(names, human, judge, scale)
    found = {name: numbers(values) for name, values in statistics(counts, scale).items()}
    sizes = counts.sum(axis=(1, 2))
    columns = zip(
        dict.fromkeys(names),
        sizes,
        *(found[name] for name in ("exact", "kappa", "kappa_quadratic", "mae", "bias")),
        strict=True,
    )
    return {name: GroupAgreement(int(n), *values) for name, n, *values in columns if n}
