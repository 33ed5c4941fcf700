"""Every error the tool raises on purpose, as one tree.

    JudgeError                  exit status
      InputError                2   a file or field that is not what was expected
      UsageError                2   a flag, a configuration or a set-up that cannot work
        ModelError              2   unknown model, no key, weights that cannot be had
        RunError                2   a run directory that is locked or does not match
      StoppedError              4   the provider refuses every further call (auth, quota)
                                5   the same, once the user's own budget is reached
      IncompleteError           3   judged, but more units failed than allowed
      CallError                 -   one call went wrong; becomes a Failure, never leaves `judge.llm`
      ReadError                 -   a reply that does not hold what was asked; becomes a Failure

A message is one line that says what is wrong and what to do next.
"""

from pathlib import Path


class JudgeError(Exception):
    """Base of every error raised on purpose; `exit_code` is the process status it ends with."""

    exit_code = 2


class InputError(JudgeError):
    """A file that cannot be read as what it should be.

    Args:
        message: what is wrong, in words.
        path: the file ("-" for stdin).
        line: 1-based line, where one is known.
        field: the field or column, where one is known.
        expected: what should stand there.
        found: what does stand there; shortened to 80 characters.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        field: str | None = None,
        expected: str | None = None,
        found: object = None,
    ) -> None:
        self.message = message
        self.path, self.line, self.field = path, line, field
        self.expected, self.found = expected, found
        super().__init__(self._compose(message))

    def _compose(self, message: str) -> str:
        place = "" if self.path is None else f"{self.path}"
        place += "" if self.line is None else f":{self.line}"
        parts = [place, "" if self.field is None else f"field {self.field!r}", message]
        text = ": ".join(part for part in parts if part)
        if self.expected is not None:
            text += f"; expected {self.expected}"
        if self.found is not None:
            text += f", found {shorten(self.found)}"
        return text


class UsageError(JudgeError):
    """A flag, a configuration or a set-up that cannot work."""


class ModelError(UsageError):
    """A model that is not known, has no key, or whose weights cannot be had."""


class RunError(UsageError):
    """A run directory that is in use, damaged, or made from other inputs."""


class StoppedError(JudgeError):
    """No further call can be made; the run can be taken up again later."""

    exit_code = 4


class IncompleteError(JudgeError):
    """Judging ended, but more units failed than allowed."""

    exit_code = 3


class ReadError(JudgeError):
    """A reply that does not hold what was asked for, said in words the judge can be shown."""


def shorten(value: object, limit: int = 80) -> str:
    """Return `repr(value)`, cut to `limit` characters."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
