"""Which systems can be told apart, as a compact letter display."""

from collections.abc import Iterable, Sequence
from typing import Any

from judge.errors import UsageError
from judge.metrics import Measure
from judge.metrics.comparing import Comparison
from judge.scoring import Labels, compare

ALPHA = 0.05
MOST_RUNS = 40
"""Systems up to which every two are compared: 780 tests."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def significance(
    labels: Labels, measure: Measure[Any], runs: Sequence[str], **rules: Any
) -> dict[str, Any]:
    """Compare every two systems by `measure`, and put those that do not differ into groups.

    Args:
        labels: what the scores rest on.
        measure: the primary measure.
        runs: the systems, best first.
        rules: those of `judge.scoring.compute`.

    Returns:
        {measure, alpha, n_pairs, letters: {run_id: "ab"}, reason}: systems with a letter in
        common do not differ at `alpha` (randomisation test, Holm over all pairs). `reason` says
        why pairs were not tested.
    """
    comparisons: list[Comparison] = []
    reason = None
    if len(runs) > MOST_RUNS:
        reason = f"{len(runs)} systems, and every two of at most {MOST_RUNS} are compared"
    else:
        try:
            comparisons = compare(labels, [measure], every=True, **rules)
        except UsageError as error:
            reason = str(error)
    tested = [c for c in comparisons if c.p_holm is not None]
    known = {run for c in tested for run in (c.run_a, c.run_b)}
    untested = next((c.reason for c in comparisons if c.p_holm is None), None)
    return {
        "measure": str(measure),
        "alpha": ALPHA,
        "n_pairs": len(tested),
        "letters": letters_of([run for run in runs if run in known], _differing(tested)),
        "reason": reason or untested,
    }


def _differing(comparisons: Iterable[Comparison]) -> set[frozenset[str]]:
    return {
        frozenset((c.run_a, c.run_b))
        for c in comparisons
        if c.p_holm is not None and c.p_holm < ALPHA
    }


def letters_of(runs: Sequence[str], differing: set[frozenset[str]]) -> dict[str, str]:
    """Give each run letters, so that two share one exactly if they do not differ.

    Insert and absorb: H.-P. Piepho, "An algorithm for a letter-based representation of all-
    pairwise comparisons", Journal of Computational and Graphical Statistics 13, 2004.

    Args:
        runs: best first; the first gets "a".
        differing: the pairs that differ.
    """
    groups = [frozenset(runs)] if runs else []
    for pair in sorted(differing, key=sorted):
        split = [part for group in groups for part in _without_both(group, pair)]
        groups = [group for group in dict.fromkeys(split) if not any(group < g for g in split)]
    order = {run: place for place, run in enumerate(runs)}
    groups.sort(key=lambda group: sorted(order[run] for run in group))
    return {
        run: " ".join(_letter(place) for place, group in enumerate(groups) if run in group)
        for run in runs
    }


def _without_both(group: frozenset[str], pair: frozenset[str]) -> list[frozenset[str]]:
    return [group - {run} for run in sorted(pair)] if pair <= group else [group]


def _letter(place: int) -> str:
    """Letters from a to z, then a1, b1, and so on."""
    turn, letter = divmod(place, len(_LETTERS))
    return _LETTERS[letter] + (str(turn) if turn else "")
