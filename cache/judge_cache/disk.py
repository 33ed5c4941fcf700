"""How diskcache turns keys and values into columns: text keys, bytes values, and nothing else.

diskcache pickles what is neither text, bytes nor a number, and unpickles whatever a row says is a
pickle, so that who can write the database can run code (CVE-2025-69872). It also opens, and
deletes, the files that a row names. Here no row leads to a pickle or to a file.
"""

from typing import Any, NoReturn

import diskcache
from diskcache.core import MODE_RAW, UNKNOWN

from judge_cache.errors import UnreadableError


class BytesDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """Text keys and bytes values, kept in the database."""

    def put(self, key: Any) -> tuple[str, bool]:
        """Return the columns (key, raw) of `key`.

        Raises:
            TypeError: `key` is not a str.
        """
        if type(key) is not str:
            raise TypeError(f"a key is a str, not {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: Any) -> str:
        """Return the key of the columns (key, raw).

        Raises:
            UnreadableError: they are not what `put` returns.
        """
        if raw != 1 or type(key) is not str:
            raise UnreadableError("its key is not text")
        return key

    def hash(self, key: Any) -> int:
        """Return diskcache's hash of `key`, 0 to 2**32 - 1.

        Raises:
            TypeError: `key` is not a str.
        """
        return int(super().hash(self.put(key)[0]))

    def store(self, value: Any, read: bool, key: Any = UNKNOWN) -> tuple[int, int, None, bytes]:
        """Return the columns (size, mode, filename, value) of `value`.

        Raises:
            TypeError: `value` is not bytes.
        """
        if read or type(value) is not bytes:
            raise TypeError(f"a value is bytes, not {type(value).__name__}")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: Any, filename: Any, value: Any, read: bool) -> bytes:
        """Return the value of the columns (mode, filename, value).

        Raises:
            UnreadableError: they are not what `store` returns.
        """
        if read or mode != MODE_RAW or filename is not None or type(value) is not bytes:
            raise UnreadableError(f"its value is not plain bytes (mode {mode!r})")
        return value

    def filename(self, key: Any = UNKNOWN, value: Any = UNKNOWN) -> NoReturn:
        """Refuse: no value is kept in a file.

        Raises:
            TypeError: always.
        """
        raise TypeError("a value is kept in the database, never in a file")

    def remove(self, file_path: str) -> None:
        """Leave the file alone: only a planted row can name one, and it may be anyone's."""
