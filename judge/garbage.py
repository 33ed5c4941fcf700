"""Garbage is collected less often while calls are in flight.

Hundreds of calls live at once then, each with many objects and none of them garbage: looking
through them every few hundred allocations, as Python does of itself, costs a tenth of the speed.
"""

import gc
import threading
from types import TracebackType

ALLOCATIONS = 20_000
"""How many more objects there are than before until the youngest are looked through."""


class _Rarely:
    """A context in which collections are rare; it may be entered several times at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._within = 0
        self._before = gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            if not self._within:
                self._before = gc.get_threshold()
                if 0 < self._before[0] < ALLOCATIONS:  # 0 is off
                    gc.set_threshold(ALLOCATIONS, *self._before[1:])
            self._within += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._within -= 1
            if not self._within:
                gc.set_threshold(*self._before)


collected_rarely = _Rarely()
