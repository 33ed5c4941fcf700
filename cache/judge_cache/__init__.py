"""The reply store: what a judge model answered, kept on disk under the key of its request.

A store is one SQLite database, opened through `diskcache`, that holds bytes and text alone:
nothing in it is ever unpickled, nothing is ever evicted. It may be used by several threads and by
several processes at once.
"""

from judge_cache.errors import StoreError, UnreadableError
from judge_cache.exports import Line
from judge_cache.imports import Imported
from judge_cache.rows import Group, Selection
from judge_cache.store import Store, open_store

__all__ = [
    "Group",
    "Imported",
    "Line",
    "Selection",
    "Store",
    "StoreError",
    "UnreadableError",
    "open_store",
]
