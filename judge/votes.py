"""Several replies made into one: samples of a call by majority, answers to several together."""

from collections import Counter
from collections.abc import Mapping, Sequence

from judge.types import Call, Failure, Label, Reply, Verdict

TIED = "samples_tied"

_NO_PROBABILITIES = (
    "no probabilities of its answers came, which this prompt rests on; take a model that gives "
    "them (`rag-judge doctor` tells), or another --prompt"
)


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


def together(call: Call, outcomes: Sequence[Reply | Failure]) -> Reply | Failure:
    """Return the reply that the replies to the parts of a call amount to.

    It stands under the key of the first; `detail["others"]` holds the keys of the rest. If one
    failed or lacks the probabilities that it was asked for, so does the call.

    Args:
        call: with parts.
        outcomes: of its parts, in their order; those after one that failed may be left out.
    """
    if call.parts is None:
        raise TypeError("a call without parts has one outcome")
    attempts = tuple(attempt for outcome in outcomes for attempt in outcome.attempts)
    replies: list[Reply] = []
    for part, outcome in zip(call.parts.calls, outcomes, strict=False):
        if isinstance(outcome, Failure):
            return outcome._replace(attempts=attempts)
        if _lacks_probabilities(part, outcome):
            return Failure(outcome.key, "parameter", _NO_PROBABILITIES, attempts)
        replies.append(outcome)
    others = [reply.key for reply in replies[1:]]
    verdicts = {}
    for unit in call.units:
        verdict = call.parts.compose([reply.verdicts[unit.unit_id] for reply in replies])
        detail = {**verdict.detail, "others": others}
        verdicts[unit.unit_id] = verdict._replace(detail=detail)
    return replies[0]._replace(verdicts=verdicts, attempts=attempts)


def worth_going_on(part: Call, outcome: Reply | Failure) -> bool:
    """Whether the parts after this one are to be asked: what only the store lacks costs nothing."""
    if isinstance(outcome, Failure):
        return outcome.kind == "offline"
    return not _lacks_probabilities(part, outcome)


def _lacks_probabilities(call: Call, reply: Reply) -> bool:
    """Whether a call that asks for probabilities, whatever the settings, got a label without."""
    return call.weighed and any(v.probabilities is None for v in reply.verdicts.values())


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
