"""A scatter plot of retrieval scores against RAG scores, written to a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge.correlating import Correlation, Dot, Study
from judge.errors import UsageError

_FORMATS = (".png", ".svg", ".pdf")
_MOST_PANELS = 12
_ACROSS = 3
_PANEL = 4.2  # inches
_LABELLED = 40  # points up to which each is named
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}


def write_scatter(path: Path, found: Study) -> None:
    """Write a plot with a panel for each pair of measures: axes named, r and n, points named.

    The format is told by the suffix: png, svg or pdf. The same study gives the same file.

    Raises:
        UsageError: another suffix, too many pairs for one plot, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise UsageError(f"{path}: a plot is written as {', '.join(_FORMATS)}; give such a suffix")
    if len(found.points) > _MOST_PANELS:
        raise UsageError(
            f"{len(found.points)} pairs of measures, and a plot takes {_MOST_PANELS}; "
            "name fewer with --measures"
        )
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "rag-judge", "font.size": 9}):
        figure = _figure(found)
        try:
            figure.savefig(path, dpi=200, metadata=_METADATA.get(suffix))
        except OSError as error:
            raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def _figure(found: Study) -> Any:
    from matplotlib.figure import Figure

    across = min(_ACROSS, len(found.points))
    down = -(-len(found.points) // across)
    figure = Figure(figsize=(across * _PANEL, down * _PANEL), layout="constrained")
    for place, (pair, dots) in enumerate(found.points.items(), start=1):
        headline = next(c for c in found.report.correlations if (c.retrieval, c.rag) == pair)
        _draw(figure.add_subplot(down, across, place), headline, dots)
    return figure


def _draw(axes: Any, headline: Correlation, dots: Sequence[Dot]) -> None:
    many = len(dots) > _LABELLED
    axes.scatter(
        [dot.x for dot in dots],
        [dot.y for dot in dots],
        s=14 if many else 28,
        alpha=0.5 if many else 0.9,
        linewidths=0,
    )
    if not many:
        _name(axes, dots, systems=headline.over == "systems")
    axes.set_xlabel(_plain(headline.retrieval))
    axes.set_ylabel(_plain(headline.rag))
    axes.set_title(_title(headline), fontsize=9)
    axes.margins(0.12)
    axes.grid(visible=True, linewidth=0.4, alpha=0.5)
    axes.spines[["top", "right"]].set_visible(False)


def _name(axes: Any, dots: Sequence[Dot], *, systems: bool) -> None:
    """Write the names of the points beside them, one below the other where points coincide."""
    names: dict[tuple[float, float], list[str]] = {}
    for dot in dots:
        name = dot.run_id if systems else f"{dot.run_id}, {dot.topic_id}"
        names.setdefault((dot.x, dot.y), []).append(_plain(name))
    middle = sum(axes.get_xlim()) / 2
    for place, listed in names.items():
        left = place[0] > middle
        axes.annotate(
            "\n".join(listed),
            place,
            xytext=(-4 if left else 4, 4),
            textcoords="offset points",
            horizontalalignment="right" if left else "left",
            fontsize=7,
        )


def _title(headline: Correlation) -> str:
    points = "systems" if headline.over == "systems" else "points (systems on topics)"
    r = headline.pearson
    if r.value is None:
        return f"r undefined: {r.reason}, n = {headline.n} {points}"
    interval = "" if r.ci_low is None else f" ({r.ci_low:.2f} to {r.ci_high:.2f})"
    return f"r = {r.value:.3f}{interval}, n = {headline.n} {points}"


def _plain(text: str) -> str:
    """Return `text` so that matplotlib takes no dollar sign in it for mathematics."""
    return text.replace("$", r"\$")
