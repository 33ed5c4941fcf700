"""Figures for papers, as PNG and SVG: the same data give the same files.

    leaderboard   means of the first measure with their 95% intervals
    topics        the first measure by topic and system, as a heat map
    labels        shares of labels by task
    retrieval     retrieval against answers, where retrieval scores were given
    agreement-*   confusion of people and the judge, one figure for each kind of labels

What the run has no data for is not drawn.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from judge.dossier import Dossier
from judge.errors import UsageError

SUFFIXES = (".png", ".svg")
_BLUE, _ORANGE, _VERMILION, _GREY = "#0072B2", "#E69F00", "#D55E00", "#8C8C8C"
_COLOURS = {"full": _BLUE, "partial": _ORANGE, "none": _VERMILION, "failed": _GREY}
_HATCHES = {"full": "", "partial": "//", "none": "..", "failed": "xx"}
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "rag-judge",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.4,
}
_LONGEST = 40
_DARK = 0.55
"""Share of the scale above which the text in a cell is white."""

Data = Mapping[str, Any]
Draw = Callable[[Any], None]
"""Draws into a matplotlib Axes."""


def write_figures(dossier: Dossier, folder: Path) -> list[Path]:
    """Write every figure the run has data for.

    Raises:
        UsageError: a file cannot be written.
    """
    import matplotlib as mpl

    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context(_STYLE):
            for name, size, draw in _figures(dossier.overview):
                written += _saved(folder / name, size, draw)
    except OSError as error:
        where = error.filename or folder
        raise UsageError(f"{where}: cannot be written: {error.strerror or error}") from error
    return written


def _saved(stem: Path, size: tuple[float, float], draw: Draw) -> Iterator[Path]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.add_subplot())
    for suffix in SUFFIXES:
        path = stem.with_name(stem.name + suffix)
        metadata: dict[str, Any] = {"Date": None} if suffix == ".svg" else {}
        figure.savefig(path, dpi=200, metadata=metadata)
        yield path


def _figures(data: Data) -> Iterator[tuple[str, tuple[float, float], Draw]]:
    """Yield the name of each figure, its size in inches, and what draws it."""
    runs, topics, tasks = data["runs"], data["topics"], data["health"]["tasks"]
    if data["measures"]:
        yield "leaderboard", (5.5, 0.9 + 0.28 * len(runs)), partial(_leaderboard, data=data)
        size = (2.2 + 0.55 * len(runs), 1.2 + 0.26 * len(topics))
        yield "topics", size, partial(_topics, data=data)
    if tasks:
        yield "labels", (6.0, 1.0 + 0.36 * len(tasks)), partial(_labels, tasks=tasks)
    if data["retrieval"] is not None:
        yield "retrieval", (4.2, 4.2), partial(_retrieval, data=data["retrieval"])
    for place, found in enumerate(data["agreements"], start=1):
        name = f"agreement-{found.get('kind') or place}"
        yield name, (3.6, 3.4), partial(_confusion, found=found)


def _leaderboard(axes: Any, data: Data) -> None:
    measure = data["measures"][0]
    rows = data["means"][measure]
    runs = [run for run in data["runs"] if rows.get(run, {}).get("value") is not None]
    for place, run in enumerate(runs):
        row = rows[run]
        if row["n_failed"]:
            axes.plot([row["low"], row["high"]], [place, place], color=_GREY, linewidth=0.8)
        if row["ci_low"] is not None:
            axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=_BLUE, linewidth=2)
        axes.plot(row["value"], place, "o", color=_BLUE, markersize=5)
    axes.set_yticks(range(len(runs)), [_plain(run) for run in runs])
    axes.set_ylim(len(runs) - 0.4, -0.6)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel(_plain(measure))
    axes.grid(visible=True, axis="x", linewidth=0.4, alpha=0.5)


def _topics(axes: Any, data: Data) -> None:
    measure = data["measures"][0]
    cells, runs = data["cells"].get(measure, {}), data["runs"]
    names = [topic["topic_id"] for topic in data["topics"]]
    values = [[_value(cells, run, topic) for run in runs] for topic in names]
    _heat(axes, values, runs, names, "{:.2f}")
    axes.set_title(_plain(measure), fontsize=9)


def _value(cells: Data, run: str, topic: str) -> float | None:
    value: float | None = cells.get(run, {}).get(topic, [None])[0]
    return value


def _heat(
    axes: Any,
    values: Sequence[Sequence[float | None]],
    columns: Sequence[str],
    rows: Sequence[str],
    form: str,
) -> None:
    """Draw shares in [0, 1] as cells with their numbers; None is an empty cell."""
    shades = [[float("nan") if value is None else value for value in row] for row in values]
    axes.imshow(shades, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            text, dark = ("–", False) if value is None else (form.format(value), value > _DARK)
            axes.text(x, y, text, ha="center", va="center", color="white" if dark else "black")
    axes.set_xticks(
        range(len(columns)), [_plain(name) for name in columns], rotation=45, ha="right"
    )
    axes.set_yticks(range(len(rows)), [_plain(name) for name in rows])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)


def _labels(axes: Any, tasks: Sequence[Data]) -> None:
    """Shares of labels, one bar a task; labels have a hatch as well as a colour, and their name."""
    for place, task in enumerate(tasks):
        counts = {**task["labels"], **({"failed": task["failed"]} if task["failed"] else {})}
        total, left = sum(counts.values()), 0.0
        for label in sorted(counts, key=_label_order):
            share = counts[label] / total
            named, hatch = label in _COLOURS, _HATCHES.get(label, "")
            colour = _COLOURS[label] if named else _shade(task["labels"], label)
            alpha = 0.55 if named else 1.0
            axes.barh(place, share, left=left, color=colour, hatch=hatch, alpha=alpha, ec="white")
            if share > 0.06:
                name = f"{_plain(label)} {share:.0%}"
                axes.text(left + share / 2, place, name, ha="center", va="center", fontsize=7)
            left += share
    axes.set_yticks(range(len(tasks)), [_plain(task["task"]) for task in tasks])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of units")


def _shade(labels: Mapping[str, int], label: str) -> Any:
    """The blue of a label on a scale of its own, such as a grade: the higher, the darker."""
    import matplotlib as mpl

    order = sorted(labels)
    return mpl.colormaps["Blues"](0.1 + 0.5 * order.index(label) / max(1, len(order) - 1))


def _label_order(label: str) -> tuple[int, str]:
    known = ("none", "partial", "full", "failed")
    return (known.index(label) if label in known else -1, label)


def _retrieval(axes: Any, data: Data) -> None:
    x, rag = data["measures"][0], data["rag"]
    y = next((measure for measure in rag if "coverage" in measure), rag[0])
    for run, *place in data["points"][x][y]:
        axes.plot(*place, "o", color=_BLUE, markersize=5)
        axes.annotate(_plain(run), place, xytext=(4, 4), textcoords="offset points", fontsize=7)
    found = data["correlations"][x][y]
    r = found["pearson"]["value"]
    axes.set_title(f"r = {'undefined' if r is None else f'{r:.3f}'}, n = {found['n']}", fontsize=9)
    axes.set_xlabel(_plain(x))
    axes.set_ylabel(_plain(y))
    axes.margins(0.15)
    axes.grid(visible=True, linewidth=0.4, alpha=0.5)


def _confusion(axes: Any, found: Data) -> None:
    labels = [str(label) for label in found["labels"]]
    counts = found["confusion"]
    shares = [[n / sum(row) if sum(row) else None for n in row] for row in counts]
    _heat(axes, shares, labels, labels, "")
    for y, row in enumerate(counts):
        for x, n in enumerate(row):
            dark = (shares[y][x] or 0) > _DARK
            axes.text(x, y, f"{n:,}", ha="center", va="center", color="white" if dark else "black")
    axes.set_xlabel("judge")
    axes.set_ylabel("human")
    axes.set_title(f"{found.get('kind') or 'labels'}, n = {found['n']:,}", fontsize=9)


def _plain(text: str) -> str:
    """Return `text`, at most `_LONGEST` of it, without what matplotlib takes for mathematics."""
    short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
    return short.replace("$", r"\$")
