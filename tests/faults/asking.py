"""A call to ask, a way to read its reply, and a store in memory, for tests of the call layer."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from judge.errors import ReadError, StoppedError
from judge.llm import (
    CallStoppedError,
    JudgeClient,
    JudgeSettings,
    Limit,
    Read,
    identity_of,
    key_of,
    open_provider,
)
from judge.types import Attempt, Call, Failure, Message, Prompt, Reply, Unit, Verdict

SECRET = "sk-planted-0123456789abcdef"
MODELS = ("openai/judge", "hosted_vllm/judge")


class MemoryStore:
    """A store that keeps JSON text, and refuses entries whose key is not that of the request."""

    def __init__(self) -> None:
        self.rows: dict[str, str] = {}
        self.tags: set[str] = set()

    def get(self, key: str) -> dict[str, Any] | None:
        entry: dict[str, Any] | None = json.loads(self.rows.get(key, "null"))
        return entry

    def recall(self, key: str) -> dict[str, Any] | None:
        return self.get(key)

    def put(self, key: str, entry: dict[str, Any], *, tag: str) -> bool:
        if key_of(entry["request"]) != key:
            raise ValueError("the key is not that of the request")
        self.rows[key] = json.dumps(entry)
        self.tags.add(tag)
        return True

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(row) for row in self.rows.values()]


class Outcome(NamedTuple):
    """What one `ask` came to, and the pauses it asked for, in seconds."""

    result: Reply | Failure | CallStoppedError
    pauses: list[float]

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return self.result.attempts

    @property
    def reply(self) -> Reply:
        if not isinstance(self.result, Reply):
            raise TypeError(f"no reply but {self.result!r}")
        return self.result

    @property
    def failure(self) -> Failure:
        if not isinstance(self.result, Failure):
            raise TypeError(f"no failure but {self.result!r}")
        return self.result

    @property
    def stopped(self) -> CallStoppedError:
        if not isinstance(self.result, CallStoppedError):
            raise TypeError(f"not stopped but {self.result!r}")
        return self.result


def call_for(
    *docids: str, text: str = "How good is it?", schema: dict[str, Any] | None = None
) -> Call:
    """A call for one unit a docid ("d" where none is given)."""
    units = tuple(Unit(task="relevance", topic_id="1", docid=docid) for docid in docids or ("d",))
    messages = (Message(role="system", content="You judge."), Message(role="user", content=text))
    prompt = Prompt(template="relevance/test", sha256="0" * 64, messages=messages)
    return Call(units=units, prompt=prompt, max_tokens=50, reply_schema=schema)


def reader(call: Call) -> Read:
    """Reads `grade N` into the label N of every unit."""

    def read(text: str) -> dict[str, Verdict]:
        word, _, number = text.partition(" ")
        if word != "grade" or not number.isdigit():
            raise ReadError("the reply must be the word grade and a number")
        return {unit.unit_id: Verdict(label=int(number)) for unit in call.units}

    return read


def ask(
    url: str,
    model: str,
    call: Call | None = None,
    *,
    read: Read | None = None,
    store: MemoryStore | None = None,
    limits: Callable[[], tuple[Limit, ...]] = tuple,
    turns: int = 3,
    **settings: Any,
) -> Outcome:
    """Ask in an event loop of its own; pauses between tries are noted, not waited."""
    call = call or call_for()
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def run() -> Reply | Failure | CallStoppedError:
        chosen = JudgeSettings(**settings)
        provider = None if chosen.offline else open_provider(model, url)
        client = JudgeClient(
            provider,
            identity_of(model, url),
            store=store,
            settings=chosen,
            limits=limits(),
            sleep=sleep,
        )
        async with client:
            try:
                return await client.ask(call, read or reader(call), turns=turns)
            except StoppedError as error:
                if not isinstance(error, CallStoppedError):
                    raise
                return error

    return Outcome(asyncio.run(run()), pauses)
