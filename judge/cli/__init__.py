"""The command line: parse flags, call one function, print. Nothing is decided here."""

import os
import sys

from judge.cli.app import app

__all__ = ["app", "main"]

_PIPE_CLOSED = 1  # as click ends where it meets the closed pipe itself


def main() -> None:
    """Run the command line; every expected error becomes one line and its exit status."""
    from judge.errors import JudgeError

    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except JudgeError as error:
        _end(str(error), error.exit_code)
    except BrokenPipeError:  # who reads us has read enough
        _drop_stdout()
        sys.exit(_PIPE_CLOSED)
    except OSError as error:
        _drop_stdout()
        what = "results cannot be written" if error.filename is None else str(error.filename)
        _end(f"{what}: {error.strerror or error}", JudgeError.exit_code)


def _end(message: str, status: int) -> None:
    print(f"rag-judge: {message}", file=sys.stderr)  # noqa: T201
    sys.exit(status)


def _drop_stdout() -> None:
    """Let what is left in the buffer go nowhere, so that the interpreter does not fail on it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
