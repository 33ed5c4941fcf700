"""Several replies made into one: samples of a call by majority, answers to several together."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from judge.types import Call, Failure, Label, Reply, Verdict

TIED = "samples_tied"


def by_majority(call: Call, outcomes: Sequence[Reply | Failure]) -> Reply | Failure:
    """Return the reply that the replies to several samples of a call amount to.

    The label of a unit is the one that most samples give it; of several with equally many the
    lowest, flagged `samples_tied`. `detail["samples"]` holds the labels in the order of the
    samples, None for one that failed. Reason and detail are of the first sample with the label,
    probabilities the mean over the samples that have some.

    If half of the samples or more failed, so does the call.

    Args:
        call: with its closed set of labels, the lowest first.
        outcomes: of its samples, at least one.
    """
    if len(outcomes) == 1:
        return outcomes[0]
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    attempts = tuple(attempt for outcome in outcomes for attempt in outcome.attempts)
    if len(failures) * 2 >= len(outcomes):
        told = f"{len(failures)} of {len(outcomes)} samples failed: {failures[0].message}"
        return failures[0]._replace(message=told, attempts=attempts)
    order = {label: place for place, label in enumerate(call.labels)}
    verdicts = {
        unit.unit_id: _vote([_of(outcome, unit.unit_id) for outcome in outcomes], order)
        for unit in call.units
    }
    return replies[0]._replace(verdicts=verdicts, attempts=attempts)


def together(
    call: Call, outcomes: Sequence[Reply | Failure], compose: Callable[[Sequence[Verdict]], Verdict]
) -> Reply | Failure:
    """Return the reply that the replies to a call and to those beside it amount to.

    It stands under the key of the first; `detail["others"]` holds the keys of the rest. If one
    failed, so does the call.

    Args:
        call: whose units are labelled.
        outcomes: that of the call, and those of the calls beside it.
        compose: makes one verdict of all the answers on a unit, in this order.
    """
    attempts = tuple(attempt for outcome in outcomes for attempt in outcome.attempts)
    failure = next((outcome for outcome in outcomes if isinstance(outcome, Failure)), None)
    if failure is not None:
        return failure._replace(attempts=attempts)
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    others = [reply.key for reply in replies[1:]]
    verdicts = {}
    for unit in call.units:
        verdict = compose([reply.verdicts[unit.unit_id] for reply in replies])
        detail = {**verdict.detail, "others": others}
        verdicts[unit.unit_id] = verdict._replace(detail=detail)
    return replies[0]._replace(verdicts=verdicts, attempts=attempts)


def agreement(samples: Sequence[Label | None]) -> tuple[int, int]:
    """Return how many pairs of samples have the same label, and how many pairs there are."""
    given = [label for label in samples if label is not None]
    equal = sum(count * (count - 1) // 2 for count in Counter(given).values())
    return equal, len(given) * (len(given) - 1) // 2


def _of(outcome: Reply | Failure, unit_id: str) -> Verdict | None:
    return outcome.verdicts[unit_id] if isinstance(outcome, Reply) else None


def _vote(samples: Sequence[Verdict | None], order: Mapping[Label, int]) -> Verdict:
    given = [verdict for verdict in samples if verdict is not None]
    counts = Counter(verdict.label for verdict in given)
    most = max(counts.values())
    leading = sorted((label for label in counts if counts[label] == most), key=order.__getitem__)
    first = next(verdict for verdict in given if verdict.label == leading[0])
    flags = (*first.flags, TIED) if len(leading) > 1 else first.flags
    labels = [None if verdict is None else verdict.label for verdict in samples]
    return first._replace(
        flags=flags,
        detail={**first.detail, "samples": labels},
        probabilities=_mean([v.probabilities for v in given if v.probabilities]),
    )


def _mean(given: Sequence[Mapping[str, float]]) -> dict[str, float] | None:
    if not given:
        return None
    return {label: sum(each[label] for each in given) / len(given) for label in given[0]}
