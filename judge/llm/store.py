"""What the call layer asks of the place where replies are kept."""

from typing import Any, Protocol


class Store(Protocol):
    """Keeps one entry a key, across runs and processes; both calls are fast and may block.

    An entry has one of four shapes, and is always verified by `key == key_of(entry["request"])`:

        {"request": {...}, "reply": {...}}        the usable reply that this request gave
        {"request": {...}, "answered_by": "..."}  its own reply could not be used; the key is
                                                  that of the request which was answered then
        {"request": {...}, "in_halves": true}     a batch that was answered only in halves
        {"request": {...}, "dialect": {...}}      what a model was found not to understand
    """

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the entry of `key`, or None."""

    def recall(self, key: str) -> dict[str, Any] | None:
        """Return the entry of `key` without its request, or None; faster than `get`."""

    def put(self, key: str, entry: dict[str, Any], *, tag: str) -> bool:
        """Keep `entry` under `key`, in place of what is there; `tag` groups entries."""
