"""What a judging command would ask: counted on a copy of its run, with the store alone answering.

The command runs as ever, offline, in a folder that is thrown away; every request that finds no
stored reply is counted here. What rests on labels that are not yet had cannot be counted.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from judge.llm import Price
from judge.llm.claims import Claim
from judge.llm.request import Request, key
from judge.runs import CREATED, JUDGMENTS, LEDGER, MANIFEST, NUGGETS, QRELS

_SECONDS = 2.0  # that a call takes, where no earlier one is known
_PROMPT_RATE, _REPLY_RATE = 64.0, 10.0  # tokens a second of the embedded 1.5B model on two cores


@dataclass
class Asked:
    """What one task would ask: calls, and the tokens of their prompts and, at most, replies.

    `joined` are further calls equal to one of these, which are answered with it.
    """

    calls: int = 0
    joined: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0

    def __add__(self, other: "Asked") -> "Asked":
        """Both together."""
        return Asked(
            self.calls + other.calls,
            self.joined + other.joined,
            self.prompt_tokens + other.prompt_tokens,
            self.reply_tokens + other.reply_tokens,
        )


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

    def missed(self, request: Request) -> None:
        """Count a request that has no stored reply."""
        asked = self.tasks[self._current]
        if (name := key(request)) in self._keys:
            asked.joined += 1
            return
        self._keys.add(name)
        claim = Claim(request, None)
        asked.calls += 1
        asked.prompt_tokens += claim.prompt_tokens
        asked.reply_tokens += claim.reply_tokens

    def total(self) -> Asked:
        """All tasks together."""
        return sum(self.tasks.values(), Asked())

    def cost(self, asked: Asked) -> float | None:
        """The most that it costs in US dollars, by the estimate of its tokens."""
        if self.price is None:
            return None
        return asked.prompt_tokens * self.price.prompt + asked.reply_tokens * self.price.reply

    def minutes(self, *, concurrency: int, rpm: float | None, tpm: float | None) -> float:
        """About how long it takes under these limits."""
        asked = self.total()
        by_calls = asked.calls * (self.seconds or _SECONDS) / concurrency / 60
        by_number = asked.calls / rpm if rpm else 0.0
        by_tokens = (asked.prompt_tokens + asked.reply_tokens) / tpm if tpm else 0.0
        return max(by_calls, by_number, by_tokens)

    def local_minutes(self) -> float:
        """About how long the embedded model takes on two cores, prompts evaluated whole."""
        asked = self.total()
        if self.seconds is not None:
            return asked.calls * self.seconds / 60
        return (asked.prompt_tokens / _PROMPT_RATE + asked.reply_tokens / _REPLY_RATE) / 60


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
    with ledger.open(encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines if line.endswith("\n")]
    taken = [entry["seconds"] for entry in entries if not entry["cached"]]
    return sum(taken) / len(taken) if taken else None
