"""How sure a judge was of its labels: from log-probabilities, and from samples of the same call.

Labels are as they were; nothing here enters a score.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from judge.formats.lines import write_lines
from judge.types import Judgment
from judge.votes import agreement

FILE = "uncertainty.tsv"
_HEAD = ("unit_id", "label", "expected", "entropy", "label_mass", "samples_alike")
_VALUES = {"none": 0.0, "partial": 0.5, "full": 1.0, "okay": 0.0, "vital": 1.0}


def write_uncertainty(run: Path, judgments: Iterable[Judgment]) -> None:
    """Write uncertainty.tsv: a line for each label with log-probabilities or several samples.

    Columns: unit_id; label; expected label (a grade, or 0 to 1 for none to full and okay to
    vital); entropy in bits, from 0 (sure) to log2 of the number of labels; label_mass, the
    probability that the tokens of labels had together; samples_alike, the share of pairs of
    samples with the same label. What is not known is empty.

    Raises:
        UsageError: the file cannot be written.
    """
    write_lines(run / FILE, ["\t".join(_HEAD), *("\t".join(row) for row in _rows(judgments))])


def expected(probabilities: Mapping[str, float]) -> float:
    """Return the mean label: grades as they are, none to full and okay to vital as 0 to 1."""
    return math.fsum(_value(label) * p for label, p in probabilities.items())


def entropy(probabilities: Mapping[str, float]) -> float:
    """Return the Shannon entropy in bits, at least 0."""
    return max(0.0, -math.fsum(p * math.log2(p) for p in probabilities.values() if p > 0))


def _value(label: str) -> float:
    return _VALUES[label] if label in _VALUES else float(label)


def _rows(judgments: Iterable[Judgment]) -> Iterator[tuple[str, ...]]:
    for judgment in judgments:
        samples = judgment.detail.get("samples", ())
        if judgment.label is None or not (judgment.probabilities or samples):
            continue
        equal, pairs = agreement(samples)
        yield (
            judgment.unit_id,
            str(judgment.label),
            *_likely(judgment),
            f"{equal / pairs:.4f}" if pairs else "",
        )


def _likely(judgment: Judgment) -> tuple[str, str, str]:
    given = judgment.probabilities
    if not given:
        return "", "", ""
    mass = judgment.detail.get("label_mass")
    return (
        f"{expected(given):.4f}",
        f"{entropy(given):.4f}",
        "" if mass is None else f"{mass:.4f}",
    )
