"""The page itself: a template, a style, a script, and the data, under a strict policy."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources

SCRIPTS = (
    "dom",
    "data",
    "marks",
    "overview",
    "topic",
    "answer",
    "units",
    "health",
    "agreement",
    "main",
)
"""The parts of the script, in the order they are put together."""


def page(parts: Mapping[str, bytes], *, served: bool = False) -> str:
    """Return the page with `parts` of its data inside.

    Args:
        parts: compressed data by name; none where a server has them.
        served: let the page fetch from where it comes.
    """
    style, script = _asset("report.css"), _script()
    data = "\n".join(_embedded(name, packed) for name, packed in parts.items())
    pieces = {"style": style, "script": script, "data": data}
    return _filled(_asset("page.html"), {"policy": policy(served=served), **pieces})


def policy(*, served: bool = False) -> str:
    """Return the Content-Security-Policy: only this script and this style, no network at all."""
    rules = {
        "default-src": "'none'",
        "script-src": _hash(_script()),
        "style-src": _hash(_asset("report.css")),
        "img-src": "data:",
        "connect-src": "'self'" if served else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _filled(template: str, pieces: Mapping[str, str]) -> str:
    """The template with its pieces; what stands in a piece is never filled in itself."""
    head, *rest = template.split("{")
    filled = [head]
    for part in rest:
        name, _, after = part.partition("}")
        filled += [pieces[name], after]
    return "".join(filled)


def _embedded(name: str, packed: bytes) -> str:
    text = base64.b64encode(packed).decode("ascii")
    return f'<script type="application/octet-stream" id="data-{name}">{text}</script>'


@cache
def _script() -> str:
    parts = [_asset(f"{name}.js") for name in SCRIPTS]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "})();"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@cache
def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")
