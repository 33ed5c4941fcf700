"""Whether a stored reply verifies: its key, its tag, its form, and that it could be used."""

from collections.abc import Collection, Iterator
from typing import Any

from pydantic import ValidationError

from judge.llm import CallError, Completion, Dialect, Identity, key_of
from judge.llm.checks import answer_of
from judge.llm.replies import tag_of
from judge.types import Record
from judge_cache import Line, Store, UnreadableError

_ANSWERS = ("reply", "answered_by", "in_halves", "dialect")


class Fault(Record):
    """An entry that does not verify, and what is wrong with it.

    An orphan leads to a reply that is not there; all else about it is right.
    """

    key: str
    fault: str
    orphan: bool = False


def faults(store: Store, tags: Collection[str] | None = None) -> Iterator[Fault]:
    """Read every entry of `store`, of some tags or of all, and yield those that do not verify."""
    for key, line in store.read_all(tags):
        fault = str(line) if isinstance(line, UnreadableError) else fault_of(line)
        if fault is not None:
            yield Fault(key=key, fault=fault)
        elif isinstance(line, Line) and (target := line.entry.get("answered_by")) is not None:
            found = store.recall(target)
            if found is None or "reply" not in found:
                yield Fault(key=key, fault=f"its reply {target} is not there", orphan=True)


def fault_of(line: Line) -> str | None:
    """What is wrong with an entry, in words; None if it verifies.

    It does if its key is the one of its request, its tag names the model of its request, and it
    holds a usable reply, or the key of the request that was answered in its place, or the note
    that it was answered in halves, or the dialect of its model. How a task reads a reply is not
    asked here: that may change with the task, and is done again whenever the reply is used.
    """
    return _request_fault(line) or _answer_fault(line.entry)


def _request_fault(line: Line) -> str | None:
    request = line.entry["request"]
    try:
        if key_of(request) != line.key:
            return "its key is not the one of its request"
        identity = Identity(kind=request["provider"], base_url=None, model=request["model"])
    except ValidationError as error:
        return f"its request is not one of this tool ({_where(error)})"
    except (KeyError, ValueError, RecursionError) as error:
        return f"its request is not one of this tool ({type(error).__name__}: {error})"
    if line.tag != tag_of(identity, template_of_tag(line.tag)):
        return f"its tag {line.tag!r} is not the one of {identity.name}"
    return None


def _answer_fault(entry: dict[str, Any]) -> str | None:
    match [name for name in entry if name != "request"]:
        case ["reply"]:
            return _reply_fault(entry["reply"])
        case ["answered_by"] if isinstance(entry["answered_by"], str):
            return None
        case ["in_halves"] if entry["in_halves"] is True:
            return None
        case ["dialect"]:
            return _dialect_fault(entry["dialect"])
    return f"it does not hold one of {', '.join(_ANSWERS)}"


def _reply_fault(reply: object) -> str | None:
    try:
        fields = dict(reply) if isinstance(reply, dict) else {}
        fields.pop("created", None)
        answer_of(Completion.model_validate(fields), None)
    except ValidationError as error:
        return f"its reply is not one of this tool ({_where(error)})"
    except CallError as error:
        return f"its reply is not usable: {error}"
    return None


def _dialect_fault(dialect: object) -> str | None:
    try:
        Dialect.model_validate(dialect)
    except ValidationError as error:
        return f"its dialect is not one of this tool ({_where(error)})"
    return None


def _where(error: ValidationError) -> str:
    """The first thing that is wrong, without the value that is."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def template_of_tag(tag: str) -> str:
    """The template of a group of entries."""
    return tag.rpartition(" ")[2]
