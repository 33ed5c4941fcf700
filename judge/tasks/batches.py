"""Calls that label several units at once: how they are cut, and the schema of their replies."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """Cut `items` into tuples of `size`, the last one shorter."""
    rest = iter(items)
    while part := tuple(islice(rest, size)):
        yield part


def labels_schema(count: int, item: dict[str, Any]) -> dict[str, Any]:
    """JSON schema of an object with the keys "1" to `count`, each an `item`."""
    numbers = [str(number) for number in range(1, count + 1)]
    return {
        "type": "object",
        "properties": dict.fromkeys(numbers, item),
        "required": numbers,
        "additionalProperties": False,
    }
