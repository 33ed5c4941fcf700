"""Garbage is collected less often while calls are in flight.

Hundreds of calls live at once then, each with many objects and none of them garbage: looking
through them every few hundred allocations, as Python does of itself, costs a tenth of the speed.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ALLOCATIONS = 20_000
"""How many more objects there are than before until the youngest are looked through."""

_lock = threading.Lock()
_found: list[tuple[int, int, int]] = []
"""The thresholds that each run which is under way would put back: those of before the first."""


@contextmanager
def collected_rarely() -> Iterator[None]:
    """Collect rarely within; the last of several runs at once puts back what the first found."""
    with _lock:
        found = _found[0] if _found else gc.get_threshold()
        _found.append(found)
        if 0 < found[0] < ALLOCATIONS:  # 0 is off
            gc.set_threshold(ALLOCATIONS, *found[1:])
    try:
        yield
    finally:
        with _lock:
            _found.pop()
            if not _found:
                gc.set_threshold(*found)
