"""The leaderboard: runs in rows, measures in columns, the primary first, uncertainty beside it."""

from collections.abc import Callable, Collection, Iterator, Sequence

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from judge.metrics.rows import ALL_TOPICS
from judge.types import Score

Cell = Callable[[Score | None], str]

_PADDING = 3


def leaderboard(scores: Sequence[Score], width: int = 10_000, *, intervals: bool = False) -> Group:
    """The mean of each measure for each run, best first by the first measure.

    With `intervals` the bootstrap interval stands beside it instead of the standard error.
    Measures that do not fit into `width` columns stand in further tables below.
    """
    means = [score for score in scores if score.topic_id == ALL_TOPICS]
    runs = _best_first(means)
    cell = _cell_with_interval if intervals else _cell
    blocks = _blocks(means, width, cell)
    beside = "(95% bootstrap interval)" if intervals else "± standard error"
    captions = [f"mean over topics {beside}" if block is blocks[-1] else "" for block in blocks]
    return Group(*(_means(*block, runs, cell) for block in zip(blocks, captions, strict=True)))


def _means(means: Sequence[Score], caption: str, runs: Sequence[str], cell: Cell) -> Table:
    table = _grid(means, caption)
    cells = {(score.run_id, score.measure): score for score in means}
    measures = list(dict.fromkeys(score.measure for score in means))
    for run_id in runs:
        _add(table, run_id, *(cell(cells.get((run_id, measure))) for measure in measures))
    return table


def _blocks(means: Sequence[Score], width: int, cell: Cell) -> list[list[Score]]:
    """The scores cut by measures, so that each part is a table no wider than `width`."""
    left = width - max((len(score.run_id) for score in means), default=0) - _PADDING
    blocks: list[list[Score]] = []
    room = 0
    for measure in dict.fromkeys(score.measure for score in means):
        column = [score for score in means if score.measure == measure]
        texts = [*_heading(measure).split("\n"), *map(cell, column)]
        need = max(map(len, texts)) + _PADDING
        if need > room:
            blocks.append([])
            room = left
        blocks[-1] += column
        room -= need
    return blocks


def topic_table(scores: Sequence[Score]) -> Table:
    """The same for each topic, a block of runs a topic."""
    rows = [score for score in scores if score.topic_id != ALL_TOPICS]
    table = _grid(rows, "by topic", "topic")
    cells = {(score.topic_id, score.run_id, score.measure): score for score in rows}
    measures = list(dict.fromkeys(score.measure for score in rows))
    for topic_id in dict.fromkeys(score.topic_id for score in rows):
        runs = list(dict.fromkeys(s.run_id for s in rows if s.topic_id == topic_id))
        for place, run_id in enumerate(runs):
            values = [_cell(cells.get((topic_id, run_id, measure))) for measure in measures]
            last = place == len(runs) - 1
            _add(table, topic_id if not place else "", run_id, *values, end_section=last)
    return table


def remarks(scores: Sequence[Score]) -> list[str]:
    """What must be known to read the means; runs of which the same is true stand in one line.

    Each line names the measures it is of, but for topics that are missing by all of them.
    """
    means = [score for score in scores if score.topic_id == ALL_TOPICS]
    told: dict[str, dict[str, None]] = {}
    for run_id in dict.fromkeys(score.run_id for score in means):
        for remark in _remarks_of([score for score in means if score.run_id == run_id]):
            told.setdefault(remark, {})[run_id] = None
    everyone = {score.run_id for score in means}
    return [f"{_names(runs, everyone)}: {remark}" for remark, runs in told.items()]


def _remarks_of(means: Sequence[Score]) -> Iterator[str]:
    """What there is to say of one run."""
    for tell in (_missing, _undefined, _reason):
        measures: dict[str, list[str]] = {}
        for score in means:
            if remark := tell(score):
                measures.setdefault(remark, []).append(score.measure)
        for remark, names in measures.items():
            of_all = tell is _missing and len(names) == len(means)
            yield remark if of_all else f"{', '.join(names)}: {remark}"


def _heading(measure: str) -> str:
    return measure.replace("_", "\n").replace("(", "\n(")


def _grid(scores: Sequence[Score], caption: str, *leading: str) -> Table:
    if caption and any(score.n_failed for score in scores):
        caption += "; [low, high] if all failed judgments were the worst, or the best"
    table = Table(
        box=box.SIMPLE_HEAD, caption=Text(caption), caption_justify="left", pad_edge=False
    )
    for name in (*leading, "run"):
        table.add_column(name, no_wrap=True, vertical="bottom")
    for place, measure in enumerate(dict.fromkeys(score.measure for score in scores)):
        style = "bold" if place == 0 else ""
        heading = Text(_heading(measure))
        table.add_column(heading, justify="right", no_wrap=True, style=style, vertical="bottom")
    return table


def _add(table: Table, *cells: str, end_section: bool = False) -> None:
    """Add a row as it stands: an id may hold what rich takes for markup."""
    table.add_row(*map(Text, cells), end_section=end_section)


def _best_first(means: Sequence[Score]) -> list[str]:
    primary = means[0].measure if means else ""
    values = {score.run_id: score.value for score in means if score.measure == primary}
    runs = dict.fromkeys(score.run_id for score in means)
    return sorted(runs, key=lambda run: (values.get(run) is None, -(values.get(run) or 0.0), run))


def _cell(score: Score | None) -> str:
    if score is None:
        return ""
    return (
        _value(score) + (f" ±{_short(score.se)}" if score.se is not None else "") + _bounds(score)
    )


def _cell_with_interval(score: Score | None) -> str:
    if score is None:
        return ""
    given = score.ci_low is not None
    interval = f" ({_short(score.ci_low)}-{_short(score.ci_high)})" if given else ""
    return _value(score) + interval + _bounds(score)


def _value(score: Score) -> str:
    return "–" if score.value is None else f"{score.value:.3f}"


def _bounds(score: Score) -> str:
    return f" [{_short(score.low)}, {_short(score.high)}]" if score.n_failed else ""


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def _missing(score: Score) -> str:
    if not score.n_missing:
        return ""
    return f"{score.n_missing} of {score.n_topics} topics are missing, counted 0"


def _undefined(score: Score) -> str:
    if not score.n_undefined or score.value is None:
        return ""
    return f"{score.n_undefined} of {score.n_topics} topics undefined, left out of the mean"


def _reason(score: Score) -> str:
    return score.reason or ""


def _names(runs: Collection[str], everyone: Collection[str]) -> str:
    return "all runs" if len(runs) == len(everyone) > 1 else ", ".join(runs)
