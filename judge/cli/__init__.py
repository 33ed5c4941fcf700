"""The command line: parse flags, call one function, print. Nothing is decided here."""

import sys

from judge.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; every expected error becomes one line and its exit status."""
    from judge.errors import JudgeError

    try:
        app()
    except JudgeError as error:
        print(f"rag-judge: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)
