"""From outcomes to rows: when a value is withheld, and how the mean over topics is taken."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

from judge.errors import UsageError
from judge.metrics.inference import mean_interval
from judge.metrics.outcome import Outcome, in_words
from judge.types import Score

ALL_TOPICS = "all"


@dataclass(frozen=True)
class Rules:
    """How failures and empty gold are treated.

    Attributes:
        max_failed: the share of failed units, in [0, 1], above which a value is withheld.
        allow_incomplete: never withhold a value.
        empty_as_zero: count an undefined value as 0, as nuggetizer does.
        intervals: give means their bootstrap interval.
    """

    max_failed: float = 0.05
    allow_incomplete: bool = False
    empty_as_zero: bool = False
    intervals: bool = True

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        if not 0 <= self.max_failed <= 1:
            raise UsageError(f"the share of failed units allowed is in 0..1, not {self.max_failed}")

    def too_many(self, n_judged: int, n_failed: int) -> str | None:
        """Return why a value that rests on these units is withheld, None if it is not."""
        n = n_judged + n_failed
        if self.allow_incomplete or not n or n_failed / n <= self.max_failed:
            return None
        share, allowed = f"{100 * n_failed / n:.3g}%", f"{100 * self.max_failed:.3g}%"
        return f"{n_failed} of {n} judgments failed ({share}, allowed {allowed})"

    def settle(self, outcome: Outcome) -> Outcome:
        """Return `outcome`, as 0 where it is undefined and that counts 0."""
        if not (self.empty_as_zero and outcome.undefined):
            return outcome
        return outcome._replace(
            value=0.0, low=0.0, high=0.0, reason=f"{outcome.reason} (counted 0)"
        )


def topic_row(run_id: str, topic_id: str, measure: str, outcome: Outcome, rules: Rules) -> Score:
    """Return the row of one topic."""
    withheld = rules.too_many(outcome.n_judged, outcome.n_failed)
    if withheld is None and outcome.value is None and not outcome.undefined:
        share = "all" if not outcome.n_judged else f"{outcome.n_failed} of"
        withheld = f"{share} {outcome.n_judged + outcome.n_failed} judgments failed"
    return Score(
        run_id=run_id,
        topic_id=topic_id,
        measure=measure,
        value=None if withheld else outcome.value,
        low=outcome.low,
        high=outcome.high,
        n_judged=outcome.n_judged,
        n_failed=outcome.n_failed,
        reason=_join(withheld, outcome.reason, in_words([outcome.notes])),
    )


def mean_row(run_id: str, measure: str, outcomes: Sequence[Outcome], rules: Rules) -> Score:
    """Return the row of the mean over topics, one outcome for each official topic.

    The value is the mean of the topics' estimates, `se` the standard deviation (n - 1) of these
    over sqrt(n), and `ci_low` to `ci_high`, where intervals are wanted, their bootstrap interval at
    95%. Undefined topics are left out of everything. Whether too many units failed is asked of all
    topics together: a topic above the limit still enters with its estimate. A topic that has none,
    since all its units failed, is left out of value, `se` and interval; it enters the bounds, which
    are the means of the topics' bounds, with 0 and 1.
    """
    defined = [outcome for outcome in outcomes if not outcome.undefined]
    estimates = [outcome.value for outcome in defined if outcome.value is not None]
    n_judged = sum(outcome.n_judged for outcome in outcomes)
    n_failed = sum(outcome.n_failed for outcome in outcomes)
    withheld = rules.too_many(n_judged, n_failed)
    given = estimates if withheld is None else []
    return Score(
        run_id=run_id,
        topic_id=ALL_TOPICS,
        measure=measure,
        value=_mean_or_none(given),
        low=_mean_or_none(o.low for o in defined),
        high=_mean_or_none(o.high for o in defined),
        n_judged=n_judged,
        n_failed=n_failed,
        reason=_join(
            withheld,
            _remark(outcomes, len(defined) - len(estimates)),
            in_words(outcome.notes for outcome in outcomes),
        ),
        n_topics=len(outcomes),
        n_missing=sum(outcome.missing for outcome in defined),
        n_undefined=len(outcomes) - len(defined),
        **_spread(given, rules),
    )


def _spread(estimates: Sequence[float], rules: Rules) -> dict[str, float]:
    """Return the standard error and the interval of a mean, which take 2 topics at least."""
    if len(estimates) < 2:
        return {}
    spread = {"se": stdev(estimates) / sqrt(len(estimates))}
    if rules.intervals and (interval := mean_interval(estimates)):
        spread |= {"ci_low": interval.low, "ci_high": interval.high}
    return spread


def _remark(outcomes: Sequence[Outcome], n_without_label: int) -> str | None:
    """Return what is to be said of the mean: that it is undefined, or lacks topics."""
    if all(outcome.undefined for outcome in outcomes):
        reasons = {outcome.reason for outcome in outcomes if outcome.reason}
        return f"undefined for every topic: {', '.join(sorted(reasons))}"
    if n_without_label:
        return f"topics in the bounds alone, all their judgments failed: {n_without_label}"
    return None


def _mean_or_none(values: Iterable[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return fmean(given) if given else None


def _join(*reasons: str | None) -> str | None:
    return "; ".join(reason for reason in reasons if reason) or None
