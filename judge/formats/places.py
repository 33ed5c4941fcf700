"""Where a thing stands in a file, and what becomes of an error there.

Whatever cannot be read becomes an `InputError` that names file and line, and goes to an `OnError`:
the usual one raises it, another may note it, and then the reading goes on after it.
"""

from collections.abc import Callable
from typing import NamedTuple

from judge.errors import InputError

OnError = Callable[[InputError], None]


def raise_error(error: InputError) -> None:
    """Raise `error`: the `OnError` of whoever needs all of a file or nothing."""
    raise error


class Place(NamedTuple):
    """A line of a file, to build errors about it; `line` is 1-based."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    def error(
        self,
        message: str,
        *,
        field: str | None = None,
        expected: str | None = None,
        found: object = None,
    ) -> InputError:
        """Return the error that says what is wrong at this place."""
        return InputError(
            message, path=self.path, line=self.line, field=field, expected=expected, found=found
        )


class Line(NamedTuple):
    """A line without its end; `offset` is that of its first byte in the uncompressed file."""

    place: Place
    offset: int
    text: str


class Unique:
    """Refuses the second of two things that must stand only once, and says where the first is."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._places: dict[object, Place] = {}

    def add(self, key: object, place: Place, field: str | None = None) -> None:
        """Note that `key` stands at `place`.

        Raises:
            InputError: the key was added before.
        """
        if key in self._places:
            first = self._places[key]
            message = f"{self._what} {key!r} stands twice, first at {first}; remove one of them"
            raise place.error(message, field=field)
        self._places[key] = place

    def accepts(self, key: object, place: Place, on_error: OnError, field: str = "") -> bool:
        """Note that `key` stands at `place`; tell `on_error` and return False if it did before."""
        try:
            self.add(key, place, field or None)
        except InputError as error:
            on_error(error)
            return False
        return True
