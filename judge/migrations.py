"""Manifests of earlier formats, read as those of today.

Each function here takes a manifest of one format, as JSON data, to the next. They are only ever
added to: what a run of an old version was made from must be told for as long as there are runs.
"""

from collections.abc import Callable
from typing import Any

Data = dict[str, Any]


def _to_2(manifest: Data) -> Data:
    """Format 1 did not know how the model was named, how it was asked, nor who went on."""
    return {"adapted": {}, "named": None, "continued_by": [], **manifest}


def _to_3(manifest: Data) -> Data:
    """Format 2 noted `partial` of locate even where it had no part in what was written."""
    stages = dict(manifest.get("stages", {}))
    if locate := stages.get("locate"):
        choices = dict(locate.get("choices", {}))
        if choices.get("needed") or not choices.get("partial"):
            choices.pop("partial", None)
        stages["locate"] = {**locate, "choices": choices}
    return {**manifest, "stages": stages}


_STEPS: dict[int, Callable[[Data], Data]] = {1: _to_2, 2: _to_3}
"""What takes a manifest of a format to the next one."""

FORMAT = max(_STEPS) + 1
"""The format that is written today."""


def migrated(manifest: Data) -> Data:
    """The manifest in the format of today; one of a later format comes back as it is.

    Raises:
        ValueError: it has no format.
        TypeError: it is no manifest.
    """
    format_ = manifest.get("format")
    if type(format_) is not int or format_ < min(_STEPS):
        raise ValueError(f"there is no format {format_!r}")
    for number in range(format_, FORMAT):
        manifest = {**_STEPS[number](manifest), "format": number + 1}
    return manifest
