"""What a judging command would ask: counted on a copy of its run, with the store alone answering.

The command runs as ever, offline, in a folder that is thrown away; every call is counted here, by
what answers it: an equal call, the store, or the model, which is to be paid. What rests on labels
that are not yet had cannot be counted.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from judge.llm import JudgeClient, Price, Read
from judge.llm.claims import Claim
from judge.llm.exchange import Noted
from judge.llm.request import Request
from judge.llm.turns import first_request
from judge.runs import CREATED, JUDGMENTS, LEDGER, MANIFEST, NUGGETS, QRELS, ledger_entries
from judge.types import Call, Failure, Reply

_SECONDS = 2.0  # that a call takes, where no earlier one is known
_PROMPT_RATE, _REPLY_RATE = 64.0, 10.0  # tokens a second of the embedded 1.5B model on two cores


@dataclass(frozen=True)
class Calls:
    """A number of calls, and the tokens of their prompts and, at most, of their replies."""

    number: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0

    def __add__(self, other: "Calls") -> "Calls":
        """Both together."""
        return Calls(
            self.number + other.number,
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
        )

    def __mul__(self, times: int) -> "Calls":
        """As many of them `times` over."""
        return Calls(self.number * times, self.prompt_tokens * times, self.reply_tokens * times)


@dataclass(frozen=True)
class Asked:
    """What one task would ask, every call in one of the three.

    Attributes:
        paid: calls that the model has to answer.
        stored: calls whose reply is stored.
        equal: calls equal to one of these, of this task or of one before it; its reply is theirs.
    """

    paid: Calls = Calls()
    stored: Calls = Calls()
    equal: Calls = Calls()

    @property
    def saved(self) -> Calls:
        """The calls that are not to be paid."""
        return self.stored + self.equal

    def __add__(self, other: "Asked") -> "Asked":
        """Both together."""
        return Asked(self.paid + other.paid, self.stored + other.stored, self.equal + other.equal)


@dataclass
class Plan:
    """What a command would ask, by task.

    Attributes:
        price: of the model's tokens, None where it is not known.
        seconds: that a call takes; None where no earlier one of the run is known.
    """

    price: Price | None = None
    seconds: float | None = None
    tasks: dict[str, Asked] = field(default_factory=dict)
    _current: str = ""
    _keys: set[str] = field(default_factory=set)

    def begin(self, task: str) -> None:
        """Count for `task` from now on."""
        self._current = task
        self.tasks.setdefault(task, Asked())

    def count(self, request: Request, *, units: int, stored: bool) -> None:
        """Count the calls of `units` that one request answers.

        Args:
            request: what is asked.
            units: how many units would each ask just this; all but the first need no call.
            stored: whether the store has the reply.
        """
        claim = Claim(request, None)
        one = Calls(1, claim.prompt_tokens, claim.reply_tokens)
        first = request.key not in self._keys
        self._keys.add(request.key)
        more = Asked(
            paid=one * (first and not stored),
            stored=one * (first and stored),
            equal=one * (units - first),
        )
        self.tasks[self._current] += more

    def total(self) -> Asked:
        """All tasks together."""
        return sum(self.tasks.values(), Asked())

    def cost(self, calls: Calls) -> float | None:
        """The most that they cost in US dollars, by the estimate of their tokens."""
        if self.price is None:
            return None
        return calls.prompt_tokens * self.price.prompt + calls.reply_tokens * self.price.reply

    def minutes(self, *, concurrency: int, rpm: float | None, tpm: float | None) -> float:
        """About how long it takes under these limits."""
        paid = self.total().paid
        by_calls = paid.number * (self.seconds or _SECONDS) / concurrency / 60
        by_number = paid.number / rpm if rpm else 0.0
        by_tokens = (paid.prompt_tokens + paid.reply_tokens) / tpm if tpm else 0.0
        return max(by_calls, by_number, by_tokens)

    def local_minutes(self) -> float:
        """About how long the embedded model takes on two cores, prompts evaluated whole."""
        paid = self.total().paid
        if self.seconds is not None:
            return paid.number * self.seconds / 60
        return (paid.prompt_tokens / _PROMPT_RATE + paid.reply_tokens / _REPLY_RATE) / 60


class PlannedClient(JudgeClient):
    """A judge that has nothing but its store, and counts in `plan` what it is asked.

    Args:
        plan: where the calls are counted.
        given: what `JudgeClient` is made of.
    """

    def __init__(self, plan: Plan, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._plan = plan

    async def ask(
        self,
        call: Call,
        read: Read,
        *,
        turns: int = 3,
        noted: Noted = lambda attempt: None,
        sample: int = 0,
    ) -> Reply | Failure:
        """Return what the store has, and count the call; one known to need halves is not asked."""
        outcome = await super().ask(call, read, turns=turns, noted=noted, sample=sample)
        if isinstance(outcome, Reply) or outcome.kind == "offline":
            first = first_request(call, self.identity, self._way.settings, sample)
            stored = isinstance(outcome, Reply)
            alike = 1 if call.is_batch else len(call.units)
            self._plan.count(self.dialect.put(first), units=alike, stored=stored)
        return outcome


@contextmanager
def copy_of(run: Path) -> Iterator[Path]:
    """Yield a folder with what is judged in `run`, which need not exist; it is gone afterwards."""
    with TemporaryDirectory(prefix="rag-judge-plan-") as folder:
        for name in (MANIFEST, JUDGMENTS, QRELS, NUGGETS, CREATED):
            if (run / name).is_file():
                shutil.copyfile(run / name, Path(folder) / name)
        yield Path(folder)


def seconds_a_call(run: Path) -> float | None:
    """How long a call of `run` took in the mean; None where none is known."""
    ledger = run / LEDGER
    if not ledger.is_file():
        return None
    sent = (entry for entry in ledger_entries(ledger) if not entry.get("cached"))
    taken = [entry["seconds"] for entry in sent if "seconds" in entry]
    return sum(taken) / len(taken) if taken else None
