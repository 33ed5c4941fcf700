"""What of the OpenAI protocol a model understands: learned from its refusals, and kept.

Some models take no temperature, some want `max_completion_tokens` in place of `max_tokens`, some
know no `json_schema`. A request that is refused for one of these is asked again without it; once
such a request is answered, the model is asked in that way from then on, in later runs as well.
"""

import re
from collections.abc import Callable
from typing import Any, Literal

from judge.llm.faults import CallError
from judge.llm.request import Request
from judge.types import Record

Form = Literal["json_schema", "json_object", "text"]
_FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")
Cap = Literal["max_tokens", "max_completion_tokens", "none"]
_CAPS: tuple[Cap, ...] = ("max_tokens", "max_completion_tokens", "none")
_MENTIONED = {
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "max_tokens": re.compile(r"\bmax_tokens\b", re.IGNORECASE),
    "max_completion_tokens": re.compile(r"\bmax_completion_tokens\b", re.IGNORECASE),
    "response_format": re.compile(
        r"response[ _]?format|json[ _]?(?:schema|object|mode)|structured[ _]output|"
        r"guided[ _](?:json|decoding)|grammar",
        re.IGNORECASE,
    ),
    "top_logprobs": re.compile(r"log[ _]?prob", re.IGNORECASE),
}


class Dialect(Record):
    """How a model is asked; made of what it refused.

    Attributes:
        temperature: whether it takes one.
        cap: the name it has for the most tokens of a reply; "none" where it takes no such limit.
        form: the strictest form of a JSON reply that it can be held to.
        likely: alternatives a token that it tells, where log-probabilities are asked for.
    """

    temperature: bool = True
    cap: Cap = "max_tokens"
    form: Form = "json_schema"
    likely: Literal[20, 5, 0] = 20

    def put(self, request: Request) -> Request:
        """Return `request` in this dialect."""
        params = dict(request.params)
        if not self.temperature:
            params.pop("temperature", None)
        if self.cap != "max_tokens" and "max_tokens" in params:
            room = params.pop("max_tokens")
            params |= {} if self.cap == "none" else {self.cap: room}
        if "response_format" in params:
            params |= self._format(params.pop("response_format"))
        if "top_logprobs" in params and self.likely < params["top_logprobs"]:
            params |= {"top_logprobs": self.likely}
        if not params.get("top_logprobs", 1):
            del params["top_logprobs"], params["logprobs"]
        return request if params == request.params else request.with_params(params)

    def without(self, request: Request, fault: CallError) -> "Dialect | None":
        """Return the dialect without what `fault` says of `request`, put in this one.

        None where the fault is about something else, or there is nothing simpler.
        """
        refused = _refused(request.params, fault)
        if refused == "temperature":
            return self.model_copy(update={"temperature": False})
        if refused in _CAPS:
            return self.model_copy(update={"cap": _CAPS[_CAPS.index(self.cap) + 1]})
        if refused == "response_format":
            simpler = _FORMS[_FORMS.index(self.form) + 1]
            return self.model_copy(update={"form": simpler})
        if refused == "top_logprobs":
            return self.model_copy(update={"likely": 5 if self.likely == 20 else 0})
        return None

    def and_that(self, other: "Dialect") -> "Dialect":
        """Return what both can be asked in."""
        return Dialect(
            temperature=self.temperature and other.temperature,
            cap=max(self.cap, other.cap, key=_CAPS.index),
            form=max(self.form, other.form, key=_FORMS.index),
            likely=min(self.likely, other.likely),
        )

    def differences(self) -> dict[str, Any]:
        """Return what is unlike the OpenAI protocol, by name; empty where nothing is."""
        return self.model_dump(exclude_defaults=True)

    def told(self) -> str:
        """Return the differences in words."""
        words = []
        if not self.temperature:
            words.append("without a temperature")
        if self.cap != "max_tokens":
            words.append("without a cap" if self.cap == "none" else f"with {self.cap}")
        if self.form != "json_schema":
            words.append(f"for JSON as {self.form}")
        if self.likely != 20:
            words.append(
                f"for {self.likely} alternatives a token"
                if self.likely
                else "without log-probabilities"
            )
        return ", ".join(words)

    def _format(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self.form == "text":
            return {}
        return {"response_format": asked if self.form == "json_schema" else {"type": "json_object"}}


class Spoken:
    """The dialect of one model as far as it is known; all calls of a client share it.

    Args:
        dialect: what is known from earlier runs.
        learned: hears of each change.
    """

    def __init__(self, dialect: Dialect, learned: Callable[[Dialect], None]) -> None:
        self.dialect, self._learned = dialect, learned

    def adopt(self, dialect: Dialect) -> None:
        """Ask in `dialect` from now on: a request put in it was answered."""
        known, self.dialect = self.dialect, self.dialect.and_that(dialect)
        if self.dialect != known:
            self._learned(self.dialect)


def _refused(params: dict[str, Any], fault: CallError) -> str | None:
    """Which of the parameters that were sent the server will not take; None where it is no such."""
    if fault.kind != "parameter":
        return None
    named = (fault.parameter or "").partition(".")[0]
    named = "top_logprobs" if named == "logprobs" else named
    if named in _MENTIONED and named in params:
        return named
    said = (name for name, words in _MENTIONED.items() if words.search(str(fault)))
    return next((name for name in said if name in params), None)
